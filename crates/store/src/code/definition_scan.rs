//! The definitions of many files, for queries that no exact name narrows.

use super::file_blob;
use super::file_filter::Filter;
use super::records::{Located, SymbolRecord};
use super::snapshot::Snapshot;
use super::symbol_names::{DefinedName, DefinedNames, MatchScope};
use super::text_cache;
use super::varint::Malformed;
use crate::StoreError;
use kenning_model::{DefinitionRank, RepoPath, Symbol};

/// A file with its definitions.
pub struct DefinedFile {
    pub file: i64,
    pub path: RepoPath,
    pub is_test: bool,
    pub package: Option<String>,
    pub language: String,
    pub symbols: Vec<Symbol>,
}

impl Snapshot<'_> {
    /// Calls `visit` with every file that has definitions, or with those of one package, by path.
    /// Only one file is decoded at a time.
    pub fn for_each_defined_file(
        &self,
        package: Option<&str>,
        mut visit: impl FnMut(DefinedFile),
    ) -> Result<(), StoreError> {
        let sql = "SELECT is_test, blob FROM files JOIN symbol_blobs ON file = id WHERE id = ?";
        self.run(|connection| {
            let file_table = self.generation.file_table(connection)?;
            let mut statement = connection.prepare_cached(sql)?;
            for (id, file) in file_table.files_by_path() {
                if package.is_some() && package != file.package.as_deref() {
                    continue;
                }
                let mut rows = statement.query([id])?;
                let Some(row) = rows.next()? else {
                    continue;
                };
                let packed = row.get_ref(1)?.as_blob().map_err(|_| Malformed)?;
                visit(DefinedFile {
                    path: file.path.clone(),
                    file: id,
                    is_test: row.get(0)?,
                    package: file.package.as_deref().map(str::to_string),
                    language: file.language.to_string(),
                    symbols: file_blob::read_symbols(packed)?,
                });
            }
            Ok(())
        })
    }

    /// The names of all definitions, to find one by a part of it.
    pub fn defined_names(&self) -> Result<DefinedNames, StoreError> {
        self.run(|connection| self.generation.defined_names(connection))
    }

    /// Returns the `limit` best definitions of a name, whose case does not count, by path and
    /// place. Exact spelling ranks first, then code that is no test, then the [`DefinitionRank`].
    pub(super) fn best_definitions(
        &self,
        name: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<SymbolRecord>, StoreError> {
        let allowed = self.run(|connection| self.generation.allowed_chunks(connection, filter))?;
        let folded = name.to_lowercase();
        let names = self.defined_names()?;
        let mut found = names.find_matching(&[name], MatchScope::Name, |own, _| {
            (own.to_lowercase() == folded).then_some(own != name)
        });
        found.retain(|one| allowed.iter_in(one.file.chunks()).next().is_some());
        found.sort_by(|a, b| rank_definition(a).cmp(&rank_definition(b)));
        found.truncate(limit);
        found.sort_by(|a, b| (&a.file.path, a.place).cmp(&(&b.file.path, b.place)));
        let mut foremost = Vec::with_capacity(found.len());
        for of_file in found.chunk_by(|a, b| a.file.id() == b.file.id()) {
            let places: Vec<u32> = of_file.iter().map(|one| one.place).collect();
            let facts = self.symbols_at(of_file[0].file.id(), &places)?;
            foremost.extend(
                facts.into_iter().map(|fact| Located { path: of_file[0].file.path.clone(), fact }),
            );
        }
        Ok(foremost)
    }

    /// The whole text of a file, as it was indexed.
    pub fn text_of(&self, file: i64) -> Result<Option<String>, StoreError> {
        self.run(|connection| {
            let text = text_cache::read_text(connection, file)?.map(String::from_utf8);
            Ok(text.transpose().map_err(|_| Malformed)?)
        })
    }
}

/// Returns the sort key of a definition, best first: exact spelling, code before tests, its rank,
/// then path and position.
fn rank_definition<'n>(
    one: &DefinedName<'n, bool>,
) -> (bool, bool, DefinitionRank, &'n RepoPath, u32) {
    let standing = DefinitionRank::new(one.attributes.kind, one.name, one.scope);
    (one.fit, one.attributes.is_test, standing, &one.file.path, one.place)
}
