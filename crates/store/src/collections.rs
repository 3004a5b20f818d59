//! The collections under `KEN_HOME`: one folder each, with a small file that says which root it
//! belongs to. These files are the registry of names and roots; there is no second list that could
//! disagree.
//!
//!   KEN_HOME/collections/NAME/collection.json   {"root": "/path", "checksum": "…"}
//!                             code.db, packages.db, specs.index, walk

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::code::{self, ROOT, Reader};
use super::{StoreError, lock, page_checksums, with_suffix};
use kenning_model::Progress;

/// One indexed root and the folder of its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collection {
    pub name: String,
    pub root: PathBuf,
    pub directory: PathBuf,
}

impl Collection {
    /// True if `name` is its name, or becomes its name as a slug.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || name.contains(char::is_alphanumeric) && self.name == slug(name)
    }

    /// Returns the path of the package database.
    pub fn packages_database(&self) -> PathBuf {
        self.directory.join("packages.db")
    }

    /// Returns the path of the code database; see `code`.
    pub fn code_database(&self) -> PathBuf {
        self.directory.join("code.db")
    }

    /// Returns the path of the search index of its specs.
    pub fn specs_index(&self) -> PathBuf {
        self.directory.join("specs.index")
    }

    /// Returns the path of the walk cache of its root.
    pub fn walk_cache(&self) -> PathBuf {
        self.directory.join("walk")
    }

    /// Verifies the checksum of every page of its databases. Returns each database with a damaged
    /// page and their number. Marks a damaged code database, so that the next update rebuilds it;
    /// the next update of packages verifies their database itself.
    pub fn verify_databases(&self) -> Result<Vec<(PathBuf, u64)>, StoreError> {
        let mut damaged = Vec::new();
        for database in [self.packages_database(), self.code_database()] {
            if !database.exists() {
                continue;
            }
            let count = || {
                page_checksums::count_damaged_pages(&database)
                    .map_err(|error| StoreError::io(&database, error))
            };
            // A page may have been half written when it was read.
            if count()? > 0
                && let pages @ 1.. = count()?
            {
                if database == self.code_database() {
                    code::mark_damaged(&database);
                }
                damaged.push((database, pages));
            }
        }
        Ok(damaged)
    }

    /// Makes the locks of its databases usable again if they are damaged.
    pub fn repair_locks(&self) {
        for database in [self.packages_database(), self.code_database()] {
            lock::repair(&with_suffix(&database, ".lock"));
        }
    }

    /// True if indexing of its code has ever begun.
    pub fn has_code(&self) -> bool {
        self.code_database().exists()
    }

    /// True if its specs are indexed.
    pub fn has_specs(&self) -> bool {
        self.specs_index().is_file()
    }

    /// True if the root still exists.
    pub fn has_root(&self) -> bool {
        self.root.is_dir()
    }
}

/// All collections of one `KEN_HOME`.
pub struct Collections {
    home: PathBuf,
    /// The directories whose collections count; `None` for all.
    roots: Option<Arc<[PathBuf]>>,
}

/// The content of `INFO_FILE`.
#[derive(Serialize, Deserialize)]
struct CollectionFile {
    root: PathBuf,
    /// The checksum of name and root; see [`compute_checksum`]. Files of earlier versions have
    /// none.
    checksum: Option<String>,
}

const INFO_FILE: &str = "collection.json";

/// The name becomes a folder here and part of a schema's name on a server, with a hash beside it.
const LONGEST_NAME: usize = 200;

impl Collections {
    /// Returns the collections of a `KEN_HOME`. Reads nothing yet.
    pub fn in_home(home: &Path) -> Collections {
        Collections { home: home.join("collections"), roots: None }
    }

    /// Returns the registry with only the collections whose roots are in these directories.
    pub fn restrict_to_roots(self, roots: Arc<[PathBuf]>) -> Collections {
        Collections { roots: Some(roots), ..self }
    }

    /// True if the root of the collection is in the allowed directories.
    fn is_visible(&self, root: &Path) -> bool {
        let Some(roots) = &self.roots else {
            return true;
        };
        roots.iter().any(|allowed| root.starts_with(allowed))
    }

    /// Returns every collection, by name. Skips folders without a readable `INFO_FILE`.
    pub fn all(&self) -> Vec<Collection> {
        let entries = fs::read_dir(&self.home).into_iter().flatten().flatten();
        let mut all: Vec<Collection> =
            entries.filter_map(|entry| self.open(&entry.file_name().into_string().ok()?)).collect();
        all.retain(|collection| self.is_visible(&collection.root));
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    /// Returns the collection of a root. Tries the names that the root would get first, then looks
    /// at all.
    pub fn find_by_root(&self, root: &Path) -> Option<Collection> {
        let (plain, hashed) = candidate_names(root, None);
        let guessed = [plain, hashed].into_iter().filter_map(|name| self.open(&name));
        guessed
            .chain(std::iter::once_with(|| self.all()).flatten())
            .find(|collection| collection.root == root && self.is_visible(root))
    }

    /// Returns the collection of `root`; creates it if there is none. Its name is
    /// `requested_name`, else the directory's name as a slug, with a short hash of the root if another root has that name.
    pub fn find_or_create(
        &self,
        root: &Path,
        requested_name: Option<&str>,
    ) -> Result<Collection, StoreError> {
        if let Some(existing) = self.find_by_root(root) {
            if requested_name.is_some_and(|name| slug(name) != existing.name) {
                return Err(StoreError::AlreadyIndexed {
                    root: root.to_path_buf(),
                    name: existing.name,
                });
            }
            return Ok(existing);
        }
        let (plain_name, hashed_name) = candidate_names(root, requested_name);
        if plain_name.len() > LONGEST_NAME {
            let what = format!("a collection's name may have {LONGEST_NAME} bytes at the most");
            return Err(StoreError::InvalidArgument { what });
        }
        // Another process may take the name at this moment; `create` then returns its collection.
        let created = self.create(&plain_name, root)?;
        if created.root == root {
            return Ok(created);
        }
        // The user asked for this very name. Another name would hide the collection, and this one
        // has the code of another root.
        if requested_name.is_some() {
            let owner = if self.is_visible(&created.root) {
                created.root.display().to_string()
            } else {
                "another root".to_string()
            };
            let what = format!(
                "the name {plain_name:?} belongs to {owner}; choose another, or `ken forget {plain_name}` first"
            );
            return Err(StoreError::InvalidArgument { what });
        }
        let created = self.create(&hashed_name, root)?;
        if created.root == root {
            Ok(created)
        } else {
            Err(StoreError::AlreadyIndexed { root: root.to_path_buf(), name: hashed_name })
        }
    }

    /// Removes a collection with all its data, after waiting for its writers. Removes the
    /// `INFO_FILE` first, so that a killed removal leaves no half collection.
    pub fn remove(
        &self,
        collection: &Collection,
        progress: &dyn Progress,
    ) -> Result<(), StoreError> {
        let directory = &collection.directory;
        collection.repair_locks();
        let mut held = Vec::new();
        for database in [collection.packages_database(), collection.code_database()] {
            let mut name = database.into_os_string();
            name.push(".lock");
            held.push(lock::acquire(Path::new(&name), progress)?);
        }
        let card = directory.join(INFO_FILE);
        fs::remove_file(&card).map_err(|error| StoreError::io(&card, error))?;
        fs::remove_dir_all(directory).map_err(|error| StoreError::io(directory, error))
    }

    /// Reads a collection by its name; `None` if it does not exist or cannot be read. If the
    /// `INFO_FILE` is damaged, the code database says which root it is.
    fn open(&self, name: &str) -> Option<Collection> {
        let directory = self.home.join(name);
        let bytes = fs::read(directory.join(INFO_FILE)).ok()?;
        let root = parse_info(name, &bytes).or_else(|| {
            let root = read_indexed_root(&directory)?;
            let card = directory.join(INFO_FILE);
            tracing::warn!("{} is damaged; it is written again", card.display());
            if let Err(error) = write_info(&directory, name, &root) {
                tracing::debug!("{error}");
            }
            Some(root)
        })?;
        Some(Collection { name: name.to_string(), root, directory })
    }

    /// Creates a collection of that name. If another process or root has taken the name, returns
    /// that one.
    fn create(&self, name: &str, root: &Path) -> Result<Collection, StoreError> {
        let directory = self.home.join(name);
        fs::create_dir_all(&directory).map_err(|error| StoreError::io(&directory, error))?;
        // Linked into place, so that a card is whole or absent, and the first one stays.
        let path = directory.join(INFO_FILE);
        discard_old_drafts(&directory);
        let draft = write_info_draft(&directory, name, root)?;
        let is_placed = fs::hard_link(&draft, &path).is_ok();
        let taken = (!is_placed).then(|| self.open(name)).flatten();
        if is_placed || taken.is_some() {
            let _ = fs::remove_file(&draft);
        } else {
            // A card that cannot be read, or a file system without links.
            fs::rename(&draft, &path).map_err(|error| StoreError::io(&path, error))?;
        }
        if let Some(taken) = taken {
            return Ok(taken);
        }
        Ok(Collection { name: name.to_string(), root: root.to_path_buf(), directory })
    }
}

/// Returns the root of an `INFO_FILE`; `None` if the file is damaged or of another collection.
fn parse_info(name: &str, bytes: &[u8]) -> Option<PathBuf> {
    let card: CollectionFile = serde_json::from_slice(bytes).ok()?;
    let is_valid = match &card.checksum {
        Some(checksum) => *checksum == compute_checksum(name, &card.root),
        // A file of an earlier version has exactly this text. A file with a damaged checksum
        // differs from it.
        None => bytes == serde_json::json!({ "root": card.root }).to_string().as_bytes(),
    };
    is_valid.then_some(card.root)
}

/// Returns the checksum of an `INFO_FILE`. The name is part of it, so that the file of another
/// collection counts as damaged.
fn compute_checksum(name: &str, root: &Path) -> String {
    let text = format!("{name}\0{}", root.to_string_lossy());
    blake3::hash(text.as_bytes()).to_hex()[..16].to_string()
}

/// Returns the root that the code database of a collection was built for.
fn read_indexed_root(directory: &Path) -> Option<PathBuf> {
    let reader = Reader::open(&directory.join("code.db")).ok()?;
    let metadata = reader.snapshot().ok()?.metadata().ok()?;
    metadata.get(ROOT).map(PathBuf::from)
}

/// Replaces an `INFO_FILE`.
fn write_info(directory: &Path, name: &str, root: &Path) -> Result<(), StoreError> {
    let draft = write_info_draft(directory, name, root)?;
    let path = directory.join(INFO_FILE);
    fs::rename(&draft, &path).map_err(|error| StoreError::io(&path, error))
}

/// Writes an `INFO_FILE` beside its place. The name of the draft has the process's id, so that two
/// processes do not write into one.
fn write_info_draft(directory: &Path, name: &str, root: &Path) -> Result<PathBuf, StoreError> {
    let checksum = Some(compute_checksum(name, root));
    let card = CollectionFile { root: root.to_path_buf(), checksum };
    let text = serde_json::to_string(&card).map_err(|error| {
        StoreError::io(root, std::io::Error::new(ErrorKind::InvalidData, error))
    })?;
    let draft = directory.join(format!("{INFO_FILE}.{}", std::process::id()));
    fs::write(&draft, text).map_err(|error| StoreError::io(&draft, error))?;
    Ok(draft)
}

/// Removes the drafts that killed processes left. A draft exists for a moment, so one that is an
/// hour old was abandoned.
fn discard_old_drafts(directory: &Path) {
    const HOUR: Duration = Duration::from_secs(3600);
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_draft = name.to_string_lossy().starts_with(&format!("{INFO_FILE}."));
        let age = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age > HOUR));
        if is_draft && is_old {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Returns the name that a root gets, and the name that it gets if that is taken.
fn candidate_names(root: &Path, wished: Option<&str>) -> (String, String) {
    let directory = root.file_name().map(|name| name.to_string_lossy());
    let mut plain = slug(wished.or(directory.as_deref()).unwrap_or("root"));
    if wished.is_none() && plain.len() > LONGEST_NAME {
        plain = plain.chars().take(LONGEST_NAME / 4).collect();
    }
    let hash = blake3::hash(root.to_string_lossy().as_bytes()).to_hex();
    let hashed = format!("{plain}-{}", &hash[..8]);
    (plain, hashed)
}

/// Returns the name in lower case: letters and digits of any script, `_` and `.` stay, everything
/// else becomes a single `-`.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.chars().flat_map(char::to_lowercase) {
        if character.is_alphanumeric() || matches!(character, '_' | '.') {
            slug.push(character);
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let trimmed = slug.trim_matches(['-', '.']);
    if trimmed.is_empty() { "root".to_string() } else { trimmed.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_slugs_and_clashes_get_a_hash() {
        let home = tempfile::tempdir().unwrap();
        let collections = Collections::in_home(home.path());
        let first = collections.find_or_create(Path::new("/a/My App"), None).unwrap();
        assert_eq!(first.name, "my-app");
        let again = collections.find_or_create(Path::new("/a/My App"), None).unwrap();
        assert_eq!(again, first);
        let second = collections.find_or_create(Path::new("/b/my-app"), None).unwrap();
        assert!(second.name.starts_with("my-app-"), "{}", second.name);
        let named = collections.find_or_create(Path::new("/c"), Some("Mine")).unwrap();
        assert_eq!(named.name, "mine");
        assert!(named.is_called("Mine") && named.is_called("mine"));
        assert!(!named.is_called("."));
        let taken = collections.find_or_create(Path::new("/d"), Some("mine"));
        assert!(taken.unwrap_err().to_string().contains("/c"));
        let long = collections.find_or_create(Path::new("/d"), Some(&"x".repeat(300)));
        assert!(long.unwrap_err().is_refusal());
        let renamed = collections.find_or_create(Path::new("/c"), Some("other"));
        assert!(matches!(renamed, Err(StoreError::AlreadyIndexed { .. })));
        assert_eq!(collections.all().len(), 3);
        assert_eq!(collections.find_by_root(Path::new("/c")), Some(named));
    }

    #[test]
    fn a_damaged_card_is_no_other_root() {
        let home = tempfile::tempdir().unwrap();
        let collections = Collections::in_home(home.path());
        let made = collections.find_or_create(Path::new("/a/app"), None).unwrap();
        collections.find_or_create(Path::new("/a/bpp"), None).unwrap();
        let card = made.directory.join(INFO_FILE);
        let whole = fs::read(&card).unwrap();
        for at in 0..whole.len() {
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << bit;
                fs::write(&card, damaged).unwrap();
                let root = collections.open("app").map(|found| found.root);
                assert!(root.is_none_or(|root| root == made.root), "byte {at}, bit {bit}");
            }
        }
        fs::copy(home.path().join("collections/bpp").join(INFO_FILE), &card).unwrap();
        assert_eq!(collections.open("app"), None);
        // The next run takes the folder over, and cards of earlier versions count.
        assert_eq!(collections.find_or_create(Path::new("/a/app"), None).unwrap(), made);
        assert_eq!(fs::read(&card).unwrap(), whole);
        fs::write(&card, r#"{"root":"/a/app"}"#).unwrap();
        assert_eq!(collections.open("app"), Some(made));
    }

    #[test]
    fn a_folder_without_a_card_is_adopted() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("collections/app")).unwrap();
        let collections = Collections::in_home(home.path());
        assert_eq!(collections.all(), []);
        assert_eq!(collections.find_or_create(Path::new("/x/app"), None).unwrap().name, "app");
    }

    #[test]
    fn slugs() {
        for (name, expected) in [("../..", "root"), ("Über.app", "über.app"), ("a  b", "a-b")] {
            assert_eq!(slug(name), expected);
        }
    }
}
