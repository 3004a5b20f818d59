//! A file as it is stored, before a change replaces it.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension, params};

use super::enum_codes::path_hash;
use super::error::StoreResult;
use kenning_model::{Binding, FileFacts, Heritage, Reference, RepoPath, Symbol};

/// A file as it was before a change.
#[derive(Default)]
pub struct PreviousFile {
    pub file: i64,
    pub chunks: Range<u32>,
    pub language: String,
    pub package: Option<String>,
    pub symbols: Vec<Symbol>,
    pub references: Vec<Reference>,
    pub bindings: Vec<Binding>,
    pub heritage: Vec<Heritage>,
}

impl PreviousFile {
    /// As it is stored, without its facts.
    pub fn find(connection: &Connection, path: &RepoPath) -> StoreResult<Option<PreviousFile>> {
        let mut select = connection.prepare_cached(
            "SELECT id, first_chunk, length(chunk_kinds), language, package FROM files
             WHERE path_hash = ? AND path = ?",
        )?;
        let found = select.query_row(params![path_hash(path), path.as_str()], |row| {
            let first: u32 = row.get(1)?;
            Ok(PreviousFile {
                file: row.get(0)?,
                chunks: first..first + row.get::<_, u32>(2)?,
                language: row.get(3)?,
                package: row.get(4)?,
                ..PreviousFile::default()
            })
        });
        Ok(found.optional()?)
    }

    pub fn facts(&self) -> FileFacts<'_> {
        FileFacts {
            language: &self.language,
            symbols: &self.symbols,
            references: &self.references,
            bindings: &self.bindings,
            heritage: &self.heritage,
        }
    }
}
