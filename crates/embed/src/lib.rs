//! Text to vectors: the [`Embedder`] trait, and a registry of providers. They are the static model
//! in the binary, models on this machine, and services behind a socket. This layer knows nothing of
//! files, chunks or indexes. Only this layer talks to embedding services.
//!
//! To add a provider, write a file with a `pub static PROVIDER`, and add a line to [`PROVIDERS`].

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

mod vectors;
mod voyage;

use kenning_model::Progress;

pub use error::EmbedError;
pub use settings::{Limits, ProviderSettings, Secret, Service};
pub use vectors::Vectors;

/// Every provider in the order of listings, the most private first.
pub static PROVIDERS: &[&Provider] = &[
    &static_model::PROVIDER,
    &bert::PROVIDER,
    &ollama::PROVIDER,
    &mlx::PROVIDER,
    &openai::PROVIDER,
    &voyage::PROVIDER,
];

/// The provider that is used if none is named or configured.
pub const DEFAULT: &str = "static";

/// Makes vectors with one model. Vectors of two identities never meet in one index.
pub trait Embedder: Send + Sync {
    /// Returns the identity of the model.
    fn identity(&self) -> &Identity;

    /// True if computing a vector again is cheaper than storing it, as for the embedded model.
    fn is_local(&self) -> bool {
        false
    }

    /// Returns one row of length 1 for each text, in their order. It reports to `progress` how many
    /// are done, and stops if `progress` is cancelled.
    fn embed(
        &self,
        texts: &[&str],
        purpose: Purpose,
        progress: &dyn Progress,
    ) -> Result<Vectors, EmbedError>;
}

/// The identity of the model that made the vectors. It is stored with an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub provider: String,
    pub model: String,
    pub dimension: usize,
}

/// The role of a text in a search. Some models embed a query differently from a document.
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
    /// Checks cheaply, for listings, whether the provider can be used. It embeds nothing and sends
    /// no key.
    pub state: fn(&ProviderSettings) -> State,
    /// Opens the provider. This may be slow: it loads weights, or asks a service for its dimension.
    pub open: fn(&ProviderSettings) -> Result<Box<dyn Embedder>, EmbedError>,
}

/// The availability of a provider, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Available { model: String, why: String },
    Unavailable { why: String, remedy: String },
}

/// A provider and its state under some settings.
pub struct ListedProvider {
    pub provider: &'static Provider,
    pub state: State,
}

/// Lists every provider with its state. All are checked in parallel, because one that does not
/// answer takes its whole time limit.
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

/// Returns the names of the providers that can be used here.
pub fn available_names(settings: &ProviderSettings) -> Vec<&'static str> {
    let listed = list(settings).into_iter();
    listed
        .filter(|listed| matches!(listed.state, State::Available { .. }))
        .map(|listed| listed.provider.name)
        .collect()
}

/// Finds the provider of that name or alias, ignoring case.
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
