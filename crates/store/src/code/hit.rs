//! A chunk with its score, and the top-k of chunks.

use std::cmp::Ordering;

use super::file_filter::FileTable;
use kenning_text::top_k::{TieBreak, TopK};

/// A chunk and its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub chunk: u32,
    pub score: f32,
}

/// The best chunks of a search.
pub type TopHits<'c> = TopK<'c, u32, FileTable>;

/// Equal scores rank by path, then by id: the order in which files came into the index must not
/// matter.
impl TieBreak<u32> for FileTable {
    fn compare(&self, a: &u32, b: &u32) -> Ordering {
        let path = |chunk: u32| self.find_file(chunk).map(|file| &file.path);
        path(*a).cmp(&path(*b)).then(a.cmp(b))
    }
}

/// Returns the hits, best first.
pub fn into_hits(top: TopHits) -> Vec<Hit> {
    let sorted = top.into_sorted().into_iter();
    sorted.map(|(chunk, score)| Hit { chunk, score }).collect()
}
