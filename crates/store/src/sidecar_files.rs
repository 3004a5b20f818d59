//! Files that lie beside a database: its lock, its write-ahead log, its draft.

use std::fs;
use std::path::{Path, PathBuf};

use super::StoreError;

/// Returns `path` with `suffix` appended to its last segment: `code.db` and `.lock` give
/// `code.db.lock`. `Path::with_extension` would replace `.db`.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(suffix);
    PathBuf::from(name)
}

/// Removes a file. A file that does not exist is no error.
pub fn discard(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(StoreError::io(path, error))
        }
        _ => Ok(()),
    }
}
