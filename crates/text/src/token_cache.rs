//! Cache of the tokens of text pieces. Source repeats the same few thousand names, so each is
//! tokenized once.

use std::ops::Range;

use foldhash::HashMap;

/// The most numbers that are cached. A repository's usual names have fewer.
const MOST: usize = 1 << 16;

/// The longest piece that is cached. Longer pieces are encoded bytes, which rarely repeat.
const LONGEST: usize = 64;

/// A list of numbers for each of many pieces of text.
#[derive(Default)]
pub struct Memory {
    /// The range of each piece in `numbers`.
    known: HashMap<Box<[u8]>, Range<usize>>,
    numbers: Vec<u32>,
    /// The numbers of the last piece that was too long for the cache.
    passing: Vec<u32>,
}

impl Memory {
    /// Returns the numbers of `piece`. `work_out` computes them the first time.
    pub fn numbers(&mut self, piece: &[u8], work_out: impl FnOnce(&mut dyn FnMut(u32))) -> &[u32] {
        if piece.len() > LONGEST {
            self.passing.clear();
            work_out(&mut |number| self.passing.push(number));
            return &self.passing;
        }
        let place = match self.known.get(piece) {
            Some(place) => place.clone(),
            None => {
                let start = self.numbers.len();
                work_out(&mut |number| self.numbers.push(number));
                let place = start..self.numbers.len();
                self.known.insert(piece.into(), place.clone());
                place
            }
        };
        &self.numbers[place]
    }

    pub fn is_full(&self) -> bool {
        self.numbers.len().max(self.known.len()) > MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_worked_out_once() {
        let mut memory = Memory::default();
        let mut times = 0;
        let long = "c".repeat(LONGEST + 1);
        for piece in ["ab", "", "ab", &long, "b", &long, "ab"] {
            let numbers = memory.numbers(piece.as_bytes(), |give| {
                times += 1;
                piece.bytes().for_each(|byte| give(u32::from(byte)));
            });
            let expected: Vec<u32> = piece.bytes().map(u32::from).collect();
            assert_eq!(numbers, expected);
        }
        assert_eq!(times, 5);
        assert_eq!(memory.known.len(), 3);
    }

    #[test]
    fn there_is_an_end_to_it() {
        let mut memory = Memory::default();
        for name in 0..=MOST {
            assert!(!memory.is_full());
            memory.numbers(name.to_string().as_bytes(), |_| {});
        }
        assert!(memory.is_full());
    }
}
