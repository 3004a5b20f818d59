//! Cutting many texts into requests that a service accepts.

use std::ops::Range;

/// No longer text is sent: every service here refuses or cuts at 8,192 tokens at the latest.
const LONGEST_TEXT: usize = 16 * 1024;

/// Splits texts into batches of at most `count` texts and `bytes` bytes. A single text may be
/// larger.
pub fn split_batches(texts: &[&str], count: usize, bytes: usize) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let mut start = 0;
    let mut size = 0;
    for (index, text) in texts.iter().enumerate() {
        let length = sendable_part(text).len();
        let is_full = index - start == count.max(1) || size + length > bytes;
        if is_full && index > start {
            batches.push(start..index);
            start = index;
            size = 0;
        }
        size += length;
    }
    if start < texts.len() {
        batches.push(start..texts.len());
    }
    batches
}

/// Returns the part of a text that is sent. Services reject empty texts, and the caller needs a row
/// for each.
pub fn sendable_part(text: &str) -> &str {
    if text.is_empty() {
        return " ";
    }
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], count: usize, bytes: usize, expected: &[Range<usize>]) {
        assert_eq!(split_batches(texts, count, bytes), expected);
    }

    #[test]
    fn by_count_and_by_bytes() {
        check(&[], 2, 9, &[]);
        check(&["a", "b", "c"], 2, 9, &[0..2, 2..3]);
        check(&["a", "b", "c"], 0, 9, &[0..1, 1..2, 2..3]);
        check(&["aaaa", "bbbb", "cc"], 9, 6, &[0..1, 1..3]);
        check(&["a", "longer than that", "b"], 9, 6, &[0..1, 1..2, 2..3]);
    }

    #[test]
    fn what_is_sent_is_neither_empty_nor_endless() {
        assert_eq!(sendable_part(""), " ");
        assert_eq!(sendable_part("short"), "short");
        let long = format!("a{}", "ü".repeat(LONGEST_TEXT));
        assert_eq!(sendable_part(&long).len(), LONGEST_TEXT - 1);
    }
}
