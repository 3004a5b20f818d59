//! Damage that a reader met is noted beside the collection: the next writer, who might never read those
//! pages, then makes all anew.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::store::StoreError;
use crate::store::files::with_suffix;

fn note_path(collection: &Path) -> PathBuf {
    with_suffix(collection, ".damaged")
}

/// As far as that can be written; whoever asked is told of the damage anyway.
pub fn note(collection: &Path) {
    if let Err(error) = File::create(note_path(collection)) {
        tracing::debug!("{}: {error}", note_path(collection).display());
    }
}

/// An error if damage was noted.
pub fn check(collection: &Path) -> Result<(), StoreError> {
    if note_path(collection).exists() {
        Err(StoreError::Damaged {
            path: collection.to_path_buf(),
            what: "a search could not read all of it".to_string(),
        })
    } else {
        Ok(())
    }
}

/// What was damaged has been replaced.
pub fn forget(collection: &Path) {
    let _ = fs::remove_file(note_path(collection));
}
