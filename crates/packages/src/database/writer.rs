//! Writes a new state of the package database beside the old one, and publishes it by a rename.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use super::{ManifestRecord, PackageReader, reader, schema};
use kenning_model::{ModuleName, Package, PackageKey, Problem, Progress};
use kenning_store::{StoreError, discard, lock, with_suffix};

/// The right to write one database. A build holds it from before it reads the last state until it
/// has published the next. The system releases it if the process dies.
pub struct WriteLock {
    path: PathBuf,
    /// The locked file; closing it releases the lock.
    _file: File,
}

impl WriteLock {
    /// Waits for another build to end. Refuses to replace a file that is neither ours nor shire's:
    /// a mistyped path must not cost anybody their data.
    pub fn acquire(path: &Path, progress: &dyn Progress) -> Result<WriteLock, StoreError> {
        schema::check_replaceable(path)?;
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(|error| StoreError::io(directory, error))?;
        }
        let file = lock::acquire(&with_suffix(path, ".lock"), progress)?;
        discard_draft(path)?;
        Ok(WriteLock { path: path.to_path_buf(), _file: file })
    }

    /// True if there is a state that a draft can start from.
    pub fn has_published_state(&self) -> bool {
        schema::can_start_draft(&self.path)
    }

    /// Opens the last published state.
    pub fn open_published(&self) -> Result<PackageReader, StoreError> {
        PackageReader::open(&self.path)
    }

    /// Creates the draft of the next state.
    pub fn create_draft(&self, start: DraftStart) -> Result<Draft<'_>, StoreError> {
        let draft_path = discard_draft(&self.path)?;
        if start == DraftStart::Published {
            fs::copy(&self.path, &draft_path)
                .map_err(|error| StoreError::io(&draft_path, error))?;
        }
        let connection = schema::open_draft(&draft_path)
            .map_err(|source| StoreError::sql(&draft_path, source))?;
        Ok(Draft { lock: self, path: draft_path, connection: Some(connection) })
    }
}

/// Removes what a killed build left, and returns the path for a new draft.
fn discard_draft(path: &Path) -> Result<PathBuf, StoreError> {
    let draft = with_suffix(path, ".draft");
    for suffix in ["", "-wal", "-shm", "-journal"] {
        discard(&with_suffix(&draft, suffix))?;
    }
    Ok(draft)
}

/// An unpublished state. Dropped without [`Draft::publish`], it leaves no trace.
pub struct Draft<'a> {
    lock: &'a WriteLock,
    path: PathBuf,
    /// `Some` until published or dropped; it must close before the file is renamed or removed.
    connection: Option<Connection>,
}

/// The numbers of packages by which a new state differs from the previous one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    pub added: usize,
    pub updated: usize,
    pub removed: usize,
}

impl Difference {
    /// True if the packages are the same.
    pub fn is_empty(&self) -> bool {
        self.added + self.updated + self.removed == 0
    }
}

/// The initial content of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftStart {
    /// A copy of the published state.
    Published,
    /// No packages. For a first build, and for a state that cannot be read.
    Empty,
}

impl Draft<'_> {
    /// Reads the manifest records of the draft, after migration.
    pub fn read_manifests(&self) -> Result<Vec<ManifestRecord>, StoreError> {
        self.run_query(reader::read_manifests)
    }

    pub fn read_problems(&self) -> Result<Vec<Problem>, StoreError> {
        self.run_query(reader::read_problems)
    }

    pub fn read_meta(&self) -> Result<BTreeMap<String, String>, StoreError> {
        self.run_query(reader::read_meta)
    }

    /// Replaces all manifest records.
    pub fn put_manifests(&mut self, manifests: &[ManifestRecord]) -> Result<(), StoreError> {
        self.run_transaction(|connection| put_manifests(connection, manifests))
    }

    /// Makes the stored packages equal to `packages`, and writes only those that differ.
    pub fn put_packages(&mut self, packages: &[Package]) -> Result<Difference, StoreError> {
        self.run_transaction(|connection| put_packages(connection, packages))
    }

    /// Replaces all problems.
    pub fn put_problems(&mut self, problems: &[Problem]) -> Result<(), StoreError> {
        self.run_transaction(|connection| {
            connection.execute("DELETE FROM problems", [])?;
            let mut insert = connection
                .prepare("INSERT INTO problems (path, line, message) VALUES (?, ?, ?)")?;
            for problem in problems {
                insert.execute(params![problem.path.as_str(), problem.line, problem.message])?;
            }
            Ok(())
        })
    }

    /// Replaces all metadata.
    pub fn put_meta(&mut self, meta: &BTreeMap<String, String>) -> Result<(), StoreError> {
        self.run_transaction(|connection| {
            connection.execute("DELETE FROM shire_meta", [])?;
            let mut insert =
                connection.prepare("INSERT INTO shire_meta (key, value) VALUES (?, ?)")?;
            for (key, value) in meta {
                insert.execute([key, value])?;
            }
            Ok(())
        })
    }

    /// Makes this the state that readers open from now on. The file is flushed first, so that a
    /// power cut leaves the old state or the new one.
    pub fn publish(mut self) -> Result<(), StoreError> {
        let failed = |error| StoreError::io(&self.path, error);
        if let Some(connection) = self.connection.take() {
            connection.close().map_err(|(_, source)| StoreError::sql(&self.path, source))?;
        }
        File::open(&self.path).and_then(|file| file.sync_all()).map_err(failed)?;
        // Remove log files of another program's database, which SQLite would replay into ours.
        for suffix in ["-wal", "-shm", "-journal"] {
            discard(&with_suffix(&self.lock.path, suffix))?;
        }
        fs::rename(&self.path, &self.lock.path).map_err(|error| StoreError::io(&self.path, error))
    }

    /// Runs a query and adds the path of the draft to its error.
    fn run_query<T>(
        &self,
        query: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let connection = self.connection.as_ref().expect("open until published");
        query(connection).map_err(|source| StoreError::sql(&self.path, source))
    }

    /// Runs one change as a transaction, so that thousands of rows cost one write.
    fn run_transaction<T>(
        &mut self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        let connection = self.connection.as_mut().expect("open until published");
        let outcome = (|| {
            let transaction = connection.transaction()?;
            let outcome = change(&transaction)?;
            transaction.commit()?;
            Ok(outcome)
        })();
        outcome.map_err(|source| StoreError::sql(&self.path, source))
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        self.connection = None;
        // After a publish the file is gone, and the error is expected.
        let _ = fs::remove_file(&self.path);
    }
}

/// Replaces the manifest rows. Problems are stored as `[[line, message], …]`, without the path.
fn put_manifests(connection: &Connection, manifests: &[ManifestRecord]) -> rusqlite::Result<()> {
    connection.execute("DELETE FROM manifests", [])?;
    let mut insert = connection.prepare(
        "INSERT INTO manifests (kind, path, size, modified_ns, hash, facts, problems)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for manifest in manifests {
        let problems: Vec<_> = manifest.problems.iter().map(|p| (p.line, &p.message)).collect();
        insert.execute(params![
            manifest.kind,
            manifest.path.as_str(),
            manifest.size as i64,
            manifest.modified_ns,
            manifest.hash,
            manifest.facts,
            serde_json::to_string(&problems).expect("numbers and strings are JSON"),
        ])?;
    }
    Ok(())
}

/// Compares by key. An updated package is removed and inserted again, because its dependencies and
/// its search row change with it.
fn put_packages(connection: &Connection, packages: &[Package]) -> rusqlite::Result<Difference> {
    let stored = reader::read_packages(connection)?;
    let mut difference = Difference::default();
    let mut old: HashMap<PackageKey, &Package> =
        stored.iter().map(|package| (package.key(), package)).collect();
    for package in packages {
        let key = package.key();
        match old.remove(&key) {
            Some(same) if same == package => {}
            Some(_) => {
                remove_package(connection, &key)?;
                insert_package(connection, package)?;
                difference.updated += 1;
            }
            None => {
                insert_package(connection, package)?;
                difference.added += 1;
            }
        }
    }
    for key in old.keys() {
        remove_package(connection, key)?;
        difference.removed += 1;
    }
    Ok(difference)
}

/// Removes a package from all three tables.
fn remove_package(connection: &Connection, key: &PackageKey) -> rusqlite::Result<()> {
    let id: i64 = connection
        .prepare_cached("SELECT id FROM packages WHERE kind = ? AND name = ? AND path = ?")?
        .query_row([&key.kind, &key.name, key.path.as_str()], |row| row.get(0))?;
    for statement in [
        "DELETE FROM dependencies WHERE package_id = ?",
        "DELETE FROM packages_fts WHERE rowid = ?",
        "DELETE FROM packages WHERE id = ?",
    ] {
        connection.prepare_cached(statement)?.execute([id])?;
    }
    Ok(())
}

/// Encodes module names as `[[name, paths, within], …]`. `parse_modules` in `reader.rs` reads them.
fn encode_modules(modules: &[ModuleName]) -> String {
    let modules = modules.iter();
    let parts: Vec<_> =
        modules.map(|module| (&module.name, &module.paths, &module.within)).collect();
    serde_json::to_string(&parts).expect("texts make JSON")
}

/// Inserts a package, its search row and its dependencies. Empty metadata and modules are stored as
/// NULL.
fn insert_package(connection: &Connection, package: &Package) -> rusqlite::Result<()> {
    let metadata = (!package.metadata.is_empty())
        .then(|| serde_json::to_string(&package.metadata).expect("text keys make JSON"));
    let modules = (!package.modules.is_empty()).then(|| encode_modules(&package.modules));
    let id = connection
        .prepare_cached(
            "INSERT INTO packages
             (name, path, kind, version, description, metadata, manifest, modules)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        )?
        .insert(params![
            package.name,
            package.path.as_str(),
            package.kind,
            package.version,
            package.description,
            metadata,
            package.manifest.as_str(),
            modules,
        ])?;
    connection
        .prepare_cached(
            "INSERT INTO packages_fts (rowid, name, description, path, words)
             VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![
            id,
            package.name,
            package.description,
            package.path.as_str(),
            split_compound(&package.name),
        ])?;
    insert_dependencies(connection, id, package)
}

/// Inserts the dependencies in their order. `package` and `is_internal` repeat other columns,
/// because shire's schema has them.
fn insert_dependencies(
    connection: &Connection,
    id: i64,
    package: &Package,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO dependencies
             (package_id, package, dependency, dep_kind, version_req, is_internal, target_path)
         VALUES (?, ?, ?, ?, ?, ?, ?)",
    )?;
    for dependency in &package.dependencies {
        insert.execute(params![
            id,
            package.name,
            dependency.name,
            dependency.kind.as_str(),
            dependency.version_req,
            dependency.internal.is_some(),
            dependency.internal.as_ref().map(|path| path.as_str()),
        ])?;
    }
    Ok(())
}

/// Splits a compound name: `HttpClient2` becomes `Http Client 2`. The tokenizer of FTS5 splits at
/// punctuation only and would miss these words.
fn split_compound(name: &str) -> String {
    let mut parts = String::with_capacity(name.len() + 8);
    let mut previous = ' ';
    for character in name.chars() {
        let begins_word = previous.is_lowercase() && character.is_uppercase()
            || previous.is_alphabetic() && character.is_numeric()
            || previous.is_numeric() && character.is_alphabetic();
        if begins_word {
            parts.push(' ');
        }
        parts.push(character);
        previous = character;
    }
    parts
}
