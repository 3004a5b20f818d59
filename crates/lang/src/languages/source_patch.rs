//! Rewrites a text, at the same length, so that a grammar reads it better. It replaces names that
//! the grammar takes for keywords, and blanks parts that a preprocessor would remove.
//!
//! The length must not change, because positions in the tree index the original text. Names and
//! signatures are cut from that original, so a rewriting never shows in an answer.
//!
//! The functions work on bytes. They find words, literals and brackets; they are no parsers.

use crate::brackets::find_closing_bracket;

/// Returns the text with each byte of comments and literals as a blank, so that only code is left.
/// Line ends stay, so lines keep their numbers.
pub fn blank_non_code(text: &str) -> Vec<u8> {
    let mut code = text.as_bytes().to_vec();
    let mut at = 0;
    while at < code.len() {
        let rest = &text.as_bytes()[at..];
        let end = match rest[0] {
            b'/' if rest.starts_with(b"//") => find_or_end(rest, b"\n"),
            b'/' if rest.starts_with(b"/*") => find_or_end(&rest[2..], b"*/") + 4,
            b'"' if rest.starts_with(LONG_QUOTE) => long_literal_length(rest),
            quote @ (b'"' | b'\'') => literal_length(rest, quote),
            _ => 0,
        };
        let end = (at + end).min(code.len());
        blank_out(&mut code[at..end]);
        at = end.max(at + 1);
    }
    code
}

/// Returns the offset of `wanted`, or the length of the text.
fn find_or_end(text: &[u8], wanted: &[u8]) -> usize {
    let mut places = text.windows(wanted.len());
    places.position(|place| place == wanted).unwrap_or(text.len())
}

/// The quotation mark of literals over several lines.
const LONG_QUOTE: &[u8] = b"\"\"\"";

/// Returns the length of a literal of several lines. Without an end, only the empty literal of its
/// first two quotes counts.
fn long_literal_length(text: &[u8]) -> usize {
    let content = &text[LONG_QUOTE.len()..];
    match find_or_end(content, LONG_QUOTE) {
        end if end < content.len() => end + 2 * LONG_QUOTE.len(),
        _ => literal_length(text, b'"'),
    }
}

/// Returns the length of a literal with its quotes. 0 if it does not end on its line: an apostrophe
/// is no literal.
fn literal_length(text: &[u8], quote: u8) -> usize {
    let mut is_escaped = false;
    for (at, &byte) in text.iter().enumerate().skip(1) {
        match byte {
            b'\n' => return 0,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            byte if byte == quote => return at + 1,
            _ => {}
        }
    }
    0
}

/// Replaces every byte by a blank, except for line ends.
pub fn blank_out(bytes: &mut [u8]) {
    let content = bytes.iter_mut();
    content.filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
}

/// True if a byte can be part of a name. All bytes beyond ASCII count as letters.
pub fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The words of code, each with its start and its end.
pub fn word_ranges(code: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + code[at..].iter().position(|byte| is_word_byte(*byte))?;
        at = start + word_length_at(code, start);
        Some((start, at))
    })
}

/// Returns the length of the word that begins at `at`; 0 if none does.
pub fn word_length_at(code: &[u8], at: usize) -> usize {
    let rest = code.get(at..).unwrap_or_default();
    rest.iter().take_while(|byte| is_word_byte(**byte)).count()
}

/// Replaces the second letter of `word` by `_` wherever it is meant as a name. The grammar would
/// take it for a keyword. `is_name` sees the text after the word. `None` if nothing changed.
pub fn rename_word(text: &str, word: &str, is_name: impl Fn(&[u8]) -> bool) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let mut is_changed = false;
    for (start, end) in word_ranges(text.as_bytes()) {
        if &text.as_bytes()[start..end] == word.as_bytes() && is_name(&text.as_bytes()[end..]) {
            bytes[start + 1] = b'_';
            is_changed = true;
        }
    }
    let changed = String::from_utf8(bytes).ok();
    changed.filter(|_| is_changed)
}

/// Returns the end of the bracket that opens at `end`, or `end` if none opens there or it is too
/// long.
pub fn skip_arguments(bytes: &[u8], end: usize) -> usize {
    if bytes.get(end) != Some(&b'(') {
        return end;
    }
    let text = &bytes[..bytes.len().min(end + MAX_ARGUMENTS_BYTES)];
    find_closing_bracket(text, end).map_or(end, |close| close + 1)
}

/// The longest argument list, in bytes. It bounds the search for the end of an unbalanced bracket.
const MAX_ARGUMENTS_BYTES: usize = 400;

/// Returns the end of the annotations that begin at `start`, and of the blanks after them:
/// `@A.B(c) @D\n`.
pub fn skip_annotations(code: &[u8], start: usize) -> usize {
    let mut at = start;
    while code.get(at) == Some(&b'@') {
        let is_name = |byte: &&u8| is_word_byte(**byte) || matches!(byte, b'.' | b':');
        let name = code[at + 1..].iter().take_while(is_name).count();
        at = skip_blanks(code, skip_arguments(code, at + 1 + name));
    }
    at
}

/// Returns the first position from `at` on that is no white space.
pub fn skip_blanks(code: &[u8], at: usize) -> usize {
    let rest = code.get(at..).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
    at + blanks.count()
}

/// Returns the end of the last text before `at` that is no white space.
pub fn end_before_blanks(code: &[u8], at: usize) -> usize {
    let blanks = code[..at].iter().rev();
    at - blanks.take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Blanks the annotations of accessors, such as `get` and `set`. A grammar that expects none there
/// takes the accessor for the next member, or for the end of all members.
pub fn blank_accessor_annotations(accessors: &[&[u8]], code: &[u8], bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = code[at..].iter().position(|byte| *byte == b'@') {
        let start = at + found;
        let end = skip_annotations(code, start);
        let word = &code[end..end + word_length_at(code, end)];
        if accessors.contains(&word) {
            blank_out(&mut bytes[start..end]);
        }
        at = end.max(start + 1);
    }
}

/// Returns the word after blanks on the same line, and the first byte after those blanks.
pub fn next_word(after: &[u8]) -> (&[u8], Option<u8>) {
    let blanks = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    let start = blanks.count();
    let length = word_length_at(after, start);
    (&after[start..start + length], after.get(start).copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_no_code() {
        for (text, code) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b\n */ c", "a     \n    c"),
            (r#"a("b\"c", 'd')"#, "a(      ,    )"),
            ("it's \"open\nx", "it's \"open\nx"),
            ("/*", "  "),
            ("é\"ß\"", "é    "),
        ] {
            assert_eq!(String::from_utf8(blank_non_code(text)).unwrap(), code, "{text}");
        }
    }
}
