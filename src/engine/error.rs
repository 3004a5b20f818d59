//! Why the engine cannot do what was asked.

use std::path::PathBuf;

use crate::config::ConfigError;
use crate::embed::EmbedError;
use crate::index::IndexError;
use crate::source::skills::FileError;
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("Index not found: no packages are indexed for {}", looked_at.display())]
    NoPackageIndex { looked_at: PathBuf },
    #[error("Index not found")]
    NoCodeIndex { path: PathBuf },
    #[error("the index was made with the model {index}, and the provider now has {now}")]
    OtherModel { index: String, now: String },
    /// There is a file, but not one that can be read.
    #[error("{0}")]
    OtherIndex(StoreError),
    #[error("there is no data directory on this system; set KEN_HOME")]
    NoHome,
    #[error("{source}")]
    Embedding {
        source: EmbedError,
        /// The providers that could be used instead.
        available: Vec<&'static str>,
    },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Index(#[from] IndexError),
    /// There is none of that name within the skill.
    #[error("{0}")]
    NoSkillFile(FileError),
    #[error("{0}")]
    LargeSkillFile(FileError),
    #[error("{0}")]
    SkillFile(FileError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<FileError> for EngineError {
    fn from(error: FileError) -> EngineError {
        match error {
            FileError::Missing { .. } | FileError::Outside { .. } => {
                EngineError::NoSkillFile(error)
            }
            FileError::TooLarge { .. } => EngineError::LargeSkillFile(error),
            FileError::Read { .. } => EngineError::SkillFile(error),
        }
    }
}
