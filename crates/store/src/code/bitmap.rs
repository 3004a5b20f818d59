//! A set of chunk ids, one bit each: the alive bitset, and the chunks that a filter accepts.
//!
//! Ids are dense: one per chunk ever written. A compressed bitmap would save little, and `contains`
//! is called for each posting that scores.

use std::ops::Range;

/// A set of `u32`. Bits beyond the last word count as not set, so the words may be shorter than the
/// largest id that is asked for. Equality compares words: two equal sets may differ by trailing
/// zero words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    words: Vec<u64>,
}

impl Bitmap {
    /// True if the id is in the set. O(1).
    pub fn contains(&self, id: u32) -> bool {
        let word = self.words.get(id as usize / 64).copied().unwrap_or(0);
        word >> (id % 64) & 1 == 1
    }

    /// Returns the bits of the 64 ids from `first` on; the lowest bit is that of `first`.
    pub fn bits_from(&self, first: u32) -> u64 {
        let (at, shift) = (first as usize / 64, first % 64);
        let word = |at: usize| self.words.get(at).copied().unwrap_or(0);
        match shift {
            0 => word(at),
            _ => word(at) >> shift | word(at + 1) << (64 - shift),
        }
    }

    /// Adds one id. The set grows as needed.
    pub fn insert(&mut self, id: u32) {
        self.insert_range(id..id + 1);
    }

    /// Adds a range of ids, word by word. An empty range adds nothing and does not grow the set.
    pub fn insert_range(&mut self, ids: Range<u32>) {
        let needed = (ids.end as usize).div_ceil(64);
        if self.words.len() < needed && !ids.is_empty() {
            self.words.resize(needed, 0);
        }
        for (at, mask) in word_masks(ids) {
            self.words[at] |= mask;
        }
    }

    /// Removes a range of ids. Ids beyond the end are not in the set anyway.
    pub fn remove_range(&mut self, ids: Range<u32>) {
        for (at, mask) in word_masks(ids) {
            if let Some(word) = self.words.get_mut(at) {
                *word &= !mask;
            }
        }
    }

    /// Keeps what is in both.
    pub fn intersect(&mut self, other: &Bitmap) {
        self.words.truncate(other.words.len());
        for (word, mask) in self.words.iter_mut().zip(&other.words) {
            *word &= mask;
        }
    }

    /// Takes in what is in the other.
    pub fn unite(&mut self, other: &Bitmap) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    /// Returns the number of ids, in time linear in the number of words.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the number of ids within a range.
    pub fn count_in(&self, ids: Range<u32>) -> u32 {
        let words = word_masks(ids).map(|(at, mask)| self.words.get(at).unwrap_or(&0) & mask);
        words.map(u64::count_ones).sum()
    }

    /// True if an id of the range is in the set. Stops at the first word that has one.
    pub fn has_any_in(&self, ids: Range<u32>) -> bool {
        word_masks(ids).any(|(at, mask)| self.words.get(at).unwrap_or(&0) & mask != 0)
    }

    /// Iterates over the ids within a range, ascending.
    pub fn iter_in(&self, ids: Range<u32>) -> impl Iterator<Item = u32> + '_ {
        word_masks(ids).flat_map(|(at, mask)| {
            let mut word = self.words.get(at).unwrap_or(&0) & mask;
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(at as u32 * 64 + bit)
            })
        })
    }

    /// Returns the bits as they are stored: bit `i` of word `w` is the id `64 * w + i`.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The inverse of [`Bitmap::words`].
    pub fn from_words(words: Vec<u64>) -> Bitmap {
        Bitmap { words }
    }
}

/// The words that a range touches, each with the bits of the range that lie in it.
fn word_masks(ids: Range<u32>) -> impl Iterator<Item = (usize, u64)> {
    let words = if ids.is_empty() {
        0..0
    } else {
        ids.start as usize / 64..(ids.end as usize).div_ceil(64)
    };
    words.map(move |at| {
        let first = (at * 64) as u64;
        let low = u64::from(ids.start).saturating_sub(first);
        let high = u64::from(ids.end).saturating_sub(first).min(64);
        // `high` is at least 1, because the range reaches into each of these words. So no shift is
        // by 64, which would overflow.
        (at, (!0 << low) & (!0 >> (64 - high)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sets_of_ids() {
        let all: Vec<u32> = (0..300).collect();
        for (start, end) in [(0, 0), (0, 1), (5, 64), (63, 65), (64, 128), (1, 299), (7, 7)] {
            let mut bitmap = Bitmap::default();
            bitmap.insert_range(start..end);
            let expected: Vec<u32> = (start..end).collect();
            let found: Vec<u32> = all.iter().copied().filter(|id| bitmap.contains(*id)).collect();
            assert_eq!(found, expected);
            assert_eq!(bitmap.iter_in(0..300).collect::<Vec<_>>(), expected);
            assert_eq!(bitmap.count() as usize, expected.len());
            assert_eq!(bitmap.count_in(2..70), bitmap.iter_in(2..70).count() as u32);
            assert_eq!(bitmap.has_any_in(2..70), bitmap.count_in(2..70) > 0);
            for first in [0, 1, 60, 64, 250] {
                let bits = bitmap.bits_from(first);
                let has = |bit: u32| bits >> bit & 1 == 1;
                assert!((0..64).all(|bit| has(bit) == bitmap.contains(first + bit)));
            }
            bitmap.remove_range(60..80);
            assert_eq!(bitmap.count_in(60..80), 0);
        }
    }

    #[test]
    fn uniting_takes_in_both() {
        let (mut left, mut right) = (Bitmap::default(), Bitmap::default());
        left.insert_range(3..5);
        right.insert_range(70..72);
        left.unite(&right);
        assert_eq!(left.iter_in(0..500).collect::<Vec<_>>(), [3, 4, 70, 71]);
        right.unite(&left);
        assert_eq!(right, left);
    }

    #[test]
    fn intersecting_keeps_what_is_in_both() {
        let (mut left, mut right) = (Bitmap::default(), Bitmap::default());
        left.insert_range(10..200);
        right.insert_range(100..110);
        left.intersect(&right);
        assert_eq!(left.iter_in(0..500).collect::<Vec<_>>(), Vec::from_iter(100..110));
        assert!(!left.contains(5_000_000));
    }
}
