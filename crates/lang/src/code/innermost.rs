//! Finds the innermost of many nested ranges around a place, for places in ascending order. One
//! sweep with an explicit stack takes linear time and no recursion, however deep a file nests.

/// A half-open range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteRange {
    pub start: u32,
    pub end: u32,
}

/// A sweep over ranges that are sorted by start, then widest first.
pub struct RangeSweep<'r> {
    ranges: &'r [ByteRange],
    next: usize,
    open_ranges: Vec<usize>,
}

impl<'r> RangeSweep<'r> {
    pub fn new(ranges: &'r [ByteRange]) -> RangeSweep<'r> {
        RangeSweep { ranges, next: 0, open_ranges: Vec::new() }
    }

    /// The ranges around `place`, outermost first. Places must be asked in ascending order.
    pub fn ranges_around(&mut self, place: u32) -> &[usize] {
        while let Some(range) = self.ranges.get(self.next) {
            if range.start > place {
                break;
            }
            self.pop_ended(range.start);
            // Two definitions of one statement have the same range: neither is in the other.
            if let Some(&last) = self.open_ranges.last()
                && self.ranges[last] == *range
            {
                self.open_ranges.pop();
            }
            self.open_ranges.push(self.next);
            self.next += 1;
        }
        self.pop_ended(place);
        &self.open_ranges
    }

    fn pop_ended(&mut self, place: u32) {
        while let Some(&last) = self.open_ranges.last() {
            if self.ranges[last].end > place {
                break;
            }
            self.open_ranges.pop();
        }
    }
}
