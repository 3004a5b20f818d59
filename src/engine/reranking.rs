//! A second reader for the best results of a search.

use super::{Engine, EngineError};
use crate::index::IndexError;
use crate::model::Progress;
use crate::query::code::{SearchHit, rerank};
use crate::store::backends::View;

/// Whether a search asks for a second reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rerank {
    #[default]
    Off,
    On,
}

/// What became of an order that a second reader was asked about.
pub(super) struct Reread {
    pub found: Vec<SearchHit>,
    /// Why it is as it was.
    pub failure: Option<String>,
}

impl Engine {
    /// Results in the order of the reranker that is set up, else of the local one. A service that
    /// fails leaves them as they were: an answer in the order of the ranking is still one.
    pub(super) fn reread(
        &self,
        view: &dyn View,
        question: &str,
        found: Vec<SearchHit>,
        progress: &dyn Progress,
    ) -> Result<Reread, EngineError> {
        let mut found = found;
        // What it does not read stays behind what it does.
        let rest = found.split_off(found.len().min(rerank::READ));
        let chunks: Vec<_> = found.iter().map(|found| found.chunk.clone()).collect();
        let texts = view.texts(&chunks)?;
        let texts: Vec<String> = chunks
            .iter()
            .zip(texts)
            .map(|(chunk, text)| format!("{}\n{text}", chunk.path))
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let reranker = self.reranker()?;
        let scores = if texts.is_empty() {
            Ok(Vec::new())
        } else {
            reranker.scores(question, &texts, progress)
        };
        match scores {
            Ok(scores) => Ok(Reread {
                found: rerank::reorder(found, rest, &scores, reranker.say()),
                failure: None,
            }),
            Err(_) if progress.is_cancelled() => Err(IndexError::Cancelled.into()),
            Err(error) => {
                tracing::warn!("not reranked: {error}");
                found.extend(rest);
                Ok(Reread { found, failure: Some(format!("not reranked: {error}")) })
            }
        }
    }
}
