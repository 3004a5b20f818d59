//! Cuts a file into pieces at the borders of its syntax. A node that fits the budget stays whole. A
//! node that does not is cut between its children, and a leaf between its lines.
//!
//! The pieces tile the text. They may be tiny; merging is the caller's task.

use super::line_index::LineIndex;
use super::syntax_node::SyntaxNode;
use crate::code::{ByteRange, ExtractedDefinition, FileSyntax};

/// The weight above which a piece is cut further.
pub const MAX_WEIGHT: u32 = 1500;

/// Cuts the whole text into pieces, in the order of the text. Each node is visited at most once.
pub fn split_syntax(
    syntax: &FileSyntax,
    lines: &LineIndex,
    definitions: &[ExtractedDefinition],
) -> Vec<ByteRange> {
    let leads = LeadIndex::new(definitions);
    let end = u32::try_from(lines.text().len()).unwrap_or(u32::MAX);
    let mut pieces = Vec::new();
    // Nodes still to be cut, the next one last: a stack of our own, as trees can be very deep.
    let root = SyntaxNode::root(syntax);
    let mut open = vec![(Some(root), ByteRange { start: 0, end })];
    while let Some((node, range)) = open.pop() {
        // The root is always taken apart, so that each definition can be a chunk of its own.
        let is_root = node == Some(root) && !definitions.is_empty();
        if lines.weight(range.start, range.end) <= MAX_WEIGHT && !is_root {
            pieces.push(range);
            continue;
        }
        let parts = node.map(|node| split_node(node, range, lines, &leads)).unwrap_or_default();
        // A single part that is the node itself would be cut again without end.
        let is_apart = parts.len() > 1 || parts.first().is_some_and(|part| part.0 != node);
        if !is_apart {
            split_lines(lines, range, &mut pieces)
        } else {
            open.extend(parts.into_iter().rev())
        }
    }
    pieces.retain(|piece| piece.start < piece.end);
    pieces
}

/// Cuts a node that is too large into parts, each with the text before it. The parts tile `range`,
/// unless the node has no children; then there are none.
fn split_node<'t>(
    node: SyntaxNode<'t>,
    range: ByteRange,
    lines: &LineIndex,
    leads: &LeadIndex,
) -> Vec<(Option<SyntaxNode<'t>>, ByteRange)> {
    let mut parts: Vec<(Option<SyntaxNode>, ByteRange)> = Vec::new();
    let mut start = range.start;
    let mut last: Option<SyntaxNode> = None;
    for child in node.children() {
        let Some(cut) =
            cut_position(child, lines, leads).filter(|&cut| cut > start && cut < range.end)
        else {
            last = longer_node(last, child);
            continue;
        };
        // The end of the previous part is its own, even on this line.
        let cut = last.map_or(cut, |last| cut.max(last.range().end.min(child.range().start)));
        parts.push((last, ByteRange { start, end: cut }));
        start = cut;
        last = Some(child);
    }
    if last.is_some() {
        parts.push((last, ByteRange { start, end: range.end }));
    }
    parts
}

/// Returns the longer of two children that share a part; `other` on a tie. The longer one is worth
/// cutting further.
fn longer_node<'t>(one: Option<SyntaxNode<'t>>, other: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
    match one {
        Some(one) if one.length() > other.length() => Some(one),
        _ => Some(other),
    }
}

/// Returns the place to cut before `child`: the start of the line of its lead. `None` if other text
/// precedes it on that line, so that chunks are whole lines and a name stays with what follows it.
/// A line that is too long for one chunk is cut anyway. `None` also inside a lead, and for a short
/// token such as a closing bracket.
fn cut_position(child: SyntaxNode, lines: &LineIndex, leads: &LeadIndex) -> Option<u32> {
    if !child.is_named() && child.length() <= 2 {
        return None;
    }
    let start = leads.lead_start(child.range().start)?;
    let line = lines.line_start(start);
    let before = lines.text().get(line as usize..start as usize)?;
    if before.trim().is_empty() {
        return Some(line);
    }
    let next_line = lines.line_starts_between(start, u32::MAX).first().copied();
    let end = next_line.unwrap_or_else(|| u32::try_from(lines.text().len()).unwrap_or(u32::MAX));
    (lines.weight(line, end) > MAX_WEIGHT).then_some(start)
}

/// The leads of definitions: comments and attributes that belong to the definition after them. No
/// cut may separate a lead from its definition.
struct LeadIndex {
    /// Start of the lead and start of the definition, in order.
    ranges: Vec<(u32, u32)>,
}

impl LeadIndex {
    fn new(definitions: &[ExtractedDefinition]) -> LeadIndex {
        let led = definitions.iter().map(|found| (found.range().start, found.start));
        let mut ranges: Vec<(u32, u32)> = led.filter(|(lead, start)| lead < start).collect();
        ranges.sort_unstable();
        ranges.dedup();
        LeadIndex { ranges }
    }

    /// Returns the start of the lead for a node that starts at `place`, or `place` if it has no
    /// lead. `None` inside of a lead, where no cut is allowed.
    fn lead_start(&self, place: u32) -> Option<u32> {
        let index = self.ranges.partition_point(|(lead, _)| *lead <= place);
        match index.checked_sub(1).map(|index| self.ranges[index]) {
            Some((lead, start)) if place == start || place == lead => Some(lead),
            Some((lead, start)) if lead < place && place < start => None,
            _ => Some(place),
        }
    }
}

/// Cuts a range between its lines, and within a line that is too long by itself. Lines are packed
/// greedily: each piece takes as many as fit.
pub fn split_lines(lines: &LineIndex, range: ByteRange, pieces: &mut Vec<ByteRange>) {
    let mut start = range.start;
    let mut end = range.start;
    let starts = lines.line_starts_between(range.start, range.end);
    for &next in starts.iter().chain([&range.end]) {
        if lines.weight(start, next) > MAX_WEIGHT && end > start {
            pieces.push(ByteRange { start, end });
            start = end;
        }
        if lines.weight(start, next) > MAX_WEIGHT {
            start = split_long_line(lines, ByteRange { start, end: next }, pieces);
        }
        end = next;
    }
    pieces.push(ByteRange { start, end: range.end });
}

/// Cuts one line into pieces of the largest size, and returns the start of the rest. It cuts at any
/// character: a line this long has no structure worth keeping.
fn split_long_line(lines: &LineIndex, range: ByteRange, pieces: &mut Vec<ByteRange>) -> u32 {
    let text = lines.text();
    let mut start = range.start;
    while lines.weight(start, range.end) > MAX_WEIGHT {
        let mut end = (start + MAX_WEIGHT).min(range.end);
        while !text.is_char_boundary(end as usize) {
            end -= 1;
        }
        pieces.push(ByteRange { start, end });
        start = end;
    }
    start
}
