//! Finds the nested ranges around a place, for places in ascending order. One sweep with an
//! explicit stack takes linear time and no recursion, however deep a file nests.
//!
//! An interval tree would answer in any order, but every caller already has its places sorted.

/// A half-open range of bytes. `std::ops::Range<usize>` is not `Copy`, and twice as large.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByteRange {
    pub start: u32,
    pub end: u32,
}

/// A sweep over ranges that are sorted by start, then widest first. Ranges nest or are disjoint.
pub struct RangeSweep<'r> {
    ranges: &'r [ByteRange],
    /// Index of the first range that was not reached yet.
    next: usize,
    /// Indexes of the ranges that are open, outermost first.
    open_ranges: Vec<usize>,
}

impl<'r> RangeSweep<'r> {
    /// Starts a sweep before the first range.
    pub fn new(ranges: &'r [ByteRange]) -> RangeSweep<'r> {
        RangeSweep { ranges, next: 0, open_ranges: Vec::new() }
    }

    /// Returns the indexes of the ranges around `place`, outermost first. Each call must ask for
    /// the same place as the one before it, or for a later one.
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

    /// Removes the ranges that end at or before `place`.
    fn pop_ended(&mut self, place: u32) {
        while let Some(&last) = self.open_ranges.last() {
            if self.ranges[last].end > place {
                break;
            }
            self.open_ranges.pop();
        }
    }
}
