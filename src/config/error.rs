//! What can be wrong with a configuration. Always the user's to mend, so each says where.

use super::Origin;

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("{origin}: unknown key `{key}`; did you mean `{nearest}`?")]
    UnknownKey {
        origin: Origin,
        key: String,
        nearest: String,
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
