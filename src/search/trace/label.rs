//! Labels of places in the code. A chunk may hold several definitions, and a test may have a
//! sentence as its name. The label says which of them is meant.
//!
//! Labels only name a place. They do not change its score.

use crate::search::trace::requirement_query::{RequirementQuery, WordIdf, collect_word_set};
use kenning_store::code::{ChunkRecord, SymbolRecord};
use kenning_text::tokenizer::Word;

/// A name and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolLabel {
    pub name: String,
    pub line: u32,
}

/// Returns the definition or test of a chunk that matches the subject best; `None` if several tie.
///
/// `symbols` are all symbols of the file, and `text` is the text of the chunk. Candidates are the
/// innermost definitions and, in tests, the titles.
pub fn choose_label(
    subject: &RequirementQuery,
    word_idf: &WordIdf,
    chunk: &ChunkRecord,
    text: &str,
    symbols: &[SymbolRecord],
) -> Option<SymbolLabel> {
    let lines: Vec<&str> = text.lines().collect();
    let part = |first: u32, last: u32| {
        let start = first.saturating_sub(chunk.span.start_line) as usize;
        let after_last = (last + 1).saturating_sub(chunk.span.start_line) as usize;
        let end = after_last.min(lines.len());
        lines[start.min(end)..end].join("\n")
    };
    let mut parts: Vec<(SymbolLabel, String)> = innermost_symbols(chunk, symbols)
        .map(|symbol| {
            let label = SymbolLabel {
                name: symbol.fact.name.clone(),
                line: symbol.fact.line.max(chunk.span.start_line),
            };
            (label, part(symbol.fact.span.start_line, symbol.fact.span.end_line))
        })
        .collect();
    // The part of a title ends where the next title begins.
    let titles = find_test_titles(chunk, &lines);
    let ends: Vec<u32> =
        titles.iter().skip(1).map(|title| title.line - 1).chain([chunk.span.end_line]).collect();
    let titled = titles.into_iter().zip(ends);
    parts.extend(titled.map(|(title, last)| {
        let text = part(title.line, last);
        (title, text)
    }));
    pick_best_label(subject, word_idf, parts)
}

/// Returns the innermost definitions that overlap the chunk.
///
/// An outer definition is dropped if another one lies inside it. Two definitions with equal lines
/// both stay.
fn innermost_symbols<'s>(
    chunk: &ChunkRecord,
    symbols: &'s [SymbolRecord],
) -> impl Iterator<Item = &'s SymbolRecord> {
    let (first, last) = (chunk.span.start_line, chunk.span.end_line);
    let touches = move |symbol: &&SymbolRecord| {
        symbol.fact.span.start_line <= last && symbol.fact.span.end_line >= first
    };
    // Code and its tests may share a chunk. Prefers symbols of the chunk's own kind.
    let is_of_kind = |symbol: &&SymbolRecord| symbol.fact.is_test == chunk.is_test;
    let touching = || symbols.iter().filter(touches);
    let of_kind: Vec<&SymbolRecord> = touching().filter(is_of_kind).collect();
    let here = if of_kind.is_empty() { touching().collect() } else { of_kind };
    let all = here.clone();
    here.into_iter().filter(move |symbol| {
        let span = &symbol.fact.span;
        !all.iter().any(|other| {
            let inner = &other.fact.span;
            let is_within = span.start_line <= inner.start_line && inner.end_line <= span.end_line;
            is_within && (span.start_line, span.end_line) != (inner.start_line, inner.end_line)
        })
    })
}

/// Functions that open a test with a sentence as its title.
const TEST_FUNCTIONS: [&str; 6] = ["it", "test", "describe", "specify", "context", "scenario"];

/// Finds test titles such as `it("does this", …)`, one per line.
fn find_test_titles(chunk: &ChunkRecord, lines: &[&str]) -> Vec<SymbolLabel> {
    let titled = lines.iter().zip(chunk.span.start_line..).filter_map(|(text, line)| {
        let name = parse_test_title(text.trim_start())?.to_string();
        Some(SymbolLabel { name, line })
    });
    if chunk.is_test { titled.collect() } else { Vec::new() }
}

/// Returns the title in a line that opens a test; `None` for any other line.
///
/// ```text
/// it("boils the water", () => {   ->  boils the water
/// const it = 1                    ->  None
/// ```
fn parse_test_title(text: &str) -> Option<&str> {
    let opening = TEST_FUNCTIONS.iter().find_map(|opening| {
        let rest = text.strip_prefix(opening)?;
        rest.starts_with(['(', '.', ' ']).then_some(rest)
    })?;
    let start = opening.find(['"', '\'', '`'])?;
    // `it.each(table)("…")` has more text before its title, but no further words.
    let is_near = opening[..start].chars().filter(|c| c.is_whitespace()).count() <= 1;
    let quote = opening[start..].chars().next()?;
    let inside = &opening[start + 1..];
    let end = inside.find(quote)?;
    (is_near && end > 0).then(|| &inside[..end])
}

/// Returns the part that shares most of the subject's words. Rare words weigh more, and so do
/// names.
///
/// A single part always wins. With several, equal scores give no label: a wrong name would mislead
/// more than none.
fn pick_best_label(
    subject: &RequirementQuery,
    word_idf: &WordIdf,
    parts: Vec<(SymbolLabel, String)>,
) -> Option<SymbolLabel> {
    if parts.len() == 1 {
        return parts.into_iter().next().map(|(label, _)| label);
    }
    let worth = |text: &str| {
        let said = collect_word_set(&[text]);
        let words = subject.query.words.iter();
        let shared = words.filter(|(word, _)| said.contains(word));
        shared.map(|(word, _): &(Word, f32)| word_idf.get(*word)).sum::<f32>()
    };
    let mut scored: Vec<(f32, SymbolLabel)> = parts
        .into_iter()
        .map(|(label, text)| {
            let score = worth(&text) + 2.0 * worth(&label.name);
            (score, label)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let is_clear = match scored.as_slice() {
        [(first, _), (second, _), ..] => first > second,
        _ => false,
    };
    is_clear.then(|| scored.swap_remove(0).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_called_by_sentences() {
        for (text, expected) in [
            ("it(\"boils the water\", () => {", Some("boils the water")),
            ("test.skip('stops', async () => {", Some("stops")),
            ("describe(`Kettle`, () => {", Some("Kettle")),
            ("it \"refuses\" do", Some("refuses")),
            ("item(\"x\")", None),
            ("it(name, () => {", None),
            ("it works, says \"he\"", None),
            ("const it = 1", None),
        ] {
            assert_eq!(parse_test_title(text), expected, "{text}");
        }
    }
}
