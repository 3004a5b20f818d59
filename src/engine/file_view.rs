//! The text of an indexed file for a reader: a range of lines with syntax highlighting.
//!
//! The text is that of the index, so line numbers agree with the hits that link here. Highlighting
//! is by syntax only and resolves no names.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::{CodeIndex, Engine, EngineError};
use kenning_lang::code::highlight;
use kenning_model::RepoPath;

pub use kenning_lang::code::HighlightClass;

/// A piece of a line with its colour.
pub type ShadedPiece = (Option<HighlightClass>, String);

/// A range of lines of a file.
///
/// `lines` may be shorter than requested, at the end of the file.
pub struct HighlightedLines {
    pub language: String,
    pub package: Option<String>,
    /// The first line, counted from 1.
    pub first_line: u32,
    pub lines: Vec<Vec<ShadedPiece>>,
    /// The number of lines of the whole file.
    pub total_lines: u32,
    /// True if the file changed since it was indexed.
    pub is_stale: bool,
}

/// The most bytes of a line that are shown. A file of one line may have megabytes.
const MAX_COLUMNS: usize = 2000;

impl Engine {
    /// Returns the engine of an indexed repository, by collection name or path.
    ///
    /// Settings differ by root, so a page about another repository needs that repository's engine.
    pub fn engine_for_collection(&self, address: &str) -> Result<Arc<Engine>, EngineError> {
        let collection = self.code_collection(Some(address))?;
        self.engine_for(&collection.root)
    }

    /// Returns the root of this engine.
    pub fn root(&self) -> &Path {
        self.config.root()
    }
}

impl CodeIndex {
    /// Returns at most `count` lines from `first` on. If `first` is beyond the end, it returns the
    /// last line; `None` if the file is not indexed.
    ///
    /// The whole file is highlighted and then cut, because a range may begin inside a comment or
    /// string.
    pub fn read_highlighted(
        &self,
        path: &str,
        first: u32,
        count: u32,
    ) -> Result<Option<HighlightedLines>, EngineError> {
        let Some(path) = RepoPath::new(path) else {
            return Ok(None);
        };
        let snapshot = self.snapshot()?;
        let record = snapshot.file(&path)?;
        let number = snapshot.number_of(&path)?;
        let text = number.map(|number| snapshot.text_of(number)).transpose()?;
        let (Some(record), Some(Some(text))) = (record, text) else {
            return Ok(None);
        };
        let total_lines = text.lines().count() as u32;
        let first = first.clamp(1, total_lines.max(1));
        let mut lines = highlight_lines(&record.language, &text);
        lines.truncate((first - 1 + count) as usize);
        lines.drain(..((first - 1) as usize).min(lines.len()));
        Ok(Some(HighlightedLines {
            language: record.language,
            package: record.package,
            first_line: first,
            lines,
            total_lines,
            is_stale: !self.find_changed([&path])?.is_empty(),
        }))
    }
}

/// Splits a text into lines, and each line into pieces of one colour.
///
/// The pieces of a line, joined, are the line without its line break, unless it is longer than the
/// limit.
pub fn highlight_lines(language: &str, text: &str) -> Vec<Vec<ShadedPiece>> {
    let shades = highlight(language, text);
    let mut next = 0;
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + line.trim_end_matches(['\n', '\r']).len();
        // Skips shades that end before this line. A shade may span several lines.
        while shades.get(next).is_some_and(|(range, _)| range.end <= start) {
            next += 1;
        }
        lines.push(split_pieces(text, start..end, &shades[next..]));
        start += line.len();
    }
    lines
}

/// `shades` are sorted and may begin before the line or end after it. The cut never splits a
/// character.
fn split_pieces(
    text: &str,
    line: Range<usize>,
    shades: &[(Range<usize>, HighlightClass)],
) -> Vec<ShadedPiece> {
    let cut = line.start + MAX_COLUMNS;
    let end = (line.start..=line.end.min(cut))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(line.start);
    let mut at = line.start;
    let mut pieces = Vec::new();
    let mut add = |range: Range<usize>, shade: Option<HighlightClass>| {
        if range.start < range.end {
            pieces.push((shade, text[range].to_string()));
        }
    };
    for (range, shade) in shades.iter().take_while(|(range, _)| range.start < end) {
        let range = range.start.max(at)..range.end.min(end);
        add(at..range.start, None);
        at = range.end.max(at);
        add(range, Some(*shade));
    }
    add(at..end, None);
    if end < line.end {
        add_truncation_note(&mut pieces, line.end - end);
    }
    pieces
}

/// Adds a piece that says how much of the line is missing.
fn add_truncation_note(pieces: &mut Vec<ShadedPiece>, bytes: usize) {
    pieces.push((Some(HighlightClass::Comment), format!(" … {bytes} more bytes")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_every_line() {
        let text = "/* a\r\n b */ fn é() {}\n\n\"open";
        let lines = highlight_lines("rust", text);
        let joined: Vec<String> =
            lines.iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect()).collect();
        assert_eq!(joined, ["/* a", " b */ fn é() {}", "", "\"open"]);
        assert_eq!(lines[0][0].0, Some(HighlightClass::Comment));
        assert_eq!(lines[1][0], (Some(HighlightClass::Comment), " b */".to_string()));
    }

    #[test]
    fn an_endless_line_is_cut_between_characters() {
        let lines = highlight_lines("text", &"é".repeat(5000));
        assert_eq!(lines[0][0].1.chars().count(), MAX_COLUMNS / 2);
        assert_eq!(lines[0][1].1, " … 8000 more bytes");
    }
}
