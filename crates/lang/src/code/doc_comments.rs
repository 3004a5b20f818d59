//! Finds the comments and attributes above a definition that belong to it, and cleans documentation
//! of comment marks. It searches the text, because grammars disagree on whose children comments
//! are.

use super::captures::Lead;

/// The most documentation that is kept of one definition, in bytes. More says little about what the
/// thing is.
const MAX_DOC_BYTES: usize = 2000;

/// Returns the start of the lead of a definition that starts at `start`, and its documentation.
/// Without a lead, that is `start` itself. `leads` must be in the order of the text.
pub fn find_lead(text: &str, leads: &[Lead], start: u32) -> (u32, Option<String>) {
    let before = leads.partition_point(|lead| lead.range.start < start);
    let mut begin = start;
    let mut first = before;
    while first > 0 && is_adjacent_lead(text, &leads[first - 1], begin) {
        first -= 1;
        begin = leads[first].range.start;
    }
    let comments: Vec<&str> = leads[first..before]
        .iter()
        .filter(|lead| lead.is_comment)
        .filter_map(|lead| text.get(lead.range.start as usize..lead.range.end as usize))
        .collect();
    (begin, join_documentation(&comments))
}

/// True if `lead` is directly above `start`, or before it on the same line, with no other text
/// before it.
fn is_adjacent_lead(text: &str, lead: &Lead, start: u32) -> bool {
    let (from, to) = (lead.range.start as usize, lead.range.end as usize);
    let Some(gap) = text.get(to..start as usize) else {
        return false;
    };
    let Some(of_lead) = text.get(from..to) else {
        return false;
    };
    // Some grammars end a comment after its newline.
    let ended = usize::from(of_lead.ends_with('\n'));
    if gap.bytes().filter(|byte| *byte == b'\n').count() + ended > 1 {
        return false;
    }
    let line = text[..from].rfind('\n').map_or(0, |newline| newline + 1);
    let of_the_file = ["//!", "/*!", "#!"];
    gap.trim().is_empty()
        && text[line..from].trim().is_empty()
        && !of_the_file.iter().any(|mark| of_lead.starts_with(mark))
}

/// Joins comments into one documentation text. If some are marked as documentation, only those
/// count.
fn join_documentation(comments: &[&str]) -> Option<String> {
    let marks = ["///", "/**", "--- ", "-- |"];
    let is_marked = |comment: &&str| marks.iter().any(|mark| comment.starts_with(mark));
    let has_marked = comments.iter().any(is_marked);
    let counted = comments.iter().filter(|comment| !has_marked || is_marked(comment));
    let lines: Vec<String> = counted.flat_map(|comment| comment_lines(comment)).collect();
    let mut doc = lines.join("\n").trim().to_string();
    truncate(&mut doc, MAX_DOC_BYTES);
    (!doc.is_empty()).then_some(doc)
}

/// Returns the documentation in a doc string, such as Python's.
pub fn clean_doc_string(text: &str) -> Option<String> {
    join_documentation(&[text])
}

/// The lines of a comment without their marks, in the notations of all languages at once.
fn comment_lines(comment: &str) -> impl Iterator<Item = String> {
    // Elixir's documentation is an attribute with a string.
    let content = match comment.strip_prefix('@') {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').trim(),
        None => comment,
    };
    content.lines().map(|line| {
        let opens = ["<!--", "--[[", "{-"];
        let trimmed = line.trim();
        let opened = opens.iter().find_map(|open| trimmed.strip_prefix(open)).unwrap_or(trimmed);
        let marks = |c: char| matches!(c, '/' | '*' | '#' | '!' | ';' | '"' | '\'');
        let unmarked = match opened.strip_prefix("--") {
            Some(rest) => rest.trim_start_matches('-').trim_start().trim_start_matches(['|', '^']),
            None => opened.trim_start_matches(marks),
        };
        let closes = ["*/", "-->", "-}", "]]", "\"\"\"", "\'\'\'"];
        let words = closes.iter().find_map(|close| unmarked.strip_suffix(close));
        words.unwrap_or(unmarked).trim().to_string()
    })
}

/// Shortens to at most `limit` bytes, at a border of characters. No ellipsis is added.
pub fn truncate(text: &mut String, limit: usize) {
    if text.len() > limit {
        let end = (0..=limit).rev().find(|&at| text.is_char_boundary(at));
        text.truncate(end.unwrap_or(0));
    }
}
