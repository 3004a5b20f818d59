//! Cuts a file into chunks: the units that search finds and shows. Chunks follow the syntax, tile
//! the file without overlap, and have a size that one embedding vector can represent.
//!
//! Three steps: [`split`] cuts the text at borders of syntax, `merge_pieces` joins small
//! neighbours, and [`PieceLabeler`] names each piece after a definition. A type too large for one
//! chunk also gets a header chunk, which lists its members and is the only chunk that repeats text.
//!
//! Sizes are weights: bytes that are not white space (see [`LineIndex`]).

mod line_index;
mod split;
mod syntax_node;

pub use line_index::LineIndex;

use std::cmp::Reverse;

use super::code::{ByteRange, ExtractedDefinition, FileSyntax, RangeSweep};
use kenning_model::{Chunk, ChunkKind};
use split::MAX_WEIGHT;

/// Neighbours are merged up to this weight. It lies below [`MAX_WEIGHT`], so that a merged chunk
/// still has room for a crumb.
const FULL_WEIGHT: u32 = 1200;

/// A whole definition of at least this weight is a chunk of its own and is not merged.
const OWN_WEIGHT: u32 = 300;

/// A piece of at most this weight, such as a closing bracket, joins the piece before it unless it
/// is a whole definition. So light a piece does not count as a test, unless the whole file does.
/// The line that declares a module of tests therefore stays with the code before it.
const CRUMB_WEIGHT: u32 = 24;

/// The longest outline of a header chunk, in bytes. A longer one does not fit what is embedded.
const MAX_OUTLINE_BYTES: usize = 4000;

/// Cuts a parsed file into chunks, in the order of the text. A header chunk precedes the chunk that
/// starts at the same byte. `definitions` and `comments` must be in the order of the text.
pub fn chunk_syntax(
    syntax: &FileSyntax,
    lines: &LineIndex,
    definitions: &[ExtractedDefinition],
    comments: &[ByteRange],
    is_test: bool,
) -> Vec<Chunk> {
    let pieces = merge_pieces(split::split_syntax(syntax, lines, definitions), lines, definitions);
    let mut chunks: Vec<Chunk> = make_header_chunks(lines, definitions);
    let mut labels = PieceLabeler::new(lines, definitions, comments);
    chunks.extend(pieces.into_iter().map(|piece| match labels.label_piece(piece) {
        Label::Defines(definition) => make_definition_chunk(definition, lines, piece),
        Label::Unnamed(kind) => make_unnamed_chunk(kind, lines, piece, is_test),
    }));
    chunks.sort_by_key(|chunk| (chunk.span.start_byte, chunk.outline.is_none()));
    chunks
}

/// Cuts a text without syntax into chunks: paragraphs, merged or cut to size.
pub fn chunk_plain_text(text: &str, is_test: bool) -> Vec<Chunk> {
    let lines = LineIndex::new(text);
    let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut pieces = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for &line in lines.line_starts_between(0, end) {
        // A paragraph ends with an empty line.
        let is_blank = bytes[..line as usize].ends_with(b"\n\n")
            || bytes[..line as usize].ends_with(b"\n\r\n");
        if is_blank {
            split::split_lines(&lines, ByteRange { start, end: line }, &mut pieces);
            start = line;
        }
    }
    split::split_lines(&lines, ByteRange { start, end }, &mut pieces);
    pieces.retain(|piece| piece.start < piece.end);
    merge_pieces(pieces, &lines, &[])
        .into_iter()
        .map(|piece| make_unnamed_chunk(ChunkKind::Document, &lines, piece, is_test))
        .collect()
}

/// Merges small neighbours in the same definition. Tests are not merged with the code that they
/// test, because a search may exclude one of the two.
fn merge_pieces(
    pieces: Vec<ByteRange>,
    lines: &LineIndex,
    definitions: &[ExtractedDefinition],
) -> Vec<ByteRange> {
    let ranges: Vec<ByteRange> = definitions.iter().map(ExtractedDefinition::range).collect();
    let is_test_file = definitions.iter().all(|one| one.symbol.is_test);
    let mut sweep = RangeSweep::new(&ranges);
    let mut merged: Vec<(ByteRange, ChunkScope, bool)> = Vec::new();
    for piece in pieces {
        let around = sweep.ranges_around(first_word_start(lines, piece));
        let is_test = around.iter().any(|&one| definitions[one].symbol.is_test);
        let place = locate_piece(piece, lines, &ranges, around);
        let weight = lines.weight(piece.start, piece.end);
        let tests = is_test_file || is_test && weight > CRUMB_WEIGHT;
        if let Some((last, of_last, last_tests)) = merged.last_mut() {
            let total = lines.weight(last.start, piece.end);
            // A crumb joins whatever precedes it, even a test; other pieces join only their own
            // kind.
            let is_crumb = weight <= CRUMB_WEIGHT && place.whole_definition.is_none();
            let stands_alone = |place: &ChunkScope, weight| {
                place.whole_definition.is_some() && weight >= OWN_WEIGHT
            };
            let is_alike = of_last.container == place.container
                && *last_tests == tests
                && !stands_alone(of_last, lines.weight(last.start, last.end))
                && !stands_alone(&place, weight);
            if is_crumb && total <= MAX_WEIGHT || is_alike && total <= FULL_WEIGHT {
                last.end = piece.end;
                of_last.whole_definition = None;
                continue;
            }
        }
        merged.push((piece, place, tests));
    }
    merged.into_iter().map(|(piece, ..)| piece).collect()
}

/// The position of a piece among the definitions.
struct ChunkScope {
    /// The outermost definition that lies in the piece as a whole.
    whole_definition: Option<usize>,
    /// The innermost definition that reaches beyond the piece.
    container: Option<usize>,
}

/// Finds the position of a piece among the definitions `around` its first word, outermost first.
fn locate_piece(
    piece: ByteRange,
    lines: &LineIndex,
    ranges: &[ByteRange],
    around: &[usize],
) -> ChunkScope {
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
    // A head that was cut from its body has its own definition as the container.
    ChunkScope { whole_definition: own, container: home }
}

/// The first byte of a piece that is not white space; its start if there is none.
fn first_word_start(lines: &LineIndex, piece: ByteRange) -> u32 {
    let text = &lines.text()[piece.start as usize..piece.end as usize];
    let blank = text.len() - text.trim_start().len();
    if blank < text.len() {
        piece.start + u32::try_from(blank).unwrap_or_default()
    } else {
        piece.start
    }
}

/// The name of a piece: a definition, or only a kind.
enum Label<'d> {
    Defines(&'d ExtractedDefinition),
    Unnamed(ChunkKind),
}

/// Names each piece after a definition, and tells comments from other text.
struct PieceLabeler<'d> {
    lines: &'d LineIndex<'d>,
    definitions: &'d [ExtractedDefinition],
    /// The ranges of `definitions`, at the same indexes.
    ranges: Vec<ByteRange>,
    comments: &'d [ByteRange],
}

impl<'d> PieceLabeler<'d> {
    fn new(
        lines: &'d LineIndex,
        definitions: &'d [ExtractedDefinition],
        comments: &'d [ByteRange],
    ) -> PieceLabeler<'d> {
        PieceLabeler {
            lines,
            definitions,
            ranges: definitions.iter().map(ExtractedDefinition::range).collect(),
            comments,
        }
    }

    /// Returns the label of a piece. In order of preference:
    /// - the enclosing definition, if it is code with a body: a part of a function belongs to it
    /// - the largest definition that starts in the piece, where tests lose against other code
    /// - the enclosing definition of any kind
    fn label_piece(&mut self, piece: ByteRange) -> Label<'d> {
        let first = self.ranges.partition_point(|range| range.start < piece.start);
        let after = self.ranges.partition_point(|range| range.start < piece.end);
        let size = |index: &usize| {
            let range = self.ranges[*index];
            self.lines.weight(range.start, range.end.min(piece.end))
        };
        let tests = |index: &usize| self.definitions[*index].symbol.is_test;
        let largest = (first..after).max_by_key(|index| {
            // A chunk with a test and the code that it tests is named after the code: people
            // search for that.
            let is_subject = !tests(index);
            (is_subject, size(index), Reverse(*index))
        });
        let around = self.enclosing_definition(first, piece);
        let around_code = around.filter(|&index| {
            let definition = &self.definitions[index];
            !definition.is_type() && definition.body_start.is_some()
        });
        match around_code.or(largest).or(around) {
            Some(index) => Label::Defines(&self.definitions[index]),
            None => Label::Unnamed(self.unnamed_kind(piece)),
        }
    }

    /// The innermost definition that starts before the piece and reaches its end. `first` is the
    /// index of the first definition that starts in the piece.
    fn enclosing_definition(&self, first: usize, piece: ByteRange) -> Option<usize> {
        // The parents of the definition before the piece are all the candidates that there are.
        let mut next = first.checked_sub(1);
        while let Some(index) = next {
            if self.ranges[index].end >= trimmed_end(self.lines, piece) {
                return Some(index);
            }
            next = self.definitions[index].parent;
        }
        None
    }

    /// The kind of a piece outside of all definitions: a comment if it holds nothing else.
    fn unnamed_kind(&self, piece: ByteRange) -> ChunkKind {
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

/// The end of a piece without the white space at its end.
fn trimmed_end(lines: &LineIndex, piece: ByteRange) -> u32 {
    let text = &lines.text()[piece.start as usize..piece.end as usize];
    piece.start + u32::try_from(text.trim_end().len()).unwrap_or_default()
}

/// The chunk of a piece that is named after `definition`. The line of the name is left out if the
/// piece is a later part of the definition, which does not contain it.
fn make_definition_chunk(
    definition: &ExtractedDefinition,
    lines: &LineIndex,
    piece: ByteRange,
) -> Chunk {
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

/// The chunk of a piece that is named after nothing.
fn make_unnamed_chunk(
    kind: ChunkKind,
    lines: &LineIndex,
    piece: ByteRange,
    is_test: bool,
) -> Chunk {
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

/// Makes a header for each type that is too large to be one chunk: its declaration, with the
/// signatures of its direct members as outline.
fn make_header_chunks(lines: &LineIndex, definitions: &[ExtractedDefinition]) -> Vec<Chunk> {
    // One slot per definition; `None` for a definition that gets no header.
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
            && outline.len() + signature.len() < MAX_OUTLINE_BYTES
        {
            outline.push_str("\n  ");
            outline.push_str(signature);
        }
    }
    definitions
        .iter()
        .zip(outlines)
        .filter_map(|(definition, outline)| Some((definition, outline?)))
        .map(|(definition, outline)| {
            let range = definition.range();
            let end = definition
                .body_start
                .map_or(range.end, |body| find_head_end(lines, body, range.end));
            Chunk {
                outline: Some(outline),
                ..make_definition_chunk(definition, lines, ByteRange { start: range.start, end })
            }
        })
        .collect()
}

/// Returns the end of a type's head, for a body that starts at `body`. That is the end of the line
/// on which the body starts. If the body has that line to itself and begins with no brace, it is
/// the start of the line.
fn find_head_end(lines: &LineIndex, body: u32, end: u32) -> u32 {
    let line = lines.line_start(body);
    let before = lines.text().get(line as usize..body as usize);
    if before.is_some_and(|before| before.trim().is_empty()) && !is_open_brace(lines, body) {
        return line;
    }
    lines.line_starts_between(body, end).first().copied().unwrap_or(end)
}

fn is_open_brace(lines: &LineIndex, place: u32) -> bool {
    lines.text().as_bytes().get(place as usize) == Some(&b'{')
}

#[cfg(test)]
mod tests;
