//! Definitions by name, by qualified name, by place.
//!
//! A lookup by name uses the index of defined names and reads only the files that define it. These
//! functions match exactly; `symbol_lookup` is lenient.

use crate::graph::{Definition, Graph};
use kenning_model::{ChunkKind, EdgeTarget, RepoPath, Symbol};
use kenning_store::StoreError;

/// Returns the name with the scopes around it, joined by `.`, whatever separator the language uses.
pub fn qualified_name(symbol: &Symbol) -> String {
    join_scope(&symbol.name, symbol.scope.as_deref())
}

/// Joins a scope and a name with `.`.
pub(super) fn join_scope(name: &str, scope: Option<&str>) -> String {
    match scope {
        Some(scope) => format!("{scope}.{name}"),
        None => name.to_string(),
    }
}

/// True if it is a part of a document or of data, and no code.
pub(super) fn is_heading(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Section | ChunkKind::Entry)
}

impl Graph<'_> {
    /// Returns the definitions of a name, plain (`login`) or qualified (`Session.login`,
    /// `Session::login`), by path and line. Extensions are no definitions of their type.
    ///
    /// A qualified name may leave out outer scopes, but no scope in between.
    pub fn find_definitions(&self, name: &str) -> Result<Vec<Definition>, StoreError> {
        let path = name.trim().trim_end_matches("()").replace("::", ".");
        let last = path.rsplit('.').next().unwrap_or(&path);
        let mut found = Vec::new();
        for number in self.snapshot.files_defining(last)? {
            found.extend(self.select_in_file_number(number, |symbol| {
                let is_meant = || {
                    let whole = qualified_name(symbol);
                    whole == path || whole.ends_with(&format!(".{path}"))
                };
                symbol.name == last && symbol.kind != ChunkKind::Extension && is_meant()
            })?);
        }
        // A heading is meant only if nothing else has its name.
        if found.iter().any(|one| !is_heading(one.symbol.kind)) {
            found.retain(|one| !is_heading(one.symbol.kind));
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Returns all definitions of a file, in the order of the text.
    pub fn definitions_in_file(&self, path: &RepoPath) -> Result<Vec<Definition>, StoreError> {
        self.select_in_file(path, |_| true)
    }

    /// Returns the innermost definition around a line, counted from 1. Symbols are stored outer
    /// before inner, so the last match is the innermost.
    pub fn innermost_at_line(
        &self,
        path: &RepoPath,
        line: u32,
    ) -> Result<Option<Definition>, StoreError> {
        let mut around = self.select_in_file(path, |symbol| {
            symbol.span.start_line <= line && line <= symbol.span.end_line
        })?;
        Ok(around.pop())
    }

    /// Returns the definitions of a file that a predicate accepts; empty if the file is not
    /// indexed.
    pub(super) fn select_in_file(
        &self,
        path: &RepoPath,
        is_meant: impl Fn(&Symbol) -> bool,
    ) -> Result<Vec<Definition>, StoreError> {
        match self.snapshot.number_of(path)? {
            Some(file) => self.select_in_file_number(file, is_meant),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the definitions of a file that a predicate accepts, by the file's number in the
    /// store. Only accepted symbols are cloned.
    pub(super) fn select_in_file_number(
        &self,
        file: i64,
        is_meant: impl Fn(&Symbol) -> bool,
    ) -> Result<Vec<Definition>, StoreError> {
        let Some(known) = self.file_definitions(file)? else {
            return Ok(Vec::new());
        };
        let found = known.symbols.iter().zip(&known.keys).filter(|(symbol, _)| is_meant(symbol));
        Ok(found
            .map(|(symbol, key)| Definition {
                target: EdgeTarget { file, symbol: Some(*key) },
                path: known.path.clone(),
                symbol: symbol.clone(),
            })
            .collect())
    }
}
