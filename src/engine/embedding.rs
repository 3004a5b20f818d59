//! Embedding providers: builds their settings from the configuration, and opens each embedder once.
//!
//! No request is made here until a text is embedded. Keys stay in `Secret` and never appear in
//! messages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::{Engine, EngineError};
use crate::config::{Config, Origin, SETTINGS};
use kenning_embed::rerank::{self, RERANKERS, Reranker};
use kenning_embed::static_model::Model;
use kenning_embed::{
    self as embed, DEFAULT, EmbedError, Embedder, Limits, PROVIDERS, ProviderSettings, Purpose,
    Secret, Service, State,
};
use kenning_model::{Progress, redact};
use kenning_store::code::IndexSettings;

/// The embedders that this process has opened, by provider.
///
/// A local model takes time to load, and a service keeps its connections, so each is opened once.
pub type OpenEmbedders = Mutex<BTreeMap<&'static str, Arc<dyn Embedder>>>;

/// A provider as `ken providers` shows it.
pub struct ProviderInfo {
    pub name: &'static str,
    pub summary: &'static str,
    pub state: State,
    /// True if it is used when a question names none.
    pub is_chosen: bool,
}

/// The model inside of this program, as `ken model` shows it.
pub struct EmbeddedModel {
    pub tokens: usize,
    pub dimension: usize,
    pub bytes: usize,
    pub hash: String,
    /// Name, version and training data, as JSON.
    pub card: &'static str,
}

impl Engine {
    /// Describes the model in this binary. It needs no network and no file.
    pub fn embedded_model(&self) -> EmbeddedModel {
        let model = Model::embedded();
        EmbeddedModel {
            tokens: model.vocabulary(),
            dimension: model.dimension(),
            bytes: model.size(),
            hash: model.hash(),
            card: model.card(),
        }
    }

    /// Lists every provider with its availability and the reason.
    pub fn providers(&self) -> Vec<ProviderInfo> {
        let chosen = embed::find(configured_provider(&self.config)).map(|provider| provider.name);
        let listed = embed::list(&provider_settings(&self.config)).into_iter();
        listed
            .map(|listed| ProviderInfo {
                name: listed.provider.name,
                summary: listed.provider.summary,
                state: self.hide_folders_of_state(redact_state(listed.state)),
                is_chosen: chosen == Ok(listed.provider.name),
            })
            .collect()
    }

    /// Hides the user's folders in the reason of a state.
    fn hide_folders_of_state(&self, state: State) -> State {
        let hide = |text: String| self.hide_user_folders(&text).into_owned();
        match state {
            State::Available { model, why } => State::Available { model, why: hide(why) },
            State::Unavailable { why, remedy } => {
                State::Unavailable { why: hide(why), remedy: hide(remedy) }
            }
        }
    }

    /// Returns the embedder of the named provider, else the configured one, else the default. It
    /// never substitutes another; the error lists those that are available.
    pub fn embedder(&self, provider: Option<&str>) -> Result<Arc<dyn Embedder>, EngineError> {
        let name = provider.unwrap_or_else(|| configured_provider(&self.config));
        let settings = provider_settings(&self.config);
        let failed = |source: EmbedError| EngineError::Embedding {
            available: embed::available_names(&settings),
            source,
        };
        let provider = embed::find(name).map_err(failed)?;
        if let Some(opened) = self.lock_embedders().get(provider.name) {
            return Ok(opened.clone());
        }
        // Opens without the lock, so that a hanging service does not block other providers.
        let embedder: Arc<dyn Embedder> = (provider.open)(&settings).map_err(failed)?.into();
        let mut opened = self.lock_embedders();
        Ok(opened.entry(provider.name).or_insert(embedder).clone())
    }

    /// Returns the similarity of each text to a query and to its first line. `None` unless the
    /// model of the index is local: only local vectors are cheap.
    pub(super) fn measure_similarity(
        &self,
        settings: &IndexSettings,
        query: &str,
        texts: &[String],
        progress: &dyn Progress,
    ) -> Option<Vec<[f32; 2]>> {
        let embedder = self.embedder(Some(&settings.provider)).ok()?;
        if !embedder.is_local() || texts.is_empty() {
            return None;
        }
        let title = query.lines().find(|line| !line.trim().is_empty()).unwrap_or(query);
        let asked = embedder.embed(&[query, title], Purpose::Query, progress).ok()?;
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder.embed(&texts, Purpose::Document, progress).ok()?;
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum();
        let rows = (0..vectors.len()).map(|at| vectors.row(at));
        Some(rows.map(|row| [0, 1].map(|part| product(asked.row(part), row))).collect())
    }

    /// Returns the configured reranker, else the local one.
    pub fn reranker(&self) -> Result<Box<dyn Reranker>, EngineError> {
        let opened = rerank::open(&provider_settings(&self.config));
        opened.map_err(|source| self.embedding_error(source))
    }

    /// True if the user has configured a reranker.
    pub fn has_reranker(&self) -> bool {
        rerank::is_enabled(&provider_settings(&self.config))
    }

    /// Builds the error for a failed service, with the available alternatives.
    pub(super) fn embedding_error(&self, source: EmbedError) -> EngineError {
        EngineError::Embedding {
            available: embed::available_names(&provider_settings(&self.config)),
            source,
        }
    }

    /// Locks the open embedders. The lock is never held while a provider opens or embeds.
    fn lock_embedders(
        &self,
    ) -> std::sync::MutexGuard<'_, BTreeMap<&'static str, Arc<dyn Embedder>>> {
        self.embedders.lock().expect("no holder panics")
    }
}

/// Redacts secrets. Addresses may contain a password, and a service's message may quote a key.
fn redact_state(state: State) -> State {
    let clean = |text: String| redact::hide_secrets(&text).into_owned();
    match state {
        State::Available { model, why } => State::Available { model, why: clean(why) },
        State::Unavailable { why, remedy } => {
            State::Unavailable { why: clean(why), remedy: clean(remedy) }
        }
    }
}

/// Returns the configured provider. `auto` is swift-index's name for its default.
fn configured_provider(config: &Config) -> &str {
    let configured = config.text("embedding.provider");
    configured.filter(|name| *name != "auto").unwrap_or(DEFAULT)
}

/// Collects the settings of every provider and reranker, used or not.
fn provider_settings(config: &Config) -> ProviderSettings {
    let mut settings = ProviderSettings::new(request_limits(config));
    for provider in PROVIDERS {
        settings.set(provider.name, service_settings(config, provider.name));
    }
    for entry in RERANKERS {
        settings.set(entry.name, service_settings(config, entry.name));
    }
    settings
}

/// Settings replace single limits; the rest keep their defaults.
fn request_limits(config: &Config) -> Limits {
    let usual = Limits::default();
    let number = |key: &str| config.number(key).map(|number| number as usize);
    let time = |key: &str, usual| config.number(key).map_or(usual, Duration::from_millis);
    Limits {
        batch_size: number("embedding.batch_size"),
        batch_bytes: number("embedding.batch_bytes").unwrap_or(usual.batch_bytes),
        concurrency: number("embedding.concurrency").unwrap_or(usual.concurrency),
        timeout: time("embedding.timeout_ms", usual.timeout),
        retries: number("embedding.retries").map_or(usual.retries, |retries| retries as u32),
        retry_delay: time("embedding.retry_delay_ms", usual.retry_delay),
    }
}

/// Builds the settings of one provider. `embedding.model` and `embedding.dimension` apply to the
/// chosen provider; a provider's own settings take precedence.
fn service_settings(config: &Config, provider: &str) -> Service {
    let group = provider.replace('-', "_");
    let own = |name: &str| {
        let key = format!("{group}.{name}");
        let is_setting = SETTINGS.iter().any(|setting| setting.key == key);
        is_setting.then_some(key)
    };
    let text = |name: &str| own(name).and_then(|key| config.text(&key).map(str::to_string));
    let number = |name: &str| own(name).and_then(|key| config.number(&key));
    let is_chosen =
        embed::find(configured_provider(config)).is_ok_and(|chosen| chosen.name == provider);
    let (mut model, mut dimension) = (text("model"), number("dimension"));
    if is_chosen {
        model = model.or_else(|| config.text("embedding.model").map(str::to_string));
        dimension = dimension.or_else(|| config.number("embedding.dimension"));
    }
    Service {
        url: text("url"),
        key: text("key")
            .filter(|_| provider != "openai" || !is_key_for_another(config))
            .and_then(|key| Secret::new(&key)),
        model,
        dimension: dimension.filter(|dimension| *dimension > 0).map(|dimension| dimension as usize),
        folder: config.path("embedding.models"),
    }
}

/// True if the address comes from code-indexer's variable and the key from OpenAI's. The key is
/// then not sent, because the user did not set it for that service.
fn is_key_for_another(config: &Config) -> bool {
    let is_from = |key: &str, variable: &str| matches!(config.origin(key), Origin::Environment(name) if name == variable);
    is_from("openai.url", "EMBEDDING_URL")
        && (is_from("openai.key", "OPENAI_API_KEY")
            || is_from("openai.key", "SWIFTINDEX_OPENAI_API_KEY"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ProcessEnv;
    use crate::engine::Target;

    fn engine(variables: &[(&str, &str)]) -> Engine {
        let root = std::path::Path::new("/nowhere");
        let surroundings = ProcessEnv {
            variables: variables
                .iter()
                .map(|(name, value)| (name.to_string(), value.to_string()))
                .collect(),
            working_directory: root.to_path_buf(),
            ..ProcessEnv::default()
        };
        let config = Config::load(root, &[], &surroundings).unwrap();
        Engine::new(config, Target::Root(root.to_path_buf()))
    }

    fn of(variables: &[(&str, &str)], provider: &str) -> Service {
        provider_settings(&engine(variables).config).service(provider)
    }

    #[test]
    fn the_model_is_for_the_chosen_provider() {
        let variables = [
            ("SWIFTINDEX_EMBEDDING_PROVIDER", "ollama"),
            ("SWIFTINDEX_EMBEDDING_MODEL", "bge-m3"),
            ("EMBEDDING_VECTOR_SIZE", "512"),
        ];
        assert_eq!(of(&variables, "ollama").model.as_deref(), Some("bge-m3"));
        assert_eq!(of(&variables, "ollama").dimension, None);
        assert_eq!(of(&variables, "openai").model, None);
        assert_eq!(of(&variables, "openai").dimension, Some(512));
        let own = [variables[0], variables[1], ("KEN_OLLAMA_MODEL", "all-minilm")];
        assert_eq!(of(&own, "ollama").model.as_deref(), Some("all-minilm"));
    }

    #[test]
    fn a_key_goes_only_to_the_service_that_it_is_for() {
        let key = |variables: &[(&str, &str)]| {
            let key = of(variables, "openai").key;
            key.map(|key| key.reveal().to_string())
        };
        let theirs = ("OPENAI_API_KEY", "sk-1");
        let own = ("EMBEDDING_API_KEY", "sk-2");
        let url = ("EMBEDDING_URL", "http://elsewhere/v1");
        assert_eq!(key(&[theirs]).as_deref(), Some("sk-1"));
        assert_eq!(key(&[theirs, ("OPENAI_BASE_URL", "http://h")]).as_deref(), Some("sk-1"));
        assert_eq!(key(&[theirs, url]), None);
        assert_eq!(key(&[theirs, own, url]).as_deref(), Some("sk-2"));
    }

    #[test]
    fn an_embedder_is_opened_once() {
        let engine = engine(&[]);
        let first = engine.embedder(None).unwrap();
        assert_eq!(first.identity().provider, "static");
        assert!(Arc::ptr_eq(&first, &engine.embedder(Some("static")).unwrap()));
    }

    #[test]
    fn limits_are_taken_over() {
        let variables = [
            ("EMBEDDING_RETRIES", "7"),
            ("KEN_EMBEDDING_TIMEOUT_MS", "1500"),
            ("EMBEDDING_BATCH_SIZE", "8"),
        ];
        let limits = request_limits(&engine(&variables).config);
        assert_eq!(limits.retries, 7);
        assert_eq!(limits.timeout, Duration::from_millis(1500));
        assert_eq!(limits.batch_size, Some(8));
        assert_eq!(limits.concurrency, Limits::default().concurrency);
    }

    #[test]
    fn an_unavailable_provider_lists_those_that_are_not() {
        let engine = engine(&[("OPENAI_API_KEY", "sk-1"), ("OLLAMA_HOST", "127.0.0.1:9")]);
        let error = engine.embedder(Some("voyage")).err().unwrap();
        let EngineError::Embedding { source, available } = &error else {
            panic!("{error}");
        };
        assert!(matches!(source, EmbedError::Unavailable { .. }), "{source}");
        assert!(available.starts_with(&["static"]), "{available:?}");
        assert!(available.contains(&"openai"), "{available:?}");
        assert!(!available.contains(&"voyage") && !available.contains(&"ollama"));
    }

    #[test]
    fn the_configured_provider_is_the_chosen_one() {
        let chosen = |variables: &[(&str, &str)]| {
            let providers = engine(variables).providers();
            let chosen = providers.iter().find(|provider| provider.is_chosen);
            chosen.map(|provider| provider.name)
        };
        let ollama = ("OLLAMA_HOST", "127.0.0.1:9");
        let named = |name| [("KEN_EMBEDDING_PROVIDER", name), ollama];
        assert_eq!(chosen(&named("voyage")), Some("voyage"));
        assert_eq!(chosen(&named("auto")), Some("static"));
        assert_eq!(chosen(&[ollama]), Some("static"));
    }
}
