//! A cache of the last loaded index file, shared by packages and specs.
//!
//! It is for files that are replaced as a whole: the version changes with the file, so there is
//! nothing to invalidate.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use kenning_packages::database::DatabaseVersion;

/// The contents of one file, valid as long as the file does not change. A second file replaces the
/// first: a process mostly asks about one root.
pub struct LoadedFile<T>(Mutex<Option<Entry<T>>>);

/// The cached file, with the version that it was loaded from.
struct Entry<T> {
    path: PathBuf,
    version: DatabaseVersion,
    contents: Arc<T>,
}

impl<T> Default for LoadedFile<T> {
    fn default() -> LoadedFile<T> {
        LoadedFile(Mutex::new(None))
    }
}

impl<T> LoadedFile<T> {
    /// Returns the contents of this version of the file. `load` reads it if it is not cached; other
    /// requests wait for it instead of reading the same file.
    pub fn get_or_load<E>(
        &self,
        path: PathBuf,
        version: DatabaseVersion,
        load: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        let mut cached = self.0.lock().expect("no holder panics");
        if let Some(cached) = cached.as_ref()
            && cached.path == path
            && cached.version == version
        {
            return Ok(cached.contents.clone());
        }
        let contents = Arc::new(load(&path)?);
        *cached = Some(Entry { path, version, contents: contents.clone() });
        Ok(contents)
    }
}
