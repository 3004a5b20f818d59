//! Why an index could not be built. A bad input file is never among the reasons.

use std::path::PathBuf;

use crate::embed::EmbedError;
use crate::store::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    #[error("{} is not a directory that can be read: {source}", path.display())]
    Root {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("cancelled; what was read is kept, and the next run goes on from there")]
    Cancelled,
    #[error(transparent)]
    Store(StoreError),
    #[error(transparent)]
    Embed(EmbedError),
}

impl From<StoreError> for IndexError {
    fn from(error: StoreError) -> IndexError {
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
