//! The error of building the package database. A bad manifest is never an error: it is a problem in
//! the report.

use std::path::PathBuf;

use kenning_source::WalkError;
use kenning_store::StoreError;

/// The reasons why a build published nothing. The previous state stays in place.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The root is missing, no directory, or not readable.
    #[error("{} cannot be read as a directory: {source}", path.display())]
    Root { path: PathBuf, source: std::io::Error },
    /// The user stopped the build. The store reports this case too, and it maps to the same
    /// variant.
    #[error("cancelled; the next run continues where this one stopped")]
    Cancelled,
    /// The walk exceeded its bounds or could not start.
    #[error("{0}; the index is unchanged")]
    Walk(#[from] WalkError),
    /// The database could not be read or written.
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for BuildError {
    fn from(error: StoreError) -> BuildError {
        match error {
            StoreError::Cancelled => BuildError::Cancelled,
            other => BuildError::Store(other),
        }
    }
}
