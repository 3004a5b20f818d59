//! Splits text into the words of the word index: as they are written, but in lower case. Text
//! search narrows files by them. BM25 uses other terms, which are split and stemmed
//! (`kenning_text`).

use foldhash::{HashSet, HashSetExt};

/// Longer words are encoded data. They are not kept; the file gets the word [`OVERLONG`] instead.
pub const MAX_WORD: usize = 128;

/// Marks a file with an overlong word. `!` is no word character, so no real word equals it; it
/// sorts before all.
pub const OVERLONG: &[u8] = b"!";

/// A shorter part of a word narrows nothing: too many words contain it.
const MIN_PART: usize = 3;

/// Letters, digits, `_`, and everything beyond ASCII.
fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the text with ASCII letters in lower case. Two letters beyond ASCII, the Kelvin sign and
/// the long s, are case variants of `k` and `s`.
pub fn fold_case(text: &str) -> Vec<u8> {
    let folded = text.to_ascii_lowercase();
    if folded.contains(['\u{212a}', '\u{17f}']) {
        return folded.replace('\u{212a}', "k").replace('\u{17f}', "s").into_bytes();
    }
    folded.into_bytes()
}

/// Returns every word of a text once, sorted, each with a line end behind it.
pub fn distinct_words(text: &str) -> Vec<u8> {
    let folded = fold_case(text);
    let mut distinct: HashSet<&[u8]> = HashSet::with_capacity(folded.len() / 32);
    for word in folded.split(|byte| !is_word_byte(*byte)) {
        match word.len() {
            0 => {}
            1..=MAX_WORD => {
                distinct.insert(word);
            }
            _ => {
                distinct.insert(OVERLONG);
            }
        }
    }
    let mut words: Vec<&[u8]> = distinct.into_iter().collect();
    words.sort_unstable();
    let mut joined = Vec::with_capacity(words.iter().map(|word| word.len() + 1).sum());
    for word in words {
        joined.extend_from_slice(word);
        joined.push(b'\n');
    }
    joined
}

/// Returns the needles to search in a list of words between line ends. Every text that contains
/// `literal` has a word for each needle. The needles are parts of words at the ends of the literal,
/// and whole words within it.
pub fn needles(literal: &str) -> Vec<Vec<u8>> {
    let folded = fold_case(literal);
    let mut needles = Vec::new();
    let mut start = 0;
    for word in folded.split(|byte| !is_word_byte(*byte)) {
        let end = start + word.len();
        let (is_begun, is_ended) = (start > 0, end < folded.len());
        if !word.is_empty() && (word.len() >= MIN_PART || is_begun && is_ended) {
            let mut needle = Vec::with_capacity(word.len() + 2);
            needle.extend(is_begun.then_some(b'\n'));
            needle.extend_from_slice(word);
            needle.extend(is_ended.then_some(b'\n'));
            needles.push(needle);
        }
        start = end + 1;
    }
    needles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).replace('\n', "|")
    }

    #[test]
    fn words_are_folded_sorted_and_once() {
        let long = "x".repeat(MAX_WORD + 1);
        let text = format!("fn parse_URL(größe: K) -> Parse_url {{ {long} }}\r\n");
        assert_eq!(shown(&distinct_words(&text)), "!|fn|größe|k|parse_url|");
        assert_eq!(distinct_words(""), b"");
    }

    #[test]
    fn needles_are_whole_words_inside_and_parts_at_the_ends() {
        for (literal, expected) in [
            ("arseUr", vec!["arseur"]),
            ("foo.Bar(x", vec!["foo|", "|bar|"]),
            ("(a, b)", vec!["|a|", "|b|"]),
            ("if", vec![]),
            (" if ", vec!["|if|"]),
            ("=> {", vec![]),
            ("a\nreturn err", vec!["|return|", "|err"]),
        ] {
            let needles: Vec<String> = needles(literal).iter().map(|n| shown(n)).collect();
            assert_eq!(needles, expected, "{literal}");
        }
    }
}
