//! What the user set, as far as embedding is concerned. Plain data: read by `config`, filled in by
//! `engine`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::model::redact::HIDDEN;

/// Everything that a provider may want to know.
#[derive(Clone, Debug, Default)]
pub struct ProviderSettings {
    pub limits: Limits,
    services: BTreeMap<String, Service>,
}

/// How requests are cut up, how many are under way, and how long to be patient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Texts in a request; `None` leaves it to the provider.
    pub batch_size: Option<usize>,
    /// Bytes of text in a request. A longer text travels alone.
    pub batch_bytes: usize,
    /// Requests under way at a time.
    pub concurrency: usize,
    /// For one request from its beginning to the end of the answer.
    pub timeout: Duration,
    /// How often a request is tried again.
    pub retries: u32,
    /// Before the first retry; doubled before each further one.
    pub retry_delay: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            batch_size: None,
            batch_bytes: 256 * 1024,
            concurrency: 4,
            timeout: Duration::from_secs(60),
            retries: 5,
            retry_delay: Duration::from_millis(500),
        }
    }
}

/// What is set for one provider. Which of these mean something is the provider's to say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    pub url: Option<String>,
    pub key: Option<Secret>,
    pub model: Option<String>,
    pub dimension: Option<usize>,
    /// Where model files lie.
    pub folder: Option<PathBuf>,
}

impl ProviderSettings {
    pub fn new(limits: Limits) -> ProviderSettings {
        ProviderSettings { limits, services: BTreeMap::new() }
    }

    pub fn set(&mut self, provider: &str, service: Service) {
        self.services.insert(provider.to_string(), service);
    }

    /// What is set for that provider; nothing if nothing is.
    pub fn service(&self, provider: &str) -> Service {
        self.services.get(provider).cloned().unwrap_or_default()
    }
}

/// A key that no log, error or debug output shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Blanks around a key are never part of it, and break a header.
    pub fn new(text: &str) -> Option<Secret> {
        let text = text.trim();
        (!text.is_empty()).then(|| Secret(text.to_string()))
    }

    /// For the request itself, and for nothing else.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The text without the key, should a service quote it.
    pub fn redact(&self, text: &str) -> String {
        text.replace(&self.0, HIDDEN)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HIDDEN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown() {
        let mut settings = ProviderSettings::default();
        let key = Secret::new(" sk-123\n");
        assert_eq!(key.as_ref().unwrap().reveal(), "sk-123");
        settings.set("openai", Service { key, ..Service::default() });
        let shown = format!("{settings:?}");
        assert!(!shown.contains("sk-123"), "{shown}");
        let key = settings.service("openai").key.unwrap();
        assert_eq!(key.redact("bad key sk-123!"), "bad key [hidden]!");
    }

    #[test]
    fn an_empty_secret_is_none() {
        assert_eq!(Secret::new("  "), None);
    }
}
