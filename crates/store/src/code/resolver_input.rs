//! The input of resolution: the list of files, and the facts of all files or of single ones.
//! Resolves nothing itself.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};

use super::error::{StatementError, StoreResult};
use super::file_blob;
use super::row_mapping::{SELECT_HERITAGE_BY_FILE, heritage_from_row, path_from_row};
use super::schema;
use super::varint::Malformed;
use super::writer::Writer;
use crate::StoreError;
use kenning_model::{Binding, GraphFile, Heritage, LookupKey, Reference, Symbol};

/// The facts of one file, still packed.
pub struct GraphFacts {
    /// Where they are kept.
    store: Arc<Path>,
    heritage: Vec<Heritage>,
    symbols: Option<Vec<u8>>,
    references: Option<Vec<u8>>,
}

impl GraphFacts {
    pub fn heritage(&self) -> &[Heritage] {
        &self.heritage
    }

    pub fn symbols(&self) -> Result<Vec<Symbol>, StoreError> {
        let found = self
            .symbols
            .as_deref()
            .map(file_blob::read_symbols)
            .transpose()
            .map_err(|error| self.damaged_error(error));
        found.map(Option::unwrap_or_default)
    }

    /// Imports and exports, and bindings.
    pub fn uses(&self) -> Result<(Vec<Reference>, Vec<Binding>), StoreError> {
        self.unpack_column(file_blob::read_imports_and_bindings)
    }

    /// All references.
    pub fn references(&self) -> Result<Vec<Reference>, StoreError> {
        self.unpack_column(file_blob::read_references)
    }

    fn unpack_column<T: Default>(
        &self,
        unpack: impl FnOnce(&[u8]) -> Result<T, Malformed>,
    ) -> Result<T, StoreError> {
        let found = self
            .references
            .as_deref()
            .map(unpack)
            .transpose()
            .map_err(|error| self.damaged_error(error));
        found.map(Option::unwrap_or_default)
    }

    fn damaged_error(&self, malformed: Malformed) -> StoreError {
        StatementError::from(malformed).with_path(&self.store)
    }
}

impl Writer {
    /// All files, by path.
    pub fn graph_files(&mut self) -> Result<Vec<GraphFile>, StoreError> {
        files(&self.connection).map_err(|failure| failure.with_path(&self.path))
    }

    /// The facts of all files, by id.
    pub fn graph_facts(&mut self) -> Result<HashMap<i64, GraphFacts>, StoreError> {
        facts(&self.connection, &self.path).map_err(|failure| failure.with_path(&self.path))
    }

    /// The facts of single files as they are now, whatever is written meanwhile.
    pub fn facts_reader(&self) -> Result<FactsReader, StoreError> {
        let connection = schema::open_to_read(&self.path)?.connection;
        let begun = connection.execute_batch("BEGIN; SELECT generation FROM counters;");
        begun.map_err(|source| StoreError::sql(&self.path, source))?;
        Ok(FactsReader { connection, path: self.path.clone() })
    }
}

/// Reads the facts of one file after the other.
pub struct FactsReader {
    connection: Connection,
    path: PathBuf,
}

impl FactsReader {
    pub fn symbols(&self, file: i64) -> Result<Vec<Symbol>, StoreError> {
        let sql = "SELECT blob FROM symbol_blobs WHERE file = ?";
        let packed = self.read_blob(sql, file)?;
        let found = packed.as_deref().map(file_blob::read_symbols).transpose();
        self.read(|| Ok(found?.unwrap_or_default()))
    }

    /// Imports and exports, and bindings.
    pub fn uses(&self, file: i64) -> Result<(Vec<Reference>, Vec<Binding>), StoreError> {
        self.unpack_column(file, file_blob::read_imports_and_bindings)
    }

    /// All references.
    pub fn references(&self, file: i64) -> Result<Vec<Reference>, StoreError> {
        self.unpack_column(file, file_blob::read_references)
    }

    fn unpack_column<T: Default>(
        &self,
        file: i64,
        unpack: impl FnOnce(&[u8]) -> Result<T, Malformed>,
    ) -> Result<T, StoreError> {
        let sql = "SELECT blob FROM ref_blobs WHERE file = ?";
        let found = self.read_blob(sql, file)?.as_deref().map(unpack);
        self.read(|| Ok(found.transpose()?.unwrap_or_default()))
    }

    pub fn heritage(&self, file: i64) -> Result<Vec<Heritage>, StoreError> {
        self.read(|| heritage_of(&self.connection, file))
    }

    /// Returns the files that are found under a key, and perhaps a few more.
    pub fn files_with(&self, key: LookupKey) -> Result<Vec<i64>, StoreError> {
        self.read(|| {
            let sql = "SELECT file FROM symbol_keys WHERE key_hash = ?";
            let mut statement = self.connection.prepare_cached(sql)?;
            let rows = statement.query_map([key.hash()], |row| row.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn read_blob(&self, sql: &str, file: i64) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|| {
            let mut statement = self.connection.prepare_cached(sql)?;
            Ok(statement.query_row([file], |row| row.get(0)).optional()?)
        })
    }

    fn read<T>(&self, question: impl FnOnce() -> StoreResult<T>) -> Result<T, StoreError> {
        question().map_err(|failure| failure.with_path(&self.path))
    }
}

fn files(connection: &Connection) -> StoreResult<Vec<GraphFile>> {
    let mut statement = connection.prepare_cached(
        "SELECT path, id, language, package, hash, modified_ns FROM files ORDER BY path",
    )?;
    let mut rows = statement.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(GraphFile {
            path: path_from_row(row, 0)?,
            id: row.get(1)?,
            language: row.get(2)?,
            package: row.get(3)?,
            hash: row.get(4)?,
            modified_ns: row.get(5)?,
        });
    }
    Ok(found)
}

fn facts(connection: &Connection, path: &Path) -> StoreResult<HashMap<i64, GraphFacts>> {
    let store: Arc<Path> = path.into();
    let none = || GraphFacts {
        store: store.clone(),
        heritage: Vec::new(),
        symbols: None,
        references: None,
    };
    let mut found: HashMap<i64, GraphFacts> = HashMap::new();
    let mut statement = connection.prepare_cached("SELECT file, blob FROM symbol_blobs")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        found.entry(row.get(0)?).or_insert_with(none).symbols = Some(row.get(1)?);
    }
    let mut statement = connection.prepare_cached("SELECT file, blob FROM ref_blobs")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        found.entry(row.get(0)?).or_insert_with(none).references = Some(row.get(1)?);
    }
    let sql = format!("{SELECT_HERITAGE_BY_FILE} ORDER BY file, ordinal");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let file = found.entry(row.get(0)?).or_insert_with(none);
        file.heritage.push(heritage_from_row(row)?);
    }
    Ok(found)
}

pub fn heritage_of(connection: &Connection, file: i64) -> StoreResult<Vec<Heritage>> {
    let sql = format!("{SELECT_HERITAGE_BY_FILE} WHERE file = ? ORDER BY ordinal");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([file])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(heritage_from_row(row)?);
    }
    Ok(found)
}
