//! A snapshot: the queries that one request may run on one generation.
//!
//! It holds a read transaction, so SQLite returns rows of exactly this generation. Reading damaged
//! data leaves a marker, by which the next writer rebuilds.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use super::enum_codes::{folded_hash, name_hash, path_hash};
use super::error::StoreResult;
use super::file_filter::Filter;
use super::generation::Generation;
use super::reader::Reader;
use super::records::{
    ChunkRecord, Definition, EmbeddingKey, FileRecord, HeritageRecord, IndexSettings, Located,
    ReferenceRecord, Skip, Stats, SymbolRecord,
};
use super::retrievers::TermPostings;
use super::row_mapping::{
    self, SELECT_CHUNK, SELECT_FILES, SELECT_HERITAGE, chunk_from_row, file_from_row,
    heritage_from_row, path_from_row,
};
use super::varint::Malformed;
use super::vector_page_format::Vector;
use super::{corruption_marker, file_blob, writer};
use crate::StoreError;
use kenning_model::{Problem, RepoPath, time_limit};

/// One generation of a collection, for one request and one thread.
pub struct Snapshot<'r> {
    reader: &'r Reader,
    /// `Some` until dropped.
    connection: Option<Connection>,
    pub(super) generation: Arc<Generation>,
    /// The posting lists of the terms that were requested last. A request asks for those of its
    /// query several times.
    pub(super) last_lists: RefCell<Option<(Vec<u32>, Rc<TermPostings>)>>,
    /// Opened as a file that never changes, so it must not be used again when it may have.
    is_immutable: bool,
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && !self.is_immutable
        {
            self.reader.return_connection(connection, &self.generation.file_uuid);
        }
    }
}

impl<'r> Snapshot<'r> {
    /// Takes over a connection on which a read transaction has begun.
    pub(super) fn new(
        reader: &'r Reader,
        connection: Connection,
        generation: Arc<Generation>,
        is_immutable: bool,
    ) -> Snapshot<'r> {
        Snapshot {
            reader,
            connection: Some(connection),
            generation,
            last_lists: RefCell::default(),
            is_immutable,
        }
    }

    /// Returns the number of the generation.
    pub fn generation(&self) -> u64 {
        self.generation.number
    }

    /// Returns the id of the file and the generation. No other state has both, not even one of a
    /// file that replaces this one.
    pub fn identity(&self) -> (String, u64) {
        (self.generation.file_uuid.clone(), self.generation.number)
    }

    /// Returns the settings that the index was made with.
    pub fn settings(&self) -> &IndexSettings {
        &self.generation.settings
    }

    /// Every file, by path.
    pub fn files(&self) -> Result<Vec<FileRecord>, StoreError> {
        self.run(|connection| {
            let mut statement =
                connection.prepare_cached(&format!("{SELECT_FILES} ORDER BY path"))?;
            let rows = statement.query_map([], file_from_row)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Returns the path of every file, in order. Answered from memory once the file table is
    /// loaded.
    pub fn paths(&self) -> Result<Vec<RepoPath>, StoreError> {
        self.run(|connection| {
            let file_table = self.generation.file_table(connection)?;
            let files = file_table.files_by_path();
            Ok(files.map(|(_, file)| file.path.clone()).collect())
        })
    }

    /// Returns one file; `None` if it is not indexed.
    pub fn file(&self, path: &RepoPath) -> Result<Option<FileRecord>, StoreError> {
        self.run(|connection| {
            let sql = format!("{SELECT_FILES} WHERE path_hash = ? AND path = ?");
            let mut statement = connection.prepare_cached(&sql)?;
            let found = statement.query_row(params![path_hash(path), path.as_str()], file_from_row);
            Ok(found.optional()?)
        })
    }

    /// Returns the chunks with these ids, in this order. Skips ids that are not alive.
    pub fn chunks(&self, ids: &[u32]) -> Result<Vec<ChunkRecord>, StoreError> {
        self.run(|connection| {
            let file_table = self.generation.file_table(connection)?;
            let mut statement = connection.prepare_cached(SELECT_CHUNK)?;
            let mut chunks = Vec::with_capacity(ids.len());
            for id in ids {
                let mut rows = statement.query([id])?;
                if let (Some(row), Some(file)) = (rows.next()?, file_table.find_file(*id)) {
                    chunks.push(chunk_from_row(row, file)?);
                }
            }
            Ok(chunks)
        })
    }

    /// Returns the first `limit` chunks that the filter accepts, by path and position.
    pub fn list(&self, filter: &Filter, limit: usize) -> Result<Vec<u32>, StoreError> {
        self.run(|connection| {
            let allowed = self.generation.allowed_chunks(connection, filter)?;
            let file_table = self.generation.file_table(connection)?;
            let files = file_table.files_by_path().map(|(_, file)| file.chunks());
            let chunks = files.flat_map(|chunks| allowed.iter_in(chunks));
            Ok(chunks.take(limit).collect())
        })
    }

    /// Returns the definitions of a name, whose case does not count, that pass the filter. If more
    /// than `limit` files define it, only the best ranked definitions are considered.
    pub fn definitions(
        &self,
        name: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Definition>, StoreError> {
        let symbols = if self.count_defining_files(name, limit + 1)? > limit {
            self.best_definitions(name, filter, limit)?
        } else {
            self.symbols_folded(name)?
        };
        self.run(|connection| {
            let allowed = self.generation.allowed_chunks(connection, filter)?;
            let mut statement = connection.prepare_cached(
                "SELECT chunks.id, symbol IS ? FROM files JOIN chunks ON chunks.id >= first_chunk
                    AND chunks.id < first_chunk + length(chunk_kinds)
                 WHERE path_hash = ? AND path = ? AND start_line <= ? AND end_line >= ?",
            )?;
            let mut found = Vec::new();
            for symbol in symbols {
                let (path, fact) = (&symbol.path, &symbol.fact);
                let file = (path_hash(path), path.as_str());
                let place = params![fact.name, file.0, file.1, fact.line, fact.line];
                let rows = statement.query_map(place, |row| Ok((row.get(0)?, row.get(1)?)))?;
                let mut chunks = rows.collect::<rusqlite::Result<Vec<(u32, bool)>>>()?;
                chunks.retain(|(id, _)| allowed.contains(*id));
                let some_are_called_so = chunks.iter().any(|(_, is_called_so)| *is_called_so);
                // A method lies in its own chunk and in that of its class. The one that is named
                // after it shows more of it.
                chunks.retain(|(_, is_called_so)| *is_called_so || !some_are_called_so);
                let ids = chunks.into_iter().map(|(id, _)| id);
                found.push(Definition { chunks: ids.collect(), symbol });
            }
            Ok(found)
        })
    }

    /// Returns true for each chunk that is the header of a type: the lines before its members.
    pub fn are_headers(&self, chunks: &[ChunkRecord]) -> Result<Vec<bool>, StoreError> {
        self.run(|connection| {
            let file_table = self.generation.file_table(connection)?;
            let file = |chunk: &ChunkRecord| file_table.find_file(chunk.id);
            let headers =
                chunks.iter().map(|one| file(one).is_some_and(|file| file.has_header(one.id)));
            Ok(headers.collect())
        })
    }

    /// Returns the definitions of exactly this name, by path.
    pub fn symbols_named(&self, name: &str) -> Result<Vec<SymbolRecord>, StoreError> {
        let mut found = self.symbols_folded(name)?;
        found.retain(|record| record.fact.name == name);
        Ok(found)
    }

    /// Returns the definitions of a file, in its order.
    pub fn symbols_in(&self, path: &RepoPath) -> Result<Vec<SymbolRecord>, StoreError> {
        let Some(file) = self.number_of(path)? else {
            return Ok(Vec::new());
        };
        self.run(|connection| load_symbols(connection, "WHERE files.id = ?", &file, |_| true))
    }

    /// Counts the files that may define this name, ignoring case, up to `most`.
    fn count_defining_files(&self, name: &str, most: usize) -> Result<usize, StoreError> {
        self.run(|connection| {
            let sql = "SELECT count(*) FROM (SELECT 1 FROM symbol_keys WHERE key_hash = ? LIMIT ?)";
            let mut statement = connection.prepare_cached(sql)?;
            let asked = params![folded_hash(name), most as i64];
            let count: i64 = statement.query_row(asked, |row| row.get(0))?;
            Ok(count as usize)
        })
    }

    /// Returns the definitions of this name, ignoring case, by path.
    fn symbols_folded(&self, name: &str) -> Result<Vec<SymbolRecord>, StoreError> {
        let of_name = "JOIN symbol_keys USING (file) WHERE key_hash = ? ORDER BY path";
        let folded = name.to_lowercase();
        let is_meant = |own: &str| {
            if own.is_ascii() {
                own.eq_ignore_ascii_case(&folded)
            } else {
                own.to_lowercase() == folded
            }
        };
        self.run(|connection| load_symbols(connection, of_name, &folded_hash(name), is_meant))
    }

    /// Returns the heritage clauses that name `base`, by path and place.
    pub fn heritage_of(&self, base: &str) -> Result<Vec<HeritageRecord>, StoreError> {
        self.query_located(
            &format!("{SELECT_HERITAGE} WHERE base = ? ORDER BY path, ordinal"),
            base,
            heritage_from_row,
        )
    }

    /// Returns the references of exactly this name, by path and position.
    pub fn references_to(&self, name: &str) -> Result<Vec<ReferenceRecord>, StoreError> {
        let of_name = "JOIN reference_names USING (file) WHERE name_hash = ? ORDER BY path";
        let mut found = self.load_references(of_name, &name_hash(name))?;
        found.retain(|record| record.fact.name == name);
        Ok(found)
    }

    /// Returns the references of a file, in its order.
    pub fn references_in(&self, path: &RepoPath) -> Result<Vec<ReferenceRecord>, StoreError> {
        match self.number_of(path)? {
            Some(file) => self.load_references("WHERE files.id = ?", &file),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the problems of files, and the read errors.
    pub fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        self.run(|connection| {
            let mut problems =
                row_mapping::load_problems(connection, row_mapping::SELECT_PROBLEMS)?;
            problems
                .extend(row_mapping::load_problems(connection, row_mapping::SELECT_READ_ERRORS)?);
            problems.sort();
            Ok(problems)
        })
    }

    /// Returns the skipped files, by path.
    pub fn skips(&self) -> Result<Vec<Skip>, StoreError> {
        self.run(row_mapping::load_skips)
    }

    /// Returns the metadata that the indexer stored for the whole collection.
    pub fn metadata(&self) -> Result<BTreeMap<String, String>, StoreError> {
        self.run(row_mapping::load_metadata)
    }

    /// Returns the cached vectors of texts that were embedded before, in the order of `keys`.
    pub fn embeddings(&self, keys: &[EmbeddingKey]) -> Result<Vec<Option<Vector>>, StoreError> {
        let dimension = self.generation.settings.dimension as usize;
        self.run(|connection| writer::load_embeddings(connection, keys, dimension))
    }

    /// Returns the sizes of the collection.
    pub fn stats(&self) -> Result<Stats, StoreError> {
        self.run(|connection| {
            let count = |sql: &str| -> rusqlite::Result<u64> {
                let count: i64 = connection.query_row(sql, [], |row| row.get(0))?;
                Ok(count as u64)
            };
            Ok(Stats {
                generation: self.generation.number,
                files: count("SELECT count(*) FROM files")?,
                chunks: self.generation.chunks.into(),
                symbols: count("SELECT coalesce(sum(symbol_count), 0) FROM files")?,
                vectors: count("SELECT coalesce(sum(vector_count), 0) FROM vector_pages")?,
                segments: self.generation.segments.len() as u64,
                bytes: count("PRAGMA page_count")? * count("PRAGMA page_size")?,
            })
        })
    }

    /// Returns the references of the selected files. `which` is the end of an SQL statement over
    /// `ref_blobs` and `files`.
    fn load_references(
        &self,
        which: &str,
        value: &dyn ToSql,
    ) -> Result<Vec<ReferenceRecord>, StoreError> {
        let sql = format!("SELECT path, blob FROM ref_blobs JOIN files ON files.id = file {which}");
        self.run(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([value])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let path = path_from_row(row, 0)?;
                let packed = row.get_ref(1)?.as_blob().map_err(|_| Malformed)?;
                let facts = file_blob::read_references(packed)?.into_iter();
                found.extend(facts.map(|fact| Located { path: path.clone(), fact }));
            }
            Ok(found)
        })
    }

    /// Runs a query whose first column is a path, and maps the rest of each row.
    fn query_located<T>(
        &self,
        sql: &str,
        value: &str,
        read: impl Fn(&Row) -> StoreResult<T>,
    ) -> Result<Vec<Located<T>>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([value])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let (path, fact) = (path_from_row(row, 0)?, read(row)?);
                found.push(Located { path, fact });
            }
            Ok(found)
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.reader.path()
    }

    /// Returns the connection, which is open until the snapshot is dropped.
    pub(super) fn connection(&self) -> &Connection {
        self.connection.as_ref().expect("open until dropped")
    }

    /// Runs a query, unless the question that this thread answers has taken its time. If it fails
    /// because the data is damaged, leaves the marker.
    pub(super) fn run<T>(
        &self,
        question: impl FnOnce(&Connection) -> StoreResult<T>,
    ) -> Result<T, StoreError> {
        if time_limit::is_over() {
            return Err(StoreError::Cancelled);
        }
        question(self.connection()).map_err(|failure| {
            let error = failure.with_path(self.reader.path());
            if error.is_damage() {
                corruption_marker::write_marker(self.reader.path());
            }
            error
        })
    }
}

/// Returns the symbols of the selected files whose names `is_meant` accepts. `which` is the end of
/// an SQL statement over `symbol_blobs` and `files`.
fn load_symbols(
    connection: &Connection,
    which: &str,
    value: &dyn ToSql,
    is_meant: impl Fn(&str) -> bool,
) -> StoreResult<Vec<SymbolRecord>> {
    let sql = format!("SELECT path, blob FROM symbol_blobs JOIN files ON files.id = file {which}");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([value])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let path = path_from_row(row, 0)?;
        let packed = row.get_ref(1)?.as_blob().map_err(|_| Malformed)?;
        let facts = file_blob::read_symbols_named(packed, &is_meant)?.into_iter();
        found.extend(facts.map(|fact| Located { path: path.clone(), fact }));
    }
    Ok(found)
}
