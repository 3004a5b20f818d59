//! The tables of the code database, its format version, and the opening of the file for reading and
//! writing.
//!
//! A database is identified by SQLite's `application_id` and `user_version`. A file of another
//! program is never touched; a file of another version is refused and then rebuilt by the caller.
//! There are no migrations: the tree has everything that the index holds.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::records::IndexSettings;
use crate::sidecar_files::with_suffix;
use crate::{StoreError, page_checksums};

/// "kenc": tells our files from any other SQLite database.
const APPLICATION_ID: i64 = 0x6B65_6E63;

/// The format version. Raise it when a table or a blob's encoding changes; files of another version
/// are rebuilt.
const VERSION: i64 = 12;

/// How long to wait for another process that is committing.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The statements that make an empty database. Column order matters: rows are inserted by position.
///
/// A `file` column is always `files.id`. A `name_hash` or `key_hash` column has the 23 bits of
/// `enum_codes::name_hash`, so two names may share one: readers compare the names too. A table of
/// (hash, file) pairs is an inverted index, clustered by its primary key so that one range scan
/// returns the files of a hash.
const TABLES: &str = "
-- The `IndexSettings` that chunks were made with, and `file_uuid`, a random id of this database
-- file: a rebuild puts another file under the same name.
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- One row. Ids are never reused, so whatever a reader caches by id stays valid.
CREATE TABLE counters (
    generation   INTEGER NOT NULL,
    next_chunk   INTEGER NOT NULL,
    next_segment INTEGER NOT NULL,
    next_page    INTEGER NOT NULL
);
INSERT INTO counters VALUES (0, 0, 1, 1);

CREATE TABLE files (
    id           INTEGER PRIMARY KEY,
    path         TEXT NOT NULL,
    size         INTEGER NOT NULL,  -- in bytes
    modified_ns  INTEGER NOT NULL,
    hash         BLOB NOT NULL,     -- of the content, 32 bytes
    language     TEXT NOT NULL,
    is_test      INTEGER NOT NULL,
    package      TEXT,
    generation   INTEGER NOT NULL,  -- the one that wrote the row last
    first_chunk  INTEGER NOT NULL,  -- the chunks of a file have consecutive ids
    symbol_count INTEGER NOT NULL,
    chunk_kinds  BLOB NOT NULL,     -- one byte per chunk: kind and flags; see `enum_codes`
    extra_kinds  BLOB,              -- further kinds in chunks; see `extra_kinds`
    path_hash    INTEGER NOT NULL   -- an index on hashes is smaller than one on paths
);
CREATE INDEX files_by_path_hash ON files (path_hash);
CREATE INDEX files_by_generation ON files (generation);

-- The columns of a chunk that the row of its file does not imply. The kind is in `chunk_kinds`.
CREATE TABLE chunks (
    id            INTEGER PRIMARY KEY,
    symbol        TEXT,
    scope         TEXT,
    start_line    INTEGER NOT NULL,
    end_line      INTEGER NOT NULL,
    start_byte    INTEGER NOT NULL,
    end_byte      INTEGER NOT NULL,
    name_line     INTEGER,  -- the line of the symbol's name
    embedding_key BLOB      -- the key in `embeddings`, if the vector is cached there
);

-- The symbols, the references and the text of a file, each compressed; see `file_blob`. One row for
-- all three, because the unused rest of a row's last page is lost. The longest comes last, so that
-- reading the others does not read past it. The views let each be queried like a table of its own.
CREATE TABLE file_blobs (
    file         INTEGER PRIMARY KEY,
    symbols_blob BLOB,
    refs_blob    BLOB,
    text_blob    BLOB NOT NULL
);
CREATE VIEW symbol_blobs AS
    SELECT file, symbols_blob AS blob FROM file_blobs WHERE typeof(symbols_blob) = 'blob';
CREATE VIEW ref_blobs AS
    SELECT file, refs_blob AS blob FROM file_blobs WHERE typeof(refs_blob) = 'blob';
CREATE VIEW text_blobs AS SELECT file, text_blob AS blob FROM file_blobs;

-- The keys by which files are looked up for their definitions: mostly the folded names of these.
-- See `LookupKey` of the model.
CREATE TABLE symbol_keys (key_hash INTEGER, file INTEGER, PRIMARY KEY (key_hash, file)) WITHOUT ROWID;

-- The names that the references of a file have.
CREATE TABLE reference_names (
    name_hash INTEGER,
    file      INTEGER,
    PRIMARY KEY (name_hash, file)
) WITHOUT ROWID;

CREATE TABLE heritage (
    file      INTEGER NOT NULL,
    ordinal   INTEGER NOT NULL,  -- the index of the clause in the file
    subject   TEXT NOT NULL,
    base      TEXT NOT NULL,
    kind      INTEGER NOT NULL,
    condition TEXT,
    line      INTEGER NOT NULL,
    PRIMARY KEY (file, ordinal)
) WITHOUT ROWID;
CREATE INDEX heritage_by_base ON heritage (base);

-- The resolved references and heritage of a file, and the hashes of all its rows in `name_deps` and
-- `aliases`, three bytes each, by which those are removed. A file without a row waits to be resolved.
CREATE TABLE edges (file INTEGER PRIMARY KEY, edges_blob BLOB NOT NULL, dep_names BLOB NOT NULL);
-- Names that the edges of a file depend on beyond its `reference_names`.
CREATE TABLE name_deps (name_hash INTEGER, file INTEGER, PRIMARY KEY (name_hash, file)) WITHOUT ROWID;
-- Files with an edge to a definition of this name, which they mention under another name.
CREATE TABLE aliases (name_hash INTEGER, file INTEGER, PRIMARY KEY (name_hash, file)) WITHOUT ROWID;
-- Files with an edge into the file `target`.
CREATE TABLE incoming_files (target INTEGER, file INTEGER, PRIMARY KEY (target, file)) WITHOUT ROWID;
-- Names whose fingerprints changed since the last complete resolution.
CREATE TABLE dirty_names (name_hash INTEGER PRIMARY KEY);

CREATE TABLE problems (file INTEGER NOT NULL, line INTEGER, message TEXT NOT NULL);
CREATE INDEX problems_by_file ON problems (file);
CREATE TABLE skipped_files (
    path        TEXT PRIMARY KEY,
    size        INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    reason      TEXT NOT NULL
) WITHOUT ROWID;
-- Directories and files that the walk could not list or read.
CREATE TABLE read_errors (path TEXT NOT NULL, line INTEGER, message TEXT NOT NULL);
-- Key-value pairs that the indexer stores for the whole collection.
CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- A segment has the postings of the chunks from `first_chunk` to before `end_chunk`. The bitset,
-- relative to `first_chunk`, has the chunks that were alive when the segment was written.
CREATE TABLE segments (
    id           INTEGER PRIMARY KEY,
    first_chunk  INTEGER NOT NULL,
    end_chunk    INTEGER NOT NULL,
    chunk_bitset BLOB NOT NULL
);
-- Posting lists of several terms; the key is segment × 2³² + the last of them. See `posting_rows`.
CREATE TABLE postings (key INTEGER PRIMARY KEY, lists BLOB NOT NULL);
-- Words as they are written, with the files of each. The key is segment × 2³² + the number of the
-- block. See `word_index`.
CREATE TABLE word_blocks (key INTEGER PRIMARY KEY, words BLOB NOT NULL, file_lists BLOB NOT NULL);
-- Names of definitions. The key is segment × 2³² + the number of the block. See `symbol_names`.
CREATE TABLE symbol_name_blocks (key INTEGER PRIMARY KEY, blob BLOB NOT NULL);
-- Quantized vectors; see `vector_page_format`.
CREATE TABLE vector_pages (id INTEGER PRIMARY KEY, vector_count INTEGER NOT NULL, page BLOB NOT NULL);
-- One bit per chunk id, set while the chunk is alive. A block has 65,536 bits.
CREATE TABLE alive_bitset (block INTEGER PRIMARY KEY, bits BLOB NOT NULL);

-- A cache: the vector of a text by the hash of the text, so that a chunk that moves or comes back
-- is not embedded again. `generation` is the last write of the row, for trimming.
CREATE TABLE embeddings (
    key        BLOB PRIMARY KEY,
    generation INTEGER NOT NULL,
    scale      REAL NOT NULL,
    vector     BLOB NOT NULL
) WITHOUT ROWID;
";

/// Opens the file for writing; creates the tables if it is new. Fails if the stored settings differ
/// from `settings`.
pub fn open_to_write(path: &Path, settings: &IndexSettings) -> Result<Connection, StoreError> {
    let failed = |source| to_store_error(path, source);
    let connection = page_checksums::open(path, OpenFlags::default()).map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    keep_query_plans(&connection).map_err(failed)?;
    let found = read_identity(&connection).map_err(failed)?;
    let is_new = found == (0, 0) && is_empty(&connection).map_err(failed)?;
    if is_new {
        // Larger pages leave more space empty, because files are small.
        page_checksums::prepare_new(&connection).map_err(failed)?;
    } else {
        check_identity(path, found)?;
    }
    let mode: String = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
        .map_err(failed)?;
    if mode != "wal" {
        return Err(not_local_error(path));
    }
    // In WAL mode this loses no consistency; after a power cut the last commits may be missing,
    // and the next run finds those files changed and reads them again.
    let pragmas = "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;
                   PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 4000;";
    connection.execute_batch(pragmas).map_err(failed)?;
    if is_new {
        create_tables(&connection, settings).map_err(failed)?;
    }
    let stored = read_settings(&connection).map_err(failed)?;
    if stored != *settings {
        return Err(StoreError::OtherSettings {
            path: path.to_path_buf(),
            found: format!(
                "{} {}, {} dimensions, {}",
                stored.provider, stored.model, stored.dimension, stored.chunker
            ),
        });
    }
    Ok(connection)
}

/// A read-only connection. `is_immutable` tells that the file was opened as immutable, so that SQLite
/// does not notice later changes.
pub struct ReadConnection {
    pub connection: Connection,
    pub is_immutable: bool,
}

/// Opens an existing file for reading. Works in directories without write permission.
pub fn open_to_read(path: &Path) -> Result<ReadConnection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = |uri: String| -> rusqlite::Result<(Connection, (i64, i64))> {
        let connection = page_checksums::open(uri, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // The last reader must not checkpoint the log when it closes: the name may by then belong
        // to a rebuilt file.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        keep_query_plans(&connection)?;
        // Memory-mapped reads copy no pages, so the page cache can be small. The limit is SQLite's
        // own maximum, just below 2 GiB.
        connection.execute_batch("PRAGMA mmap_size = 2147418112; PRAGMA cache_size = -16384;")?;
        let identity = read_identity(&connection)?;
        Ok((connection, identity))
    };
    let (connection, identity, is_immutable) = match open(file_uri(path, "mode=ro")) {
        Ok((connection, identity)) => (connection, identity, false),
        // In a directory that cannot be written, SQLite cannot make the files that it shares with
        // writers. If no log waits, nobody is writing, and the file alone is the whole state.
        Err(error) if cannot_share(&error) && !has_pending_log(path) => {
            let (connection, identity) = open(file_uri(path, "immutable=1"))
                .map_err(|source| to_store_error(path, source))?;
            (connection, identity, true)
        }
        Err(source) => return Err(to_store_error(path, source)),
    };
    check_identity(path, identity)?;
    Ok(ReadConnection { connection, is_immutable })
}

/// Makes SQLite plan a statement once. Otherwise it plans again whenever a bound value might allow
/// a better plan, which takes longer than most of our statements.
fn keep_query_plans(connection: &Connection) -> rusqlite::Result<()> {
    let keep = DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG;
    connection.set_db_config(keep, true).map(|_| ())
}

/// Returns the random id of this database file, which distinguishes it from its successor of the
/// same name.
pub fn read_file_uuid(connection: &Connection) -> rusqlite::Result<String> {
    let mut statement =
        connection.prepare_cached("SELECT value FROM settings WHERE key = 'file_uuid'")?;
    statement.query_row([], |row| row.get(0))
}

/// Returns the settings that the chunks were made with. A number that cannot be parsed becomes 0,
/// which equals no real setting.
pub fn read_settings(connection: &Connection) -> rusqlite::Result<IndexSettings> {
    let read = |key: &str| -> rusqlite::Result<String> {
        let mut statement =
            connection.prepare_cached("SELECT value FROM settings WHERE key = ?")?;
        statement.query_row([key], |row| row.get(0))
    };
    Ok(IndexSettings {
        provider: read("provider")?,
        model: read("model")?,
        dimension: read("dimension")?.parse().unwrap_or(0),
        chunker: read("chunker")?,
        reference_length: read("reference_length")?.parse().unwrap_or(0.0),
    })
}

/// Creates tables and settings in one transaction. A process that is killed in between leaves an
/// empty file, which the next one fills.
fn create_tables(connection: &Connection, settings: &IndexSettings) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    connection.execute_batch(TABLES)?;
    for (key, value) in [
        ("provider", &settings.provider),
        ("model", &settings.model),
        ("dimension", &settings.dimension.to_string()),
        ("chunker", &settings.chunker),
        ("reference_length", &settings.reference_length.to_string()),
    ] {
        connection.execute("INSERT INTO settings VALUES (?, ?)", [key, value])?;
    }
    connection.execute("INSERT INTO settings VALUES ('file_uuid', hex(randomblob(8)))", [])?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    connection.execute_batch("COMMIT")
}

/// Returns `application_id` and `user_version`; both are 0 in a new file.
fn read_identity(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((pragma("application_id")?, pragma("user_version")?))
}

/// True if the file has no tables.
fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| row.get(0))
}

/// Fails unless the file is ours and of this version.
fn check_identity(path: &Path, found: (i64, i64)) -> Result<(), StoreError> {
    let found = match found {
        (APPLICATION_ID, VERSION) => return Ok(()),
        (APPLICATION_ID, version) => format!("version {version}"),
        (0, 0) => {
            let path = path.to_path_buf();
            return Err(StoreError::Empty { path });
        }
        _ => "made by another program".to_string(),
    };
    Err(StoreError::WrongFormat { path: path.to_path_buf(), found })
}

/// True if SQLite could not create the files that it shares with writers.
fn cannot_share(error: &rusqlite::Error) -> bool {
    let codes = [ErrorCode::CannotOpen, ErrorCode::ReadOnly, ErrorCode::PermissionDenied];
    error.sqlite_error_code().is_some_and(|code| codes.contains(&code))
}

/// True if a write-ahead log has content that is not in the file yet.
fn has_pending_log(path: &Path) -> bool {
    let log = with_suffix(path, "-wal");
    std::fs::metadata(log).is_ok_and(|metadata| metadata.len() > 0)
}

/// Converts an error of opening. Recognizes the errors by which SQLite says that it cannot share
/// memory or locks on this file system.
fn to_store_error(path: &Path, source: rusqlite::Error) -> StoreError {
    const IOERR_SHMMAP: i32 = 5386;
    const IOERR_SHMOPEN: i32 = 4618;
    const IOERR_SHMLOCK: i32 = 5130;
    const IOERR_LOCK: i32 = 3850;
    let error = source.sqlite_error();
    let is_remote = error.is_some_and(|error| {
        let codes = [IOERR_SHMMAP, IOERR_SHMOPEN, IOERR_SHMLOCK, IOERR_LOCK];
        codes.contains(&error.extended_code) || error.code == ErrorCode::FileLockingProtocolFailed
    });
    match error.map(|error| error.code) {
        _ if is_remote => not_local_error(path),
        Some(ErrorCode::NotADatabase) => StoreError::WrongFormat {
            path: path.to_path_buf(),
            found: "not a database".to_string(),
        },
        _ if page_checksums::is_mismatch(&source) => to_format_error(path, source),
        _ => StoreError::sql(path, source),
    }
}

/// Converts the error of a file whose first page fails its checksum. Files of an older version have
/// no checksums at all.
fn to_format_error(path: &Path, source: rusqlite::Error) -> StoreError {
    let plain = Connection::open_with_flags(
        file_uri(path, "immutable=1"),
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI,
    );
    let found = plain.and_then(|connection| read_identity(&connection));
    match found.map(|found| check_identity(path, found)) {
        Ok(Err(error)) => error,
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            let found = "not a database".to_string();
            StoreError::WrongFormat { path: path.to_path_buf(), found }
        }
        _ => StoreError::sql(path, source),
    }
}

fn not_local_error(path: &Path) -> StoreError {
    StoreError::NotLocal { path: path.to_path_buf() }
}

/// Returns an SQLite URI for a path. Escapes the characters that have a meaning in a URI; every
/// other may occur in a path.
fn file_uri(path: &Path, option: &str) -> String {
    let mut uri = String::from("file:");
    for character in path.to_string_lossy().chars() {
        match character {
            '%' | '?' | '#' => uri += &format!("%{:02x}", character as u32),
            '\\' if cfg!(windows) => uri.push('/'),
            _ => uri.push(character),
        }
    }
    uri + "?" + option
}
