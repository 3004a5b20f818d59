//! The tables, their version, and the rules for opening a file of another version or program.
//!
//! The tables that shire defines are a contract and stay as they are; Kenning's own tables and
//! columns are additions.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use kenning_store::{StoreError, page_checksums};

/// "kenp" in ASCII. It distinguishes our files from all other SQLite databases.
const APPLICATION_ID: i64 = 0x6B65_6E70;

/// The migrations from an empty file to the current tables. A change of the tables is a new step at
/// the end, never an edit of a released one.
const MIGRATIONS: &[&str] = &[TABLES, MODULES, CHECKSUMS];
/// The current format. It is stored as `user_version`.
const VERSION: i64 = MIGRATIONS.len() as i64;
/// The first format whose pages have checksums.
const FIRST_WITH_CHECKSUMS: i64 = 3;

/// The first format: shire's tables, and the records of manifests and problems.
const TABLES: &str = "
CREATE TABLE packages (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    path        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    version     TEXT,
    description TEXT,
    metadata    TEXT,
    manifest    TEXT NOT NULL,
    UNIQUE (kind, name, path)
);
CREATE INDEX packages_by_name ON packages (name);

CREATE TABLE dependencies (
    package_id  INTEGER NOT NULL REFERENCES packages (id),
    package     TEXT NOT NULL,
    dependency  TEXT NOT NULL,
    dep_kind    TEXT NOT NULL,
    version_req TEXT,
    is_internal INTEGER NOT NULL,
    target_path TEXT
);
CREATE INDEX dependencies_by_package ON dependencies (package_id);
CREATE INDEX dependencies_by_name ON dependencies (dependency);

-- `words` holds the parts of compound names, so that `http client` finds `HttpClient`.
CREATE VIRTUAL TABLE packages_fts USING fts5 (name, description, path, words);

CREATE TABLE shire_meta (key TEXT PRIMARY KEY, value TEXT);

CREATE TABLE manifests (
    kind        TEXT NOT NULL,
    path        TEXT NOT NULL,
    size        INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    hash        BLOB NOT NULL,
    facts       TEXT,
    problems    TEXT NOT NULL,
    PRIMARY KEY (kind, path)
);

CREATE TABLE problems (path TEXT NOT NULL, line INTEGER, message TEXT NOT NULL);
";

/// Adds the names by which code imports files, as JSON.
const MODULES: &str = "ALTER TABLE packages ADD COLUMN modules TEXT;";

/// Marks the files whose pages have checksums. No step adds them to an older file; see
/// [`can_start_draft`].
const CHECKSUMS: &str = "";

/// Opens a published file of the current format.
///
/// It is opened as `immutable`, because no published file ever changes. SQLite then takes no lock
/// and creates no files, which matters in a directory that is not writable.
pub fn open_published(path: &Path) -> Result<Connection, StoreError> {
    if !path.exists() {
        return Err(StoreError::Missing { path: path.to_path_buf() });
    }
    let found = open_immutable(path)
        .and_then(|connection| read_identity(&connection))
        .map_err(|source| wrong_format(path, source.to_string()))?;
    match found {
        (APPLICATION_ID, VERSION) => page_checksums::open(immutable_uri(path), IMMUTABLE_FLAGS)
            .map_err(|source| StoreError::sql(path, source)),
        (APPLICATION_ID, version) => Err(wrong_format(path, format!("version {version}"))),
        _ => Err(wrong_format(path, "made by another program".to_string())),
    }
}

/// Opens a draft for writing and migrates its tables. The draft is private until it is renamed, so
/// neither a journal nor a flush per statement is needed.
pub fn open_draft(path: &Path) -> rusqlite::Result<Connection> {
    let connection = page_checksums::open(path, OpenFlags::default())?;
    page_checksums::prepare_new(&connection)?;
    connection.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;",
    )?;
    let (_, version) = read_identity(&connection)?;
    for step in MIGRATIONS.iter().skip(usize::try_from(version).unwrap_or(0)) {
        connection.execute_batch(step)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    Ok(connection)
}

/// Fails unless a build may replace the file: it is missing, empty, ours in any version or state,
/// or made by shire.
pub fn check_replaceable(path: &Path) -> Result<(), StoreError> {
    let is_empty = std::fs::metadata(path).map_or(true, |metadata| metadata.len() == 0);
    let is_shires = || open_immutable(path).and_then(|db| db.table_exists(None, "shire_meta"));
    if is_empty
        || read_application_id(path) == Some(APPLICATION_ID)
        || is_shires().unwrap_or(false)
        || page_checksums::has_valid_page(path)
    {
        Ok(())
    } else {
        Err(wrong_format(path, "made by another program".to_string()))
    }
}

/// True if a draft may start from this file: it is ours, its pages have checksums, and it is not of
/// a later version.
pub fn can_start_draft(path: &Path) -> bool {
    let identity = open_immutable(path).and_then(|connection| read_identity(&connection));
    let first_version = FIRST_WITH_CHECKSUMS;
    identity.is_ok_and(|(id, version)| {
        id == APPLICATION_ID && (first_version..=VERSION).contains(&version)
    })
}

/// The application id of a file; `None` if it is no database.
fn read_application_id(path: &Path) -> Option<i64> {
    let identity = open_immutable(path).and_then(|connection| read_identity(&connection));
    identity.ok().map(|(application_id, _)| application_id)
}

const IMMUTABLE_FLAGS: OpenFlags =
    OpenFlags::SQLITE_OPEN_READ_ONLY.union(OpenFlags::SQLITE_OPEN_URI);

/// Opens a file read-only, without locks, and without verifying checksums: any program may have
/// made it.
fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(immutable_uri(path), IMMUTABLE_FLAGS)
}

/// Returns the application id and the version of the format.
fn read_identity(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((pragma("application_id")?, pragma("user_version")?))
}

/// The error for a file that this version cannot read.
fn wrong_format(path: &Path, found: String) -> StoreError {
    StoreError::WrongFormat { path: path.to_path_buf(), found }
}

/// The SQLite URI of a path. Characters with a meaning in URIs are escaped.
fn immutable_uri(path: &Path) -> String {
    let mut uri = String::from("file:");
    for character in path.to_string_lossy().chars() {
        match character {
            '%' | '?' | '#' => uri += &format!("%{:02x}", character as u32),
            '\\' if cfg!(windows) => uri.push('/'),
            _ => uri.push(character),
        }
    }
    uri + "?immutable=1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_older_file_is_brought_up_to_date_and_a_later_one_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index.db");
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        connection.close().unwrap();
        // One without checksums is built again.
        assert!(!can_start_draft(&path));
        assert!(check_replaceable(&path).is_ok());
        assert!(matches!(open_published(&path), Err(StoreError::WrongFormat { .. })));
        std::fs::remove_file(&path).unwrap();
        open_draft(&path).unwrap().close().unwrap();
        assert!(open_published(&path).is_ok());
        assert!(can_start_draft(&path));
        // Opening it again takes no step twice.
        let connection = open_draft(&path).unwrap();
        connection.pragma_update(None, "user_version", VERSION + 1).unwrap();
        connection.close().unwrap();
        assert!(!can_start_draft(&path));
        assert!(check_replaceable(&path).is_ok());
    }

    #[test]
    fn paths_with_odd_characters_open() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("what? 100% #1.db");
        open_draft(&path).unwrap().close().unwrap();
        assert!(open_published(&path).is_ok());
    }
}
