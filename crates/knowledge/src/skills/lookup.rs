//! Lookup of a skill by name, and suggestions for a name that does not exist.
//!
//! A full name is `plugin:skill`, or the skill's own name outside of plugins. The short name is the
//! part after the last colon.

use kenning_model::Skill;
use kenning_text::case_folding;
use kenning_text::fuzzy_match::FuzzyPattern;

/// The result of a lookup.
#[derive(Debug, PartialEq, Eq)]
pub enum SkillLookup<'a> {
    /// The only skill that the name can mean.
    One(&'a Skill),
    /// All skills that share the short name.
    Several(Vec<&'a Skill>),
    /// No skill has the name, in any case.
    Nothing,
}

/// Finds a skill by its exact full name, then by full name without case, then by a unique short
/// name. An exact name wins over a short name, so that a plugin cannot shadow a skill.
pub fn resolve_skill<'a>(skills: &'a [Skill], name: &str) -> SkillLookup<'a> {
    let name = name.trim();
    if let Some(skill) = skills.iter().find(|skill| skill.full_name == name) {
        return SkillLookup::One(skill);
    }
    let mut full = skills.iter();
    if let Some(skill) = full.find(|skill| case_folding::is_equal(&skill.full_name, name)) {
        return SkillLookup::One(skill);
    }
    let short: Vec<&Skill> =
        skills.iter().filter(|skill| case_folding::is_equal(short_name(skill), name)).collect();
    match short.as_slice() {
        [] => SkillLookup::Nothing,
        [only] => SkillLookup::One(only),
        _ => SkillLookup::Several(short),
    }
}

/// Returns the names most similar to one that does not exist, best first. At most `most` names are
/// returned.
pub fn similar_names<'a>(skills: &'a [Skill], name: &str, most: usize) -> Vec<&'a str> {
    // A request for `other:pdf` may well mean the existing `pdf`.
    let tail = name.rsplit(':').next().unwrap_or(name);
    let (whole, tail) = (FuzzyPattern::lenient(name), FuzzyPattern::lenient(tail));
    let mut scored: Vec<(usize, &str)> = skills
        .iter()
        .filter_map(|skill| {
            // A match of the short name alone ranks below an equally good match of the whole name.
            let by_tail = tail.distance_to(short_name(skill)).map(|unlikeness| unlikeness + 1);
            let unlikeness = [whole.distance_to(&skill.full_name), by_tail].into_iter().flatten();
            Some((unlikeness.min()?, skill.full_name.as_str()))
        })
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(most).map(|(_, name)| name).collect()
}

/// The name without its plugin.
fn short_name(skill: &Skill) -> &str {
    let name = skill.full_name.rsplit(':').next();
    name.unwrap_or(&skill.full_name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::rank::testing::skill;

    fn check(names: &[&str], wanted: &str, expected: &str) {
        let skills: Vec<Skill> = names.iter().map(|name| skill(name, "x", "")).collect();
        let resolved = match resolve_skill(&skills, wanted) {
            SkillLookup::One(skill) => skill.full_name.clone(),
            SkillLookup::Several(several) => {
                let several = several.iter().map(|skill| skill.full_name.as_str());
                several.collect::<Vec<_>>().join(" or ")
            }
            SkillLookup::Nothing => {
                format!("no; {}?", similar_names(&skills, wanted, 3).join(", "))
            }
        };
        assert_eq!(resolved, expected, "{wanted}");
    }

    #[test]
    fn full_names_first_then_short_ones() {
        let names = ["pdf", "a:pdf", "b:pdf", "a:doc", "用户", "a:b:deep", "a:x", "b:x"];
        check(&names, "pdf", "pdf");
        check(&names, " PDF ", "pdf");
        check(&names, "B:Pdf", "b:pdf");
        check(&names, "doc", "a:doc");
        check(&names, "X", "a:x or b:x");
        check(&names, "用户", "用户");
        check(&names, "deep", "a:b:deep");
        check(&["A", "a"], "a", "a");
        check(&["A", "a"], "A", "A");
    }

    #[test]
    fn what_does_not_exist_is_guessed() {
        let names = ["pdf-tools", "docx", "brand-guidelines", "a:webapp-testing"];
        check(&names, "pdf", "no; pdf-tools?");
        check(&names, "brand-guideline", "no; brand-guidelines?");
        check(&names, "webapp-tesing", "no; a:webapp-testing?");
        check(&names, "other:docx", "no; docx?");
        check(&names, "dcox", "no; docx?");
        check(&names, "zzzzzz", "no; ?");
        check(&names, "", "no; ?");
        check(&["go"], "django", "no; ?");
        check(&["go"], "lang-go", "no; go?");
        check(&["docx"], "mydocxtool", "no; docx?");
        // Only the first letters of a long text are compared, so it takes no time.
        check(&names, &"x".repeat(1 << 20), "no; ?");
    }
}
