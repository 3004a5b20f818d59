//! Chunks: the pieces of a file that are found and shown by themselves. They follow its syntax,
//! tile it, and are of a size that one vector can stand for; a type that was cut also yields a
//! header that says what its members are.

mod line_index;
mod node;
mod split;

pub use line_index::LineIndex;

use std::cmp::Reverse;

use super::code::{Definition, Range, Syntax, Walk};
use kenning_model::{Chunk, ChunkKind};
use split::MAX_WEIGHT;

/// Neighbours are merged up to this size.
const FULL_WEIGHT: u32 = 1200;

/// A definition of this size is worth a chunk of its own.
const OWN_WEIGHT: u32 = 300;

/// A piece of at most this weight, such as a closing bracket, joins the piece before it unless it
/// is a whole definition. So light a piece does not count as a test, unless the whole file does.
/// The line that declares a module of tests therefore stays with the code before it.
const CRUMB_WEIGHT: u32 = 24;

/// A longer outline no longer fits what is embedded.
const MAX_OUTLINE: usize = 4000;

/// The chunks of a parsed file.
pub fn chunks(
    syntax: &Syntax,
    lines: &LineIndex,
    definitions: &[Definition],
    comments: &[Range],
    is_test: bool,
) -> Vec<Chunk> {
    let pieces = merge(split::cut(syntax, lines, definitions), lines, definitions);
    let mut chunks: Vec<Chunk> = headers(lines, definitions);
    let mut labels = Labels::new(lines, definitions, comments);
    chunks.extend(pieces.into_iter().map(|piece| match labels.of(piece) {
        Label::Defines(definition) => defining(definition, lines, piece),
        Label::Nothing(kind) => nameless(kind, lines, piece, is_test),
    }));
    chunks.sort_by_key(|chunk| (chunk.span.start_byte, chunk.outline.is_none()));
    chunks
}

/// The chunks of a text without syntax: paragraphs, merged or cut to size.
pub fn windows(text: &str, is_test: bool) -> Vec<Chunk> {
    let lines = LineIndex::new(text);
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut pieces = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for &line in lines.starts_within(0, end) {
        // A paragraph ends with an empty line.
        let is_blank = bytes[..line as usize].ends_with(b"\n\n")
            || bytes[..line as usize].ends_with(b"\n\r\n");
        if is_blank {
            split::cut_lines(&lines, Range { start, end: line }, &mut pieces);
            start = line;
        }
    }
    split::cut_lines(&lines, Range { start, end }, &mut pieces);
    pieces.retain(|piece| piece.start < piece.end);
    merge(pieces, &lines, &[])
        .into_iter()
        .map(|piece| nameless(ChunkKind::Document, &lines, piece, is_test))
        .collect()
}

/// Merges small neighbours in the same definition. Tests are not merged with the code that they
/// test, because a search may exclude one of the two.
fn merge(pieces: Vec<Range>, lines: &LineIndex, definitions: &[Definition]) -> Vec<Range> {
    let ranges: Vec<Range> = definitions.iter().map(Definition::range).collect();
    let is_test_file = definitions.iter().all(|one| one.symbol.is_test);
    let mut walk = Walk::new(&ranges);
    let mut merged: Vec<(Range, ChunkScope, bool)> = Vec::new();
    for piece in pieces {
        let around = walk.around(first_word(lines, piece));
        let is_test = around.iter().any(|&one| definitions[one].symbol.is_test);
        let place = place(piece, lines, &ranges, around);
        let weight = lines.weight(piece.start, piece.end);
        let tests = is_test_file || is_test && weight > CRUMB_WEIGHT;
        if let Some((last, of_last, last_tests)) = merged.last_mut() {
            let total = lines.weight(last.start, piece.end);
            let is_crumb = weight <= CRUMB_WEIGHT && place.own.is_none();
            let stands_alone =
                |place: &ChunkScope, weight| place.own.is_some() && weight >= OWN_WEIGHT;
            let is_alike = of_last.home == place.home
                && *last_tests == tests
                && !stands_alone(of_last, lines.weight(last.start, last.end))
                && !stands_alone(&place, weight);
            if is_crumb && total <= MAX_WEIGHT || is_alike && total <= FULL_WEIGHT {
                last.end = piece.end;
                of_last.own = None;
                continue;
            }
        }
        merged.push((piece, place, tests));
    }
    merged.into_iter().map(|(piece, ..)| piece).collect()
}

/// The position of a piece among the definitions.
struct ChunkScope {
    /// The definition that it is, if it is one and whole.
    own: Option<usize>,
    /// The innermost definition around it that is more than it.
    home: Option<usize>,
}

fn place(piece: Range, lines: &LineIndex, ranges: &[Range], around: &[usize]) -> ChunkScope {
    let is_whole = |index: &&usize| {
        let range = ranges[**index];
        range.start >= piece.start
            && lines.weight(range.start, range.end) > 0
            && range.end <= piece.end
    };
    let own = around.iter().find(is_whole).copied();
    let home = around
        .iter()
        .rev()
        .copied()
        .find(|&index| ranges[index].end > piece.end || ranges[index].start < piece.start);
    // A head that was cut from its body is part of what it heads.
    ChunkScope { own, home }
}

/// The first byte that is no white space.
fn first_word(lines: &LineIndex, piece: Range) -> u32 {
    let text = &lines.text()[piece.start as usize..piece.end as usize];
    let blank = text.len() - text.trim_start().len();
    if blank < text.len() {
        piece.start + u32::try_from(blank).unwrap_or_default()
    } else {
        piece.start
    }
}

enum Label<'d> {
    Defines(&'d Definition),
    Nothing(ChunkKind),
}

/// Finds what each piece is, in the order of the text.
struct Labels<'d> {
    lines: &'d LineIndex<'d>,
    definitions: &'d [Definition],
    ranges: Vec<Range>,
    comments: &'d [Range],
}

impl<'d> Labels<'d> {
    fn new(
        lines: &'d LineIndex,
        definitions: &'d [Definition],
        comments: &'d [Range],
    ) -> Labels<'d> {
        Labels {
            lines,
            definitions,
            ranges: definitions.iter().map(Definition::range).collect(),
            comments,
        }
    }

    /// The largest definition that starts in the piece, and that tests only if all do; if none does, or if the piece is a part of
    /// something that runs, the one around it.
    fn of(&mut self, piece: Range) -> Label<'d> {
        let first = self.ranges.partition_point(|range| range.start < piece.start);
        let after = self.ranges.partition_point(|range| range.start < piece.end);
        let size = |index: &usize| {
            let range = self.ranges[*index];
            self.lines.weight(range.start, range.end.min(piece.end))
        };
        let tests = |index: &usize| self.definitions[*index].symbol.is_test;
        let largest = (first..after).max_by_key(|index| {
            let is_subject = !tests(index);
            (is_subject, size(index), Reverse(*index))
        });
        let around = self.around(first, piece);
        let runs = around.filter(|&index| !self.definitions[index].is_type());
        let runs = runs.filter(|&index| self.definitions[index].body.is_some());
        match runs.or(largest).or(around) {
            Some(index) => Label::Defines(&self.definitions[index]),
            None => Label::Nothing(self.nothing(piece)),
        }
    }

    /// The innermost definition that starts before the piece and reaches its end.
    fn around(&self, first: usize, piece: Range) -> Option<usize> {
        let mut next = first.checked_sub(1);
        while let Some(index) = next {
            if self.ranges[index].end >= trimmed_end(self.lines, piece) {
                return Some(index);
            }
            next = self.definitions[index].parent;
        }
        None
    }

    fn nothing(&self, piece: Range) -> ChunkKind {
        let from = self.comments.partition_point(|comment| comment.end <= piece.start);
        let of_comments: u32 = self.comments[from..]
            .iter()
            .take_while(|comment| comment.start < piece.end)
            .map(|comment| {
                let (start, end) = (comment.start.max(piece.start), comment.end.min(piece.end));
                self.lines.weight(start, end)
            })
            .sum();
        if of_comments == self.lines.weight(piece.start, piece.end) && of_comments > 0 {
            ChunkKind::Comment
        } else {
            ChunkKind::File
        }
    }
}

fn trimmed_end(lines: &LineIndex, piece: Range) -> u32 {
    let text = &lines.text()[piece.start as usize..piece.end as usize];
    piece.start + u32::try_from(text.trim_end().len()).unwrap_or_default()
}

fn defining(definition: &Definition, lines: &LineIndex, piece: Range) -> Chunk {
    let symbol = &definition.symbol;
    let span = lines.span(piece.start, piece.end);
    Chunk {
        kind: symbol.kind,
        symbol: Some(symbol.name.clone()),
        scope: symbol.scope.clone(),
        signature: symbol.signature.clone(),
        doc: definition.doc.clone(),
        outline: None,
        is_test: symbol.is_test,
        line: Some(symbol.line).filter(|line| span.has_line(*line)),
        span,
    }
}

fn nameless(kind: ChunkKind, lines: &LineIndex, piece: Range, is_test: bool) -> Chunk {
    Chunk {
        kind,
        symbol: None,
        scope: None,
        signature: None,
        doc: None,
        outline: None,
        is_test,
        line: None,
        span: lines.span(piece.start, piece.end),
    }
}

/// A header for each type that is too large to be one chunk.
fn headers(lines: &LineIndex, definitions: &[Definition]) -> Vec<Chunk> {
    let mut outlines: Vec<Option<String>> = definitions
        .iter()
        .map(|definition| {
            let range = definition.range();
            let is_cut = lines.weight(range.start, range.end) > MAX_WEIGHT;
            let is_headed = is_cut && definition.is_type();
            is_headed.then(|| definition.symbol.signature.clone().unwrap_or_default())
        })
        .collect();
    for definition in definitions {
        if let Some(outline) = definition.parent.and_then(|parent| outlines[parent].as_mut())
            && let Some(signature) = &definition.symbol.signature
            && outline.len() + signature.len() < MAX_OUTLINE
        {
            outline.push_str("\n  ");
            outline.push_str(signature);
        }
    }
    let headed = definitions.iter().zip(outlines);
    let headed = headed.filter_map(|(definition, outline)| Some((definition, outline?)));
    headed
        .map(|(definition, outline)| {
            let range = definition.range();
            let end = definition.body.map_or(range.end, |body| head_end(lines, body, range.end));
            Chunk {
                outline: Some(outline),
                ..defining(definition, lines, Range { start: range.start, end })
            }
        })
        .collect()
}

/// The end of the line on which a body starts, or its start if the body is all that it holds.
fn head_end(lines: &LineIndex, body: u32, end: u32) -> u32 {
    let line = lines.start(body);
    let before = lines.text().get(line as usize..body as usize);
    if before.is_some_and(|before| before.trim().is_empty()) && !starts_bracket(lines, body) {
        return line;
    }
    lines.starts_within(body, end).first().copied().unwrap_or(end)
}

fn starts_bracket(lines: &LineIndex, place: u32) -> bool {
    lines.text().as_bytes().get(place as usize) == Some(&b'{')
}

#[cfg(test)]
mod tests;
