//! Errors inside the store, before the file that they concern is known.
//!
//! Functions that work on a connection return [`Failure`]. The reader or writer that owns the path
//! turns it into a [`StoreError`].

use std::path::Path;

use super::varint::Malformed;
use crate::StoreError;

/// The reason why a query or a write failed.
#[derive(Debug)]
pub enum Failure {
    Sql(rusqlite::Error),
    Malformed(Malformed),
    InvalidArgument(String),
}

/// The result of functions inside the store.
pub type StoreResult<T> = Result<T, Failure>;

impl Failure {
    /// Adds the path of the database.
    pub fn with_path(self, path: &Path) -> StoreError {
        match self {
            Failure::Sql(source) => StoreError::sql(path, source),
            Failure::Malformed(malformed) => {
                StoreError::Damaged { path: path.to_path_buf(), what: malformed.to_string() }
            }
            Failure::InvalidArgument(what) => StoreError::InvalidArgument { what },
        }
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Failure {
        Failure::Sql(error)
    }
}

impl From<Malformed> for Failure {
    fn from(malformed: Malformed) -> Failure {
        Failure::Malformed(malformed)
    }
}
