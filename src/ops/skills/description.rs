//! The description of the `skill` tool: a list of all skills, in the contract's format. Some clients
//! cut a description at 2,048 characters; when there are more, descriptions are shortened so that
//! the names survive, and the names follow each other in the order in which they matter.

use super::one_line;
use crate::model::Skill;

const HEAD: &str = "Load a skill by name to get specialized instructions.\n\nAvailable skills:\n";

/// Below this a description says nothing any more, and is left out.
const SHORTEST: usize = 12;

/// The text, and what had to be left out of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Described {
    pub text: String,
    /// A sentence for the log.
    pub trimmed: Option<String>,
}

/// Describes the skills in at most `limit` characters if that is possible without losing a name;
/// zero is no limit.
pub fn describe(skills: &[Skill], limit: u64) -> Described {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let entries: Vec<Entry> = skills.iter().map(Entry::new).collect();
    let whole = text(&entries, usize::MAX);
    if limit == 0 || whole.chars().count() <= limit {
        return Described {
            text: whole,
            trimmed: None,
        };
    }
    let room = room(&entries, limit);
    let shortened = entries.iter().filter(|entry| entry.length > room).count();
    let how = match room {
        0 => "left out; names alone take more than that, so a client that cuts loses the last ones"
            .to_string(),
        room => format!("cut to {room} characters"),
    };
    Described {
        text: text(&entries, room),
        trimmed: Some(format!(
            "the list of {} skills does not fit {limit} characters: {shortened} descriptions were \
             {how} (skills.description_limit)",
            skills.len()
        )),
    }
}

struct Entry {
    name: String,
    description: String,
    /// Of the description, in characters.
    length: usize,
}

impl Entry {
    fn new(skill: &Skill) -> Entry {
        let description = one_line(&skill.description);
        Entry {
            name: one_line(&skill.full_name),
            length: description.chars().count(),
            description,
        }
    }

    /// How many characters its line takes with so much room for the description.
    fn line_length(&self, room: usize) -> usize {
        let description = match self.length.min(room) {
            0 => 0,
            length => length + 2,
        };
        "- \n".len() + self.name.chars().count() + description
    }
}

/// The most characters that each description may have; zero if there is no room for any.
fn room(entries: &[Entry], limit: usize) -> usize {
    let fits = |room: usize| {
        let lines = entries.iter().map(|entry| entry.line_length(room));
        // The last line has no end.
        HEAD.len() + lines.sum::<usize>() <= limit + 1
    };
    let longest = entries.iter().map(|entry| entry.length).max().unwrap_or(0);
    let (mut fitting, mut too_long) = (0, longest + 1);
    while too_long - fitting > 1 {
        let middle = fitting + (too_long - fitting) / 2;
        match fits(middle) {
            true => fitting = middle,
            false => too_long = middle,
        }
    }
    if fitting < SHORTEST { 0 } else { fitting }
}

fn text(entries: &[Entry], room: usize) -> String {
    if entries.is_empty() {
        return format!("{HEAD}(none yet; a folder with a SKILL.md in .claude/skills becomes one)");
    }
    let lines = entries.iter().map(|entry| match entry.length.min(room) {
        0 => format!("- {}", entry.name),
        length if length == entry.length => format!("- {}: {}", entry.name, entry.description),
        _ => format!("- {}: {}", entry.name, shortened(&entry.description, room)),
    });
    format!("{HEAD}{}", lines.collect::<Vec<_>>().join("\n"))
}

/// At most `room` characters, with a sign that there was more, preferably at the end of a word.
fn shortened(text: &str, room: usize) -> String {
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
    use crate::model::SkillTier;

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
            (
                "example-skills:pdf",
                "Comprehensive PDF manipulation toolkit",
            ),
        ]);
        let expected = "Load a skill by name to get specialized instructions.\n\n\
                        Available skills:\n\
                        - user: 用户的全局技能,必读!\n\
                        - bun: Enhanced documentation skill for 'bun'\n\
                        - example-skills:pdf: Comprehensive PDF manipulation toolkit";
        let described = describe(&skills, 2048);
        assert_eq!(
            (described.text.as_str(), described.trimmed),
            (expected, None)
        );
        let exact = expected.chars().count() as u64;
        assert_eq!(describe(&skills, exact).trimmed, None);
        assert!(describe(&skills, exact - 1).trimmed.is_some());
        assert_eq!(describe(&skills, 0).text, expected);
    }

    #[test]
    fn names_survive_first() {
        let long = "word ".repeat(100);
        let many: Vec<(String, String)> = (0..500)
            .map(|number| (format!("skill-{number}"), long.clone()))
            .collect();
        for count in [1, 5, 20, 60, 100, 500] {
            let entries: Vec<(&str, &str)> = many[..count]
                .iter()
                .map(|(name, description)| (name.as_str(), description.as_str()))
                .collect();
            let skills = skills(&entries);
            let described = describe(&skills, 2048);
            let lines: Vec<&str> = described.text.lines().skip(3).collect();
            assert_eq!(lines.len(), count);
            for (line, (name, _)) in lines.iter().zip(&entries) {
                let rest = line.strip_prefix(&format!("- {name}"));
                let rest = rest.unwrap_or_else(|| panic!("{line}"));
                assert!(rest.is_empty() || rest.starts_with(": word"), "{line}");
            }
            let length = described.text.chars().count();
            assert!(length <= 2048 || lines.iter().all(|line| !line.contains(':')));
            assert_eq!(described.trimmed.is_some(), count > 3, "{count}");
            // As much as there is room for.
            assert!(
                !(5..=60).contains(&count) || length > 1700,
                "{count}: {length}"
            );
        }
    }

    #[test]
    fn short_descriptions_stay_whole_when_long_ones_are_cut() {
        let long = "x".repeat(3000);
        let described = describe(&skills(&[("a", "short one"), ("b", &long)]), 2048);
        assert!(described.text.contains("- a: short one\n"));
        assert!(described.text.ends_with("x…"));
        assert_eq!(described.text.chars().count(), 2048);
        assert!(described.trimmed.unwrap().contains("1 descriptions"));
    }
}
