//! The hits of `ken search` for people: each chunk under a line with the place of its definition. A
//! terminal gets colours, marked query words, and an excerpt that shows why the chunk was found.

use std::io::IsTerminal;
use std::ops::Range;

use serde_json::Value;

use super::excerpt::best;
use super::render::terminal_width;
use super::sanitize::visible;
use crate::config::is_colour_unwanted;
use crate::engine::{HighlightClass, ShadedPiece, highlight_lines};
use crate::front::hit::Hit;
use crate::front::snippet::{SnippetToken, Words};
use crate::ops::OrderedMap;

/// The part of a chunk that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Some lines, each cut to this width.
    Excerpt {
        width: usize,
    },
    Whole,
}

/// The style of the output.
pub struct OutputStyle {
    pub extent: Extent,
    pub is_coloured: bool,
}

/// Lines of code in an excerpt, and members of a type below it.
const LINES: usize = 12;
const MEMBERS: usize = 8;

/// The width of the line number and the gap before the code.
const MARGIN: usize = 7;

impl OutputStyle {
    /// Returns the style that suits standard output; a pipe gets whole chunks without colours.
    pub fn here() -> OutputStyle {
        let width = terminal_width();
        let width = width.filter(|_| std::io::stdout().is_terminal());
        OutputStyle {
            extent: width.map_or(Extent::Whole, |width| Extent::Excerpt { width }),
            is_coloured: std::io::stdout().is_terminal() && !is_colour_unwanted(),
        }
    }

    fn painted(&self, code: &str, text: &str) -> String {
        if self.is_coloured && !code.is_empty() && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_string()
        }
    }
}

const BOLD: &str = "1";
const DIM: &str = "2";
const MARKED: &str = "1;4";

pub fn text(hits: &[Hit], notice: Option<&str>, question: &str, look: &OutputStyle) -> String {
    let words = Words::new(question);
    let pieces = hits.iter().map(|hit| piece(hit, &words, look));
    let notice = notice.map(|notice| format!("notice: {}", visible(notice)));
    let parts: Vec<String> = pieces.chain(notice).collect();
    if parts.is_empty() { "nothing found".to_string() } else { parts.join("\n\n") }
}

fn piece(hit: &Hit, words: &Words, look: &OutputStyle) -> String {
    let first = hit.start_line as usize;
    let (own, _) = hit.definition();
    let mut lines = vec![head(hit, look)];
    lines.extend(hit.why.map(|reasons| look.painted(DIM, &why(reasons))));
    let written: Vec<&str> = hit.content.lines().collect();
    let stretches = match look.extent {
        Extent::Excerpt { .. } => best(&written, own, LINES, words),
        Extent::Whole => Vec::from_iter(Some(0..written.len())),
    };
    let code = if look.is_coloured {
        highlight_lines(hit.language, hit.content)
    } else {
        written.iter().map(|line| vec![(None, line.to_string())]).collect()
    };
    for (place, stretch) in stretches.iter().enumerate() {
        lines.extend((place > 0).then(|| look.painted(DIM, "    ⋮")));
        lines.extend(numbered(&code, stretch.clone(), first, words, look));
    }
    let shown: usize = stretches.iter().map(Range::len).sum();
    let more = Some(written.len() - shown).filter(|more| *more > 0);
    lines.extend(more.map(|more| look.painted(DIM, &format!("    … {more} more lines"))));
    lines.extend(members(hit.outline, look));
    lines.join("\n")
}

/// `src/a.rs:5  method  Job.run  score 1.2  core  rust`.
fn head(hit: &Hit, look: &OutputStyle) -> String {
    let text = |text: Option<&str>| text.map(visible).unwrap_or_default();
    let name = match (text(hit.scope).as_str(), text(hit.symbol).as_str()) {
        ("", symbol) => symbol.to_string(),
        (scope, symbol) => format!("{scope}.{symbol}"),
    };
    let place = format!("{}:{}", visible(hit.path), hit.definition_line());
    let rest = [
        hit.score.map(|score| format!("score {}", decimal(score))).unwrap_or_default(),
        text(hit.collection),
        text(hit.package),
        visible(hit.language),
        text(hit.found_how),
        text(hit.is_test.then_some("test")),
        text(hit.is_stale.then_some("changed since it was indexed")),
    ];
    let rest: Vec<String> = rest.into_iter().filter(|part| !part.is_empty()).collect();
    let parts = [
        look.painted(BOLD, &place),
        visible(hit.kind),
        look.painted(BOLD, &name),
        look.painted(DIM, &rest.join("  ")),
    ];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("  ")
}

/// Formats the parts of a score.
fn why(reasons: &OrderedMap<f64>) -> String {
    let reasons = reasons.iter().map(|(name, value)| format!("{name} {}", decimal(*value)));
    format!("    =  {}", reasons.collect::<Vec<_>>().join(" + "))
}

/// Formats a number as `--json` does: `0.00001`, not `1e-5`.
fn decimal(number: f64) -> String {
    Value::from(number).to_string()
}

fn numbered(
    code: &[Vec<ShadedPiece>],
    stretch: Range<usize>,
    first: usize,
    words: &Words,
    look: &OutputStyle,
) -> Vec<String> {
    let places = stretch.filter_map(|place| Some((place, code.get(place)?)));
    let lines = places.map(|(place, pieces)| {
        let number = look.painted(DIM, &format!("{:>5}", first + place));
        let line = format!("{number}  {}", line(pieces, words, look));
        line.trim_end().to_string()
    });
    lines.collect()
}

/// A line of code, as far as there is room for it.
fn line(pieces: &[ShadedPiece], words: &Words, look: &OutputStyle) -> String {
    let mut room = match look.extent {
        Extent::Excerpt { width } => width.saturating_sub(MARGIN),
        Extent::Whole => usize::MAX,
    };
    let mut line = String::new();
    for (shade, text) in pieces {
        // Code may hold anything; a terminal must not obey it.
        let text = visible(&text.replace('\t', "    "));
        let length = text.chars().count();
        let is_cut = length > room;
        let text: String =
            if is_cut { text.chars().take(room.saturating_sub(1)).collect() } else { text };
        for part in words.parts(&text) {
            line += &look.painted(&colour(*shade, part), part.text());
        }
        if is_cut {
            return line + "…";
        }
        room -= length;
    }
    line
}

fn colour(shade: Option<HighlightClass>, part: SnippetToken) -> String {
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
fn members(members: &[String], look: &OutputStyle) -> Vec<String> {
    let most = match look.extent {
        Extent::Excerpt { .. } => MEMBERS,
        Extent::Whole => usize::MAX,
    };
    let shown = members.iter().take(most).map(|member| visible(member));
    let more = Some(members.len().saturating_sub(most)).filter(|more| *more > 0);
    let shown = shown.chain(more.map(|more| format!("… {more} more")));
    shown.map(|line| look.painted(DIM, &format!("    ·  {line}"))).collect()
}

/// Returns a hint on how to see more, if there may be more. `shown` hits follow `offset`, and at
/// most `limit` were requested.
pub fn more(shown: usize, limit: usize, offset: usize, look: &OutputStyle) -> Option<String> {
    if shown < limit || shown == 0 {
        return None;
    }
    let next = offset + shown;
    let range = match shown {
        1 => next.to_string(),
        _ => format!("{}–{next}", offset + 1),
    };
    let whole = match look.extent {
        Extent::Excerpt { .. } => "; --format full shows whole pieces",
        Extent::Whole => "",
    };
    let text = format!("{range} shown; --offset {next} goes on{whole}");
    Some(look.painted(DIM, &text))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::ops::code::search_code::CodeHit;

    fn check(hit: &CodeHit, question: &str, look: OutputStyle, expected: Expect) {
        let text = text(&[hit.into()], Some("old"), question, &look).replace('\x1b', "ESC");
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
        let look = OutputStyle { extent: Extent::Excerpt { width: 20 }, is_coloured: false };
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
        let look = OutputStyle { extent: Extent::Whole, is_coloured: true };
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
        let look = OutputStyle { extent: Extent::Whole, is_coloured: false };
        let whole = text(&[(&long()).into()], None, "retry", &look);
        assert!(whole.starts_with("src/a.rs:2  method  Job.run  score 1.2  rust"), "{whole}");
        assert!(
            whole.contains("\n   39      step_39();\n   40      retry(\"again \") }\n"),
            "{whole}"
        );
        assert_eq!(text(&[], None, "x", &look), "nothing found");
    }

    #[test]
    fn more_is_told_where_there_may_be_more() {
        let look = OutputStyle { extent: Extent::Whole, is_coloured: false };
        let line = Some("11–20 shown; --offset 20 goes on".to_string());
        assert_eq!(more(10, 10, 10, &look), line);
        let line = Some("1 shown; --offset 1 goes on".to_string());
        assert_eq!(more(1, 1, 0, &look), line);
        assert_eq!(more(9, 10, 10, &look), None);
        assert_eq!(more(0, 0, 0, &look), None);
    }
}
