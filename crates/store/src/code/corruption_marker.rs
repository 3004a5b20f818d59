//! A marker file beside a collection in which a reader met damage.
//!
//! A reader cannot repair the file: it does not hold the lock. The next writer might never read the
//! damaged pages and would keep them, so the marker makes it rebuild everything.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::sidecar_files::with_suffix;

/// Returns the path of the marker, `code.db.damaged`.
fn marker_path(collection: &Path) -> PathBuf {
    with_suffix(collection, ".damaged")
}

/// Writes the marker. A failure is only logged, because the caller reports the damage anyway.
pub fn write_marker(collection: &Path) {
    if let Err(error) = File::create(marker_path(collection)) {
        tracing::debug!("{}: {error}", marker_path(collection).display());
    }
}

/// Fails if the marker exists.
pub fn fail_if_marked(collection: &Path) -> Result<(), StoreError> {
    if marker_path(collection).exists() {
        Err(StoreError::Damaged {
            path: collection.to_path_buf(),
            what: "a search could not read all of it".to_string(),
        })
    } else {
        Ok(())
    }
}

/// Removes the marker, after the damaged collection was replaced. If that fails, the next run
/// rebuilds once more than needed.
pub fn remove_marker(collection: &Path) {
    let _ = fs::remove_file(marker_path(collection));
}
