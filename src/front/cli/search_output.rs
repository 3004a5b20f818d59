//! Formats the hits of a search for people: each chunk under a line with the place of its
//! definition. A terminal gets colours, marked query words, and an excerpt that shows why the chunk
//! was found.

use std::io::IsTerminal;
use std::ops::Range;

use serde_json::Value;

use super::command_wording::word_for_terminal;
use super::excerpt::best_ranges;
use super::render::terminal_width;
use super::sanitize::escape_controls;
use crate::config::is_colour_unwanted;
use crate::engine::{HighlightClass, ShadedPiece, highlight_lines};
use crate::front::hit_view::{AnswerView, HitView};
use crate::front::query_highlight::{QueryWords, SnippetToken};
use crate::ops::OrderedMap;

/// The part of a chunk that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputExtent {
    /// Some lines, each cut to this width.
    Excerpt { width: usize },
    /// The whole chunk, with lines of any length.
    Whole,
}

/// The style of the output.
pub struct OutputStyle {
    /// An excerpt or the whole chunk.
    pub extent: OutputExtent,
    /// True if escape sequences are wanted.
    pub is_coloured: bool,
}

/// Lines of code in an excerpt.
const LINES: usize = 12;
/// Members of a type below an excerpt.
const MEMBERS: usize = 8;

/// The width of the line number and the gap before the code.
const MARGIN: usize = 7;

impl OutputStyle {
    /// Returns the style that suits standard output; a pipe gets whole chunks without colours.
    pub fn for_stdout() -> OutputStyle {
        let width = terminal_width().filter(|_| std::io::stdout().is_terminal());
        OutputStyle {
            extent: width.map_or(OutputExtent::Whole, |width| OutputExtent::Excerpt { width }),
            is_coloured: std::io::stdout().is_terminal() && !is_colour_unwanted(),
        }
    }

    /// Wraps a text in a colour, unless colours are unwanted.
    fn paint(&self, code: &str, text: &str) -> String {
        if self.is_coloured && !code.is_empty() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }
}

/// Escape codes of emphasis: bold, dim, and bold with underline for marked words.
const BOLD: &str = "1";
const DIM: &str = "2";
const MARKED: &str = "1;4";

/// Formats all hits and the notice, with blank lines between.
pub fn format_hits(answer: &AnswerView, question: &str, look: &OutputStyle) -> String {
    let words = QueryWords::new(question);
    let pieces = answer.hits.iter().map(|hit| format_hit(hit, &words, look));
    let notice = answer
        .notice
        .map(|notice| format!("notice: {}", escape_controls(&word_for_terminal(notice))));
    let parts = answer.add_notice(pieces.collect(), notice);
    if parts.is_empty() { "nothing found".to_string() } else { parts.join("\n\n") }
}

/// Formats one hit: head, reasons, code and members.
fn format_hit(hit: &HitView, words: &QueryWords, look: &OutputStyle) -> String {
    let first = hit.start_line as usize;
    let (own, _) = hit.definition();
    let mut lines = vec![hit_head(hit, look)];
    lines.extend(hit.why.map(|reasons| look.paint(DIM, &format_reasons(reasons))));
    let written: Vec<&str> = hit.content.lines().collect();
    // A pipe gets everything: a program that reads it can cut for itself.
    let stretches = match look.extent {
        OutputExtent::Excerpt { .. } => best_ranges(&written, own, LINES, words),
        OutputExtent::Whole => Vec::from_iter(Some(0..written.len())),
    };
    // Highlighting parses the chunk, so it is skipped if nobody sees it.
    let code = if look.is_coloured {
        highlight_lines(hit.language, hit.content)
    } else {
        written.iter().map(|line| vec![(None, line.to_string())]).collect()
    };
    for (place, stretch) in stretches.iter().enumerate() {
        lines.extend((place > 0).then(|| look.paint(DIM, "    ⋮")));
        lines.extend(number_lines(&code, stretch.clone(), first, words, look));
    }
    let shown: usize = stretches.iter().map(Range::len).sum();
    let more = Some(written.len() - shown).filter(|more| *more > 0);
    lines.extend(more.map(|more| look.paint(DIM, &format!("    … {more} more lines"))));
    lines.extend(member_lines(hit.outline, look));
    lines.join("\n")
}

/// Formats `src/a.rs:5  method  Job.run  score 1.2  core  rust`.
fn hit_head(hit: &HitView, look: &OutputStyle) -> String {
    let text = |text: Option<&str>| text.map(escape_controls).unwrap_or_default();
    let name = match (text(hit.scope).as_str(), text(hit.symbol).as_str()) {
        ("", symbol) => symbol.to_string(),
        (scope, symbol) => format!("{scope}.{symbol}"),
    };
    let place = format!("{}:{}", escape_controls(hit.path), hit.definition_line());
    let rest: Vec<String> = [
        hit.score.map(|score| format!("score {}", format_decimal(score))).unwrap_or_default(),
        text(hit.collection),
        text(hit.package),
        escape_controls(hit.language),
        text(hit.found_how),
        text(hit.is_test.then_some("test")),
        text(hit.is_stale.then_some("changed since it was indexed")),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect();
    let parts = [
        look.paint(BOLD, &place),
        escape_controls(hit.kind),
        look.paint(BOLD, &name),
        look.paint(DIM, &rest.join("  ")),
    ]
    .into_iter()
    .filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("  ")
}

/// Formats the parts of a score.
fn format_reasons(reasons: &OrderedMap<f64>) -> String {
    let reasons = reasons.iter().map(|(name, value)| format!("{name} {}", format_decimal(*value)));
    format!("    =  {}", reasons.collect::<Vec<_>>().join(" + "))
}

/// Formats a number as `--json` does: `0.00001`, not `1e-5`.
fn format_decimal(number: f64) -> String {
    Value::from(number).to_string()
}

/// Formats a range of lines with their numbers.
fn number_lines(
    code: &[Vec<ShadedPiece>],
    stretch: Range<usize>,
    first: usize,
    words: &QueryWords,
    look: &OutputStyle,
) -> Vec<String> {
    let places = stretch.filter_map(|place| Some((place, code.get(place)?)));
    let lines = places.map(|(place, pieces)| {
        let number = look.paint(DIM, &format!("{:>5}", first + place));
        let line = format!("{number}  {}", code_line(pieces, words, look));
        line.trim_end().to_string()
    });
    lines.collect()
}

/// Formats a line of code, cut to the width of the terminal.
fn code_line(pieces: &[ShadedPiece], words: &QueryWords, look: &OutputStyle) -> String {
    let mut room = match look.extent {
        OutputExtent::Excerpt { width } => width.saturating_sub(MARGIN),
        OutputExtent::Whole => usize::MAX,
    };
    let mut line = String::new();
    for (shade, text) in pieces {
        // Code may hold anything; a terminal must not obey it.
        let visible = escape_controls(&text.replace('\t', "    "));
        let length = visible.chars().count();
        let is_cut = length > room;
        let text: String =
            if is_cut { visible.chars().take(room.saturating_sub(1)).collect() } else { visible };
        for part in words.split_text(&text) {
            line += &look.paint(&colour_code(*shade, part), part.text());
        }
        if is_cut {
            return line + "…";
        }
        // Widths are counted in characters. Wide glyphs may exceed the line, which only wraps.
        room -= length;
    }
    line
}

/// The escape code of a shade, with the mark of a query word.
fn colour_code(shade: Option<HighlightClass>, part: SnippetToken) -> String {
    let shade = shade.map(|shade| match shade {
        HighlightClass::Keyword => "35",
        HighlightClass::String => "32",
        HighlightClass::Comment => "90",
        HighlightClass::Number | HighlightClass::Constant => "36",
        HighlightClass::Type => "33",
        HighlightClass::Function => "34",
        HighlightClass::Property => "36",
        HighlightClass::Title => "1",
    });
    let mark = match part {
        SnippetToken::Word(_) => Some(MARKED),
        SnippetToken::Other(_) => None,
    };
    let codes: Vec<&str> = shade.into_iter().chain(mark).collect();
    codes.join(";")
}

/// Formats the members of a type, which follow its code.
fn member_lines(members: &[String], look: &OutputStyle) -> Vec<String> {
    let most = match look.extent {
        OutputExtent::Excerpt { .. } => MEMBERS,
        OutputExtent::Whole => usize::MAX,
    };
    let shown = members.iter().take(most).map(|member| escape_controls(member));
    let more = Some(members.len().saturating_sub(most)).filter(|more| *more > 0);
    let lines = shown.chain(more.map(|more| format!("… {more} more")));
    lines.map(|line| look.paint(DIM, &format!("    ·  {line}"))).collect()
}

/// Returns a hint on how to see more, if there may be more. `shown` hits follow `offset`, and at
/// most `limit` were requested.
pub fn more_hint(shown: usize, limit: usize, offset: usize, look: &OutputStyle) -> Option<String> {
    if shown < limit || shown == 0 {
        return None;
    }
    let next = offset + shown;
    let range = match shown {
        1 => next.to_string(),
        _ => format!("{}–{next}", offset + 1),
    };
    let whole = match look.extent {
        OutputExtent::Excerpt { .. } => "; --format full shows whole pieces",
        OutputExtent::Whole => "",
    };
    let text = format!("{range} shown; --offset {next} goes on{whole}");
    Some(look.paint(DIM, &text))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::ops::code::search_code::CodeHit;

    fn answer<'r>(hits: &[HitView<'r>], notice: Option<&'r str>) -> AnswerView<'r> {
        AnswerView { hits: hits.to_vec(), notice, is_weak: false }
    }

    fn check(hit: &CodeHit, question: &str, look: OutputStyle, expected: Expect) {
        let text = format_hits(&answer(&[hit.into()], Some("old")), question, &look)
            .replace('\x1b', "ESC");
        expected.assert_eq(&(text + "\n"));
    }

    fn long() -> CodeHit {
        let mut lines = vec!["// Copyright".to_string(), "fn run() {".to_string()];
        lines.extend((3..40).map(|line| format!("\tstep_{line}();")));
        lines.push("    retry(\"again\\u{7}\") }".replace("\\u{7}", "\u{7}"));
        let why = [("words", 0.9), ("symbol", 0.3)];
        CodeHit {
            path: "src/a.rs".to_string(),
            start_line: 1,
            end_line: 40,
            kind: "method".into(),
            score: 1.2,
            content: lines.join("\n"),
            symbol: Some("run".to_string()),
            scope: Some("Job".to_string()),
            language: "rust".to_string(),
            stale: true,
            outline: vec!["3: fn a()".to_string()],
            why: Some(why.into_iter().map(|(name, value)| (name.to_string(), value)).collect()),
            ..CodeHit::default()
        }
    }

    #[test]
    fn an_excerpt_has_the_definition_and_the_words() {
        let look = OutputStyle { extent: OutputExtent::Excerpt { width: 20 }, is_coloured: false };
        check(
            &long(),
            "retry again step_39 step_38",
            look,
            expect![[r#"
            src/a.rs:2  method  Job.run  score 1.2  rust  changed since it was indexed
                =  words 0.9 + symbol 0.3
                2  fn run() {
                ⋮
               30      step_30(…
               31      step_31(…
               32      step_32(…
               33      step_33(…
               34      step_34(…
               35      step_35(…
               36      step_36(…
               37      step_37(…
               38      step_38(…
               39      step_39(…
               40      retry("a…
                … 28 more lines
                ·  3: fn a()

            notice: old
        "#]],
        );
    }

    #[test]
    fn colours_and_marks() {
        let hit = CodeHit {
            path: "a.rs".to_string(),
            start_line: 7,
            kind: "function".into(),
            score: 2.5,
            content: "fn parse() { 1 }".to_string(),
            symbol: Some("parse".to_string()),
            language: "rust".to_string(),
            ..CodeHit::default()
        };
        let look = OutputStyle { extent: OutputExtent::Whole, is_coloured: true };
        check(
            &hit,
            "parse",
            look,
            expect![[r#"
            ESC[1ma.rs:7ESC[0m  function  ESC[1mparseESC[0m  ESC[2mscore 2.5  rustESC[0m
            ESC[2m    7ESC[0m  ESC[35mfnESC[0m ESC[34;1;4mparseESC[0m() { ESC[36m1ESC[0m }

            notice: old
        "#]],
        );
    }

    #[test]
    fn the_whole_is_the_whole() {
        let look = OutputStyle { extent: OutputExtent::Whole, is_coloured: false };
        let whole = format_hits(&answer(&[(&long()).into()], None), "retry", &look);
        assert!(whole.starts_with("src/a.rs:2  method  Job.run  score 1.2  rust"), "{whole}");
        assert!(
            whole.contains("\n   39      step_39();\n   40      retry(\"again \") }\n"),
            "{whole}"
        );
        assert_eq!(format_hits(&AnswerView::default(), "x", &look), "nothing found");
    }

    #[test]
    fn more_is_told_where_there_may_be_more() {
        let look = OutputStyle { extent: OutputExtent::Whole, is_coloured: false };
        let line = Some("11–20 shown; --offset 20 goes on".to_string());
        assert_eq!(more_hint(10, 10, 10, &look), line);
        let line = Some("1 shown; --offset 1 goes on".to_string());
        assert_eq!(more_hint(1, 1, 0, &look), line);
        assert_eq!(more_hint(9, 10, 10, &look), None);
        assert_eq!(more_hint(0, 0, 0, &look), None);
    }
}
