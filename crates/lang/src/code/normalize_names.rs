//! Cuts and normalizes names, types and paths as they are written. Nothing here knows what they
//! refer to, and nothing here fails: odd text comes back as it is.

use super::range_sweep::ByteRange;

/// The text of a range; empty if the range lies outside of the text or within a character.
pub fn slice(text: &str, range: ByteRange) -> &str {
    text.get(range.start as usize..range.end as usize).unwrap_or_default()
}

/// Returns a type as written, on one line, without the `:` or `->` that joins it to a name.
pub fn normalize_type(text: &str) -> String {
    let bare = text.trim().trim_start_matches(':').trim_start_matches("->");
    if bare.contains("//") {
        collapse_whitespace(&strip_line_comments(bare))
    } else {
        collapse_whitespace(bare)
    }
}

/// Removes `//` comments. A comment begins a line or follows a blank; other slashes belong to a
/// name or an address.
fn strip_line_comments(text: &str) -> String {
    let lines = text.lines().map(|line| match line.find("//") {
        Some(at) if line[..at].is_empty() || line[..at].ends_with([' ', '\t']) => &line[..at],
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Joins the words of a text with one blank between them.
pub fn collapse_whitespace(text: &str) -> String {
    // Most have no blank at all, and collecting words costs.
    if text.contains(|c: char| c.is_whitespace()) {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        text.to_string()
    }
}

/// Returns a type without its arguments: `Foo` for `Foo<Bar>`.
pub fn strip_type_arguments(text: &str) -> &str {
    // `&[u8]` and `&mut [u8]` would be empty without their brackets, so a bracket at the start
    // stays.
    let pointee = text.trim_start_matches(['&', '*', ' ']);
    let rest = pointee.strip_prefix("mut ").unwrap_or(pointee).trim_start();
    let start = text.len() - rest.len();
    let end = rest.find(['<', '[', '(', '{']).filter(|&at| at > 0);
    text[..end.map_or(text.len(), |end| start + end)].trim()
}

/// Removes everything in angle brackets: `Foo::Bar` for `Foo<A>::Bar`.
pub fn strip_angle_brackets(text: &str) -> String {
    let mut depth = 0usize;
    let outside = text.chars().filter(|c| {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    });
    outside.collect()
}

/// Splits a path at its last separator into the qualifier and the name. Leaves the text whole if
/// the part after the separator does not start like a name, because operators are names too.
pub fn split_path<'t>(text: &'t str, separators: &[&str]) -> (Option<&'t str>, &'t str) {
    let cuts = separators.iter().filter_map(|separator| {
        // A search for a string takes longer to set up than most names are to look through.
        let first = separator.as_bytes().first()?;
        let at = text.as_bytes().contains(first).then(|| text.rfind(separator))??;
        Some((at, at + separator.len()))
    });
    let Some((end, start)) = cuts.max_by_key(|cut| cut.1) else {
        return (None, text);
    };
    let (before, name) = (&text[..end], &text[start..]);
    let is_name =
        name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '~' | '*' | '$' | '#'));
    let is_path = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '>' | ')'));
    if is_name && is_path { (Some(before), name) } else { (None, text) }
}
