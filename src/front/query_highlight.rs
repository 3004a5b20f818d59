//! Finds the words of a query in a text, so that the entry points can mark them. It matches
//! substrings in any case, which is looser than the search itself: `retry` also marks `retrying`.

use std::ops::Range;

/// The words of a query that are worth marking: lower case, sorted, without stop words and short
/// words.
#[derive(Default)]
pub struct QueryWords(Vec<String>);

/// The fewest letters of a word to mark. Shorter words occur everywhere.
const MIN_LETTERS: usize = 3;

/// Stop words, which occur in most questions and carry no meaning.
const COMMON: &[&str] = &[
    "the", "and", "are", "for", "how", "does", "what", "where", "which", "with", "that", "this",
    "from", "into", "its", "who", "why", "when", "can",
];

impl QueryWords {
    /// Splits a query into words.
    ///
    /// Underscores belong to words, so that `parse_url` is marked as one name.
    pub fn new(question: &str) -> QueryWords {
        let mut words: Vec<String> = question
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| word.chars().count() >= MIN_LETTERS)
            .map(str::to_lowercase)
            .collect();
        words.retain(|word| !COMMON.contains(&word.as_str()));
        words.sort_unstable();
        words.dedup();
        QueryWords(words)
    }

    /// Counts the words that are in a line.
    pub fn count_in(&self, line: &str) -> usize {
        let line = line.to_lowercase();
        let words = self.0.iter();
        words.filter(|word| line.contains(word.as_str())).count()
    }

    /// Splits a text into the words and the text between them.
    pub fn split_text<'t>(&self, text: &'t str) -> Vec<SnippetToken<'t>> {
        let mut parts = Vec::new();
        let mut rest = text;
        // Linear in the text for each word; snippets are short.
        while let Some(word) = self.find_next(rest) {
            parts.push(SnippetToken::Other(&rest[..word.start]));
            parts.push(SnippetToken::Word(&rest[word.clone()]));
            rest = &rest[word.end..];
        }
        parts.push(SnippetToken::Other(rest));
        parts.retain(|part| !part.text().is_empty());
        parts
    }

    /// Finds the next word. If lowercasing changes the length of the text, it finds only words that
    /// are written in lowercase.
    fn find_next(&self, text: &str) -> Option<Range<usize>> {
        let folded = text.to_lowercase();
        let lower = if folded.len() == text.len() { folded.as_str() } else { text };
        let found = self
            .0
            .iter()
            .filter_map(|word| {
                let start = lower.find(word.as_str())?;
                Some(start..start + word.len())
            })
            .filter(|range| text.get(range.clone()).is_some());
        found.min_by_key(|range| (range.start, std::cmp::Reverse(range.end)))
    }
}

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnippetToken<'t> {
    /// A word of the query.
    Word(&'t str),
    /// The text between words.
    Other(&'t str),
}

impl<'t> SnippetToken<'t> {
    /// The text of the part.
    pub fn text(self) -> &'t str {
        match self {
            SnippetToken::Word(text) | SnippetToken::Other(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, text: &str, expected: &str) {
        let parts = QueryWords::new(question).split_text(text).into_iter().map(|part| match part {
            SnippetToken::Word(word) => format!("[{word}]"),
            SnippetToken::Other(text) => text.to_string(),
        });
        assert_eq!(parts.collect::<String>(), expected);
    }

    #[test]
    fn words_are_found_in_either_case() {
        check("where is the parser", "the Parser of parserUrl", "the [Parser] of [parser]Url");
        check("größe", "GRÖSSE Größe", "GRÖSSE [Größe]");
        check("url urls", "urls", "[urls]");
        check("ion", "İion", "İ[ion]");
        check("a is", "a is", "a is");
        check("", "", "");
    }
}
