//! Maps bytes to lines, and counts the bytes in a range that are not white space. Both answers take
//! logarithmic or constant time, because chunking asks for them at every node.
//!
//! Positions are `u32`, as in spans; conversions saturate.

use kenning_model::Span;

/// A text with the starts of its lines and prefix sums of its weight. The weight of a range is its
/// number of bytes that are not ASCII white space. It measures content independent of indentation.
pub struct LineIndex<'t> {
    text: &'t str,
    /// Byte offset of the start of each line, ascending; the first is 0.
    starts: Vec<u32>,
    /// Prefix sums: the weight of everything before each block of [`BLOCK_BYTES`] bytes.
    weights: Vec<u32>,
}

/// Bytes per prefix sum. One sum per byte would take four times the memory of the text. With this
/// size, a query counts at most one block itself.
const BLOCK_BYTES: usize = 64;

impl<'t> LineIndex<'t> {
    /// Measures the text in one pass.
    pub fn new(text: &'t str) -> LineIndex<'t> {
        let mut starts = vec![0];
        let mut weights = Vec::with_capacity(text.len() / BLOCK_BYTES + 1);
        let mut weight = 0;
        for (number, block) in text.as_bytes().chunks(BLOCK_BYTES).enumerate() {
            weights.push(weight);
            for (at, byte) in block.iter().enumerate() {
                weight += u32::from(!byte.is_ascii_whitespace());
                if *byte == b'\n' {
                    starts.push(u32::try_from(number * BLOCK_BYTES + at + 1).unwrap_or(u32::MAX));
                }
            }
        }
        LineIndex { text, starts, weights }
    }

    /// The text that was measured.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The 1-based line of a byte. A byte past the end belongs to the last line.
    pub fn line_of(&self, byte: u32) -> u32 {
        let line = self.starts.partition_point(|&start| start <= byte);
        u32::try_from(line.max(1)).unwrap_or(u32::MAX)
    }

    /// The byte at which the line of `byte` starts.
    pub fn line_start(&self, byte: u32) -> u32 {
        self.starts[self.line_of(byte) as usize - 1]
    }

    /// The starts of lines after `from` and before `to`, both exclusive.
    pub fn line_starts_between(&self, from: u32, to: u32) -> &[u32] {
        let first = self.starts.partition_point(|&start| start <= from);
        let last = self.starts.partition_point(|&start| start < to);
        &self.starts[first..last.max(first)]
    }

    /// The span of a half-open range of bytes. Its last line is the line of its last byte, so a
    /// final newline does not add a line.
    pub fn span(&self, start: u32, end: u32) -> Span {
        Span {
            start_line: self.line_of(start),
            end_line: self.line_of(end.saturating_sub(1).max(start)),
            start_byte: start,
            end_byte: end,
        }
    }

    /// The number of bytes of a range that are not white space.
    pub fn weight(&self, start: u32, end: u32) -> u32 {
        self.weight_before(end).saturating_sub(self.weight_before(start))
    }

    /// The weight of everything before `place`. A text that ends at a border of blocks has no sum
    /// for its end, so the last block is counted in full.
    fn weight_before(&self, place: u32) -> u32 {
        let place = (place as usize).min(self.text.len());
        let block = place / BLOCK_BYTES;
        let Some(weight) = self.weights.get(block) else {
            return self.weights.last().map_or(0, |last| {
                last + count_visible(
                    &self.text.as_bytes()[(self.weights.len() - 1) * BLOCK_BYTES..place],
                )
            });
        };
        weight + count_visible(&self.text.as_bytes()[block * BLOCK_BYTES..place])
    }
}

fn count_visible(bytes: &[u8]) -> u32 {
    bytes.iter().map(|byte| u32::from(!byte.is_ascii_whitespace())).sum()
}
