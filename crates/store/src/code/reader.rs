//! Reading: a request takes a snapshot, and everything that it asks of the snapshot belongs to one
//! generation, whatever is written meanwhile. Never writes.
//!
//! A rebuild renames a new file over the old one. The reader detects that by device and inode, and
//! then drops its connections and caches.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use super::collection_counters::Counters;
use super::corruption_marker;
use super::generation::Generation;
use super::schema::{self, ReadConnection};
use super::snapshot::Snapshot;
use crate::StoreError;

/// A collection to read, from any number of threads.
pub struct Reader {
    path: PathBuf,
    shared: Mutex<ReaderState>,
}

/// The state that threads share. The lock is held only for moments, never during a query.
#[derive(Default)]
struct ReaderState {
    /// The identity of the file that the rest belongs to. A rebuild puts another file under the
    /// same name.
    identity: Option<FileIdentity>,
    /// Open connections without a transaction, with their prepared statements.
    idle: Vec<Connection>,
    /// The newest generation that was loaded.
    newest: Option<Arc<Generation>>,
}

/// The metadata key of the indexed root.
pub const ROOT: &str = "root";

/// More connections than this are closed after use.
const MAX_IDLE: usize = 8;

impl Reader {
    /// Opens a collection. Fails if it does not exist or has another format.
    pub fn open(path: &Path) -> Result<Reader, StoreError> {
        let reader = Reader { path: path.to_path_buf(), shared: Mutex::default() };
        reader.snapshot()?;
        Ok(reader)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a snapshot of the newest committed generation, for one request. If the file is
    /// damaged, leaves the corruption marker.
    pub fn snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        self.take_snapshot().inspect_err(|error| {
            if error.is_damage() {
                corruption_marker::write_marker(&self.path);
            }
        })
    }

    fn take_snapshot(&self) -> Result<Snapshot<'_>, StoreError> {
        loop {
            let identity = self.read_identity()?;
            let (connection, is_immutable) = match self.take_idle_connection(&identity) {
                Some(connection) => (connection, false),
                None => {
                    let ReadConnection { connection, is_immutable } =
                        schema::open_to_read(&self.path)?;
                    (connection, is_immutable)
                }
            };
            let failed = |source| StoreError::sql(&self.path, source);
            connection.set_prepared_statement_cache_capacity(64);
            connection.execute_batch("BEGIN").map_err(failed)?;
            let state = Counters::load(&connection).map_err(failed)?;
            // Looked at after the snapshot was taken: if the name still means the file that we
            // opened, the log that the snapshot saw was that file's too.
            if self.read_identity()? != identity {
                continue;
            }
            let generation = self.load_generation(&identity, &connection, state)?;
            return Ok(Snapshot::new(self, connection, generation, is_immutable));
        }
    }

    /// Fails if the index was built for another root, because its files were swapped. It then
    /// leaves the corruption marker. An index whose first build did not finish has no root.
    pub fn check_root(&self, root: &Path) -> Result<(), StoreError> {
        let metadata = self.snapshot()?.metadata()?;
        let Some(found) = metadata.get(ROOT).filter(|found| **found != root.to_string_lossy())
        else {
            return Ok(());
        };
        corruption_marker::write_marker(&self.path);
        let what = format!("it is the index of {found}");
        Err(StoreError::Damaged { path: self.path.clone(), what })
    }

    /// Takes back the connection of a snapshot that ended.
    pub(super) fn return_connection(&self, connection: Connection, file_uuid: &str) {
        if connection.execute_batch("ROLLBACK").is_err() {
            return;
        }
        let mut shared = self.lock_shared();
        let is_current = shared.newest.as_ref().is_some_and(|newest| newest.file_uuid == file_uuid);
        if is_current && shared.idle.len() < MAX_IDLE {
            shared.idle.push(connection);
        }
    }

    /// Returns an idle connection to the file of this identity. If the file was replaced, drops
    /// everything that belongs to the old one.
    fn take_idle_connection(&self, identity: &FileIdentity) -> Option<Connection> {
        let mut shared = self.lock_shared();
        if shared.identity.as_ref() != Some(identity) {
            *shared = ReaderState { identity: Some(identity.clone()), ..ReaderState::default() };
        }
        shared.idle.pop()
    }

    /// Returns the in-memory state of a generation; loads it if it is new.
    fn load_generation(
        &self,
        identity: &FileIdentity,
        connection: &Connection,
        state: Counters,
    ) -> Result<Arc<Generation>, StoreError> {
        let cached = {
            let shared = self.lock_shared();
            let is_same_file = shared.identity.as_ref() == Some(identity);
            shared.newest.clone().filter(|_| is_same_file)
        };
        // Where no connection holds the old file open, its successor may get its very identity.
        let file_uuid = schema::read_file_uuid(connection)
            .map_err(|source| StoreError::sql(&self.path, source))?;
        let newest = cached.filter(|known| known.file_uuid == file_uuid);
        if let Some(newest) = &newest
            && newest.number == state.generation
        {
            return Ok(newest.clone());
        }
        let loaded = Generation::load(connection, state, file_uuid, newest.as_deref());
        let made = Arc::new(loaded.map_err(|failure| failure.with_path(&self.path))?);
        let mut shared = self.lock_shared();
        let is_newer = shared
            .newest
            .as_ref()
            .is_none_or(|known| known.file_uuid != made.file_uuid || known.number < made.number);
        if is_newer && shared.identity.as_ref() == Some(identity) {
            shared.newest = Some(made.clone());
        }
        Ok(made)
    }

    fn read_identity(&self) -> Result<FileIdentity, StoreError> {
        FileIdentity::from_path(&self.path)
            .ok_or_else(|| StoreError::Missing { path: self.path.clone() })
    }

    fn lock_shared(&self) -> MutexGuard<'_, ReaderState> {
        // A thread that panicked here left a list of connections and an `Arc`, both whole.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Device and inode on Unix, the creation time elsewhere. Distinguishes a file from its successor
/// of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
struct FileIdentity(u64, u64);

impl FileIdentity {
    #[cfg(unix)]
    fn from_path(path: &Path) -> Option<FileIdentity> {
        use std::os::unix::fs::MetadataExt;
        let metadata = std::fs::metadata(path).ok()?;
        Some(FileIdentity(metadata.dev(), metadata.ino()))
    }

    #[cfg(not(unix))]
    fn from_path(path: &Path) -> Option<FileIdentity> {
        let created = std::fs::metadata(path).ok()?.created().ok()?;
        let since = created.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(FileIdentity(since.as_secs(), since.subsec_nanos().into()))
    }
}
