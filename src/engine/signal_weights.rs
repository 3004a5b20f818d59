//! The weights of ranking signals that the configuration replaces. The table of signals is in
//! `search::signals`.
//!
//! They are meant for measuring what a signal is worth.

use super::{Engine, EngineError};
use crate::config::ConfigError;
use crate::search::{DEFINITION_SIGNALS, SIGNALS};

const KEY: &str = "search.weights";

impl Engine {
    /// Returns the configured weights by signal name. An unknown name is an error, because it would
    /// silently do nothing.
    pub(super) fn search_weights(&self) -> Result<Vec<(String, f32)>, EngineError> {
        let entries = self.config.list(KEY).into_iter();
        let read = |entry: String| parse_weight(&entry).ok_or_else(|| self.malformed_weight(entry));
        entries.map(read).collect()
    }

    fn malformed_weight(&self, entry: String) -> EngineError {
        let names: Vec<&str> = signal_names().collect();
        EngineError::Config(ConfigError::Unreadable {
            origin: self.config.origin(KEY),
            message: format!(
                "`{KEY}` has {entry:?}, which is not SIGNAL=NUMBER with a signal of these: {}",
                names.join(", ")
            ),
        })
    }
}

/// Returns the names of the signals of chunks and of definitions.
fn signal_names() -> impl Iterator<Item = &'static str> {
    let of_definitions = DEFINITION_SIGNALS.iter().map(|signal| signal.name);
    SIGNALS.iter().map(|signal| signal.name).chain(of_definitions)
}

/// Parses `SIGNAL=NUMBER`. Signal names contain blanks, so the last `=` separates. Infinite numbers
/// are refused.
fn parse_weight(entry: &str) -> Option<(String, f32)> {
    let (name, number) = entry.rsplit_once('=')?;
    let name = name.trim();
    let number: f32 = number.trim().parse().ok()?;
    let is_known = signal_names().any(|known| known == name);
    (is_known && number.is_finite()).then(|| (name.to_string(), number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_a_known_signal_and_a_number() {
        let known = parse_weight("file name = 0.25");
        assert_eq!(known, Some(("file name".to_string(), 0.25)));
        for nonsense in ["file name", "file name=much", "files=1", "test=inf", ""] {
            assert_eq!(parse_weight(nonsense), None, "{nonsense}");
        }
    }
}
