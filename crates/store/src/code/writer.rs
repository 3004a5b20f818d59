//! Writes a collection: one transaction for each batch of changes, or a rebuild into a draft file
//! that replaces the old one at the end.
//!
//!   code.db         the collection          code.db.draft    a rebuild in progress
//!   code.db-wal     SQLite's log            code.db.lock     the writer's lock
//!   code.db.damaged the corruption marker

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::Backup;
use rusqlite::{
    Connection, OpenFlags, OptionalExtension, Transaction, TransactionBehavior, params,
};

use super::collection_counters::Counters;
use super::error::{StatementError, StoreResult};
use super::invalidation::Invalidation;
use super::reader::Reader;
use super::records::{Changes, EmbeddingKey, IndexSettings, PreviousIndex};
use super::varint::Malformed;
use super::vector_page_format::{MAX_DIMENSION, Vector};
use super::write_txn::WriteTxn;
use super::{corruption_marker, row_mapping, schema};
use crate::sidecar_files::{discard, with_suffix};
use crate::{StoreError, lock, page_checksums};
use kenning_model::Progress;

/// The only process that may change a collection, until dropped. Readers do not wait for it, and
/// see a transaction as a whole or not at all.
pub struct Writer {
    /// The file that transactions go to.
    pub(super) path: PathBuf,
    /// The file that a rebuild replaces at the end; `None` if this is no rebuild.
    replaces: Option<PathBuf>,
    pub(super) connection: Connection,
    dimension: usize,
    invalidation: &'static dyn Invalidation,
    _lock: File,
}

impl Writer {
    /// Opens the collection at `path`; creates it if there is none. Waits for another writer.
    pub fn open(
        path: &Path,
        settings: &IndexSettings,
        invalidation: &'static dyn Invalidation,
        progress: &dyn Progress,
    ) -> Result<Writer, StoreError> {
        let lock = lock::acquire(&lock_path(path)?, progress)?;
        corruption_marker::fail_if_marked(path)?;
        discard_draft(path)?;
        Writer::begin(path, None, settings, invalidation, lock)
    }

    /// Begins an empty collection beside the one at `path`, which stays as it is until
    /// [`Writer::publish`]. Dropped before that, or killed, it leaves a draft that the next writer
    /// discards.
    pub fn rebuild(
        path: &Path,
        settings: &IndexSettings,
        invalidation: &'static dyn Invalidation,
        progress: &dyn Progress,
    ) -> Result<Writer, StoreError> {
        let lock = lock::acquire(&lock_path(path)?, progress)?;
        Writer::begin_draft(path, settings, invalidation, lock)
    }

    fn begin_draft(
        path: &Path,
        settings: &IndexSettings,
        invalidation: &'static dyn Invalidation,
        lock: File,
    ) -> Result<Writer, StoreError> {
        let draft = discard_draft(path)?;
        Writer::begin(&draft, Some(path), settings, invalidation, lock)
    }

    /// Opens or creates the file at `path`, under a lock that is already held.
    fn begin(
        path: &Path,
        replaces: Option<&Path>,
        settings: &IndexSettings,
        invalidation: &'static dyn Invalidation,
        lock: File,
    ) -> Result<Writer, StoreError> {
        let dimension = settings.dimension as usize;
        if dimension > MAX_DIMENSION {
            let what = format!("vectors of {dimension} dimensions; {MAX_DIMENSION} is the most");
            return Err(StoreError::InvalidArgument { what });
        }
        Ok(Writer {
            path: path.to_path_buf(),
            replaces: replaces.map(Path::to_path_buf),
            connection: schema::open_to_write(path, settings)?,
            dimension,
            invalidation,
            _lock: lock,
        })
    }

    /// Begins an empty collection, as [`Writer::rebuild`] does, without letting anybody else write
    /// in between.
    pub fn start_over(self, settings: &IndexSettings) -> Result<Writer, StoreError> {
        let Writer { path, replaces, connection, invalidation, _lock: lock, .. } = self;
        // Ignores errors of closing: the file is abandoned.
        let _ = connection.close();
        let target = replaces.unwrap_or(path);
        Writer::begin_draft(&target, settings, invalidation, lock)
    }

    /// True if it writes a rebuild, which readers do not see before it is published.
    pub fn is_rebuild(&self) -> bool {
        self.replaces.is_some()
    }

    /// True if nothing was ever stored in it.
    pub fn is_new(&self) -> Result<bool, StoreError> {
        let state = Counters::load(&self.connection)
            .map_err(|source| StoreError::sql(&self.path, source))?;
        Ok(state.generation == 0)
    }

    /// Returns the state that the last build left, for comparison with the tree.
    pub fn previous_index(&self) -> Result<PreviousIndex, StoreError> {
        let read = |connection| -> StoreResult<PreviousIndex> {
            Ok(PreviousIndex {
                files: row_mapping::load_known_files(connection)?,
                skips: row_mapping::load_skips(connection)?,
                read_errors: row_mapping::load_problems(
                    connection,
                    row_mapping::SELECT_READ_ERRORS,
                )?,
                metadata: row_mapping::load_metadata(connection)?,
            })
        };
        read(&self.connection).map_err(|failure| failure.with_path(&self.path))
    }

    /// Applies all of `changes` in one transaction and returns the new generation. A process that
    /// is killed leaves the generation before. The order is: removed, updated, touched.
    pub fn apply(&mut self, changes: &Changes) -> Result<u64, StoreError> {
        let (dimension, invalidation) = (self.dimension, self.invalidation);
        self.run(|transaction| {
            WriteTxn::begin(transaction, dimension, invalidation)?.apply_changes(changes)
        })
    }

    /// Returns the cached vectors of texts that were embedded before, in the order of `keys`.
    pub fn embeddings(&self, keys: &[EmbeddingKey]) -> Result<Vec<Option<Vector>>, StoreError> {
        load_embeddings(&self.connection, keys, self.dimension)
            .map_err(|failure| failure.with_path(&self.path))
    }

    /// Copies the cached vectors of another collection made with the same model: of the one that a
    /// rebuild replaces, or of another checkout of the same repository. Returns their number.
    pub fn adopt_embeddings(&mut self, other: &Path) -> Result<usize, StoreError> {
        let reader = Reader::open(other)?;
        let snapshot = reader.snapshot()?;
        if !self.settings()?.has_model_of(snapshot.settings()) {
            return Ok(0);
        }
        self.run(|transaction| copy_embeddings(snapshot.connection(), transaction))
    }

    /// Like [`Writer::embeddings`], from another collection.
    pub fn embeddings_of(
        &self,
        other: &Path,
        keys: &[EmbeddingKey],
    ) -> Result<Vec<Option<Vector>>, StoreError> {
        let reader = Reader::open(other)?;
        let snapshot = reader.snapshot()?;
        if !self.settings()?.has_model_of(snapshot.settings()) {
            return Ok(vec![None; keys.len()]);
        }
        snapshot.run(|connection| load_embeddings(connection, keys, self.dimension))
    }

    /// Copies everything of another collection with the same settings, such as another checkout of
    /// the same repository. Only into an empty collection. The copy is one generation, even if the
    /// other is written or replaced meanwhile.
    pub fn copy_from(&mut self, other: &Path) -> Result<(), StoreError> {
        let failed = |source| StoreError::sql(&self.path, source);
        let reader = Reader::open(other)?;
        let snapshot = reader.snapshot()?;
        if self.settings()? != *snapshot.settings() || !self.is_new()? {
            let what = format!("{} was made otherwise", other.display());
            return Err(StoreError::InvalidArgument { what });
        }
        let file_uuid = schema::read_file_uuid(&self.connection).map_err(failed)?;
        let copied = Backup::new(snapshot.connection(), &mut self.connection)
            .and_then(|backup| backup.run_to_completion(4096, Duration::ZERO, None));
        copied.map_err(failed)?;
        let rename = "UPDATE settings SET value = ? WHERE key = 'file_uuid'";
        self.connection.execute(rename, [file_uuid]).map_err(failed)?;
        // The copied metadata describes the other root, and is not valid here before this one is
        // read.
        self.connection.execute("DELETE FROM metadata", []).map_err(failed)?;
        Ok(())
    }

    fn settings(&self) -> Result<IndexSettings, StoreError> {
        let settings = schema::read_settings(&self.connection);
        settings.map_err(|source| StoreError::sql(&self.path, source))
    }

    /// Removes cached vectors that no chunk uses, the oldest first. Keeps as many unused as used
    /// ones: they may come back with a branch or an undone change.
    pub fn trim_embeddings(&mut self) -> Result<usize, StoreError> {
        self.run(|transaction| Ok(transaction.execute(TRIM, [])?))
    }

    /// Ends the writer. A rebuilt collection replaces the old one; readers switch to it with their
    /// next request.
    pub fn publish(self) -> Result<(), StoreError> {
        let Writer { path, replaces, connection, _lock: lock, .. } = self;
        if replaces.is_none() {
            truncate_log(&connection);
        }
        // Closing the only connection writes the log into the file and removes it.
        connection.close().map_err(|(_, source)| StoreError::sql(&path, source))?;
        let Some(target) = replaces else {
            return Ok(());
        };
        let synced = File::open(&path).and_then(|file| file.sync_all());
        synced.map_err(|error| StoreError::io(&path, error))?;
        remove_log(&target)?;
        fs::rename(&path, &target).map_err(|error| StoreError::io(&target, error))?;
        corruption_marker::remove_marker(&target);
        drop(lock);
        Ok(())
    }

    /// Runs `change` in one transaction, which is rolled back if it fails.
    pub(super) fn run<T>(
        &mut self,
        change: impl FnOnce(&Transaction) -> StoreResult<T>,
    ) -> Result<T, StoreError> {
        let outcome = (|| {
            let behavior = TransactionBehavior::Immediate;
            let transaction = self.connection.transaction_with_behavior(behavior)?;
            let value = change(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })();
        outcome.map_err(|failure: StatementError| failure.with_path(&self.path))
    }
}

/// Removes what a killed rebuild left, and returns the path for a new draft.
fn discard_draft(path: &Path) -> Result<PathBuf, StoreError> {
    let draft = with_suffix(path, ".draft");
    for suffix in ["", "-wal", "-shm", "-journal"] {
        discard(&with_suffix(&draft, suffix))?;
    }
    Ok(draft)
}

/// Moves the log into the file, if no reader is using it. Otherwise idle readers keep the log alive
/// when the writer closes, and the next process to open the file would read all of it.
fn truncate_log(connection: &Connection) {
    let emptied = connection.busy_timeout(Duration::ZERO).and_then(|()| {
        let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
        connection.query_row(checkpoint, [], |row| row.get::<_, i64>(0))
    });
    if !matches!(emptied, Ok(0)) {
        tracing::debug!("the log stays for the next writer: {emptied:?}");
    }
}

/// Keeps at least 1000 unused vectors.
const TRIM: &str = "
DELETE FROM embeddings WHERE key IN (
    SELECT key FROM embeddings
    WHERE key NOT IN (SELECT embedding_key FROM chunks WHERE embedding_key IS NOT NULL)
    ORDER BY generation DESC, key
    LIMIT -1 OFFSET 1000 + (SELECT count(DISTINCT embedding_key) FROM chunks)
)";

/// Reads cached vectors. Skips those of another dimension.
pub(super) fn load_embeddings(
    connection: &Connection,
    keys: &[EmbeddingKey],
    dimension: usize,
) -> StoreResult<Vec<Option<Vector>>> {
    let mut select =
        connection.prepare_cached("SELECT scale, vector FROM embeddings WHERE key = ?")?;
    let mut vectors = Vec::with_capacity(keys.len());
    for key in keys {
        let found = select
            .query_row([key], |row| {
                let bytes: Vec<u8> = row.get(1)?;
                let values = bytes.into_iter().map(|byte| byte as i8).collect();
                Ok(Vector { scale: row.get(0)?, values })
            })
            .optional()?;
        vectors.push(found.filter(|vector| vector.values.len() == dimension));
    }
    Ok(vectors)
}

/// Copies all cached vectors that `to` does not have.
fn copy_embeddings(from: &Connection, to: &Connection) -> StoreResult<usize> {
    let generation = Counters::load(to)?.generation as i64;
    let mut select = from.prepare("SELECT key, scale, vector FROM embeddings")?;
    let mut insert = to.prepare_cached("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?, ?)")?;
    let mut rows = select.query([])?;
    let mut adopted = 0;
    while let Some(row) = rows.next()? {
        let (key, scale, vector) = (row.get_ref(0)?, row.get_ref(1)?, row.get_ref(2)?);
        let owned = |value| rusqlite::types::Value::try_from(value).map_err(|_| Malformed);
        adopted +=
            insert.execute(params![owned(key)?, generation, owned(scale)?, owned(vector)?])?;
    }
    Ok(adopted)
}

/// Moves the log of the old file into it and removes the log. It must not be taken for the log of
/// the file that gets the name next.
fn remove_log(path: &Path) -> Result<(), StoreError> {
    if path.exists() {
        let failed = |source| StoreError::sql(path, source);
        // A file that cannot be opened has no log worth keeping.
        if let Ok(connection) = page_checksums::open(path, OpenFlags::default()) {
            connection.busy_timeout(Duration::from_secs(10)).map_err(failed)?;
            let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
            let busy: rusqlite::Result<i64> =
                connection.query_row(checkpoint, [], |row| row.get(0));
            if busy.is_ok_and(|busy| busy != 0) {
                let holder = "readers that do not end".to_string();
                return Err(StoreError::Busy { path: path.to_path_buf(), holder });
            }
        }
    }
    discard(&with_suffix(path, "-wal"))?;
    discard(&with_suffix(path, "-shm"))
}

/// Returns the path of the lock, and creates its directory.
fn lock_path(path: &Path) -> Result<PathBuf, StoreError> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(|error| StoreError::io(directory, error))?;
    }
    Ok(with_suffix(path, ".lock"))
}
