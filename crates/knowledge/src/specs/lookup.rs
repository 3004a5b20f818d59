//! Lookup of requirements and scenarios by name, as a user types it.

use kenning_model::{Requirement, Scenario, Spec};
use kenning_text::case;

/// Finds the requirement of that name: exactly, else ignoring case, blanks and Markdown marks.
pub fn find_requirement<'a>(spec: &'a Spec, name: &str) -> Option<&'a Requirement> {
    find_requirements(spec, name).into_iter().next()
}

/// Finds all requirements of that name. A spec should not have two, but some do.
pub fn find_requirements<'a>(spec: &'a Spec, name: &str) -> Vec<&'a Requirement> {
    find(&spec.requirements, name, "requirement", |requirement| &requirement.name)
}

/// Finds the scenario of that name, in the same way.
pub fn find_scenario<'a>(requirement: &'a Requirement, name: &str) -> Option<&'a Scenario> {
    let found = find(&requirement.scenarios, name, "scenario", |scenario| &scenario.name);
    found.into_iter().next()
}

/// Finds all scenarios of that name, or all if there is none, each with its requirement.
pub fn find_scenarios<'a>(
    requirements: &[&'a Requirement],
    name: Option<&str>,
) -> Vec<(&'a Requirement, &'a Scenario)> {
    let found = requirements.iter().flat_map(|requirement| {
        let scenarios: Vec<&Scenario> = match name {
            Some(name) => find(&requirement.scenarios, name, "scenario", |one| &one.name),
            None => requirement.scenarios.iter().collect(),
        };
        scenarios.into_iter().map(|scenario| (*requirement, scenario))
    });
    found.collect()
}

const LONGEST: usize = 256;

/// The least length of a name for a substring match. A shorter name matches by chance.
const TELLING: usize = 4;

/// Returns up to three known names similar to this one, best first.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    // Only this much is compared: no real name is longer, and more would only take time.
    let wanted: String = plain(name).chars().take(LONGEST).collect();
    let mut scored: Vec<(f64, &str)> = known
        .map(|known| {
            let plain = plain(known);
            let is_said = plain.chars().count() >= TELLING && wanted.contains(&plain);
            let is_part = !wanted.is_empty() && plain.contains(&wanted) || is_said;
            let likeness = strsim::jaro_winkler(&wanted, &plain);
            (likeness + f64::from(u8::from(is_part)), known)
        })
        .filter(|(likeness, _)| *likeness > 0.7)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(3).map(|(_, known)| known).collect()
}

fn find<'a, T>(
    items: &'a [T],
    name: &str,
    label: &str,
    name_of: impl Fn(&T) -> &String,
) -> Vec<&'a T> {
    let exact: Vec<&T> = items.iter().filter(|item| name_of(item) == name).collect();
    if !exact.is_empty() {
        return exact;
    }
    let wanted = plain(name);
    // A user who copies a heading copies its label with it.
    let unlabelled = wanted.strip_prefix(&format!("{label}:")).map(str::trim);
    let wanted = unlabelled.unwrap_or(&wanted);
    let alike = items.iter().filter(|item| plain(name_of(item)) == wanted);
    alike.collect()
}

fn plain(name: &str) -> String {
    let text: String = name.chars().filter(|c| !matches!(c, '`' | '*' | '#')).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    case::fold(&words.join(" "))
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
        let found = |name: &str| nearest(name, known.into_iter());
        assert_eq!(found("auht"), ["auth"]);
        assert_eq!(found("Auth"), ["auth", "auth-session"]);
        assert_eq!(found("session"), ["auth-session"]);
        assert_eq!(found("zzz"), [""; 0]);
        assert_eq!(nearest("django", ["go"].into_iter()), [""; 0]);
        assert_eq!(found(&"x".repeat(1 << 20)), [""; 0]);
    }
}
