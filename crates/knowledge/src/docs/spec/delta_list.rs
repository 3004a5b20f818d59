//! Requirements that a delta names in a line instead of under a heading. Renames are pairs of
//! `FROM:` and `TO:` lines, or `Old → New` in a heading; removals are bullets.
//!
//! OpenSpec's own format has these lists. They carry no description and no scenarios.

use std::ops::Range;

use super::parse_label;
use crate::docs::markdown::Markdown;
use kenning_model::{Operation, Requirement};

/// Builds the requirement of a heading. In a section of renames, the heading may state both names
/// around an arrow; the name is then the new one.
pub fn build_requirement(name: String, line: u32, operation: Option<Operation>) -> Requirement {
    let both = match operation {
        Some(Operation::Renamed) => {
            ["→", "->", "=>"].iter().find_map(|arrow| name.split_once(arrow))
        }
        _ => None,
    };
    let renamed_from = both.map(|(old, _)| strip_backticks(old));
    Requirement {
        name: both.map_or_else(|| name.clone(), |(_, new)| strip_backticks(new)),
        line,
        last_line: line,
        operation,
        renamed_from,
        ..Requirement::default()
    }
}

/// Takes over a rename that is written as `FROM:` and `TO:` below the requirement's heading. More
/// than one pair there is ambiguous and ignored.
pub fn complete_rename(requirement: &mut Requirement, listed: &[Requirement]) {
    if let [rename] = listed
        && rename.renamed_from.is_some()
        && requirement.renamed_from.is_none()
    {
        requirement.name = rename.name.clone();
        requirement.renamed_from = rename.renamed_from.clone();
    }
}

/// Parses the requirements that the lines of a section list. Only sections of renames and removals
/// have lists; literal lines are skipped.
pub fn parse_listed_requirements(
    markdown: &Markdown,
    lines: Range<usize>,
    operation: Option<Operation>,
) -> Vec<Requirement> {
    let lines = lines
        .filter(|line| !markdown.is_literal(*line))
        .map(|line| (line as u32 + 1, markdown.lines[line].as_str()));
    match operation {
        Some(Operation::Renamed) => parse_renames(lines),
        Some(Operation::Removed) => lines
            .filter_map(|(line, text)| {
                let name = parse_requirement_name(strip_bullet(text)?)?;
                Some(build_requirement(name, line, operation))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Pairs each `FROM:` with the next `TO:`. A `FROM:` without a partner is dropped.
fn parse_renames<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> Vec<Requirement> {
    let mut renames = Vec::new();
    let mut from: Option<(u32, String)> = None;
    for (line, text) in lines {
        let text = strip_bullet(text).unwrap_or(text.trim()).replace("**", "");
        if let Some(old) = parse_label(&text, "from") {
            from = Some((line, strip_label(&old)));
        } else if let Some(new) = parse_label(&text, "to")
            && let Some((line, old)) = from.take()
        {
            renames.push(Requirement {
                name: strip_label(&new),
                line,
                // The pair is two adjacent lines in the format.
                last_line: line + 1,
                operation: Some(Operation::Renamed),
                renamed_from: Some(old),
                ..Requirement::default()
            });
        }
    }
    renames
}

/// The text of a bullet; `None` if the line is none. A mark without a blank behind it is emphasis,
/// not a bullet.
fn strip_bullet(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix(['-', '*', '+'])?;
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

/// Parses `### Requirement: Name`, perhaps within backticks.
fn parse_requirement_name(text: &str) -> Option<String> {
    let text = text.trim().trim_matches('`').trim_start_matches('#').trim();
    parse_label(text, "requirement")
}

/// The name in a `FROM:` or `TO:` line, with or without the label `Requirement:`.
fn strip_label(text: &str) -> String {
    parse_requirement_name(text).unwrap_or_else(|| strip_backticks(text))
}

/// The text without surrounding backticks and blanks.
fn strip_backticks(text: &str) -> String {
    text.trim().trim_matches('`').trim().to_string()
}
