//! Errors in a configuration. The user has to fix them, so each names its place.
//!
//! Each variant names the origin, because a value may come from five places.

use super::Origin;

/// Values of secrets never appear in it.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{origin}: {}unknown key `{key}`{}", line_prefix(line), suggestion_suffix(nearest))]
    UnknownKey {
        origin: Origin,
        /// The line of the key, if the origin is a file.
        line: Option<usize>,
        key: String,
        nearest: Option<String>,
    },
    #[error("{origin}: {}`{key}` must be {expected}, not {found}", line_prefix(line))]
    WrongType {
        origin: Origin,
        line: Option<usize>,
        key: String,
        expected: &'static str,
        found: String,
    },
    #[error("{origin}: {message}")]
    Unreadable { origin: Origin, message: String },
}

impl ConfigError {
    /// Returns the file, variable or flag that has the mistake.
    pub fn origin(&self) -> &Origin {
        match self {
            ConfigError::UnknownKey { origin, .. }
            | ConfigError::WrongType { origin, .. }
            | ConfigError::Unreadable { origin, .. } => origin,
        }
    }

    /// Adds the line of the key, which `find` looks up. Errors without a key stay as they are.
    pub fn at_line(mut self, find: impl Fn(&str) -> Option<usize>) -> ConfigError {
        match &mut self {
            ConfigError::UnknownKey { line, key, .. }
            | ConfigError::WrongType { line, key, .. } => *line = find(key),
            ConfigError::Unreadable { .. } => {}
        }
        self
    }
}

/// Returns `line N: `, or nothing if the line is unknown.
fn line_prefix(line: &Option<usize>) -> String {
    line.map_or(String::new(), |line| format!("line {line}: "))
}

/// Returns a suggestion, if a known key is similar.
fn suggestion_suffix(nearest: &Option<String>) -> String {
    let guess = nearest.as_ref();
    guess.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}
