//! Text to vectors. One trait for whoever needs vectors, one registry of those who make them: the
//! model in the binary, models on this machine, and services behind a socket. Knows nothing of
//! files, chunks or indexes, and is the only layer that speaks to embedding services.
//!
//! To add a provider: a file with a `pub static PROVIDER`, and a line in [`PROVIDERS`].

mod bert;
mod error;
mod mlx;
mod ollama;
mod openai;
mod query_prefix;
mod remote;
pub mod rerank;
mod settings;
pub mod static_model;
#[cfg(test)]
mod testing;
mod token_cache;
pub mod tokenizer;
mod vectors;
mod voyage;

use crate::model::Progress;

pub use error::EmbedError;
pub use settings::{Limits, ProviderSettings, Secret, Service};
pub use vectors::Vectors;

/// Every provider, the most private first: the order in which they are listed.
pub static PROVIDERS: &[&Provider] = &[
    &static_model::PROVIDER,
    &bert::PROVIDER,
    &ollama::PROVIDER,
    &mlx::PROVIDER,
    &openai::PROVIDER,
    &voyage::PROVIDER,
];

/// Who embeds when nobody is named or configured.
pub const DEFAULT: &str = "static";

/// Makes vectors with one model. Vectors of two identities never meet in one index.
pub trait Embedder: Send + Sync {
    fn identity(&self) -> &Identity;

    /// True if making a vector again costs less than keeping it.
    fn is_cheap(&self) -> bool {
        false
    }

    /// One row for each text, in their order, each of length 1. `progress` is told how many are
    /// done and asked whether anybody still wants them.
    fn embed(
        &self,
        texts: &[&str],
        purpose: Purpose,
        progress: &dyn Progress,
    ) -> Result<Vectors, EmbedError>;
}

/// Whose vectors they are. Stored with an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub provider: String,
    pub model: String,
    pub dimension: usize,
}

/// What a text is to the search. Some models embed a question otherwise than its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Query,
    Document,
}

/// A way to get an [`Embedder`].
pub struct Provider {
    pub name: &'static str,
    /// Other names under which users of the originals know it.
    pub aliases: &'static [&'static str],
    pub summary: &'static str,
    /// Cheap: what it costs to list a provider. Embeds nothing and sends no key.
    pub state: fn(&ProviderSettings) -> State,
    /// May be slow: loads weights, or asks a service for the dimension of its vectors.
    pub open: fn(&ProviderSettings) -> Result<Box<dyn Embedder>, EmbedError>,
}

/// Whether a provider can be used here, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Available { model: String, why: String },
    Unavailable { why: String, remedy: String },
}

/// A provider as it stands under some settings.
pub struct ListedProvider {
    pub provider: &'static Provider,
    pub state: State,
}

/// Every provider with its state. Asked at the same time, because one that does not answer takes
/// as long as its time limit.
pub fn list(settings: &ProviderSettings) -> Vec<ListedProvider> {
    std::thread::scope(|scope| {
        let asked: Vec<_> =
            PROVIDERS.iter().map(|provider| scope.spawn(|| (provider.state)(settings))).collect();
        let states =
            asked.into_iter().map(|state| state.join().expect("asking for a state does not panic"));
        let providers = PROVIDERS.iter().copied();
        providers.zip(states).map(|(provider, state)| ListedProvider { provider, state }).collect()
    })
}

/// The names of those that can be used here.
pub fn available(settings: &ProviderSettings) -> Vec<&'static str> {
    let listed = list(settings).into_iter();
    listed
        .filter(|listed| matches!(listed.state, State::Available { .. }))
        .map(|listed| listed.provider.name)
        .collect()
}

/// The provider of that name or alias, in any case.
pub fn find(name: &str) -> Result<&'static Provider, EmbedError> {
    let is_meant = |provider: &&&'static Provider| {
        let mut names = provider.aliases.iter().chain([&provider.name]);
        names.any(|known| known.eq_ignore_ascii_case(name))
    };
    let found = PROVIDERS.iter().find(is_meant);
    found.copied().ok_or_else(|| EmbedError::UnknownProvider {
        name: name.to_string(),
        known: PROVIDERS.iter().map(|provider| provider.name).collect(),
    })
}

/// Opens exactly this provider, and never another in its place.
pub fn open(name: &str, settings: &ProviderSettings) -> Result<Box<dyn Embedder>, EmbedError> {
    (find(name)?.open)(settings)
}
