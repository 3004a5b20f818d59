//! Functions that start a program, by the rules of their language.

use std::collections::BTreeSet;

use crate::graph::symbol_search::SymbolHit;
use crate::graph::{Graph, unused_exemptions};
use kenning_lang::languages::{self, LANGS};
use kenning_model::{ChunkKind, RepoPath};
use kenning_store::StoreError;

impl Graph<'_> {
    /// Returns the functions that start a program, outside of tests and vendored folders, by path.
    pub fn program_starts(&self) -> Result<Vec<SymbolHit>, StoreError> {
        let names: BTreeSet<&str> =
            LANGS.iter().flat_map(|language| language.usage.program_starts).copied().collect();
        let mut found = Vec::new();
        for name in names {
            for record in self.snapshot.symbols_named(name)? {
                let symbol = record.fact;
                let is_start = languages::by_path(&record.path)
                    .is_some_and(|language| language.usage.program_starts.contains(&name));
                let is_callable = matches!(symbol.kind, ChunkKind::Function | ChunkKind::Method);
                // A method starts a program only as a static member of its class.
                let signature = symbol.signature.as_deref().unwrap_or_default();
                let is_free = symbol.scope.is_none() || signature.contains("static");
                let is_outside = symbol.is_test
                    || languages::is_test_path(&record.path)
                    || unused_exemptions::is_vendored(&record.path);
                if is_start && is_callable && is_free && !is_outside {
                    found.push(SymbolHit { path: record.path, package: None, symbol });
                }
            }
        }
        found.sort_by(|a, b| (&a.path, a.symbol.line).cmp(&(&b.path, b.symbol.line)));
        Ok(found)
    }

    /// Returns the public types of the product whose name ends with one of these words, by path.
    pub fn types_ending_with(&self, endings: &[&str]) -> Result<Vec<SymbolHit>, StoreError> {
        let mut found = Vec::new();
        self.snapshot.for_each_defined_file(None, |file| {
            if file.is_test || unused_exemptions::is_vendored(&file.path) {
                return;
            }
            for symbol in file.symbols {
                let is_wanted = symbol.kind.is_type() && !symbol.is_test;
                if is_wanted && endings.iter().any(|ending| symbol.name.ends_with(ending)) {
                    let package = file.package.clone();
                    found.push(SymbolHit { path: file.path.clone(), package, symbol });
                }
            }
        })?;
        Ok(found)
    }

    /// Calls `visit` with the path and text of every file outside of tests and vendored folders,
    /// until it returns false.
    pub fn for_each_product_text(
        &self,
        mut visit: impl FnMut(&RepoPath, &str) -> bool,
    ) -> Result<(), StoreError> {
        for path in self.snapshot.paths()? {
            if languages::is_test_path(&path) || unused_exemptions::is_vendored(&path) {
                continue;
            }
            let Some(file) = self.snapshot.number_of(&path)? else {
                continue;
            };
            let text = self.snapshot.text_of(file)?.unwrap_or_default();
            if !visit(&path, &text) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the paths of all indexed files.
    pub fn all_paths(&self) -> Result<Vec<RepoPath>, StoreError> {
        self.snapshot.paths()
    }
}
