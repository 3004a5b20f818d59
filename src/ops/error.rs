//! The only error that a front end sees: what kind it is, what went wrong, what to do next.

use std::fmt;

use serde_json::Value;

use crate::engine::EngineError;
use crate::index::IndexError;

#[derive(Clone, Debug, PartialEq)]
pub struct OpError {
    pub kind: ErrorKind,
    pub message: String,
    /// The next step, as a sentence without an end.
    pub hint: Option<String>,
    /// What a program can use, such as suggestions.
    pub data: Option<Box<Value>>,
}

/// Each family's wire convention and each exit code hang on this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    BadArgument,
    NotFound,
    Ambiguous,
    NoIndex,
    ProviderUnavailable,
    Cancelled,
    Internal,
}

impl OpError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> OpError {
        OpError {
            kind,
            message: message.into(),
            hint: None,
            data: None,
        }
    }

    pub fn bad_argument(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::BadArgument, message)
    }

    pub fn internal(message: impl Into<String>) -> OpError {
        OpError::new(ErrorKind::Internal, message)
    }

    pub fn hint(mut self, hint: impl Into<String>) -> OpError {
        self.hint = Some(hint.into());
        self
    }

    pub fn data(mut self, data: Value) -> OpError {
        self.data = Some(Box::new(data));
        self
    }
}

/// The contract's words first, then the remedy: many clients show the model nothing else.
impl fmt::Display for OpError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for OpError {}

impl From<EngineError> for OpError {
    fn from(error: EngineError) -> OpError {
        let message = error.to_string();
        match error {
            EngineError::NoPackageIndex { .. } => OpError::new(ErrorKind::NoIndex, message)
                .hint("run `ken index` (or `shire build`) in the repository first"),
            EngineError::OtherIndex(_) => OpError::new(ErrorKind::NoIndex, message)
                .hint("run `ken index` (or `shire build`) to build it anew"),
            EngineError::Config(_) => {
                OpError::bad_argument(message).hint("`ken config --help` lists the settings")
            }
            EngineError::Index(IndexError::Cancelled) => {
                OpError::new(ErrorKind::Cancelled, message)
            }
            EngineError::Index(IndexError::Root { .. }) => {
                OpError::new(ErrorKind::BadArgument, message)
                    .hint("give the path of a directory that you can read")
            }
            EngineError::NoSkillFile(_) => OpError::new(ErrorKind::NotFound, message)
                .hint("skills/get lists the files of a skill"),
            EngineError::LargeSkillFile(_) => OpError::bad_argument(message)
                .hint("read it from the skill's base directory instead"),
            EngineError::SkillFile(_)
            | EngineError::NoHome
            | EngineError::Index(_)
            | EngineError::Store(_) => OpError::internal(message),
        }
    }
}
