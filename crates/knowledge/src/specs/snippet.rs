//! Cuts the part of a text that shows best why it was found, in one line.

use kenning_text::prose_tokenizer::terms;

/// The length of a snippet in characters, without the ellipses. About two lines of a terminal.
const LENGTH: usize = 160;

/// The number of characters of context before the first word of the query.
const LEAD: usize = 40;

/// Returns `text` in one line without Markdown marks, cut around the first word of the question.
/// Ellipses mark omitted text.
pub fn snippet(text: &str, question: &str) -> String {
    let words: Vec<String> = text
        .split_whitespace()
        .map(|word| word.replace(['*', '`'], ""))
        .filter(|word| !matches!(word.as_str(), "" | "-" | "+" | "|"))
        .collect();
    let asked = terms(question);
    // Short words occur everywhere and would move the snippet to a place that shows nothing.
    let is_asked =
        |word: &String| terms(word).iter().any(|term| term.len() > 3 && asked.contains(term));
    let first = words.iter().position(is_asked).unwrap_or(0);
    let start = find_start(&words, first);
    let end = find_end(&words, start);
    let mut shown = words[start..end].join(" ");
    if start > 0 {
        shown.insert_str(0, "… ");
    }
    if end < words.len() {
        shown.push_str(" …");
    }
    shorten(shown)
}

/// Returns the word to start at, so that some words before `first` are shown. It is the beginning
/// if the whole text fits.
fn find_start(words: &[String], first: usize) -> usize {
    let length =
        |words: &[String]| words.iter().map(|word| word.chars().count() + 1).sum::<usize>();
    if length(words) <= LENGTH {
        return 0;
    }
    let mut start = first;
    while start > 0 && length(&words[start - 1..first]) <= LEAD {
        start -= 1;
    }
    start
}

/// Returns the end of the words that fit, exclusive. At least one word is shown, however long.
fn find_end(words: &[String], start: usize) -> usize {
    let mut length = 0;
    let mut end = start;
    while end < words.len() && (end == start || length + words[end].chars().count() <= LENGTH) {
        length += words[end].chars().count() + 1;
        end += 1;
    }
    end
}

/// Cuts a text without blanks. Some scripts are written so, and then the whole text is one word.
fn shorten(text: String) -> String {
    match text.char_indices().nth(2 * LENGTH) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_shown_whole() {
        let text = "- **WHEN** the `cache`\n  is full\n- **THEN** it shrinks";
        assert_eq!(snippet(text, "shrink"), "WHEN the cache is full THEN it shrinks");
        assert_eq!(snippet("", "x"), "");
    }

    #[test]
    fn long_texts_are_cut_around_the_question() {
        let text = format!("{} the cache expires {}", "before ".repeat(50), "after ".repeat(50));
        let shown = snippet(&text, "when do caches expire?");
        assert!(shown.starts_with("… before"), "{shown}");
        assert!(shown.contains("the cache expires after"), "{shown}");
        assert!(shown.ends_with("after …"), "{shown}");
        assert!(shown.chars().count() <= LENGTH + 4, "{shown}");
    }

    #[test]
    fn no_character_is_cut_in_two() {
        for text in ["é".repeat(1000), "漢字".repeat(500), "😀 ".repeat(300)] {
            assert!(snippet(&text, "漢").chars().count() <= 2 * LENGTH + 2);
        }
    }
}
