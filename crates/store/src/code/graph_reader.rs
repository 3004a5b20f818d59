//! Reads the edges of files, and the facts that they refer to by index.
//!
//! The hash-keyed tables return files that *may* match, because 23-bit hashes collide. Callers
//! compare the names in the facts themselves.

use rusqlite::{OptionalExtension, Params, params};

use super::edge_writer::unpack_edges;
use super::enum_codes::{name_hash, path_hash};
use super::error::StoreResult;
use super::file_blob;
use super::reference_columns::{self, Mentions};
use super::resolver_input::heritage_of;
use super::row_mapping::path_from_row;
use super::snapshot::Snapshot;
use super::varint::Malformed;
use crate::StoreError;
use kenning_model::{FileEdges, Heritage, LookupKey, RepoPath, Symbol};

/// A file with its edges.
pub struct LinkedFile {
    pub file: i64,
    pub path: RepoPath,
    pub is_test: bool,
    pub package: Option<String>,
    pub language: String,
    pub edges: FileEdges,
}

impl Snapshot<'_> {
    /// Returns the first `limit` files after `path`, in path order, that have edges. A caller pages
    /// through all files with it without holding all edges in memory.
    pub fn linked_files_after(
        &self,
        path: &str,
        limit: usize,
    ) -> Result<Vec<LinkedFile>, StoreError> {
        let file_table = self.run(|connection| self.generation.file_table(connection))?;
        let mut after =
            file_table.files_by_path().skip_while(|(_, file)| file.path.as_str() <= path);
        let mut found = Vec::new();
        while found.len() < limit
            && let Some((file, _)) = after.next()
        {
            found.extend(self.linked_file(file)?);
        }
        Ok(found)
    }

    /// The files that may have an edge to a definition of this name in the file `target`, by path.
    pub fn files_linked_to(&self, target: i64, name: &str) -> Result<Vec<i64>, StoreError> {
        let sql =
            "SELECT incoming.file FROM incoming_files AS incoming JOIN files ON id = incoming.file
             WHERE target = ?1 AND (
                 EXISTS (SELECT 1 FROM reference_names AS direct
                         WHERE direct.name_hash = ?2 AND direct.file = incoming.file)
                 OR EXISTS (SELECT 1 FROM aliases
                         WHERE aliases.name_hash = ?2 AND aliases.file = incoming.file))
             ORDER BY path";
        self.query_file_ids(sql, params![target, name_hash(name)])
    }

    /// The first files that may mention this name.
    pub fn files_mentioning(&self, name: &str, limit: usize) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT file FROM reference_names WHERE name_hash = ? LIMIT ?";
        self.query_file_ids(sql, params![name_hash(name), limit as i64])
    }

    /// The files that may define members of a type of this name.
    pub fn files_with_members(&self, owner: &str) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT DISTINCT file FROM symbol_keys WHERE key_hash IN (?, ?) ORDER BY file";
        self.query_file_ids(
            sql,
            [LookupKey::Name(owner), LookupKey::OutOfLineMembers(owner)].map(LookupKey::hash),
        )
    }

    /// The files that may define a member of this name for a type of the name `owner`.
    pub fn files_with_member(&self, owner: &str, name: &str) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT file FROM symbol_keys WHERE key_hash IN (?1, ?2) AND EXISTS (
                 SELECT 1 FROM symbol_keys AS member
                 WHERE member.key_hash = ?3 AND member.file = symbol_keys.file)
             GROUP BY file";
        // Members inside the braces of a type share a file with its name; members outside of them
        // have a key of their own.
        let [inside, apart] =
            [LookupKey::Name(owner), LookupKey::OutOfLineMembers(owner)].map(LookupKey::hash);
        self.query_file_ids(sql, params![inside, apart, LookupKey::Name(name).hash()])
    }

    /// One file with its edges; `None` if it is not known or not resolved.
    pub fn linked_file(&self, file: i64) -> Result<Option<LinkedFile>, StoreError> {
        self.run(|connection| {
            let sql = format!("{SELECT_LINKED} WHERE id = ?");
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([file])?;
            rows.next()?.map(linked_file_from_row).transpose()
        })
    }

    /// Returns the path of a file by its id; `None` if there is no such file.
    pub fn path_of(&self, file: i64) -> Result<Option<RepoPath>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT path FROM files WHERE id = ?")?;
            Ok(statement.query_row([file], |row| path_from_row(row, 0)).optional()?)
        })
    }

    /// Returns the id of a file by its path; `None` if it is not indexed.
    pub fn number_of(&self, path: &RepoPath) -> Result<Option<i64>, StoreError> {
        self.run(|connection| {
            let sql = "SELECT id FROM files WHERE path_hash = ? AND path = ?";
            let mut statement = connection.prepare_cached(sql)?;
            let found =
                statement.query_row(params![path_hash(path), path.as_str()], |row| row.get(0));
            Ok(found.optional()?)
        })
    }

    /// The files that define something of this name, whatever its capitals.
    pub fn files_defining(&self, name: &str) -> Result<Vec<i64>, StoreError> {
        let sql = "SELECT file FROM symbol_keys WHERE key_hash = ? ORDER BY file";
        self.query_file_ids(sql, [LookupKey::Name(name).hash()])
    }

    /// Runs a query whose first column is a file id.
    fn query_file_ids(&self, sql: &str, about: impl Params) -> Result<Vec<i64>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(about, |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The definitions of a file, by its number.
    pub fn symbols_of(&self, file: i64) -> Result<Vec<Symbol>, StoreError> {
        let symbols = self.read_blob(SELECT_SYMBOLS, file, file_blob::read_symbols)?;
        Ok(symbols.unwrap_or_default())
    }

    /// Returns the definitions at these indexes of a file's list. The indexes ascend; one beyond
    /// the end is skipped.
    pub fn symbols_at(&self, file: i64, places: &[u32]) -> Result<Vec<Symbol>, StoreError> {
        let at = |packed: &[u8]| file_blob::read_symbols_at(packed, places);
        let symbols = self.read_blob(SELECT_SYMBOLS, file, at)?;
        Ok(symbols.unwrap_or_default())
    }

    /// The references of a file, by its number.
    pub fn mentions_of(&self, file: i64) -> Result<Mentions, StoreError> {
        let sql = "SELECT blob FROM ref_blobs WHERE file = ?";
        Ok(self.read_blob(sql, file, reference_columns::read_mentions)?.unwrap_or_default())
    }

    /// Decodes the blob that a query returns for a file, in place, without copying it out of
    /// SQLite's page cache first.
    fn read_blob<T>(
        &self,
        sql: &str,
        file: i64,
        unpack: impl FnOnce(&[u8]) -> Result<T, Malformed>,
    ) -> Result<Option<T>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([file])?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            let packed = row.get_ref(0)?.as_blob().map_err(|_| Malformed)?;
            Ok(Some(unpack(packed)?))
        })
    }

    /// Returns the heritage clauses of a file, in its order.
    pub fn heritage_in(&self, file: i64) -> Result<Vec<Heritage>, StoreError> {
        self.run(|connection| heritage_of(connection, file))
    }
}

const SELECT_SYMBOLS: &str = "SELECT blob FROM symbol_blobs WHERE file = ?";

const SELECT_LINKED: &str = "SELECT path, id, is_test, package, edges_blob, language FROM files
    JOIN edges ON edges.file = id";

fn linked_file_from_row(row: &rusqlite::Row) -> StoreResult<LinkedFile> {
    let packed = row.get_ref(4)?.as_blob().map_err(|_| Malformed)?;
    Ok(LinkedFile {
        path: path_from_row(row, 0)?,
        file: row.get(1)?,
        is_test: row.get(2)?,
        package: row.get(3)?,
        edges: unpack_edges(packed)?,
        language: row.get(5)?,
    })
}
