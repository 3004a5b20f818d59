//! The parts of a hit that matter most to a person: the line of its definition, and the places of
//! the query's words. The entry points format them.

use std::ops::Range;

use serde_json::Value;

/// Prefixes of comment lines in the supported languages. A comment is not the definition itself.
const COMMENTS: &[&str] = &["//", "#", "*", "/*", "--", "\"\"\"", ";"];

/// Returns the line of the definition within a hit, counted from 0.
pub fn own_line(result: &Value) -> usize {
    telling(result).0
}

/// Returns the line that names the symbol, else the first non-blank one, with its index.
pub fn telling(result: &Value) -> (usize, &str) {
    let content = result["content"].as_str().unwrap_or_default();
    told(result)
        .and_then(|place| Some((place, content.lines().nth(place)?.trim())))
        .unwrap_or_else(|| guessed(result))
}

/// Returns the index of the definition's line, if the answer has it.
fn told(result: &Value) -> Option<usize> {
    let [line, first] = ["line", "startLine"].map(|name| result[name].as_u64());
    usize::try_from(line?.checked_sub(first?)?).ok()
}

fn guessed(result: &Value) -> (usize, &str) {
    let [content, symbol, language] =
        ["content", "symbol", "language"].map(|name| result[name].as_str().unwrap_or_default());
    let comments: &[&str] = match language {
        "markdown" => &[],
        _ => COMMENTS,
    };
    let lines = || content.lines().map(str::trim).enumerate();
    let names = |line: &str| {
        let is_comment = comments.iter().any(|mark| line.starts_with(mark));
        !symbol.is_empty() && !is_comment && is_named(line, symbol)
    };
    let naming = lines().find(|(_, line)| names(line));
    let first = || lines().find(|(_, line)| !line.is_empty());
    naming.or_else(first).unwrap_or_default()
}

/// True if a line has the symbol as a word of its own, and not in a text between quotes.
fn is_named(line: &str, symbol: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(symbol).any(|(start, _)| {
        let (before, after) = (&line[..start], &line[start + symbol.len()..]);
        let is_quoted = before.matches('"').count() % 2 == 1;
        !is_quoted && !is_part(before.chars().next_back()) && !is_part(after.chars().next())
    })
}

/// The words of a query, to be marked in the text.
#[derive(Default)]
pub struct Words(Vec<String>);

/// The fewest letters of a word to mark. Shorter words occur everywhere.
const LEAST_LETTERS: usize = 3;

/// Stop words, which occur in most questions and carry no meaning.
const COMMON: &[&str] = &[
    "the", "and", "are", "for", "how", "does", "what", "where", "which", "with", "that", "this",
    "from", "into", "its", "who", "why", "when", "can",
];

impl Words {
    pub fn new(question: &str) -> Words {
        let words = question.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| word.chars().count() >= LEAST_LETTERS);
        let mut words: Vec<String> = words.map(str::to_lowercase).collect();
        words.retain(|word| !COMMON.contains(&word.as_str()));
        words.sort_unstable();
        words.dedup();
        Words(words)
    }

    /// How many of them are in a line.
    pub fn count(&self, line: &str) -> usize {
        let line = line.to_lowercase();
        let words = self.0.iter();
        words.filter(|word| line.contains(word.as_str())).count()
    }

    /// A text in parts: what is one of the words, and what is between them.
    pub fn parts<'t>(&self, text: &'t str) -> Vec<SnippetToken<'t>> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(word) = self.next(rest) {
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
    fn next(&self, text: &str) -> Option<Range<usize>> {
        let lower = text.to_lowercase();
        let lower = if lower.len() == text.len() { lower.as_str() } else { text };
        let found = self.0.iter().filter_map(|word| {
            let start = lower.find(word.as_str())?;
            Some(start..start + word.len())
        });
        let found = found.filter(|range| text.get(range.clone()).is_some());
        found.min_by_key(|range| (range.start, std::cmp::Reverse(range.end)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnippetToken<'t> {
    Word(&'t str),
    Other(&'t str),
}

impl<'t> SnippetToken<'t> {
    pub fn text(self) -> &'t str {
        match self {
            SnippetToken::Word(text) | SnippetToken::Other(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_definition_is_the_one_that_names_it() {
        let content = "/// A Serializer.\n#[diagnostic(\n    message = \"no Serializer\",\n)]\n\
                       type X = OwnSerializer;\npub trait Serializer: Sized {\n";
        let result = serde_json::json!({
            "content": content, "symbol": "Serializer", "language": "rust",
        });
        assert_eq!(telling(&result), (5, "pub trait Serializer: Sized {"));
    }

    #[test]
    fn what_the_answer_says_is_not_guessed() {
        let content = "let a = boil();\n\nfn boil() {}\n";
        let result = serde_json::json!({
            "content": content, "symbol": "boil", "language": "rust", "startLine": 7, "line": 9,
        });
        assert_eq!(telling(&result), (2, "fn boil() {}"));
        // Beyond what is shown.
        let result = serde_json::json!({
            "content": content, "symbol": "boil", "language": "rust", "startLine": 7, "line": 30,
        });
        assert_eq!(telling(&result), (0, "let a = boil();"));
    }

    fn check(question: &str, text: &str, expected: &str) {
        let parts = Words::new(question);
        let parts = parts.parts(text).into_iter().map(|part| match part {
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
