//! Specs in the shapes that public repositories have, against a count that knows no Markdown parser:
//! line by line, without what stands between fences and in comments.

use super::parse_spec;
use kenning_model::RepoPath;

const SHAPES: [(&str, &str); 4] = [
    ("lists and comments", include_str!("fixtures/delta_with_lists_and_comments.md")),
    ("rules", include_str!("fixtures/purpose_and_rules.md")),
    ("wide colons", include_str!("fixtures/plain_words_and_wide_colons.md")),
    ("removed and renamed", include_str!("fixtures/removed_and_renamed.md")),
];

#[derive(Debug, Default, PartialEq, Eq)]
struct SpecCounts {
    requirements: usize,
    scenarios: usize,
    clauses: usize,
}

fn count_parts(text: &str) -> SpecCounts {
    let mut counts = SpecCounts::default();
    let mut fence: Option<String> = None;
    let mut is_comment = false;
    for line in text.lines() {
        let bare = line.trim_start();
        let mark: String = bare.chars().take_while(|c| matches!(c, '`' | '~')).collect();
        if let Some(open) = &fence {
            let closes = mark.starts_with(open.as_str()) && bare.trim_end() == mark;
            fence = fence.filter(|_| !closes);
        } else if is_comment || bare.starts_with("<!--") {
            is_comment = !line.contains("-->");
        } else if mark.len() >= 3 {
            fence = Some(mark);
        } else if line.starts_with('#') {
            let title = line.trim_start_matches('#').trim_start();
            let is = |label: &str| {
                let rest = title.strip_prefix(label);
                usize::from(rest.is_some_and(|rest| rest.starts_with([':', '：'])))
            };
            counts.requirements += is("Requirement");
            counts.scenarios += is("Scenario");
        } else {
            let item = bare.trim_start_matches(|c: char| "-*+. ".contains(c) || c.is_ascii_digit());
            let keyword = item.split(['*', ':', ' ']).next().unwrap_or_default();
            let known = ["GIVEN", "WHEN", "THEN", "AND", "BUT"];
            let is_clause = known.contains(&keyword.to_uppercase().as_str());
            counts.clauses += usize::from(is_clause && item.len() < bare.len());
        }
    }
    counts
}

#[test]
fn every_shape_is_read_completely() {
    let path = RepoPath::new("spec.md").unwrap();
    for (name, text) in SHAPES {
        let expected = count_parts(text);
        assert!(expected.requirements > 1 && expected.clauses > 4, "{name}: {expected:?}");
        for text in [text.to_string(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            let (spec, problems) = parse_spec("x", &path, &text);
            assert_eq!(problems, [], "{name}");
            let scenarios = || spec.requirements.iter().flat_map(|one| &one.scenarios);
            let found = SpecCounts {
                requirements: spec.requirements.len(),
                scenarios: scenarios().count(),
                clauses: scenarios().map(|one| one.clauses.len()).sum(),
            };
            assert_eq!(found, expected, "{name}");
        }
    }
}
