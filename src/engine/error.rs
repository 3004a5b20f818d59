//! Why the engine cannot do what was asked.

use std::path::PathBuf;

use super::BroadRoot;
use crate::config::ConfigError;
use crate::embed::EmbedError;
use crate::index::IndexError;
use crate::model::Problem;
use crate::source::skills::FileError;
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("Index not found: no packages are indexed for {}", looked_at.display())]
    NoPackageIndex { looked_at: PathBuf },
    #[error("Index not found")]
    NoCodeIndex { path: PathBuf },
    /// The directory is part of an indexed root and none itself.
    #[error("Index not found")]
    PartOfIndex { path: PathBuf, root: PathBuf },
    /// A root that holds far more than one project, and that nobody named in so many words.
    #[error("{} {reason}", path.display())]
    BroadRoot { path: PathBuf, reason: BroadRoot },
    /// The repository's own package database is a link out of it, or no file.
    #[error("{} is no file of the repository", path.display())]
    UnsafeDatabase { path: PathBuf },
    /// Neither a collection's name nor the path of anything that is indexed or could be.
    #[error("{address:?} is not indexed here")]
    NoSuchCollection { address: String, path: PathBuf, known: Vec<String> },
    #[error("there is no backend {name:?}")]
    NoSuchBackend { name: String, known: Vec<&'static str> },
    /// The collection is on a server, and what was asked for is not.
    #[error(
        "the graph of {name:?} is not on this machine: a server holds what searches need, and not the graph"
    )]
    NotHere { name: String },
    #[error("Collection '{name}' not found")]
    NoCollection { name: String, known: Vec<String> },
    /// What was asked about is not among what was indexed.
    #[error("Not found: {what} is not in the code index")]
    NotInIndex { what: String },
    #[error("the index was made with the model {index}, and the provider now has {now}")]
    OtherModel { index: String, now: String },
    /// There is a file, but not one that can be read.
    #[error("{0}")]
    OtherIndex(StoreError),
    #[error("Spec '{id}' not found")]
    SpecNotFound { id: String, nearest: Vec<String> },
    /// Without a problem, it vanished just now.
    #[error("the spec cannot be read: {}", problem.as_ref().map_or_else(|| "it is gone".to_string(), ToString::to_string))]
    SpecUnreadable { problem: Option<Problem> },
    #[error("Change '{id}' not found")]
    ChangeNotFound { id: String, nearest: Vec<String> },
    /// Not even on the disk: there is nothing that could be indexed.
    #[error("there are no specs here")]
    NoSpecs,
    #[error("Index not found: the specs of {} are not indexed", looked_at.display())]
    NoSpecIndex { looked_at: PathBuf },
    /// There is a file, but not one that can be read.
    #[error("{0}")]
    OtherSpecIndex(StoreError),
    #[error("the index of the specs was made with {made}, not with {wanted}")]
    OtherMaker { made: String, wanted: String },
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
            FileError::Missing { .. } | FileError::Outside { .. } | FileError::Withheld { .. } => {
                EngineError::NoSkillFile(error)
            }
            FileError::TooLarge { .. } => EngineError::LargeSkillFile(error),
            FileError::Read { .. } => EngineError::SkillFile(error),
        }
    }
}
