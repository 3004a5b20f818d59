//! Subtypes of types that this repository does not define. Heritage clauses name them; structural
//! interfaces match by their methods.

use std::collections::HashSet;

use crate::graph::{Definition, Graph, How};
use kenning_lang::languages::{self, LANGS, Language, LibraryInterfaces};
use kenning_model::{ChunkKind, EdgeTarget, Heritage, RepoPath};
use kenning_store::StoreError;
use kenning_store::code::HeritageRecord;

/// A subtype of an external type.
#[derive(Clone, Debug)]
pub struct ForeignKind {
    pub subject: String,
    /// A definition of that name, if there is one. One in the same file is preferred.
    pub definition: Option<Definition>,
    pub how: How,
    pub path: RepoPath,
    pub line: u32,
    pub condition: Option<String>,
}

/// The most files that are searched for clauses with a qualified name.
const MAX_FILES: usize = 500;

impl Graph<'_> {
    /// Finds the subtypes of an external type: by heritage clauses, and for structural interfaces
    /// by methods.
    pub fn kinds_of_foreign(&self, name: &str) -> Result<Vec<ForeignKind>, StoreError> {
        let mut found = Vec::new();
        for record in self.clauses_naming(name)? {
            found.extend(self.kind_of_clause(record)?);
        }
        for (path, definition) in self.with_methods_of(name)? {
            let known = |one: &ForeignKind| {
                let known = one.definition.as_ref();
                known.is_some_and(|known| known.target == definition.target)
            };
            if !found.iter().any(known) {
                found.push(ForeignKind {
                    subject: definition.symbol.name.clone(),
                    how: How::Direct,
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
    fn clauses_naming(&self, name: &str) -> Result<Vec<HeritageRecord>, StoreError> {
        let asked = parts(name);
        let Some(&last) = asked.last() else {
            return Ok(Vec::new());
        };
        let mut found = self.snapshot.heritage_of(last)?;
        for file in self.snapshot.files_mentioning(last, MAX_FILES)? {
            let Some(path) = self.snapshot.path_of(file)? else {
                continue;
            };
            let clauses = self.snapshot.heritage_in(file)?.into_iter();
            let clauses = clauses.filter(|clause| {
                let written = parts(&clause.base);
                written.len() > 1 && is_end_of_other(&written, &asked)
            });
            found.extend(clauses.map(|fact| HeritageRecord { path: path.clone(), fact }));
        }
        Ok(found)
    }

    fn kind_of_clause(&self, record: HeritageRecord) -> Result<Option<ForeignKind>, StoreError> {
        let Some(file) = self.snapshot.file(&record.path)? else {
            return Ok(None);
        };
        let Heritage { subject, condition, line, .. } = record.fact.clone();
        let mut named = self.find(&subject)?;
        named.sort_by_key(|definition| definition.path != record.path);
        Ok(Some(ForeignKind {
            definition: named.into_iter().next(),
            how: How::of(&record.fact, &file.language),
            path: record.path,
            subject,
            line,
            condition,
        }))
    }

    /// Finds the types that have the methods of an interface of a standard library, by path and
    /// line.
    fn with_methods_of(&self, name: &str) -> Result<Vec<(RepoPath, Definition)>, StoreError> {
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
            for found in self.find(method)? {
                let is_meant = found.symbol.kind == ChunkKind::Method
                    && is_of(&found, language)
                    && takes(&found, &parameters, library);
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

fn is_of(definition: &Definition, language: &Language) -> bool {
    languages::by_path(&definition.path).is_some_and(|own| own.name == language.name)
}

/// True if a method takes parameters of these types.
fn takes(method: &Definition, types: &[&str], library: &LibraryInterfaces) -> bool {
    let own = &method.symbol.parameters;
    let is_same = |((label, written), wanted): (&(String, Option<String>), &&str)| {
        (library.is_same_type)(written.as_deref().unwrap_or(label), wanted)
    };
    own.len() == types.len() && own.iter().zip(types).all(is_same)
}

fn parts(name: &str) -> Vec<&str> {
    let parts = name.trim().split(['.', ':', '\\']);
    parts.filter(|part| !part.is_empty()).collect()
}

/// True if one path is the end of the other: `http.Handler` of `net.http.Handler`.
fn is_end_of_other(one: &[&str], other: &[&str]) -> bool {
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
            let found = is_end_of_other(&parts(one), &parts(other));
            assert_eq!(found, expected, "{one} {other}");
        }
    }
}
