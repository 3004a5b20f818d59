//! A marker file beside a collection in which a reader met damage. The next writer might never read
//! those pages, so it rebuilds everything.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::files::with_suffix;

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

/// Removes the marker, after the damaged collection was replaced.
pub fn remove_marker(collection: &Path) {
    let _ = fs::remove_file(marker_path(collection));
}
