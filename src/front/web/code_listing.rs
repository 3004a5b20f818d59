//! Code on a page: lines with numbers, colours by class, and the words of a query marked. The
//! syntax tree decides what is a keyword or a string.

use maud::{Markup, html};

use crate::engine::{HighlightClass, ShadedPiece, highlight_lines};
pub use crate::front::query_highlight::QueryWords;
use crate::front::query_highlight::SnippetToken;

/// The CSS class of a shade; the stylesheet has the colours.
fn shade_class(shade: HighlightClass) -> &'static str {
    match shade {
        HighlightClass::Keyword => "k",
        HighlightClass::String => "s",
        HighlightClass::Comment => "c",
        HighlightClass::Number => "n",
        HighlightClass::Type => "t",
        HighlightClass::Function => "f",
        HighlightClass::Property => "p",
        HighlightClass::Constant => "o",
        HighlightClass::Title => "h",
    }
}

/// Renders one line without its number.
pub fn render_line(pieces: &[ShadedPiece], words: &QueryWords) -> Markup {
    html! {
        @for (shade, text) in pieces {
            @match shade {
                Some(shade) => span class=(shade_class(*shade)) { (mark_words(words, text)) },
                None => (mark_words(words, text)),
            }
        }
    }
}

/// Renders lines with their numbers, each a link into the file.
pub fn render_lines(
    lines: &[Vec<ShadedPiece>],
    first: u32,
    words: &QueryWords,
    href: &str,
) -> Markup {
    html! {
        div class="code" {
            @for (place, pieces) in lines.iter().enumerate() {
                @let number = first + place as u32;
                div class="l" {
                    a class="no" href={ (href) "#L" (number) } tabindex="-1" aria-hidden="true" { (number) }
                    code { (render_line(pieces, words)) }
                }
            }
        }
    }
}

/// A part of a chunk that shows where the words of a query are.
pub struct Excerpt {
    /// The line number of the first shown line.
    pub first_line: u32,
    /// The shown lines.
    pub lines: Vec<Vec<ShadedPiece>>,
    /// Lines of the chunk before and after the excerpt.
    pub lines_left_out: usize,
}

impl Excerpt {
    /// Chooses the window of `most` lines with the most words. The head of the chunk has a bonus,
    /// because it says what the chunk is.
    pub fn new(
        language: &str,
        text: &str,
        first_line: u32,
        most: usize,
        words: &QueryWords,
    ) -> Excerpt {
        let all = highlight_lines(language, text);
        let total = all.len();
        let hits: Vec<usize> = text.lines().map(|line| words.count_in(line)).collect();
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
            first_line: first_line + start as u32,
            lines_left_out: total - lines.len(),
            lines,
        }
    }
}

/// Renders a text with every word of the query marked.
fn mark_words(words: &QueryWords, text: &str) -> Markup {
    html! {
        @for part in words.split_text(text) {
            @match part {
                SnippetToken::Word(word) => mark { (word) },
                SnippetToken::Other(text) => (text),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, text: &str, expected: &str) {
        assert_eq!(mark_words(&QueryWords::new(question), text).into_string(), expected);
    }

    #[test]
    fn words_are_marked_and_everything_is_escaped() {
        check("where is parse", "Parser<T>", "<mark>Parse</mark>r&lt;T&gt;");
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
            let words = QueryWords::new(question);
            let excerpt = Excerpt::new("text", &text.join("\n"), 101, 8, &words);
            (excerpt.first_line, excerpt.lines.len(), excerpt.lines_left_out)
        };
        assert_eq!(excerpt("retry requests request"), (124, 8, 32));
        assert_eq!(excerpt("nothing"), (101, 8, 32));
        let short = Excerpt::new("text", "one", 7, 8, &QueryWords::new("one"));
        assert_eq!((short.first_line, short.lines.len()), (7, 1));
    }
}
