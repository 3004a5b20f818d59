//! Searching code: two ranked lists, one by words and one by meaning, fused into one, and then
//! ranked by what else speaks for a chunk. Reads one view; knows nothing of files or embedders.

mod candidates;
mod context;
mod definitions;
mod question;
pub mod rerank;
mod select;
mod signals;
mod telling;
#[cfg(test)]
mod testing;

use self::telling::Telling;
use crate::store::StoreError;
use crate::store::backends::View;
use crate::store::code::{ChunkRecord, Filter};

pub use candidates::Legs;
pub use context::{add_words, shifted};
pub use question::Question;
pub use signals::{SIGNALS, Signal, telling_name};

/// What to look for, and how.
pub struct Search<'q> {
    pub question: &'q Question,
    /// The question as a vector; `None` if only words count.
    pub vector: Option<&'q [f32]>,
    /// From 0, only words, to 1, only meaning.
    pub semantic_weight: f32,
    pub filter: &'q Filter,
    pub limit: usize,
    /// By name, weights that replace those of the table: for measuring what each is worth.
    pub weights: &'q [(String, f32)],
}

/// A chunk that may answer, and how much speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub chunk: ChunkRecord,
    /// From 0 to about 1; comparable within one answer only.
    pub score: f32,
    /// What it was made of, in the order of the table; nothing that is zero.
    pub reasons: Vec<(&'static str, f32)>,
    pub legs: Legs,
}

/// The best chunks, best first.
pub fn search(view: &dyn View, search: &Search) -> Result<Vec<Found>, StoreError> {
    let candidates = candidates::gather(view, search)?;
    let mut files: Vec<_> = candidates
        .iter()
        .map(|one| one.chunk.of_file.clone())
        .collect();
    files.sort_unstable_by_key(|file| file.start);
    files.dedup();
    let telling = Telling::new(view, search.question, &files)?;
    let ranked = signals::rank(candidates, &telling, search);
    Ok(select::select(ranked, search.limit))
}
