//! Requirements that a delta names in a line instead of under a heading: renames as pairs of FROM
//! and TO or as `Old → New`, removals as bullets.

use std::ops::Range;

use super::parse_label;
use crate::docs::markdown::Markdown;
use kenning_model::{Operation, Requirement};

/// The requirement of a heading. A rename may say both names in it.
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

/// A rename may also say FROM and TO below a heading.
pub fn complete_rename(requirement: &mut Requirement, listed: &[Requirement]) {
    if let [rename] = listed
        && rename.renamed_from.is_some()
        && requirement.renamed_from.is_none()
    {
        requirement.name = rename.name.clone();
        requirement.renamed_from = rename.renamed_from.clone();
    }
}

/// The requirements that the lines of a section name.
pub fn parse_listed_requirements(
    markdown: &Markdown,
    lines: Range<usize>,
    operation: Option<Operation>,
) -> Vec<Requirement> {
    let lines = lines.filter(|line| !markdown.is_literal(*line));
    let lines = lines.map(|line| (line as u32 + 1, markdown.lines[line].as_str()));
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

fn parse_renames<'a>(lines: impl Iterator<Item = (u32, &'a str)>) -> Vec<Requirement> {
    let mut renames = Vec::new();
    let mut from: Option<(u32, String)> = None;
    for (line, text) in lines {
        let text = strip_bullet(text).unwrap_or(text.trim());
        let text = text.replace("**", "");
        if let Some(old) = parse_label(&text, "from") {
            from = Some((line, strip_label(&old)));
        } else if let Some(new) = parse_label(&text, "to")
            && let Some((line, old)) = from.take()
        {
            renames.push(Requirement {
                name: strip_label(&new),
                line,
                last_line: line + 1,
                operation: Some(Operation::Renamed),
                renamed_from: Some(old),
                ..Requirement::default()
            });
        }
    }
    renames
}

fn strip_bullet(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix(['-', '*', '+'])?;
    rest.starts_with([' ', '\t']).then(|| rest.trim())
}

/// `### Requirement: Name`, perhaps within backticks.
fn parse_requirement_name(text: &str) -> Option<String> {
    let text = text.trim().trim_matches('`').trim_start_matches('#').trim();
    parse_label(text, "requirement")
}

fn strip_label(text: &str) -> String {
    parse_requirement_name(text).unwrap_or_else(|| strip_backticks(text))
}

fn strip_backticks(text: &str) -> String {
    text.trim().trim_matches('`').trim().to_string()
}
