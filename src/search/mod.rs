//! Code search. Two ranked lists, by words and by vector, are fused into one and then ranked by
//! further signals. It reads one view and knows nothing of files or embedders.
//!
//! The stages are: gather candidates, measure signals, diversify. Each is a module of its own, and
//! `search` calls them in that order. The same view and query always give the same answer.

mod answer_evidence;
mod context_shift;
mod definition_matches;
mod definitions;
mod diversify;
pub mod full_text;
mod fusion;
pub mod intent;
pub mod orientation;
mod parsed_query;
mod pasted_message;
mod query_idf;
mod ranking_signals;
pub mod rerank;
#[cfg(test)]
mod testing;
pub mod trace;

use self::query_idf::QueryIdf;
use kenning_model::Symbol;
use kenning_store::StoreError;
use kenning_store::backends::View;
use kenning_store::code::{ChunkRecord, Filter, Tests};
use kenning_text::tokenizer;

pub use answer_evidence::AnswerEvidence;
pub use context_shift::{add_context_words, shift_vector};
pub use definitions::{DEFINITION_SIGNALS, SimilarityFn, search_definitions};
pub use fusion::RetrieverScores;
pub use parsed_query::{ParsedQuery, QueryKind};
pub use ranking_signals::{SIGNALS, Signal, significant_name};

/// The arguments of one code search.
///
/// It borrows everything, so one parsed query can be searched with several filters.
pub struct CodeSearch<'q> {
    pub query: &'q ParsedQuery,
    /// The query's vector; `None` if only words count.
    pub vector: Option<&'q [f32]>,
    /// The weight of vectors against words: 0 is only words, 1 is only vectors.
    pub semantic_weight: f32,
    pub filter: &'q Filter,
    pub limit: usize,
    /// Weights by signal name that replace those of the table, for measuring what each is worth.
    pub weights: &'q [(String, f32)],
}

/// A chunk that may answer the query, with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchHit {
    pub chunk: ChunkRecord,
    /// From 0 to about 1; comparable within one answer only.
    pub score: f32,
    /// The parts of the score in the order of the signal table, without zeros.
    pub reasons: Vec<(&'static str, f32)>,
    pub retriever_scores: RetrieverScores,
}

/// A queried name without a definition that this search can see.
///
/// Each variant holds the name as the query spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MissingDefinition {
    /// Only tests define it, and the search excludes tests.
    InTests(String),
    /// It is defined where the filters do not look.
    OutsideFilter(String),
    /// No indexed file defines it.
    Nowhere(String),
}

/// Returns the queried name if the query is a name and no hit defines it. The answer then says
/// where the name is defined, if anywhere.
///
/// It runs after the search, because a definition among the hits makes it unnecessary.
pub fn find_missing_definition(
    view: &dyn View,
    search: &CodeSearch,
    found: &[SearchHit],
) -> Result<Option<MissingDefinition>, StoreError> {
    let query = search.query;
    let is_name = query.kind == QueryKind::Name;
    let is_defined = || {
        let mut reasons = found.iter().flat_map(|found| &found.reasons);
        reasons.any(|(name, _)| *name == ranking_signals::DEFINITION)
    };
    let name = query.names.first().filter(|_| is_name && !is_defined());
    let Some(name) = name else {
        return Ok(None);
    };
    // A plain word may be meant as a word, not as a name.
    let is_code = !tokenizer::identifiers(name).is_empty();
    let filter = search.filter;
    let in_tests = Filter { tests: Tests::Only, ..filter.clone() };
    let anywhere = Filter { tests: filter.tests, ..Filter::default() };
    for name in &query.names {
        if filter.tests == Tests::Excluded && is_defined_in(view, name, &in_tests)? {
            return Ok(Some(MissingDefinition::InTests(name.clone())));
        }
        if is_code && *filter != anywhere && is_defined_in(view, name, &anywhere)? {
            return Ok(Some(MissingDefinition::OutsideFilter(name.clone())));
        }
    }
    Ok(is_code.then(|| MissingDefinition::Nowhere(name.clone())))
}

/// True if a chunk within the filter defines exactly this name. Other capitals do not count.
fn is_defined_in(view: &dyn View, name: &str, filter: &Filter) -> Result<bool, StoreError> {
    let defined = view.definitions(name, filter, definition_matches::MAX_DEFINITIONS)?;
    Ok(defined.iter().any(|one| {
        let symbol = &one.symbol.fact;
        symbol.name == *name && filter.accepts_symbol_kind(symbol.kind) && !one.chunks.is_empty()
    }))
}

/// The best chunks, best first, and the evidence that they answer the query.
pub struct SearchOutcome {
    pub hits: Vec<SearchHit>,
    pub evidence: AnswerEvidence,
}

/// Searches one view.
///
/// At most `search.limit` hits are returned. Chunks that only a signal would find are not
/// considered.
pub fn search(view: &dyn View, search: &CodeSearch) -> Result<SearchOutcome, StoreError> {
    let ranked = rank_chunks(view, search)?;
    let mut found = diversify::select_diverse(ranked.hits, search.limit, diversify::CHUNK_DECAY);
    for one in &mut found {
        name_after_filtered_kind(view, search, &mut one.chunk)?;
    }
    Ok(SearchOutcome { hits: found, evidence: ranked.evidence })
}

/// Returns all candidates by their score with all signals, best first, and the evidence in them.
fn rank_chunks(view: &dyn View, search: &CodeSearch) -> Result<SearchOutcome, StoreError> {
    let mut candidates = fusion::gather_candidates(view, search)?;
    let phrase = pasted_message::message_words(search.query);
    if !phrase.is_empty() {
        pasted_message::score_message_runs(view, &phrase, &mut candidates)?;
    }
    let mut files: Vec<_> = candidates.iter().map(|one| one.chunk.file_chunks.clone()).collect();
    files.sort_unstable_by_key(|file| file.start);
    files.dedup();
    let query_idf = QueryIdf::new(view, search.query, &files)?;
    let ranked = ranking_signals::rank_candidates(candidates, &query_idf, search);
    let evidence = AnswerEvidence::measure(search, &ranked, &query_idf, &view.settings().provider);
    Ok(SearchOutcome { hits: ranked, evidence })
}

/// Names a chunk after its first symbol of the filtered kind, if its own kind does not match. A
/// chunk may contain further symbols besides the one it is named after.
fn name_after_filtered_kind(
    view: &dyn View,
    search: &CodeSearch,
    chunk: &mut ChunkRecord,
) -> Result<(), StoreError> {
    if search.filter.accepts_symbol_kind(chunk.kind) {
        return Ok(());
    }
    let mut symbols = view.symbols_in(&chunk.path)?.into_iter().map(|symbol| symbol.fact);
    let is_meant = |symbol: &Symbol| {
        chunk.span.has_line(symbol.line) && search.filter.accepts_symbol_kind(symbol.kind)
    };
    if let Some(symbol) = symbols.find(is_meant) {
        chunk.kind = symbol.kind;
        chunk.line = Some(symbol.line);
        chunk.symbol = Some(symbol.name);
        chunk.scope = symbol.scope;
    }
    Ok(())
}
