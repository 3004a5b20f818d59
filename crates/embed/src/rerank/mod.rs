//! Second readers: they see the question and a text together, which is more than two vectors can say,
//! and too slow for more than the best few. They give scores; what those change is decided in `query`.
//!
//! To add a reranker: a file with a `pub static ENTRY`, and a line in [`RERANKERS`].

mod late_interaction;
mod service;

use super::{EmbedError, ProviderSettings};
use kenning_model::Progress;

/// Every reranker, the first that is set up being the one that is used.
pub static RERANKERS: &[&RerankerEntry] = &[&service::ENTRY, &late_interaction::ENTRY];

pub trait Reranker: Send + Sync {
    fn name(&self) -> &'static str;

    /// How much its word counts against the order that there was, from 0 to 1.
    fn weight(&self) -> f32;

    /// How well each text answers the question: more is better, on a scale of its own.
    fn scores(
        &self,
        question: &str,
        texts: &[&str],
        progress: &dyn Progress,
    ) -> Result<Vec<f32>, EmbedError>;
}

pub type OpenedReranker = Result<Box<dyn Reranker>, EmbedError>;

/// A row of the registry.
pub struct RerankerEntry {
    pub name: &'static str,
    /// `None` if the user has not set it up.
    pub open: fn(&ProviderSettings) -> Option<OpenedReranker>,
}

/// The one that is used under these settings.
pub fn open(settings: &ProviderSettings) -> OpenedReranker {
    let mut opened = RERANKERS.iter().filter_map(|entry| (entry.open)(settings));
    opened.next().expect("the local one needs no setting")
}

/// The one that the user has set up, if there is one: searches that rerank "if enabled" ask for it.
pub fn is_enabled(settings: &ProviderSettings) -> bool {
    settings.service(service::ENTRY.name).url.is_some()
}
