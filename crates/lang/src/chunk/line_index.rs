//! Where lines start, and how much of a range is more than white space.

use kenning_model::Span;

/// A text with its lines measured.
pub struct LineIndex<'t> {
    text: &'t str,
    starts: Vec<u32>,
    /// How many bytes before each block of [`BLOCK`] bytes are not white space.
    weights: Vec<u32>,
}

const BLOCK_BYTES: usize = 64;

impl<'t> LineIndex<'t> {
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

    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The 1-based line of a byte.
    pub fn line_of(&self, byte: u32) -> u32 {
        let line = self.starts.partition_point(|&start| start <= byte);
        u32::try_from(line.max(1)).unwrap_or(u32::MAX)
    }

    /// Where the line of a byte starts.
    pub fn line_start(&self, byte: u32) -> u32 {
        self.starts[self.line_of(byte) as usize - 1]
    }

    /// Where the lines start after `from` and before `to`.
    pub fn line_starts_between(&self, from: u32, to: u32) -> &[u32] {
        let first = self.starts.partition_point(|&start| start <= from);
        let last = self.starts.partition_point(|&start| start < to);
        &self.starts[first..last.max(first)]
    }

    pub fn span(&self, start: u32, end: u32) -> Span {
        Span {
            start_line: self.line_of(start),
            end_line: self.line_of(end.saturating_sub(1).max(start)),
            start_byte: start,
            end_byte: end,
        }
    }

    /// How many bytes of a range are not white space.
    pub fn weight(&self, start: u32, end: u32) -> u32 {
        self.weight_before(end).saturating_sub(self.weight_before(start))
    }

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
