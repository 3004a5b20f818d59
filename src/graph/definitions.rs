//! Definitions by name, by qualified name, by place.

use crate::graph::{Definition, Graph};
use kenning_model::{ChunkKind, EdgeTarget, RepoPath, Symbol};
use kenning_store::StoreError;

/// The name with the scopes around it, joined by `.`.
pub fn qualified_name(symbol: &Symbol) -> String {
    join_scope(&symbol.name, symbol.scope.as_deref())
}

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
    /// The definitions of this name, plain (`login`) or qualified (`Session.login`,
    /// `Session::login`), by path and line. Extensions are no definitions of their type.
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

    /// All definitions of a file, in the order of the text.
    pub fn definitions_in_file(&self, path: &RepoPath) -> Result<Vec<Definition>, StoreError> {
        self.select_in_file(path, |_| true)
    }

    /// The innermost definition around a line.
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

    /// The definitions of a file, by its number in the store.
    pub(super) fn select_in_file_number(
        &self,
        file: i64,
        is_meant: impl Fn(&Symbol) -> bool,
    ) -> Result<Vec<Definition>, StoreError> {
        let Some(known) = self.file_definitions(file)? else {
            return Ok(Vec::new());
        };
        let found = known.symbols.iter().zip(&known.keys);
        let found = found.filter(|(symbol, _)| is_meant(symbol));
        Ok(found
            .map(|(symbol, key)| Definition {
                target: EdgeTarget { file, symbol: Some(*key) },
                path: known.path.clone(),
                symbol: symbol.clone(),
            })
            .collect())
    }
}
