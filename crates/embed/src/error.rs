//! Errors of embedding, in words that a user can act on. No error contains a key.

use std::path::PathBuf;

/// The reason why texts could not be embedded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EmbedError {
    #[error("unknown embedding provider {name:?}; there are {}", known.join(", "))]
    UnknownProvider { name: String, known: Vec<&'static str> },
    #[error("the embedding provider {provider} is unavailable: {why}")]
    Unavailable { provider: String, why: String, remedy: String },
    #[error("{provider} cannot be reached at {url}: {why}")]
    Unreachable { provider: String, url: String, why: String },
    #[error("{provider} did not answer within {seconds} s")]
    TimedOut { provider: String, seconds: u64 },
    #[error("{provider} rejects the key: {message}")]
    BadKey { provider: String, message: String },
    #[error("{provider} has no model {model:?}: {message}")]
    ModelNotFound { provider: String, model: String, message: String, remedy: String },
    /// Any other answer that is not a success.
    #[error("{provider} answered {status}: {message}")]
    Refused { provider: String, status: u16, message: String },
    #[error("{provider} embedded {found} of {expected} texts")]
    PartialAnswer { provider: String, expected: usize, found: usize },
    #[error(
        "{provider} returned vectors with {found} dimensions for {model}; {expected} were expected"
    )]
    WrongDimension { provider: String, model: String, expected: usize, found: usize },
    #[error("{provider} returned an invalid response: {message}")]
    Malformed { provider: String, message: String },
    #[error("{provider}: {message}")]
    Setting { provider: String, message: String },
    #[error("{}: {message}", path.display())]
    ModelFile { path: PathBuf, message: String },
    #[error("embedding was cancelled")]
    Cancelled,
}

impl EmbedError {
    /// Returns the next step for the user, as a sentence without a full stop.
    pub fn remedy(&self) -> Option<String> {
        let text = match self {
            EmbedError::Unavailable { remedy, .. } | EmbedError::ModelNotFound { remedy, .. } => {
                remedy.clone()
            }
            EmbedError::UnknownProvider { .. } => {
                "`ken providers` shows each with its state".to_string()
            }
            EmbedError::Unreachable { provider, .. } => {
                format!("start it, or set `{provider}.url` to where it runs")
            }
            EmbedError::TimedOut { .. } => {
                "try again, with a smaller `embedding.batch_size` or a larger \
                 `embedding.timeout_ms`"
                    .to_string()
            }
            EmbedError::BadKey { provider, .. } => format!("check `{provider}.key`"),
            EmbedError::WrongDimension { provider, .. } => {
                format!("set `{provider}.dimension` to what the model gives, or leave it unset")
            }
            EmbedError::PartialAnswer { .. } => {
                "try again, with a smaller `embedding.batch_size`".to_string()
            }
            EmbedError::Refused { .. }
            | EmbedError::Malformed { .. }
            | EmbedError::Setting { .. }
            | EmbedError::ModelFile { .. }
            | EmbedError::Cancelled => return None,
        };
        Some(text)
    }
}
