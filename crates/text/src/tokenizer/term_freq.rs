//! Weighted term counts of many texts, one after the other.

use std::cell::RefCell;

use foldhash::HashMap;

use super::split::{Splitter, runs};
use super::{Word, visit_identifier};
use crate::token_cache::TokenCache;

/// A counter of terms, with a weight for each text.
///
/// ```
/// use kenning_text::tokenizer::TermCounter;
///
/// let (terms, length) = TermCounter::count_terms(|counter| {
///     counter.add("parse", 2.0);
///     counter.add("the parser", 1.0);
/// });
/// // `parse` and `parser` share a stem.
/// assert_eq!((terms.len(), length), (2, 4.0));
/// assert!(terms.iter().any(|(_, count)| *count == 3.0));
/// ```
#[derive(Default)]
pub struct TermCounter {
    splitter: Splitter,
    /// Cache of the word numbers of each identifier.
    cache: TokenCache,
    numbers: HashMap<Word, u32>,
    /// The word of each number, and its current sum.
    sums: Vec<(Word, f32)>,
    /// The numbers of the words that were counted.
    seen: Vec<u32>,
    length: f32,
}

thread_local! {
    static COUNTS: RefCell<TermCounter> = RefCell::default();
}

impl TermCounter {
    /// Runs `count` and returns the weighted count of each word, sorted by word, and the total.
    pub fn count_terms(count: impl FnOnce(&mut TermCounter)) -> (Vec<(Word, f32)>, f32) {
        COUNTS.with_borrow_mut(|counts| {
            // Discards counts left in the thread-local by a call that panicked.
            counts.finish();
            count(counts);
            counts.finish()
        })
    }

    /// Counts every occurrence of every word of `text`, with the weight `worth`.
    pub fn add(&mut self, text: &str, worth: f32) {
        let (splitter, numbers, sums) = (&mut self.splitter, &mut self.numbers, &mut self.sums);
        for identifier in runs(text) {
            let words = self.cache.numbers(identifier.as_bytes(), |give| {
                visit_identifier(splitter, identifier, &mut |word| {
                    give(*numbers.entry(word).or_insert_with(|| {
                        sums.push((word, 0.0));
                        (sums.len() - 1) as u32
                    }));
                });
            });
            self.length += worth * words.len() as f32;
            for number in words {
                let sum = &mut sums[*number as usize].1;
                if *sum == 0.0 {
                    self.seen.push(*number);
                }
                *sum += worth;
            }
        }
    }

    fn finish(&mut self) -> (Vec<(Word, f32)>, f32) {
        let sums = &mut self.sums;
        let taken = self.seen.drain(..).map(|number| {
            let (word, sum) = &mut sums[number as usize];
            (*word, std::mem::take(sum))
        });
        let mut counted: Vec<(Word, f32)> = taken.collect();
        counted.sort_unstable_by_key(|(word, _)| *word);
        let length = std::mem::take(&mut self.length);
        if self.cache.is_full() {
            *self = TermCounter::default();
        }
        (counted, length)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::each;
    use super::*;

    #[test]
    fn counts_are_those_of_the_words_one_by_one() {
        let texts = ["parseURL(parse_url)", "größeBerechnen 用户名 x", "", "parse"];
        for _ in 0..2 {
            let mut expected: Vec<(Word, f32)> = Vec::new();
            let (counted, length) = TermCounter::count_terms(|counts| {
                for (text, worth) in texts.iter().zip([1.0, 0.5, 2.0, 3.0]) {
                    counts.add(text, worth);
                    each(text, |word| {
                        match expected.iter_mut().find(|(known, _)| *known == word) {
                            Some((_, sum)) => *sum += worth,
                            None => expected.push((word, worth)),
                        }
                    });
                }
            });
            expected.sort_unstable_by_key(|(word, _)| *word);
            assert_eq!(length, expected.iter().map(|(_, sum)| sum).sum::<f32>());
            assert_eq!(counted, expected);
        }
    }

    #[test]
    fn more_names_than_are_remembered() {
        let names: Vec<String> = (0..70_000).map(|n| format!("name{n} other")).collect();
        for names in [names.join(" "), names[..2].join(" ")] {
            let mut words = HashSet::new();
            each(&names, |word| {
                words.insert(word);
            });
            let (counted, _) = TermCounter::count_terms(|counts| counts.add(&names, 1.0));
            assert_eq!(counted.len(), words.len());
        }
    }
}
