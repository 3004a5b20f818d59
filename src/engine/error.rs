//! Errors of the engine.
//!
//! A variant exists for each case in which an entry point words the message or the remedy
//! differently. Other errors pass through unchanged.

use std::path::PathBuf;

use super::BroadRootReason;
use crate::config::ConfigError;
use crate::indexing::IndexError;
use kenning_embed::EmbedError;
use kenning_model::Problem;
use kenning_packages::BuildError;
use kenning_source::skills::FileError;
use kenning_store::StoreError;

/// The texts of some variants are part of the contracts of the original programs.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("Index not found: no packages are indexed for {}", looked_at.display())]
    NoPackageIndex { looked_at: PathBuf },
    #[error("Index not found")]
    NoCodeIndex { path: PathBuf },
    /// The directory is part of an indexed root, but not a root itself.
    #[error("Index not found")]
    PartOfIndex { path: PathBuf, root: PathBuf },
    /// The root holds far more than one project, and the user did not name it explicitly.
    #[error("{} {reason}", path.display())]
    BroadRoot { path: PathBuf, reason: BroadRootReason },
    /// The path leads out of the directories that a server's callers may name.
    #[error("{given:?} is outside of what this server may read")]
    OutsideOfRoots { given: PathBuf },
    /// The repository's own package database is a link out of it, or not a file.
    #[error("{} is not a file of the repository", path.display())]
    UnsafeDatabase { path: PathBuf },
    /// The address is neither a collection's name nor a path that is or could be indexed.
    #[error("{address:?} is not indexed here")]
    NoSuchCollection { address: String, path: PathBuf, known: Vec<String> },
    #[error("there is no backend {name:?}")]
    NoSuchBackend { name: String, known: Vec<&'static str> },
    /// The collection is on a remote backend, which lacks the requested data.
    #[error(
        "the graph of {name:?} is not on this machine: a server holds what searches need, and not the graph"
    )]
    GraphNotLocal { name: String },
    #[error("Collection '{name}' not found")]
    NoCollection { name: String, known: Vec<String> },
    /// The requested file or symbol is not in the index.
    #[error("Not found: {what} is not in the code index")]
    NotInIndex { what: String },
    #[error("the index was built with the model {index}; the provider now has {now}")]
    ModelMismatch { index: String, now: String },
    /// The index file exists, but is not readable.
    #[error("{0}")]
    UnreadableIndex(StoreError),
    #[error("Spec '{id}' not found")]
    SpecNotFound { id: String, nearest: Vec<String> },
    /// The spec cannot be read. Without a problem, it was deleted just now.
    #[error("the spec cannot be read: {}", problem.as_ref().map_or_else(|| "it is gone".to_string(), ToString::to_string))]
    SpecUnreadable { problem: Option<Problem> },
    #[error("Change '{id}' not found")]
    ChangeNotFound { id: String, nearest: Vec<String> },
    /// There are no specs on the disk, so nothing could be indexed.
    #[error("there are no specs here")]
    NoSpecs,
    #[error("Index not found: the specs of {} are not indexed", looked_at.display())]
    NoSpecIndex { looked_at: PathBuf },
    /// The index file exists, but is not readable.
    #[error("{0}")]
    UnreadableSpecIndex(StoreError),
    #[error("the index of the specs was built with {made}; {wanted} is configured now")]
    SpecModelMismatch { made: String, wanted: String },
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
    /// The skill has no such file.
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
            FileError::Missing { .. } | FileError::Outside { .. } | FileError::Withheld { .. } => {
                EngineError::NoSkillFile(error)
            }
            FileError::TooLarge { .. } => EngineError::LargeSkillFile(error),
            FileError::Read { .. } => EngineError::SkillFile(error),
        }
    }
}

impl From<BuildError> for EngineError {
    fn from(error: BuildError) -> EngineError {
        IndexError::from(error).into()
    }
}
