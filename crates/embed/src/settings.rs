//! User settings for embedding, as plain data. `config` reads them, `engine` fills them in.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use kenning_model::redact::HIDDEN;

/// The settings of all providers.
#[derive(Clone, Debug, Default)]
pub struct ProviderSettings {
    pub limits: Limits,
    services: BTreeMap<String, Service>,
}

/// The limits of requests: batch size, concurrency, timeout and retries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The texts per request; `None` leaves it to the provider.
    pub batch_size: Option<usize>,
    /// The bytes of text per request. A longer text is sent alone.
    pub batch_bytes: usize,
    /// The number of concurrent requests.
    pub concurrency: usize,
    /// The time limit of one request, including its answer.
    pub timeout: Duration,
    /// The number of retries of a request.
    pub retries: u32,
    /// The delay before the first retry. It doubles before each further one.
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

/// The settings of one provider. Each provider uses only some of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    pub url: Option<String>,
    pub key: Option<Secret>,
    pub model: Option<String>,
    pub dimension: Option<usize>,
    /// The folder of model files.
    pub folder: Option<PathBuf>,
}

impl ProviderSettings {
    /// Returns settings without any provider.
    pub fn new(limits: Limits) -> ProviderSettings {
        ProviderSettings { limits, services: BTreeMap::new() }
    }

    /// Sets the settings of a provider.
    pub fn set(&mut self, provider: &str, service: Service) {
        self.services.insert(provider.to_string(), service);
    }

    /// Returns the settings of that provider; empty if there are none.
    pub fn service(&self, provider: &str) -> Service {
        self.services.get(provider).cloned().unwrap_or_default()
    }
}

/// A key that no log, error or debug output shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Trims the key: blanks around it are never part of it, and break a header. Returns `None` if
    /// nothing is left.
    pub fn new(text: &str) -> Option<Secret> {
        let text = text.trim();
        (!text.is_empty()).then(|| Secret(text.to_string()))
    }

    /// Returns the key, for the request itself and nothing else.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Removes the key from a text, in case a service quotes it.
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
