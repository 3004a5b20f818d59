//! What can be wrong with a configuration. Always the user's to mend, so each says where.

use super::Origin;

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{origin}: unknown key `{key}`{}", guess(nearest))]
    UnknownKey {
        origin: Origin,
        key: String,
        nearest: Option<String>,
    },
    #[error("{origin}: `{key}` must be {expected}, not {found}")]
    WrongType {
        origin: Origin,
        key: String,
        expected: &'static str,
        found: String,
    },
    #[error("{origin}: {message}")]
    Unreadable { origin: Origin, message: String },
}

fn guess(nearest: &Option<String>) -> String {
    let guess = nearest.as_ref();
    guess.map_or(String::new(), |name| format!("; did you mean `{name}`?"))
}
