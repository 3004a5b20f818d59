//! Why the package database could not be built. A bad manifest is never among the reasons.

use std::path::PathBuf;

use kenning_source::WalkError;
use kenning_store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    #[error("{} is not a directory that can be read: {source}", path.display())]
    Root { path: PathBuf, source: std::io::Error },
    #[error("cancelled; what was read is kept, and the next run goes on from there")]
    Cancelled,
    #[error("{0}; what was indexed before is kept")]
    Walk(#[from] WalkError),
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
