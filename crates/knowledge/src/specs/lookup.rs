//! Lookup of requirements and scenarios by name, as a user types it. An exact name wins; else case,
//! blanks and Markdown marks are ignored.

use kenning_model::{Requirement, Scenario, Spec};
use kenning_text::case_folding;
pub use kenning_text::fuzzy_match::nearest_lenient as nearest;

/// Finds the requirement of that name: exactly, else ignoring case, blanks and Markdown marks.
pub fn find_requirement<'a>(spec: &'a Spec, name: &str) -> Option<&'a Requirement> {
    find_requirements(spec, name).into_iter().next()
}

/// Finds all requirements of that name. A spec should not have two, but some do.
pub fn find_requirements<'a>(spec: &'a Spec, name: &str) -> Vec<&'a Requirement> {
    find_by_name(&spec.requirements, name, "requirement", |requirement| &requirement.name)
}

/// Finds the scenario of that name, in the same way.
pub fn find_scenario<'a>(requirement: &'a Requirement, name: &str) -> Option<&'a Scenario> {
    let found = find_by_name(&requirement.scenarios, name, "scenario", |scenario| &scenario.name);
    found.into_iter().next()
}

/// Finds all scenarios of that name, or all if there is none, each with its requirement.
pub fn find_scenarios<'a>(
    requirements: &[&'a Requirement],
    name: Option<&str>,
) -> Vec<(&'a Requirement, &'a Scenario)> {
    let found = requirements.iter().flat_map(|requirement| {
        let scenarios: Vec<&Scenario> = match name {
            Some(name) => find_by_name(&requirement.scenarios, name, "scenario", |one| &one.name),
            None => requirement.scenarios.iter().collect(),
        };
        scenarios.into_iter().map(|scenario| (*requirement, scenario))
    });
    found.collect()
}

/// Finds all items of a name. `label` is the word of their heading, such as `requirement`.
fn find_by_name<'a, T>(
    items: &'a [T],
    name: &str,
    label: &str,
    name_of: impl Fn(&T) -> &String,
) -> Vec<&'a T> {
    let exact: Vec<&T> = items.iter().filter(|item| name_of(item) == name).collect();
    if !exact.is_empty() {
        return exact;
    }
    let normalized = normalize_name(name);
    // A user who copies a heading copies its label with it.
    let unlabelled = normalized.strip_prefix(&format!("{label}:")).map(str::trim);
    let wanted = unlabelled.unwrap_or(&normalized);
    let alike = items.iter().filter(|item| normalize_name(name_of(item)) == wanted);
    alike.collect()
}

/// The form in which two spellings of a name are equal.
fn normalize_name(name: &str) -> String {
    let text: String = name.chars().filter(|c| !matches!(c, '`' | '*' | '#')).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    case_folding::fold(&words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_not_be_exact() {
        let requirement =
            |name: &str| Requirement { name: name.to_string(), ..Requirement::default() };
        let spec = Spec {
            requirements: vec![
                requirement("Search  `all` Specs"),
                requirement("a"),
                requirement("A"),
            ],
            ..Spec::default()
        };
        for (name, expected) in [
            ("A", Some(2)),
            ("a", Some(1)),
            ("search all specs", Some(0)),
            ("### Requirement: Search `all` Specs", Some(0)),
            ("b", None),
            ("", None),
        ] {
            let found = find_requirement(&spec, name);
            let position = found.map(|found| {
                let mut all = spec.requirements.iter();
                all.position(|one| std::ptr::eq(one, found)).unwrap()
            });
            assert_eq!(position, expected, "{name}");
        }
    }

    #[test]
    fn the_nearest_come_first() {
        let known = ["auth-session", "auth", "billing"];
        let found = |name: &str| nearest(name, known);
        assert_eq!(found("auht"), ["auth", "auth-session"]);
        assert_eq!(found("Auth"), ["auth", "auth-session"]);
        assert_eq!(found("session"), ["auth-session"]);
        assert_eq!(found("zzz"), [""; 0]);
        assert_eq!(nearest("django", ["go"]), [""; 0]);
        assert_eq!(found(&"x".repeat(1 << 20)), [""; 0]);
    }
}
