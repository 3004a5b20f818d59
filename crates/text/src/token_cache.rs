//! Cache of the tokens of text pieces. Source repeats the same few thousand names, so each is
//! tokenized once.

use std::ops::Range;

use foldhash::HashMap;

/// The most numbers that are cached. A repository's usual names have fewer.
const MAX_NUMBERS: usize = 1 << 16;

/// The longest piece that is cached. Longer pieces are encoded bytes, which rarely repeat.
const MAX_PIECE: usize = 64;

/// A map from pieces of text to the numbers of their tokens.
///
/// It only grows. Its owner replaces it when it [is full](TokenCache::is_full), between two texts:
/// evicting single pieces would cost every lookup, and a new cache is warm after a few files.
///
/// ```
/// use kenning_text::token_cache::TokenCache;
///
/// let mut cache = TokenCache::default();
/// for _ in 0..2 {
///     let numbers = cache.numbers(b"ab", |push| {
///         push(1);
///         push(2);
///     });
///     assert_eq!(numbers, [1, 2]);
/// }
/// ```
#[derive(Default)]
pub struct TokenCache {
    /// The range of each piece in `numbers`.
    ranges: HashMap<Box<[u8]>, Range<usize>>,
    numbers: Vec<u32>,
    /// The numbers of the last piece that was too long for the cache.
    uncached: Vec<u32>,
}

impl TokenCache {
    /// Returns the numbers of `piece`. `tokenize` computes them the first time.
    pub fn numbers(&mut self, piece: &[u8], tokenize: impl FnOnce(&mut dyn FnMut(u32))) -> &[u32] {
        if piece.len() > MAX_PIECE {
            self.uncached.clear();
            tokenize(&mut |number| self.uncached.push(number));
            return &self.uncached;
        }
        let range = match self.ranges.get(piece) {
            Some(range) => range.clone(),
            None => {
                let start = self.numbers.len();
                tokenize(&mut |number| self.numbers.push(number));
                let range = start..self.numbers.len();
                self.ranges.insert(piece.into(), range.clone());
                range
            }
        };
        &self.numbers[range]
    }

    /// True if the cache holds as much as it should.
    pub fn is_full(&self) -> bool {
        self.numbers.len().max(self.ranges.len()) > MAX_NUMBERS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_tokenized_once() {
        let mut cache = TokenCache::default();
        let mut times = 0;
        let long = "c".repeat(MAX_PIECE + 1);
        for piece in ["ab", "", "ab", &long, "b", &long, "ab"] {
            let numbers = cache.numbers(piece.as_bytes(), |give| {
                times += 1;
                piece.bytes().for_each(|byte| give(u32::from(byte)));
            });
            let expected: Vec<u32> = piece.bytes().map(u32::from).collect();
            assert_eq!(numbers, expected);
        }
        assert_eq!(times, 5);
        assert_eq!(cache.ranges.len(), 3);
    }

    #[test]
    fn it_becomes_full() {
        let mut cache = TokenCache::default();
        for name in 0..=MAX_NUMBERS {
            assert!(!cache.is_full());
            cache.numbers(name.to_string().as_bytes(), |_| {});
        }
        assert!(cache.is_full());
    }
}
