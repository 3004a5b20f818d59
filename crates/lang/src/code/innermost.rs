//! Finds the innermost of many nested ranges around a place, for places in ascending order. One
//! sweep with an explicit stack takes linear time and no recursion, however deep a file nests.

/// A half-open range of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Range {
    pub start: u32,
    pub end: u32,
}

/// A sweep over ranges that are sorted by start, then widest first.
pub struct Walk<'r> {
    ranges: &'r [Range],
    next: usize,
    open: Vec<usize>,
}

impl<'r> Walk<'r> {
    pub fn new(ranges: &'r [Range]) -> Walk<'r> {
        Walk { ranges, next: 0, open: Vec::new() }
    }

    /// The ranges around `place`, outermost first. Places must be asked in ascending order.
    pub fn around(&mut self, place: u32) -> &[usize] {
        while let Some(range) = self.ranges.get(self.next) {
            if range.start > place {
                break;
            }
            self.close(range.start);
            // Two definitions of one statement have the same range: neither is in the other.
            if let Some(&last) = self.open.last()
                && self.ranges[last] == *range
            {
                self.open.pop();
            }
            self.open.push(self.next);
            self.next += 1;
        }
        self.close(place);
        &self.open
    }

    fn close(&mut self, place: u32) {
        while let Some(&last) = self.open.last() {
            if self.ranges[last].end > place {
                break;
            }
            self.open.pop();
        }
    }
}
