//! Retrieval by definition: the functions that a report is about.
//!
//! The files come from the search for chunks. Within them, every function is scored by its own
//! text, and by names, stack frames and words in common with the report. Several functions of a
//! file may follow each other: diversification is for questions, not for reports.

mod candidates;
mod definition_signals;
mod report_clues;

use std::collections::HashMap;

use self::candidates::DefinitionCandidate;
use self::definition_signals::Measures;
use crate::search::{CodeSearch, SearchHit, SearchOutcome, diversify};
use kenning_store::StoreError;
use kenning_store::backends::View;

pub use self::definition_signals::DEFINITION_SIGNALS;

/// Returns the similarity of each text to the whole query and to its first line, if that is cheap
/// to compute.
pub type SimilarityFn<'s> = &'s dyn Fn(&[String]) -> Option<Vec<[f32; 2]>>;

/// The number of chunks whose files are considered.
const FILE_DEPTH: usize = 100;

/// The factor on a definition's score for each definition of its file that is already chosen.
const DECAY: f32 = 0.97;

/// Returns the best definitions, best first, and the evidence in the chunks that led to them. Files
/// without a definition are represented by their best chunk.
pub fn search_definitions(
    view: &dyn View,
    search: &CodeSearch,
    similarity: SimilarityFn,
) -> Result<SearchOutcome, StoreError> {
    let of_files = CodeSearch { limit: FILE_DEPTH.max(search.limit), ..*search };
    let SearchOutcome { hits: ranked, evidence } = super::rank_chunks(view, &of_files)?;
    let candidates = candidates::list_candidates(view, search, ranked)?;
    let measures = Measures::new(view, search, &candidates, similarity)?;
    let mut found: Vec<SearchHit> = candidates
        .into_iter()
        .enumerate()
        .map(|(at, candidate)| measures.score(at, candidate, search.weights))
        .collect();
    found.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| a.chunk.path.cmp(&b.chunk.path)).then(a.chunk.span.cmp(&b.chunk.span))
    });
    Ok(SearchOutcome { hits: diversify::select_diverse(found, search.limit, DECAY), evidence })
}

/// Counts the candidates with each name. A name that many have says little.
fn count_names(candidates: &[DefinitionCandidate]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for name in candidates.iter().filter_map(|one| one.chunk.symbol.as_deref()) {
        *counts.entry(name).or_default() += 1;
    }
    counts
}
