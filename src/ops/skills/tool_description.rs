//! The description of the `skill` tool: a list of all skills in the contract's format and order.
//!
//! For a client that is known to cut, descriptions are shortened so that every name survives. The
//! order puts the project's own skills first, so that a cut hurts least.

use super::to_one_line;
use kenning_model::Skill;

/// The first lines, frozen by the contract.
const HEAD: &str = "Load a skill by name to get specialized instructions.\n\nAvailable skills:\n";

/// The shortest useful description. If not all can have so much, the first ones do.
const SHORTEST: usize = 40;

/// The list, and a note about what was shortened.
#[derive(Debug, PartialEq, Eq)]
pub struct SkillListText {
    /// The description of the tool.
    pub text: String,
    /// A sentence for the log, if something was shortened.
    pub trimmed: Option<String>,
}

/// Describes the skills in at most `limit` characters, if that is possible without losing a name.
/// Zero is no limit.
pub fn describe_skills(skills: &[Skill], limit: u64) -> SkillListText {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let entries: Vec<SkillLine> = skills.iter().map(SkillLine::new).collect();
    let whole = render_list(&entries, entries.len(), usize::MAX);
    if limit == 0 || whole.chars().count() <= limit {
        return SkillListText { text: whole, trimmed: None };
    }
    let room = description_room(&entries, limit);
    // Where room is too little for all, the first get what there is: the project's own.
    let described =
        if room >= SHORTEST { entries.len() } else { describable_count(&entries, limit) };
    let room = room.max(SHORTEST);
    let shortened = entries[..described].iter();
    let shortened = shortened.filter(|entry| entry.length > room).count();
    SkillListText {
        text: render_list(&entries, described, room),
        trimmed: Some(format!(
            "the list of {} skills has {} characters, but {limit} are allowed: {shortened} \
             descriptions were cut to {room} characters, {} left out{} \
             (skills.description_limit)",
            skills.len(),
            whole.chars().count(),
            entries.len() - described,
            if list_length(&entries, 0, room) > limit {
                "; names alone take more than that, so the last ones are lost"
            } else {
                ""
            }
        )),
    }
}

/// Describes what a client that cuts at `cut` loses, if the list is longer: a sentence for the log.
pub fn describe_loss(skills: &[Skill], limit: u64, cut: u64) -> Option<String> {
    let text = describe_skills(skills, limit).text;
    let cut = usize::try_from(cut).unwrap_or(usize::MAX);
    if text.chars().count() <= cut {
        return None;
    }
    let kept: String = text.chars().take(cut).collect();
    // The line that the cut goes through is not whole.
    let whole = kept.lines().count().saturating_sub(HEAD.lines().count() + 1);
    Some(format!(
        "the list of {} skills has {} characters: a client that cuts at {cut} sees the first {whole} \
         of them whole; skills.description_limit={cut} would keep every name",
        skills.len(),
        text.chars().count()
    ))
}

/// A skill as one line of the list.
struct SkillLine {
    /// The full name, on one line.
    name: String,
    /// The description, on one line.
    description: String,
    /// The length of the description in characters.
    length: usize,
}

impl SkillLine {
    fn new(skill: &Skill) -> SkillLine {
        let description = to_one_line(&skill.description);
        SkillLine {
            name: to_one_line(&skill.full_name),
            length: description.chars().count(),
            description,
        }
    }

    /// The characters of its line, if the description may have `room` characters.
    fn line_length(&self, room: usize) -> usize {
        let description = match self.length.min(room) {
            0 => 0,
            length => length + 2,
        };
        "- \n".len() + self.name.chars().count() + description
    }
}

/// The characters of the list, if the first `described` entries have descriptions of at most `room`
/// characters.
fn list_length(entries: &[SkillLine], described: usize, room: usize) -> usize {
    let lines = entries.iter().enumerate();
    let lines =
        lines.map(
            |(number, entry)| {
                if number < described { entry.line_length(room) } else { entry.line_length(0) }
            },
        );
    // The last line has no end.
    (HEAD.len() + lines.sum::<usize>()).saturating_sub(1)
}

/// The most characters that each description may have; zero if there is no room for any.
fn description_room(entries: &[SkillLine], limit: usize) -> usize {
    let longest = entries.iter().map(|entry| entry.length).max().unwrap_or(0);
    largest_fitting(longest, |room| list_length(entries, entries.len(), room) <= limit)
}

/// The number of entries that can have a description of [`SHORTEST`] characters.
fn describable_count(entries: &[SkillLine], limit: usize) -> usize {
    largest_fitting(entries.len(), |described| list_length(entries, described, SHORTEST) <= limit)
}

/// The largest number up to `highest` that fits, zero if none does. A binary search: if a number
/// fits, all smaller ones do.
fn largest_fitting(highest: usize, fits: impl Fn(usize) -> bool) -> usize {
    // Invariant: `fitting` fits or is zero, and `too_many` does not fit.
    let (mut fitting, mut too_many) = (0, highest + 1);
    while too_many - fitting > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        if fits(middle) { fitting = middle } else { too_many = middle }
    }
    fitting
}

/// Renders the list. Entries after the first `described` have their names only.
fn render_list(entries: &[SkillLine], described: usize, room: usize) -> String {
    if entries.is_empty() {
        return format!("{HEAD}(none yet; a folder with a SKILL.md in .claude/skills becomes one)");
    }
    let lines = entries.iter().enumerate().map(|(number, entry)| {
        match (number < described, entry.length <= room) {
            (false, _) => format!("- {}", entry.name),
            (_, true) => format!("- {}: {}", entry.name, entry.description),
            _ => format!("- {}: {}", entry.name, shorten(&entry.description, room)),
        }
    });
    format!("{HEAD}{}", lines.collect::<Vec<_>>().join("\n"))
}

/// Cuts a text to `room` characters with an ellipsis, preferably at the end of a word.
fn shorten(text: &str, room: usize) -> String {
    let kept: String = text.chars().take(room - 1).collect();
    let end = match kept.rfind(' ') {
        Some(end) if end * 2 > kept.len() => end,
        _ => kept.len(),
    };
    format!("{}…", kept[..end].trim_end_matches([',', ';', ':', '.']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::SkillTier;

    fn skills(entries: &[(&str, &str)]) -> Vec<Skill> {
        let entries = entries.iter();
        let skills = entries.map(|(name, description)| Skill {
            name: name.to_string(),
            full_name: name.to_string(),
            description: description.to_string(),
            tier: SkillTier::Project,
            directory: "/x".into(),
            file_name: "SKILL.md".to_string(),
            content: "".into(),
        });
        skills.collect()
    }

    #[test]
    fn the_format_of_the_contract() {
        let skills = skills(&[
            ("user", "用户的全局技能,必读!"),
            ("bun", "Enhanced documentation skill\n  for 'bun'\n"),
            ("example-skills:pdf", "Comprehensive PDF manipulation toolkit"),
        ]);
        let expected = "Load a skill by name to get specialized instructions.\n\n\
                        Available skills:\n\
                        - user: 用户的全局技能,必读!\n\
                        - bun: Enhanced documentation skill for 'bun'\n\
                        - example-skills:pdf: Comprehensive PDF manipulation toolkit";
        let described = describe_skills(&skills, 2048);
        assert_eq!((described.text.as_str(), described.trimmed), (expected, None));
        let exact = expected.chars().count() as u64;
        assert_eq!(describe_skills(&skills, exact).trimmed, None);
        assert!(describe_skills(&skills, exact - 1).trimmed.is_some());
        assert_eq!(describe_skills(&skills, 0).text, expected);
    }

    #[test]
    fn names_survive_first() {
        let long = "word ".repeat(100);
        let many: Vec<(String, String)> =
            (0..500).map(|number| (format!("skill-{number}"), long.clone())).collect();
        for count in [1, 5, 20, 60, 95, 100, 104, 150, 180, 500] {
            let entries: Vec<(&str, &str)> = many[..count]
                .iter()
                .map(|(name, description)| (name.as_str(), description.as_str()))
                .collect();
            let skills = skills(&entries);
            let described = describe_skills(&skills, 2048);
            let lines: Vec<&str> = described.text.lines().skip(3).collect();
            assert_eq!(lines.len(), count);
            for (line, (name, _)) in lines.iter().zip(&entries) {
                let rest = line.strip_prefix(&format!("- {name}"));
                let rest = rest.unwrap_or_else(|| panic!("{line}"));
                assert!(rest.is_empty() || rest.starts_with(": word"), "{line}");
            }
            let length = described.text.chars().count();
            assert!(length <= 2048 || lines.iter().all(|line| !line.contains(':')));
            let trimmed = described.trimmed.unwrap_or_default();
            assert_eq!(!trimmed.is_empty(), count > 3, "{count}");
            // It says so only where it is so.
            assert_eq!(trimmed.contains("names alone"), length > 2048, "{count}");
            // As much as there is room for, and the first ones first.
            assert!(!(5..=150).contains(&count) || length > 1700, "{count}: {length}");
            let is_described = |line: &&str| line.contains(':');
            let described = lines.iter().take_while(|line| is_described(line)).count();
            assert!(!lines[described..].iter().any(is_described));
        }
    }

    #[test]
    fn what_a_cut_would_cost_is_told() {
        let long = "word ".repeat(100);
        let skills =
            skills(&[("a", &long), ("b", &long), ("c", &long), ("d", &long), ("e", &long)]);
        let told = describe_loss(&skills, 0, 2048).unwrap();
        assert!(told.contains("sees the first 3 of them whole"), "{told}");
        assert_eq!(describe_loss(&skills, 2048, 2048), None);
        assert_eq!(describe_loss(&skills[..2], 0, 2048), None);
    }

    #[test]
    fn short_descriptions_stay_whole_when_long_ones_are_cut() {
        let long = "x".repeat(3000);
        let described = describe_skills(&skills(&[("a", "short one"), ("b", &long)]), 2048);
        assert!(described.text.contains("- a: short one\n"));
        assert!(described.text.ends_with("x…"));
        assert_eq!(described.text.chars().count(), 2048);
        assert!(described.trimmed.unwrap().contains("1 descriptions"));
    }
}
