//! Inverse document frequency of the query's words in this repository, and the files that contain
//! them. A rare word in a file's name is better evidence than a common one.
//!
//! Words, not chunks, are the unit here: one lookup in the store answers for all candidates. The
//! shares are cached for one search only, so an index that changes cannot make them stale.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::search::parsed_query::ParsedQuery;
use kenning_store::StoreError;
use kenning_store::backends::View;
use kenning_text::tokenizer::{self, Word};

/// A hash that stands for a word which no chunk contains. Its idf is that of every such word, on
/// any backend.
const UNKNOWN_WORD: Word = Word::MAX;

/// The statistics of one query. It uses interior mutability for its caches and must not be shared
/// between threads.
#[derive(Default)]
pub struct QueryIdf {
    idf: HashMap<Word, f32>,
    /// The words that no chunk contains.
    unknown: HashSet<Word>,
    /// The sum over the query's words, each with its weight in the query.
    weighted_sum: f32,
    /// The mean rarity of the query's words.
    mean_idf: f32,
    /// The share of the query's words that a file contains, weighted by rarity. The key is the
    /// file's first chunk.
    file_shares: HashMap<u32, f32>,
    /// Cache of `share_asked_for` by name. Candidates share directories.
    name_shares: RefCell<HashMap<String, f32>>,
    /// Cache of `share_of_directory` by path.
    directory_shares: RefCell<HashMap<String, f32>>,
}

impl QueryIdf {
    /// Reads the rarity of the query's words, and their occurrences in the files with these chunks.
    pub fn new(
        view: &dyn View,
        query: &ParsedQuery,
        files: &[Range<u32>],
    ) -> Result<QueryIdf, StoreError> {
        let asked: Vec<Word> = query.words.iter().map(|(word, _)| *word).collect();
        let with_unknown: Vec<Word> = asked.iter().copied().chain([UNKNOWN_WORD]).collect();
        let mut found = view.occurrences(&with_unknown, files)?;
        let unknown_idf = found.pop().map_or(0.0, |word| word.idf);
        let unknown = asked.iter().zip(&found).filter(|(_, found)| found.idf >= unknown_idf);
        let unknown: HashSet<Word> = unknown.map(|(word, _)| *word).collect();
        let weighted =
            query.words.iter().zip(&found).map(|((_, weight), found)| weight * found.idf);
        let weighted_sum = weighted.sum();
        // Words of the context weigh less, here as in the search.
        for (word, (_, weight)) in found.iter_mut().zip(&query.words) {
            word.idf *= weight.min(1.0);
        }
        // The sum may be 0, if no word of the query occurs. `MIN_POSITIVE` then avoids a division
        // by zero.
        let all: f32 = found.iter().map(|word| word.idf).sum();
        let said = files.iter().enumerate().map(|(at, file)| {
            let has = found.iter().filter(|word| word.in_ranges[at]);
            let share = has.map(|word| word.idf).sum::<f32>() / all.max(f32::MIN_POSITIVE);
            (file.start, share)
        });
        Ok(QueryIdf {
            file_shares: said.collect(),
            name_shares: RefCell::default(),
            directory_shares: RefCell::default(),
            mean_idf: all / query.word_set.len().max(1) as f32,
            unknown,
            weighted_sum,
            idf: asked.into_iter().zip(found.iter().map(|word| word.idf)).collect(),
        })
    }

    /// Returns the share of a name's parts that the query contains, weighted by rarity. A part that
    /// the query lacks counts with the mean rarity.
    ///
    /// The result is between 0 and 1. It is 1 only if the query contains every part of the name.
    pub fn name_share(&self, name: &str) -> f32 {
        if let Some(known) = self.name_shares.borrow().get(name) {
            return *known;
        }
        let share = self.compute_name_share(name);
        self.name_shares.borrow_mut().insert(name.to_string(), share);
        share
    }

    /// Returns the highest `share_asked_for` among the directories of a path.
    ///
    /// One matching directory is enough. A mean would punish deep trees.
    pub fn best_directory_share(&self, directories: &str) -> f32 {
        if let Some(known) = self.directory_shares.borrow().get(directories) {
            return *known;
        }
        let shares = directories.split('/').map(|segment| self.name_share(segment));
        let most = shares.fold(0.0, f32::max);
        let mut known = self.directory_shares.borrow_mut();
        known.insert(directories.to_string(), most);
        most
    }

    /// The unknown parts count with the mean, because their own frequency is not known here and
    /// would cost a lookup.
    fn compute_name_share(&self, name: &str) -> f32 {
        let parts = tokenizer::parts(name);
        let asked: Vec<f32> = parts.iter().filter_map(|part| self.idf.get(part).copied()).collect();
        let said: f32 = asked.iter().sum();
        if said == 0.0 {
            return 0.0;
        }
        said / (said + (parts.len() - asked.len()) as f32 * self.mean_idf)
    }

    /// Returns the share of the query's words that the file contains, weighted by rarity.
    pub fn file_share(&self, of_file: &Range<u32>) -> f32 {
        self.file_shares.get(&of_file.start).copied().unwrap_or_default()
    }

    /// True if no chunk of the index contains the word.
    pub fn is_unknown(&self, word: Word) -> bool {
        self.unknown.contains(&word)
    }

    /// Returns the sum of the idf of the query's words, each with its weight in the query.
    pub fn weighted_sum(&self) -> f32 {
        self.weighted_sum
    }

    /// Builds an instance for tests, in which all words have this rarity and the files these
    /// shares.
    #[cfg(test)]
    pub fn from_words(text: &str, rarity: f32, said: &[(u32, f32)]) -> QueryIdf {
        let words = tokenizer::of_question(text).into_iter();
        QueryIdf {
            idf: words.map(|word| (word, rarity)).collect(),
            mean_idf: rarity,
            file_shares: said.iter().copied().collect(),
            weighted_sum: rarity * tokenizer::of_question(text).len() as f32,
            ..QueryIdf::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_of_a_name_say_more() {
        let mut query_idf = QueryIdf::from_words("how http urls are parsed", 1.0, &[]);
        let http = tokenizer::parts("http")[0];
        query_idf.idf.insert(http, 0.1);
        let share = |name| query_idf.name_share(name);
        assert_eq!(share("parse_url"), 1.0);
        assert_eq!(share("cookies"), 0.0);
        assert!(share("url_cookies") > share("http_cookies"));
        assert!(share("url_cookies") > share("url_cookies_jar"));
    }
}
