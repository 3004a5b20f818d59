//! Reranking of the best hits of a search.
//!
//! It fetches the texts and calls the model. `search::rerank` blends the scores. Without a request
//! for it, no text leaves the machine here.

use super::{Engine, EngineError};
use crate::indexing::IndexError;
use crate::search::{SearchHit, rerank};
use kenning_model::Progress;
use kenning_store::backends::View;

/// The choice to rerank the hits of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rerank {
    #[default]
    Off,
    On,
}

/// The hits after reranking.
///
/// The hits are complete in either case.
pub(super) struct RerankedHits {
    pub hits: Vec<SearchHit>,
    /// The reason why the order is unchanged.
    pub failure: Option<String>,
}

impl Engine {
    /// Reorders hits with the configured reranker, else the local one. If a service fails, the
    /// order stays: an answer without reranking is still an answer.
    ///
    /// The path precedes each text, because it often says more than the first lines. Cancellation
    /// is an error; a failing service is not.
    pub(super) fn rerank_hits(
        &self,
        view: &dyn View,
        question: &str,
        found: Vec<SearchHit>,
        progress: &dyn Progress,
    ) -> Result<RerankedHits, EngineError> {
        let mut found = found;
        // Hits that the reranker does not read stay behind those that it reads.
        let rest = found.split_off(found.len().min(rerank::RERANKED_HITS));
        let chunks: Vec<_> = found.iter().map(|found| found.chunk.clone()).collect();
        let documents: Vec<String> = chunks
            .iter()
            .zip(view.texts(&chunks)?)
            .map(|(chunk, text)| format!("{}\n{text}", chunk.path))
            .collect();
        let texts: Vec<&str> = documents.iter().map(String::as_str).collect();
        let reranker = self.reranker()?;
        let scores = if texts.is_empty() {
            Ok(Vec::new())
        } else {
            reranker.scores(question, &texts, progress)
        };
        match scores {
            Ok(scores) => Ok(RerankedHits {
                hits: rerank::reorder_hits(found, rest, &scores, reranker.weight()),
                failure: None,
            }),
            Err(_) if progress.is_cancelled() => Err(IndexError::Cancelled.into()),
            Err(error) => {
                tracing::warn!("not reranked: {error}");
                found.extend(rest);
                Ok(RerankedHits { hits: found, failure: Some(format!("not reranked: {error}")) })
            }
        }
    }
}
