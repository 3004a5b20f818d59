//! Errors of index builds. A bad input file is never one: it becomes a problem in the report.
//!
//! The messages say what is kept, because the first question after a failed build is what it
//! destroyed.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use kenning_embed::EmbedError;
use kenning_knowledge::SpecBuildError;
use kenning_packages::BuildError;
use kenning_source::{self as source, WalkError};
use kenning_store::StoreError;

/// Cancellation is an error of its own, so that callers can exit quietly.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("{} cannot be read as a directory: {source}", path.display())]
    Root { path: PathBuf, source: std::io::Error },
    #[error("{} was deleted during the run; the index is unchanged", path.display())]
    Vanished { path: PathBuf },
    #[error("cancelled; the next run continues where this one stopped")]
    Cancelled,
    #[error("{0}; the index is unchanged")]
    Walk(#[from] WalkError),
    #[error(transparent)]
    Store(StoreError),
    #[error(transparent)]
    Embed(EmbedError),
}

impl IndexError {
    /// Fails if the root no longer exists.
    ///
    /// A tree that vanishes during a walk looks like one whose files were all deleted. Without this
    /// check, the build would empty the index.
    pub fn check_root_exists(root: &Path) -> Result<(), IndexError> {
        match source::check_directory(root) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(IndexError::Vanished { path: root.to_path_buf() })
            }
            _ => Ok(()),
        }
    }
}

impl From<StoreError> for IndexError {
    fn from(error: StoreError) -> IndexError {
        // A cancelled build stops in whichever layer notices first. All of them report it as the
        // same error.
        match error {
            StoreError::Cancelled => IndexError::Cancelled,
            other => IndexError::Store(other),
        }
    }
}

impl From<EmbedError> for IndexError {
    fn from(error: EmbedError) -> IndexError {
        match error {
            EmbedError::Cancelled => IndexError::Cancelled,
            other => IndexError::Embed(other),
        }
    }
}

impl From<BuildError> for IndexError {
    fn from(error: BuildError) -> IndexError {
        match error {
            BuildError::Root { path, source } => IndexError::Root { path, source },
            BuildError::Cancelled => IndexError::Cancelled,
            BuildError::Walk(error) => IndexError::Walk(error),
            BuildError::Store(error) => IndexError::Store(error),
        }
    }
}

impl From<SpecBuildError> for IndexError {
    fn from(error: SpecBuildError) -> IndexError {
        match error {
            SpecBuildError::Cancelled => IndexError::Cancelled,
            SpecBuildError::Store(error) => IndexError::Store(error),
            SpecBuildError::Embed(error) => IndexError::Embed(error),
        }
    }
}
