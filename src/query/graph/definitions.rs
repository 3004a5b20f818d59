//! Definitions by name, by qualified name, by place.

use super::{Definition, Graph};
use crate::model::{ChunkKind, EdgeTarget, RepoPath, Symbol, symbol_keys};
use crate::store::StoreError;

/// The name with the scopes around it, joined by `.`.
pub fn qualified(symbol: &Symbol) -> String {
    match &symbol.scope {
        Some(scope) => format!("{scope}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}

impl Graph<'_> {
    /// The definitions of this name, plain (`login`) or qualified (`Session.login`,
    /// `Session::login`), by path and line. Extensions are no definitions of their type.
    pub fn find(&self, name: &str) -> Result<Vec<Definition>, StoreError> {
        let path = name.trim().trim_end_matches("()").replace("::", ".");
        let last = path.rsplit('.').next().unwrap_or(&path);
        let mut found = Vec::new();
        for record in self.snapshot.symbols_named(last)? {
            let whole = qualified(&record.fact);
            let is_meant = whole == path || whole.ends_with(&format!(".{path}"));
            if record.fact.kind == ChunkKind::Extension || !is_meant {
                continue;
            }
            found.extend(self.in_file(&record.path, |symbol| *symbol == record.fact)?);
        }
        found.dedup_by(|a, b| a.target == b.target);
        Ok(found)
    }

    /// All definitions of a file, in the order of the text.
    pub fn of_file(&self, path: &RepoPath) -> Result<Vec<Definition>, StoreError> {
        self.in_file(path, |_| true)
    }

    /// The innermost definition around a line.
    pub fn around(&self, path: &RepoPath, line: u32) -> Result<Option<Definition>, StoreError> {
        let mut around = self.in_file(path, |symbol| {
            symbol.span.start_line <= line && line <= symbol.span.end_line
        })?;
        Ok(around.pop())
    }

    fn in_file(
        &self,
        path: &RepoPath,
        is_meant: impl Fn(&Symbol) -> bool,
    ) -> Result<Vec<Definition>, StoreError> {
        let Some(file) = self.snapshot.number_of(path)? else {
            return Ok(Vec::new());
        };
        let symbols = self.snapshot.symbols_of(file)?;
        let keys = symbol_keys(&symbols);
        let found = symbols.into_iter().zip(keys);
        let found = found.filter(|(symbol, _)| is_meant(symbol));
        Ok(found
            .map(|(symbol, key)| Definition {
                target: EdgeTarget {
                    file,
                    symbol: Some(key),
                },
                path: path.clone(),
                symbol,
            })
            .collect())
    }
}
