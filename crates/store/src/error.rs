//! Errors of the store, each with the file, collection or server that it concerns.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::page_checksums;

/// The one error type of this crate.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("no index at {}", path.display())]
    Missing { path: PathBuf },
    /// Another program's database, or one of another version of ours.
    #[error("{} is not an index that this version reads ({found})", path.display())]
    WrongFormat { path: PathBuf, found: String },
    /// The index exists but is empty: its first build has not stored anything yet.
    #[error("{} is still empty", path.display())]
    Empty { path: PathBuf },
    /// The stored index was made with other settings than those of this run.
    #[error("{} was built with other settings ({found}) and must be rebuilt", path.display())]
    OtherSettings { path: PathBuf, found: String },
    #[error("another process is writing {} ({holder})", path.display())]
    Busy { path: PathBuf, holder: String },
    /// SQLite cannot share memory between processes there, as on most network file systems.
    #[error("{} is on a file system that cannot hold an index (a network drive?); set KEN_HOME to a local directory", path.display())]
    NotLocal { path: PathBuf },
    #[error("{} is damaged: {what}", path.display())]
    Damaged { path: PathBuf, what: String },
    /// No collection of that name is stored there.
    #[error("there is no collection {name:?}")]
    Unknown { name: String },
    /// A server that holds collections did not do what it was asked.
    #[error("{backend}: {what}")]
    Server {
        backend: &'static str,
        what: String,
        /// The advice to the user, as a sentence without its full stop.
        remedy: String,
    },
    /// The collection changed between two requests of one query.
    #[error("{name:?} changed during the question")]
    Changed { name: String },
    #[error("{what}")]
    InvalidArgument { what: String },
    #[error("{} is already indexed under the name {name:?}", root.display())]
    AlreadyIndexed { root: PathBuf, name: String },
    #[error("cancelled while waiting for another build")]
    Cancelled,
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: {source}", path.display())]
    Sql { path: PathBuf, source: rusqlite::Error },
}

impl StoreError {
    /// True if the request was invalid, and not the store at fault.
    pub fn is_refusal(&self) -> bool {
        matches!(self, StoreError::InvalidArgument { .. })
    }

    /// Returns the name under which a root is already indexed, if that is the error.
    pub fn existing_name(&self) -> Option<&str> {
        match self {
            StoreError::AlreadyIndexed { name, .. } => Some(name),
            _ => None,
        }
    }

    /// True if the stored data is corrupt. Only then does a rebuild help: a full disk or a file
    /// that cannot be opened stays as it is.
    pub fn is_damage(&self) -> bool {
        match self {
            StoreError::Damaged { .. } => true,
            StoreError::Sql { source, .. } => match source.sqlite_error_code() {
                Some(code) => matches!(
                    code,
                    ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown
                ),
                // A row or a value that is not as it should be.
                None => true,
            },
            _ => false,
        }
    }

    /// True if another version, other settings or another program made the file: a rebuild replaces
    /// it.
    pub fn needs_rebuild(&self) -> bool {
        matches!(
            self,
            StoreError::WrongFormat { .. }
                | StoreError::Empty { .. }
                | StoreError::OtherSettings { .. }
        )
    }

    /// Wraps an I/O error with its path.
    pub fn io(path: &Path, source: std::io::Error) -> StoreError {
        StoreError::Io { path: path.to_path_buf(), source }
    }

    /// Wraps an SQLite error with the path of the database.
    pub fn sql(path: &Path, source: rusqlite::Error) -> StoreError {
        if page_checksums::is_mismatch(&source) {
            let what = "a page has a wrong checksum".to_string();
            return StoreError::Damaged { path: path.to_path_buf(), what };
        }
        StoreError::Sql { path: path.to_path_buf(), source }
    }
}
