//! A review as text for a terminal, and as Markdown for a comment on a pull request. Both are made
//! from one list of sections, so they say the same.

use super::reply::{ChangedDefinition, ReviewReply};
use crate::ops::code::unresolved_lines::Unresolved;
use crate::ops::number_format::count_noun;

/// A heading with its lines.
struct ReviewSection {
    title: String,
    lines: Vec<ReviewLine>,
}

/// A line: a name or place that is set as code, and words after it.
struct ReviewLine {
    code: String,
    words: String,
}

/// Formats a review for a terminal.
pub fn to_text(reply: &ReviewReply) -> String {
    let mut text = summary(reply);
    for section in sections(reply) {
        text += &format!("\n\n{}", section.title);
        for line in section.lines {
            let parts = [line.code, line.words].into_iter().filter(|part| !part.is_empty());
            text += &format!("\n  {}", strip_controls(&parts.collect::<Vec<_>>().join("  ")));
        }
    }
    text
}

/// Formats a review as Markdown. Long lists are folded.
pub fn to_markdown(reply: &ReviewReply) -> String {
    /// A longer list is folded.
    const OPEN: usize = 8;
    let mut text = format!("### Kenning review\n\n{}\n", summary(reply));
    for section in sections(reply) {
        let lines = section.lines.iter().map(|line| {
            let words = if line.words.is_empty() {
                String::new()
            } else {
                format!(" {}", escape_markdown(&line.words))
            };
            format!("- {}{words}\n", code_span(&line.code))
        });
        let lines: String = lines.collect();
        text += &if section.lines.len() > OPEN {
            format!(
                "\n<details><summary><b>{}</b></summary>\n\n{lines}\n</details>\n",
                section.title
            )
        } else {
            format!("\n**{}**\n\n{lines}", section.title)
        };
    }
    text
}

/// One sentence with the counts.
fn summary(reply: &ReviewReply) -> String {
    let since = format!("compared with {}", reply.base);
    if reply.changed_count == 0 {
        return format!("No definition has changed, {since}.");
    }
    let untested = match reply.untested.len() {
        0 => String::new(),
        count => {
            format!("; no resolved call leads from a test to {count} of the changed definitions")
        }
    };
    format!(
        "{} changed in {}, {since}: {} and {} depend on them{untested}.",
        count_noun(reply.changed_count, "definition"),
        count_noun(reply.files, "file"),
        count_noun(reply.affected_count, "definition"),
        count_noun(reply.test_count, "test"),
    )
}

/// The sections that have something to say, in the order of importance.
fn sections(reply: &ReviewReply) -> Vec<ReviewSection> {
    let plain = |code: &String| ReviewLine { code: code.clone(), words: String::new() };
    let still_named = reply.still_named.iter().map(|one| ReviewLine {
        code: one.symbol.clone(),
        words: format!("at {}", one.lines.join(", ")),
    });
    let affected = reply.affected.iter().map(|row| ReviewLine {
        code: format!("{}:{} {}", row.symbol.path, row.symbol.line, row.symbol.symbol),
        words: format!("risk {:.2}, {}", row.risk, row.why),
    });
    let tests = reply.tests.iter().map(|row| ReviewLine {
        code: format!("{}:{} {}", row.symbol.path, row.symbol.line, row.symbol.symbol),
        words: String::new(),
    });
    let requirements = reply.requirements.iter().map(|one| ReviewLine {
        code: one.at.clone(),
        words: format!("{} ({})", one.requirement, one.symbols.join(", ")),
    });
    let packages = reply.packages.iter().map(|one| ReviewLine {
        code: one.package.clone(),
        words: match one.dependent_count {
            0 => "no package depends on it".to_string(),
            count => {
                let cut = if count > one.dependents.len() { ", …" } else { "" };
                let verb = if count == 1 { "depends" } else { "depend" };
                let list = one.dependents.join(", ");
                format!("{} {verb} on it: {list}{cut}", count_noun(count, "package"))
            }
        },
    });
    let notes = reply.left_out.iter().chain(&reply.trust.notice);
    // Without a change, the summary says so already.
    let note = reply.note.iter().filter(|_| reply.changed_count > 0);
    let note = note.map(|note| ReviewLine { code: String::new(), words: note.clone() });
    let all = [
        ("Note", note.collect()),
        ("Removed, but still named", still_named.collect()),
        ("Changed definitions", reply.changed.iter().map(changed_line).collect()),
        ("No resolved call leads from a test to", reply.untested.iter().map(plain).collect()),
        ("May break, riskiest first", affected.collect()),
        ("Tests to run", tests.collect()),
        ("Unresolved calls that may lead to it", unresolved_lines(&reply.unresolved)),
        ("Requirements that speak of it", requirements.collect()),
        ("Packages", packages.collect()),
        ("Changed files that are not indexed", reply.unread.iter().map(plain).collect()),
    ];
    let sections = all.into_iter().map(|(title, lines): (&str, Vec<ReviewLine>)| ReviewSection {
        title: title.to_string(),
        lines,
    });
    let notes: Vec<ReviewLine> =
        notes.map(|note| ReviewLine { code: String::new(), words: note.clone() }).collect();
    let notes = ReviewSection { title: "Not shown".to_string(), lines: notes };
    sections.chain([notes]).filter(|section| !section.lines.is_empty()).collect()
}

/// Formats the unresolved calls, each with its place.
fn unresolved_lines(unresolved: &Unresolved) -> Vec<ReviewLine> {
    let lines = unresolved.unresolved.iter().flat_map(|file| {
        file.calls.iter().map(|line| {
            let (number, text) = line.split_once(": ").unwrap_or((line, ""));
            ReviewLine { code: format!("{}:{number}", file.path), words: text.to_string() }
        })
    });
    lines.collect()
}

/// Formats one changed definition.
fn changed_line(one: &ChangedDefinition) -> ReviewLine {
    let mut words = one.change.clone();
    if let (Some(before), Some(after)) = (&one.before, &one.after) {
        words += &format!(": {before} → {after}");
    }
    if let Some(from) = &one.from {
        words += &format!(" from {from}");
    }
    if one.dependents > 0 {
        words += &format!(", {}", count_noun(one.dependents, "direct dependent"));
    }
    if one.tests > 0 {
        words += &format!(", {}", count_noun(one.tests, "test"));
    }
    let symbol = &one.symbol;
    ReviewLine { code: format!("{}:{} {}", symbol.path, symbol.line, symbol.symbol), words }
}

/// Removes control characters: a repository chooses names and paths.
fn strip_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Sets a text as code; nothing for an empty one. A repository chooses names, so a fence is longer
/// than any in the text.
fn code_span(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let text = strip_controls(text);
    if text.contains('`') {
        format!("`` {} ``", text.replace("``", "` `"))
    } else {
        format!("`{text}`")
    }
}

/// Escapes the signs of Markdown and HTML, and mentions that would notify a person.
fn escape_markdown(text: &str) -> String {
    let mut escaped = String::new();
    for c in strip_controls(text).chars() {
        match c {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '@' => escaped += "&#64;",
            '*' | '_' | '`' | '[' | ']' | '|' | '\\' | '#' | '~' => escaped.extend(['\\', c]),
            c => escaped.push(c),
        }
    }
    escaped
}
