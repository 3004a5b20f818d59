//! Which lines of a piece of code show why it was found, and where in them the words of the question stand. What
//! they look like is for whoever prints them.

use std::ops::Range;

/// The words of a question, to be marked where they stand.
pub struct Words(Vec<String>);

/// Shorter ones stand everywhere.
const LEAST_LETTERS: usize = 3;

/// They are in every question and say nothing.
const COMMON: [&str; 12] = [
    "and", "are", "does", "for", "from", "how", "that", "the", "this", "what", "where", "with",
];

impl Words {
    pub fn new(question: &str) -> Words {
        let words = question.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| word.chars().count() >= LEAST_LETTERS);
        let words = words.map(str::to_lowercase);
        Words(
            words
                .filter(|word| !COMMON.contains(&word.as_str()))
                .collect(),
        )
    }

    /// How many of them are in a line.
    fn count(&self, line: &str) -> usize {
        let line = line.to_lowercase();
        let words = self.0.iter();
        words.filter(|word| line.contains(word.as_str())).count()
    }

    /// A text in parts: what is one of the words, and what is between them.
    pub fn parts<'t>(&self, text: &'t str) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(word) = self.next(rest) {
            parts.push(Part::Other(&rest[..word.start]));
            parts.push(Part::Word(&rest[word.clone()]));
            rest = &rest[word.end..];
        }
        parts.push(Part::Other(rest));
        parts.retain(|part| !part.text().is_empty());
        parts
    }

    /// Where the next word stands. In a text whose small letters take other room than its large ones, only what is
    /// written small is found.
    fn next(&self, text: &str) -> Option<Range<usize>> {
        let lower = text.to_lowercase();
        let lower = match lower.len() == text.len() {
            true => lower.as_str(),
            false => text,
        };
        let found = self.0.iter().filter_map(|word| {
            let start = lower.find(word.as_str())?;
            Some(start..start + word.len())
        });
        let found = found.filter(|range| text.get(range.clone()).is_some());
        found.min_by_key(|range| (range.start, std::cmp::Reverse(range.end)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'t> {
    Word(&'t str),
    Other(&'t str),
}

impl<'t> Part<'t> {
    pub fn text(self) -> &'t str {
        match self {
            Part::Word(text) | Part::Other(text) => text,
        }
    }
}

/// So few lines are not worth leaving out.
const FEW: usize = 4;

/// At most `most` lines and a few, in one or two stretches: those that hold most of the words, and always the line
/// of the definition itself.
pub fn best(lines: &[&str], own: usize, most: usize, words: &Words) -> Vec<Range<usize>> {
    if lines.len() <= most + FEW {
        return Vec::from_iter(Some(0..lines.len()));
    }
    let hits: Vec<usize> = lines.iter().map(|line| words.count(line)).collect();
    // What is defined says what it is, so that another place has to say clearly more.
    let score = |start: usize| {
        let window = start..start + most;
        let inside: usize = hits[window.clone()].iter().sum();
        let bonus = if window.contains(&own) { 3 } else { 0 };
        (2 * inside + bonus, start == own)
    };
    // Of equals the last: what follows on the words says more than what comes before.
    let starts = 0..=lines.len() - most;
    let start = starts.max_by_key(|start| score(*start)).unwrap_or(0);
    let (last, definition) = (start + most - 1, own..own + 1);
    if (start..=last).contains(&own) {
        return Vec::from_iter(Some(start..last + 1));
    }
    let window = match hits[start] < hits[last] {
        true => start + 1..last + 1,
        false => start..last,
    };
    match own < start {
        true => vec![definition, window],
        false => vec![window, definition],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, text: &str, expected: &str) {
        let parts = Words::new(question);
        let parts = parts.parts(text).into_iter().map(|part| match part {
            Part::Word(word) => format!("[{word}]"),
            Part::Other(text) => text.to_string(),
        });
        assert_eq!(parts.collect::<String>(), expected);
    }

    #[test]
    fn words_are_found_in_either_case() {
        check(
            "where is the parser",
            "the Parser of parserUrl",
            "the [Parser] of [parser]Url",
        );
        check("größe", "GRÖSSE Größe", "GRÖSSE [Größe]");
        check("url urls", "urls", "[urls]");
        check("ion", "İion", "İ[ion]");
        check("a is", "a is", "a is");
        check("", "", "");
    }

    #[test]
    fn the_best_lines_are_where_the_words_are() {
        let mut lines = vec!["x"; 40];
        lines[30] = "retry the request";
        lines[31] = "retry";
        let check = |lines: &[&str], question: &str, own: usize, expected: &[(usize, usize)]| {
            let best = best(lines, own, 8, &Words::new(question));
            let best: Vec<_> = best.iter().map(|range| (range.start, range.end)).collect();
            assert_eq!(best, expected, "{question} {own}");
        };
        check(&lines, "retry request", 4, &[(4, 5), (30, 37)]);
        check(&lines, "retry request", 38, &[(30, 37), (38, 39)]);
        check(&lines, "nothing", 4, &[(4, 12)]);
        check(&lines, "nothing", 39, &[(32, 40)]);
        check(&lines[..12], "x", 1, &[(0, 12)]);
        check(&lines[..13], "y", 1, &[(1, 9)]);
    }
}
