//! Subtypes of types that this repository does not define. Heritage clauses name them; structural
//! interfaces match by their methods.
//!
//! The repository holds no definition to start from, so no edge leads here. Matching is by name,
//! and two libraries with equal names cannot be told apart.

use std::collections::HashSet;

use crate::graph::{Definition, Graph, SubtypeKind};
use kenning_lang::languages::{self, LANGS, Language, LibraryInterfaces};
use kenning_model::{ChunkKind, EdgeTarget, Heritage, RepoPath};
use kenning_store::StoreError;
use kenning_store::code::HeritageRecord;

/// A subtype of an external type.
///
/// `path` and `line` are those of the heritage clause, or of the definition if methods decided.
#[derive(Clone, Debug)]
pub struct ExternalSubtype {
    pub subject: String,
    /// A definition of that name, if there is one. One in the same file is preferred.
    pub definition: Option<Definition>,
    pub kind: SubtypeKind,
    pub path: RepoPath,
    pub line: u32,
    pub condition: Option<String>,
}

/// The most files that are searched for clauses with a qualified name.
const MAX_FILES: usize = 500;

impl Graph<'_> {
    /// Finds the subtypes of an external type: by heritage clauses, and for structural interfaces
    /// by methods.
    ///
    /// A type found by both ways is listed once, with its clause.
    pub fn find_external_subtypes(&self, name: &str) -> Result<Vec<ExternalSubtype>, StoreError> {
        let mut found = Vec::new();
        for record in self.find_clauses_naming(name)? {
            found.extend(self.subtype_from_clause(record)?);
        }
        for (path, definition) in self.find_types_with_methods(name)? {
            let known = |one: &ExternalSubtype| {
                let known = one.definition.as_ref();
                known.is_some_and(|known| known.target == definition.target)
            };
            if !found.iter().any(known) {
                found.push(ExternalSubtype {
                    subject: definition.symbol.name.clone(),
                    kind: SubtypeKind::Direct,
                    line: definition.symbol.line,
                    definition: Some(definition),
                    condition: None,
                    path,
                });
            }
        }
        Ok(found)
    }

    /// Returns the heritage clauses that name a type, with any part of its path.
    ///
    /// The index knows clauses by the last segment only. Clauses with a qualified name are read
    /// from the files that mention it.
    fn find_clauses_naming(&self, name: &str) -> Result<Vec<HeritageRecord>, StoreError> {
        let asked = split_path(name);
        let Some(&last) = asked.last() else {
            return Ok(Vec::new());
        };
        let mut found = self.snapshot.heritage_of(last)?;
        for file in self.snapshot.files_mentioning(last, MAX_FILES)? {
            let Some(path) = self.snapshot.path_of(file)? else {
                continue;
            };
            let clauses = self.snapshot.heritage_in(file)?.into_iter().filter(|clause| {
                let written = split_path(&clause.base);
                written.len() > 1 && is_suffix_of_other(&written, &asked)
            });
            found.extend(clauses.map(|fact| HeritageRecord { path: path.clone(), fact }));
        }
        Ok(found)
    }

    /// Turns a clause into a subtype; `None` if its file is no longer indexed.
    fn subtype_from_clause(
        &self,
        record: HeritageRecord,
    ) -> Result<Option<ExternalSubtype>, StoreError> {
        let Some(file) = self.snapshot.file(&record.path)? else {
            return Ok(None);
        };
        let Heritage { subject, condition, line, .. } = record.fact.clone();
        let mut named = self.find_definitions(&subject)?;
        named.sort_by_key(|definition| definition.path != record.path);
        Ok(Some(ExternalSubtype {
            definition: named.into_iter().next(),
            kind: SubtypeKind::from_clause(&record.fact, &file.language),
            path: record.path,
            subject,
            line,
            condition,
        }))
    }

    /// Finds the types that have the methods of an interface of a standard library, by path and
    /// line.
    ///
    /// A type qualifies only if it has every method, with the same parameter types. Interfaces
    /// themselves are left out.
    fn find_types_with_methods(
        &self,
        name: &str,
    ) -> Result<Vec<(RepoPath, Definition)>, StoreError> {
        let mut known = LANGS.iter().filter_map(|&language| {
            let library = language.library_interfaces.as_ref()?;
            Some((language, library, (library.methods_of)(name.trim())?))
        });
        let Some((language, library, methods)) = known.next() else {
            return Ok(Vec::new());
        };
        let mut having: Option<HashSet<EdgeTarget>> = None;
        let mut types = Vec::new();
        for (method, parameters) in methods.iter().map(|method| (library.split_method)(method)) {
            let mut owners = HashSet::new();
            for found in self.find_definitions(method)? {
                let is_meant = found.symbol.kind == ChunkKind::Method
                    && is_in_language(&found, language)
                    && has_parameter_types(&found, &parameters, library);
                if let Some(owner) = self.owner(&found)?.filter(|_| is_meant) {
                    owners.insert(owner.target);
                    types.push(owner);
                }
            }
            having = Some(match having {
                Some(having) => having.intersection(&owners).copied().collect(),
                None => owners,
            });
        }
        let having = having.unwrap_or_default();
        types.retain(|one| having.contains(&one.target) && one.symbol.kind != ChunkKind::Interface);
        types.sort_by(|a, b| (&a.path, a.symbol.line).cmp(&(&b.path, b.symbol.line)));
        types.dedup_by_key(|one| one.target);
        let types = types.into_iter().map(|one| (one.path.clone(), one));
        Ok(types.collect())
    }
}

/// True if the file of a definition is in this language.
fn is_in_language(definition: &Definition, language: &Language) -> bool {
    languages::by_path(&definition.path).is_some_and(|own| own.name == language.name)
}

/// True if a method takes parameters of these types.
fn has_parameter_types(method: &Definition, types: &[&str], library: &LibraryInterfaces) -> bool {
    let own = &method.symbol.parameters;
    let is_same = |((label, written), wanted): (&(String, Option<String>), &&str)| {
        (library.is_same_type)(written.as_deref().unwrap_or(label), wanted)
    };
    own.len() == types.len() && own.iter().zip(types).all(is_same)
}

/// Splits a qualified name at dots, colons and backslashes.
fn split_path(name: &str) -> Vec<&str> {
    let parts = name.trim().split(['.', ':', '\\']);
    parts.filter(|part| !part.is_empty()).collect()
}

/// True if one path is the end of the other: `http.Handler` of `net.http.Handler`.
fn is_suffix_of_other(one: &[&str], other: &[&str]) -> bool {
    one.ends_with(other) || other.ends_with(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_agree_as_far_as_they_go() {
        for (one, other, expected) in [
            ("http.Handler", "http.Handler", true),
            ("net::http::Handler", "http.Handler", true),
            ("Handler", "http.Handler", true),
            ("slog.Handler", "http.Handler", false),
        ] {
            let found = is_suffix_of_other(&split_path(one), &split_path(other));
            assert_eq!(found, expected, "{one} {other}");
        }
    }
}
