//! Errors inside the store, before the file that they concern is known.
//!
//! Functions that work on a connection return [`StatementError`]. The reader or writer that owns the path
//! turns it into a [`StoreError`].

use std::path::Path;

use super::varint::Malformed;
use crate::StoreError;

/// The reason why a query or a write failed.
#[derive(Debug)]
pub enum StatementError {
    Sql(rusqlite::Error),
    Malformed(Malformed),
    InvalidArgument(String),
}

/// The result of functions inside the store.
pub type StoreResult<T> = Result<T, StatementError>;

impl StatementError {
    /// Adds the path of the database.
    pub fn with_path(self, path: &Path) -> StoreError {
        match self {
            StatementError::Sql(source) => StoreError::sql(path, source),
            StatementError::Malformed(malformed) => {
                StoreError::Damaged { path: path.to_path_buf(), what: malformed.to_string() }
            }
            StatementError::InvalidArgument(what) => StoreError::InvalidArgument { what },
        }
    }
}

impl From<rusqlite::Error> for StatementError {
    fn from(error: rusqlite::Error) -> StatementError {
        StatementError::Sql(error)
    }
}

impl From<Malformed> for StatementError {
    fn from(malformed: Malformed) -> StatementError {
        StatementError::Malformed(malformed)
    }
}
