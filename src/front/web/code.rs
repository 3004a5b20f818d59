//! Code on a page: lines with numbers, colours by class, and the words of a question marked. What is
//! a keyword or a string, the syntax tree said.

use maud::{Markup, PreEscaped, Render, html};

use crate::engine::{Shade, ShadedPiece, shaded};

/// The class of a colour; the stylesheet has the colours.
fn class(shade: Shade) -> &'static str {
    match shade {
        Shade::Keyword => "k",
        Shade::String => "s",
        Shade::Comment => "c",
        Shade::Number => "n",
        Shade::Type => "t",
        Shade::Function => "f",
        Shade::Property => "p",
        Shade::Constant => "o",
        Shade::Title => "h",
    }
}

/// One line without its number.
pub fn line(pieces: &[ShadedPiece], words: &Words) -> Markup {
    html! {
        @for (shade, text) in pieces {
            @match shade {
                Some(shade) => span class=(class(*shade)) { (words.mark(text)) },
                None => (words.mark(text)),
            }
        }
    }
}

/// Lines with their numbers, each a link into the file.
pub fn lines(lines: &[Vec<ShadedPiece>], first: u64, words: &Words, href: &str) -> Markup {
    html! {
        div class="code" {
            @for (place, pieces) in lines.iter().enumerate() {
                @let number = first + place as u64;
                div class="l" {
                    a class="no" href={ (href) "#L" (number) } tabindex="-1" aria-hidden="true" { (number) }
                    code { (line(pieces, words)) }
                }
            }
        }
    }
}

/// A part of some code that shows where the words of a question are.
pub struct Excerpt {
    pub first_line: u64,
    pub lines: Vec<Vec<ShadedPiece>>,
    /// Before and after it, in the same piece of code.
    pub lines_left_out: usize,
}

impl Excerpt {
    pub fn new(language: &str, text: &str, first_line: u64, most: usize, words: &Words) -> Excerpt {
        let all = shaded(language, text);
        let total = all.len();
        let hits: Vec<usize> = text.lines().map(|line| words.count(line)).collect();
        // The head says what it is, so it stays unless another place says clearly more.
        let score = |start: usize| -> usize {
            let end = (start + most).min(hits.len());
            let inside: usize = hits[start.min(end)..end].iter().sum();
            inside * 2 + if start == 0 { 3 } else { 0 }
        };
        let starts = 0..total.saturating_sub(most) + 1;
        let best = starts.rev().max_by_key(|start| score(*start));
        let start = best.unwrap_or(0);
        let lines: Vec<_> = all.into_iter().skip(start).take(most).collect();
        Excerpt {
            first_line: first_line + start as u64,
            lines_left_out: total - lines.len(),
            lines,
        }
    }
}

/// The words of a question, to be marked where they stand.
#[derive(Default)]
pub struct Words(Vec<String>);

/// Shorter ones stand everywhere.
const LEAST_LETTERS: usize = 3;

impl Words {
    pub fn new(question: &str) -> Words {
        let words = question.split(|c: char| !c.is_alphanumeric() && c != '_');
        let words = words.filter(|word| word.chars().count() >= LEAST_LETTERS);
        let mut words: Vec<String> = words.map(str::to_lowercase).collect();
        words.retain(|word| !COMMON.contains(&word.as_str()));
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.dedup();
        Words(words)
    }

    fn count(&self, line: &str) -> usize {
        let line = line.to_lowercase();
        self.0
            .iter()
            .filter(|word| line.contains(word.as_str()))
            .count()
    }

    /// The text, with every word marked.
    pub fn mark(&self, text: &str) -> Markup {
        let mut out = String::new();
        let mut rest = text;
        while let Some((start, end)) = self.next(rest) {
            rest[..start].render_to(&mut out);
            html! { mark { (rest[start..end]) } }.render_to(&mut out);
            rest = &rest[end..];
        }
        rest.render_to(&mut out);
        PreEscaped(out)
    }

    /// Where the next word stands. Letters whose small form is longer or shorter than they are do
    /// not match; everything else keeps its place.
    fn next(&self, text: &str) -> Option<(usize, usize)> {
        if self.0.is_empty() {
            return None;
        }
        let lower = text.to_lowercase();
        let is_same_length = lower.len() == text.len();
        let lower = if is_same_length { lower.as_str() } else { text };
        let found = self.0.iter().filter_map(|word| {
            let start = lower.find(word.as_str())?;
            Some((start, start + word.len()))
        });
        let found = found
            .filter(|(start, end)| text.is_char_boundary(*start) && text.is_char_boundary(*end));
        found.min_by_key(|(start, end)| (*start, std::cmp::Reverse(*end)))
    }
}

const COMMON: &[&str] = &[
    "the", "and", "are", "for", "how", "does", "what", "where", "which", "with", "that", "this",
    "from", "into", "its", "who", "why", "when", "can",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, text: &str, expected: &str) {
        assert_eq!(Words::new(question).mark(text).into_string(), expected);
    }

    #[test]
    fn words_are_marked_and_everything_is_escaped() {
        check(
            "where is parse",
            "Parser<T>",
            "<mark>Parse</mark>r&lt;T&gt;",
        );
        check("<script>", "<script>x", "&lt;<mark>script</mark>&gt;x");
        check("", "a & b", "a &amp; b");
        check("größe", "GRÖSSE Größe", "GRÖSSE <mark>Größe</mark>");
        check("url urls", "urls", "<mark>urls</mark>");
        check("ion", "İion", "İ<mark>ion</mark>");
    }

    #[test]
    fn an_excerpt_is_where_the_words_are() {
        let mut text: Vec<String> = (1..=40).map(|line| format!("line {line}")).collect();
        text[30] = "retry the request".to_string();
        let excerpt = |question: &str| {
            let words = Words::new(question);
            let excerpt = Excerpt::new("text", &text.join("\n"), 101, 8, &words);
            (
                excerpt.first_line,
                excerpt.lines.len(),
                excerpt.lines_left_out,
            )
        };
        assert_eq!(excerpt("retry requests request"), (124, 8, 32));
        assert_eq!(excerpt("nothing"), (101, 8, 32));
        let short = Excerpt::new("text", "one", 7, 8, &Words::new("one"));
        assert_eq!((short.first_line, short.lines.len()), (7, 1));
    }
}
