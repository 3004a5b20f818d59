//! The definitions of many files at once, for questions that no name narrows.

use rusqlite::params;

use super::names::DefinedNames;
use super::packed;
use super::packing::Malformed;
use super::rows::path;
use super::snapshot::Snapshot;
use crate::model::{RepoPath, Symbol};
use crate::store::StoreError;

/// A file with what it defines.
pub struct DefinedFile {
    pub file: i64,
    pub path: RepoPath,
    pub is_test: bool,
    pub package: Option<String>,
    pub language: String,
    pub symbols: Vec<Symbol>,
}

impl Snapshot<'_> {
    /// Shows every file that defines something, or those of one package, by path.
    pub fn each_defined(
        &self,
        package: Option<&str>,
        mut visit: impl FnMut(DefinedFile),
    ) -> Result<(), StoreError> {
        let sql = "SELECT path, id, is_test, package, language, packed FROM files
             JOIN defined ON defined.file = id
             WHERE ?1 IS NULL OR package = ?1 ORDER BY path";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![package])?;
            while let Some(row) = rows.next()? {
                let packed = row.get_ref(5)?.as_blob().map_err(|_| Malformed)?;
                visit(DefinedFile {
                    path: path(row, 0)?,
                    file: row.get(1)?,
                    is_test: row.get(2)?,
                    package: row.get(3)?,
                    language: row.get(4)?,
                    symbols: packed::symbols(packed)?,
                });
            }
            Ok(())
        })
    }

    /// The names of all definitions, to find one by a part of it.
    pub fn defined_names(&self) -> Result<DefinedNames, StoreError> {
        self.run(|connection| self.generation.defined_names(connection))
    }

    /// The whole text of a file, as it was indexed.
    pub fn text_of(&self, file: i64) -> Result<Option<String>, StoreError> {
        self.run(|connection| {
            let sql = "SELECT packed FROM texts WHERE file = ?";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([file])?;
            let Some(row) = rows.next()? else {
                return Ok(None);
            };
            let packed = row.get_ref(0)?.as_blob().map_err(|_| Malformed)?;
            let text = String::from_utf8(packed::decompress(packed)?);
            Ok(Some(text.map_err(|_| Malformed)?))
        })
    }
}
