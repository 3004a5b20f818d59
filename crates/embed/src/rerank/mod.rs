//! Second readers: they see the question and a text together, which is more than two vectors can say,
//! and too slow for more than the best few. They give scores; what those change is decided in `query`.
//!
//! To add a reranker: a file with a `pub static ENTRY`, and a line in [`RERANKERS`].

mod late_interaction;
mod remote_reranker;

use super::{EmbedError, ProviderSettings};
use kenning_model::Progress;

/// Every reranker, the first that is set up being the one that is used.
pub static RERANKERS: &[&RerankerEntry] = &[&remote_reranker::ENTRY, &late_interaction::ENTRY];

/// Scores texts against a query, one by one, more exactly than the retrievers.
pub trait Reranker: Send + Sync {
    /// Returns its name, for the answer.
    fn name(&self) -> &'static str;

    /// Returns the weight of its order against the order of the retrievers, from 0 to 1.
    fn weight(&self) -> f32;

    /// Returns a score for each text: higher is better, on a scale of its own.
    fn scores(
        &self,
        question: &str,
        texts: &[&str],
        progress: &dyn Progress,
    ) -> Result<Vec<f32>, EmbedError>;
}

/// The result of opening a reranker.
pub type OpenedReranker = Result<Box<dyn Reranker>, EmbedError>;

/// An entry of the registry.
pub struct RerankerEntry {
    pub name: &'static str,
    /// `None` if the user has not set it up.
    pub open: fn(&ProviderSettings) -> Option<OpenedReranker>,
}

/// Opens the reranker that these settings select.
pub fn open(settings: &ProviderSettings) -> OpenedReranker {
    let mut opened = RERANKERS.iter().filter_map(|entry| (entry.open)(settings));
    opened.next().expect("the local one needs no setting")
}

/// True if the user has configured a reranker. Searches that rerank "if enabled" ask for this.
pub fn is_enabled(settings: &ProviderSettings) -> bool {
    settings.service(remote_reranker::ENTRY.name).url.is_some()
}
