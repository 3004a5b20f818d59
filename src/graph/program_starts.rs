//! Functions that start a program, by the rules of their language.

use std::collections::BTreeSet;

use crate::graph::symbol_search::SymbolHit;
use crate::graph::{Graph, unused_exemptions};
use kenning_lang::languages::{self, LANGS};
use kenning_model::{ChunkKind, RepoPath, Symbol, Visibility};
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

    /// Returns the types of the product, aliases too, whose name has one of these words in camel
    /// case or after an underscore, by path.
    pub fn types_with_word(&self, words: &[&str]) -> Result<Vec<SymbolHit>, StoreError> {
        self.product_definitions(|symbol| {
            symbol.kind.names_type() && words.iter().any(|word| has_camel_word(&symbol.name, word))
        })
    }

    /// Returns the public types of the product, by path.
    pub fn public_types(&self) -> Result<Vec<SymbolHit>, StoreError> {
        self.product_definitions(|symbol| {
            symbol.kind.is_type() && symbol.visibility == Visibility::Public
        })
    }

    /// Returns the constants and variables of the product outside of functions with such a name,
    /// by path.
    pub fn constants_where(
        &self,
        is_wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<SymbolHit>, StoreError> {
        use ChunkKind::{Constant, Variable};
        self.product_definitions(|symbol| {
            matches!(symbol.kind, Constant | Variable) && is_wanted(&symbol.name)
        })
    }

    /// Returns the definitions outside of tests and vendored folders, by path.
    fn product_definitions(
        &self,
        is_wanted: impl Fn(&Symbol) -> bool,
    ) -> Result<Vec<SymbolHit>, StoreError> {
        let mut found = Vec::new();
        self.snapshot.for_each_defined_file(None, |file| {
            if file.is_test || unused_exemptions::is_vendored(&file.path) {
                return;
            }
            for symbol in file.symbols {
                if !symbol.is_test && is_wanted(&symbol) {
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

    /// Returns the paths of the files with a word that contains this part.
    pub fn paths_with_word_part(&self, part: &str) -> Result<Vec<RepoPath>, StoreError> {
        self.snapshot.paths_with_word_part(part)
    }

    /// Returns the paths of all indexed files.
    pub fn all_paths(&self) -> Result<Vec<RepoPath>, StoreError> {
        self.snapshot.paths()
    }
}

/// True if a name has this word: from a capital to the next capital, sign or end, or between
/// underscores.
fn has_camel_word(name: &str, word: &str) -> bool {
    let is_camel = name.match_indices(word).any(|(at, _)| {
        let after = name[at + word.len()..].chars().next();
        after.is_none_or(|c| !c.is_lowercase())
    });
    is_camel || name.split('_').any(|part| part.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names_end_at_a_capital() {
        for (name, expected) in [
            ("ServerOptions", true),
            ("OptionsInfo", true),
            ("Options", true),
            ("Optionsy", false),
            ("options", true),
            ("zip_options_t", true),
            ("reoptions", false),
        ] {
            assert_eq!(has_camel_word(name, "Options"), expected, "{name}");
        }
    }
}
