//! Definitions that nobody uses. Certain is only what no edge leads to and no text names; and what
//! may be reached from outside (entry points, tests, public names, what fulfils a base) is apart.

use std::collections::{HashMap, HashSet};

use super::search::FoundSymbol;
use super::{Graph, qualified};
use crate::model::{ChunkKind, EdgeTarget, Progress, Span, Symbol, Visibility, symbol_keys};
use crate::store::StoreError;
use crate::store::code::DefinedFile;

/// What nobody uses, by how sure that is.
#[derive(Debug, Default)]
pub struct Unused {
    /// Nothing leads to it and nothing names it.
    pub certain: Vec<FoundSymbol>,
    /// Nothing leads to it, but its name stands somewhere else in the text.
    pub named: Vec<FoundSymbol>,
    /// Nothing here leads to it, but it is public: others may.
    pub public: Vec<FoundSymbol>,
    /// How many were looked at.
    pub checked: usize,
}

/// How many files are read at once.
const PAGE: usize = 500;

/// A definition that may be unused.
struct Candidate {
    found: FoundSymbol,
    file: i64,
    target: EdgeTarget,
}

impl Graph<'_> {
    pub fn unused(&self, progress: &dyn Progress) -> Result<Unused, StoreError> {
        let mut candidates = Vec::new();
        let mut spans: HashMap<(i64, String), Vec<Span>> = HashMap::new();
        let mut files = Vec::new();
        self.snapshot.each_defined(None, |file| {
            files.push(file.file);
            for symbol in &file.symbols {
                let key = (file.file, symbol.name.clone());
                spans.entry(key).or_default().push(symbol.span);
            }
            candidates.extend(candidates_of(file));
        })?;
        let checked = candidates.len();
        let used = self.used(progress)?;
        candidates.retain(|one| !used.contains(&one.target));
        self.spare_members(&mut candidates)?;
        let (public, own): (Vec<Candidate>, Vec<Candidate>) = candidates
            .into_iter()
            .partition(|one| one.found.symbol.visibility == Visibility::Public);
        let names: HashSet<&str> = own.iter().map(|one| &*one.found.symbol.name).collect();
        let named = self.named_in_text(&files, &names, &spans, progress)?;
        let (named, certain) = own
            .iter()
            .partition::<Vec<&Candidate>, _>(|one| named.contains(&one.found.symbol.name));
        let shown = |found: Vec<&Candidate>| {
            let found = found.into_iter().map(|one| one.found.clone());
            found.collect()
        };
        Ok(Unused {
            certain: shown(certain),
            named: shown(named),
            public: public.into_iter().map(|one| one.found).collect(),
            checked,
        })
    }

    /// Everything that an edge leads to from outside of itself.
    fn used(&self, progress: &dyn Progress) -> Result<HashSet<EdgeTarget>, StoreError> {
        let mut used = HashSet::new();
        let (mut after, mut done) = (String::new(), 0);
        loop {
            let page = self.snapshot.linked_after(&after, PAGE)?;
            let Some(last) = page.last() else {
                return Ok(used);
            };
            after = last.path.to_string();
            done += page.len();
            progress.report("edges", done, None);
            if progress.is_cancelled() {
                return Ok(used);
            }
            for linked in page {
                let references = self.snapshot.references_of(linked.file)?;
                for edge in &linked.edges.edges {
                    let reference = references.get(edge.reference as usize);
                    let byte = reference.map(|reference| reference.start_byte);
                    for &target in &edge.targets {
                        let is_own = target.file == linked.file
                            && self
                                .definition(target)?
                                .zip(byte)
                                .is_some_and(|(one, byte)| {
                                    let span = &one.symbol.span;
                                    span.start_byte <= byte && byte < span.end_byte
                                });
                        if !is_own {
                            used.insert(target);
                        }
                    }
                }
                used.extend(linked.edges.relations.iter().map(|relation| relation.base));
            }
        }
    }

    /// Members of a type that is a kind of something may be called through that.
    fn spare_members(&self, candidates: &mut Vec<Candidate>) -> Result<(), StoreError> {
        let mut heritage: HashMap<i64, Vec<(String, u32)>> = HashMap::new();
        let mut failure = None;
        candidates.retain(|one| {
            if one.found.symbol.kind != ChunkKind::Method {
                return true;
            }
            let known = heritage.entry(one.file).or_insert_with(|| {
                let clauses = self.snapshot.heritage_in(one.file);
                let clauses = clauses.map_err(|error| failure = Some(error));
                let clauses = clauses.unwrap_or_default().into_iter();
                clauses
                    .map(|clause| (clause.subject, clause.line))
                    .collect()
            });
            let scope = one.found.symbol.scope.as_deref().unwrap_or_default();
            let owner = scope.rsplit('.').next().unwrap_or_default();
            !known.iter().any(|(subject, _)| {
                subject == scope || subject.rsplit(['.', ':']).next() == Some(owner)
            })
        });
        failure.map_or(Ok(()), Err)
    }

    /// Those of these names that stand anywhere outside of what they define.
    fn named_in_text(
        &self,
        files: &[i64],
        names: &HashSet<&str>,
        spans: &HashMap<(i64, String), Vec<Span>>,
        progress: &dyn Progress,
    ) -> Result<HashSet<String>, StoreError> {
        let mut named: HashSet<String> = HashSet::new();
        for (done, &file) in files.iter().enumerate() {
            if done % PAGE == 0 {
                progress.report("texts", done, Some(files.len()));
            }
            if progress.is_cancelled() {
                break;
            }
            let Some(text) = self.snapshot.text_of(file)? else {
                continue;
            };
            for (start, word) in identifiers(&text) {
                if !names.contains(word) || named.contains(word) {
                    continue;
                }
                let own = spans.get(&(file, word.to_string()));
                let is_own = own.is_some_and(|spans| {
                    let mut spans = spans.iter();
                    spans.any(|span| {
                        (span.start_byte as usize..span.end_byte as usize).contains(&start)
                    })
                });
                if !is_own {
                    named.insert(word.to_string());
                }
            }
        }
        Ok(named)
    }
}

fn candidates_of(file: DefinedFile) -> Vec<Candidate> {
    let keys = symbol_keys(&file.symbols);
    let symbols = file.symbols.into_iter().zip(keys);
    let symbols = symbols.filter(|(symbol, _)| !file.is_test && may_be_unused(symbol));
    symbols
        .map(|(symbol, key)| Candidate {
            file: file.file,
            target: EdgeTarget {
                file: file.file,
                symbol: Some(key),
            },
            found: FoundSymbol {
                path: file.path.clone(),
                package: file.package.clone(),
                symbol,
            },
        })
        .collect()
}

/// Kinds whose use is recorded, without what is called from outside.
fn may_be_unused(symbol: &Symbol) -> bool {
    use ChunkKind::{
        Actor, Class, Enum, Function, Interface, Macro, Method, Protocol, Struct, Trait, TypeAlias,
    };
    let kinds = [
        Actor, Class, Enum, Function, Interface, Macro, Method, Protocol, Struct, Trait, TypeAlias,
    ];
    let name = symbol.name.as_str();
    let is_called_from_outside =
        matches!(name, "main" | "init" | "setup" | "constructor") || name.starts_with("__");
    let signature = symbol.signature.as_deref().unwrap_or_default();
    let is_override = signature.split_whitespace().any(|word| word == "override");
    kinds.contains(&symbol.kind) && !symbol.is_test && !is_called_from_outside && !is_override
}

/// The words of a text that may be names, with where they begin.
fn identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(is_inner)?;
        let length = text[start..].find(|c| !is_inner(c));
        rest = length.map_or(text.len(), |length| start + length);
        Some((start, &text[start..rest]))
    })
}

impl FoundSymbol {
    pub fn qualified(&self) -> String {
        qualified(&self.symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_where_they_stand() {
        let text = "fn größe(a_b) → c";
        let words: Vec<&str> = identifiers(text).map(|(_, word)| word).collect();
        assert_eq!(words, ["fn", "größe", "a_b", "c"]);
        for (start, word) in identifiers(text) {
            assert!(text[start..].starts_with(word));
        }
    }
}
