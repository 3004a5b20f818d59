//! Unused definitions. A definition is certainly unused only if no edge leads to it and no text
//! names it. Definitions that may be used from outside (entry points, tests, public names,
//! overrides) are separate: see `unused_exemptions`.
//!
//! Three questions are asked of every candidate, from cheap to expensive: has it an edge, is it
//! exempt, does any text contain its name. The last one reads the whole index once.

use std::collections::{HashMap, HashSet};

use crate::graph::symbol_search::SymbolHit;
use crate::graph::unused_exemptions;
use crate::graph::{Graph, qualified_name};
use kenning_lang::languages::{DefinitionContext, Language, rules_by_name};
use kenning_model::{
    ChunkKind, EdgeTarget, Heritage, HeritageKind, Progress, Span, Symbol, Visibility, symbol_keys,
    symbol_parents,
};
use kenning_store::StoreError;
use kenning_store::code::DefinedFile;

/// The unused definitions, by certainty.
#[derive(Debug, Default)]
pub struct UnusedDefinitions {
    /// Definitions without an incoming edge, whose name appears nowhere else.
    pub certain: Vec<SymbolHit>,
    /// Definitions without an incoming edge, whose name appears elsewhere in the text.
    pub mentioned: Vec<SymbolHit>,
    /// Public definitions without an incoming edge or another mention. Other repositories may use
    /// them.
    pub public: Vec<SymbolHit>,
    /// The number of definitions that were checked.
    pub checked: usize,
}

/// The number of files that are read at once.
const PAGE: usize = 500;

/// A definition that may be unused.
struct UnusedCandidate {
    hit: SymbolHit,
    file: i64,
    language: &'static Language,
    target: EdgeTarget,
}

impl Graph<'_> {
    /// Cancelling returns early with what is known so far; the caller checks for it.
    ///
    /// The cost is linear in the size of the index: all edges once, and all texts once.
    pub fn find_unused(&self, progress: &dyn Progress) -> Result<UnusedDefinitions, StoreError> {
        let mut candidates = Vec::new();
        let mut spans: HashMap<(i64, String), Vec<Span>> = HashMap::new();
        let mut types = HashSet::new();
        self.snapshot.for_each_defined_file(None, |file| {
            for symbol in &file.symbols {
                let key = (file.file, unused_exemptions::searchable_word(&symbol.name).to_string());
                spans.entry(key).or_default().push(symbol.span);
                if symbol.kind.is_type() && !types.contains(&symbol.name) {
                    types.insert(symbol.name.clone());
                }
            }
            candidates.extend(collect_candidates(file));
        })?;
        let checked = candidates.len();
        let used = self.find_used(progress)?;
        candidates.retain(|one| !used.contains(&one.target));
        self.exempt_subtypes(&mut candidates, &types)?;
        self.exempt_registered(&mut candidates)?;
        let words: HashSet<&str> = candidates.iter().map(UnusedCandidate::word).collect();
        let named = self.names_in_text(&words, &spans, progress)?;
        let (named, own): (Vec<UnusedCandidate>, Vec<UnusedCandidate>) =
            candidates.into_iter().partition(|one| named.contains(one.word()));
        let (public, certain): (Vec<UnusedCandidate>, Vec<UnusedCandidate>) =
            own.into_iter().partition(|one| one.hit.symbol.visibility == Visibility::Public);
        let shown =
            |found: Vec<UnusedCandidate>| found.into_iter().map(|one| one.hit).collect::<Vec<_>>();
        Ok(UnusedDefinitions {
            certain: shown(certain),
            mentioned: shown(named),
            public: shown(public),
            checked,
        })
    }

    /// Returns everything that has an incoming edge from outside of itself.
    ///
    /// Edges from a definition to itself do not count: a recursive function may be unused. A base
    /// in a heritage clause counts as used.
    fn find_used(&self, progress: &dyn Progress) -> Result<HashSet<EdgeTarget>, StoreError> {
        let mut used = HashSet::new();
        let (mut after, mut done) = (String::new(), 0);
        loop {
            let page = self.snapshot.linked_files_after(&after, PAGE)?;
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
                let mentions = self.snapshot.mentions_of(linked.file)?;
                for edge in &linked.edges.edges {
                    let byte = mentions.get(edge.reference).map(|one| one.start_byte);
                    for &target in &edge.targets {
                        let is_own = target.file == linked.file
                            && self.definition(target)?.zip(byte).is_some_and(|(one, byte)| {
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

    /// Removes candidates that may be used through a supertype. Methods of a type with a base may
    /// be called through it. A library may find a type that extends one of its own.
    ///
    /// Clauses are read once per file. `retain` cannot return an error, so the first one is kept
    /// and returned at the end.
    fn exempt_subtypes(
        &self,
        candidates: &mut Vec<UnusedCandidate>,
        types: &HashSet<String>,
    ) -> Result<(), StoreError> {
        let mut heritage: HashMap<i64, Vec<Heritage>> = HashMap::new();
        let mut failure = None;
        candidates.retain(|one| {
            let is_method = one.hit.symbol.kind == ChunkKind::Method;
            if !is_method && !one.hit.symbol.kind.is_type() {
                return true;
            }
            let mut known = heritage
                .entry(one.file)
                .or_insert_with(|| {
                    let clauses =
                        self.snapshot.heritage_in(one.file).map_err(|error| failure = Some(error));
                    clauses.unwrap_or_default()
                })
                .iter();
            if is_method {
                !known.any(|clause| one.is_member_of(&clause.subject))
            } else {
                !known.any(|clause| one.is_library_subtype(clause, types))
            }
        });
        failure.map_or(Ok(()), Err)
    }

    /// Removes candidates with a registering attribute, and those in an ambient declaration.
    ///
    /// Candidates come file by file, so caching the text of one file is enough.
    fn exempt_registered(&self, candidates: &mut Vec<UnusedCandidate>) -> Result<(), StoreError> {
        let mut text = (None, String::new());
        let mut failure = None;
        candidates.retain(|one| {
            if text.0 != Some(one.file) {
                let read = self.snapshot.text_of(one.file).map_err(|error| failure = Some(error));
                text = (Some(one.file), read.ok().flatten().unwrap_or_default());
            }
            !unused_exemptions::is_exempt_by_text(&text.1, one.language, &one.hit.symbol)
        });
        failure.map_or(Ok(()), Err)
    }

    /// Returns those names that appear outside of the definitions of that name.
    ///
    /// A name inside of its own definition does not count, nor in another definition of the same
    /// name in that file.
    fn names_in_text(
        &self,
        names: &HashSet<&str>,
        spans: &HashMap<(i64, String), Vec<Span>>,
        progress: &dyn Progress,
    ) -> Result<HashSet<String>, StoreError> {
        let mut named: HashSet<String> = HashSet::new();
        let paths = self.snapshot.paths()?;
        for (done, path) in paths.iter().enumerate() {
            if done % PAGE == 0 {
                progress.report("texts", done, Some(paths.len()));
            }
            if progress.is_cancelled() {
                break;
            }
            let Some(file) = self.snapshot.number_of(path)? else {
                continue;
            };
            let Some(text) = self.snapshot.text_of(file)? else {
                continue;
            };
            for (start, word) in split_identifiers(&text) {
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

impl UnusedCandidate {
    /// Returns the part of the name to search in texts.
    fn word(&self) -> &str {
        unused_exemptions::searchable_word(&self.hit.symbol.name)
    }

    /// True if a heritage clause with this subject is about the type that the candidate belongs to.
    fn is_member_of(&self, subject: &str) -> bool {
        let scope = self.hit.symbol.scope.as_deref().unwrap_or_default();
        let owner = scope.rsplit('.').next().unwrap_or_default();
        subject == scope || subject.rsplit(['.', ':']).next() == Some(owner)
    }

    /// True if a clause makes this type a subtype of a library's type, and the library may find it.
    fn is_library_subtype(&self, clause: &Heritage, types: &HashSet<String>) -> bool {
        let symbol = &self.hit.symbol;
        let is_own = clause.subject.rsplit(['.', ':']).next() == Some(symbol.name.as_str())
            && (symbol.span.start_line..=symbol.span.end_line).contains(&clause.line);
        let base = clause.base.rsplit(['.', ':', '\\']).next();
        is_own
            && clause.kind == HeritageKind::Declared
            && self.language.heritage.libraries_find_subtypes
            && base.is_some_and(|base| !types.contains(base))
    }
}

/// Returns the definitions of a file that are worth checking. Files of tests have none.
fn collect_candidates(file: DefinedFile) -> Vec<UnusedCandidate> {
    if file.is_test {
        return Vec::new();
    }
    let symbols = &file.symbols;
    let parents = symbol_parents(symbols);
    let parent = |index: usize| parents[index].map(|parent| parent as usize);
    let language = rules_by_name(&file.language);
    // A type with a `main` is the start of a program and therefore used.
    let starting: HashSet<usize> = (0..symbols.len())
        .filter(|&index| {
            let name = symbols[index].name.as_str();
            language.usage.program_starts.contains(&name)
        })
        .filter_map(parent)
        .collect();
    let kept =
        symbols.iter().zip(symbol_keys(symbols)).enumerate().filter(|(index, (symbol, _))| {
            let parent = parent(*index).map(|parent| &symbols[parent]);
            let context = DefinitionContext { symbol, parent, symbols };
            is_checked_kind(symbol)
                && !starting.contains(index)
                && !unused_exemptions::is_exempt(&file.path, language, &context)
        });
    kept.map(|(_, (symbol, key))| UnusedCandidate {
        file: file.file,
        language,
        target: EdgeTarget { file: file.file, symbol: Some(key) },
        hit: SymbolHit {
            path: file.path.clone(),
            package: file.package.clone(),
            symbol: symbol.clone(),
        },
    })
    .collect()
}

/// True for kinds whose uses are recorded, outside of tests.
fn is_checked_kind(symbol: &Symbol) -> bool {
    use ChunkKind::{
        Actor, Class, Enum, Function, Interface, Macro, Method, Protocol, Struct, Trait, TypeAlias,
    };
    let kinds = [
        Actor, Class, Enum, Function, Interface, Macro, Method, Protocol, Struct, Trait, TypeAlias,
    ];
    kinds.contains(&symbol.kind) && !symbol.is_test
}

/// Returns the words of a text that may be names, each with its offset.
fn split_identifiers(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_inner = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = 0;
    std::iter::from_fn(move || {
        let start = rest + text[rest..].find(is_inner)?;
        let length = text[start..].find(|c| !is_inner(c));
        rest = length.map_or(text.len(), |length| start + length);
        Some((start, &text[start..rest]))
    })
}

impl SymbolHit {
    /// Returns the name with the scopes around it.
    pub fn qualified_name(&self) -> String {
        qualified_name(&self.symbol)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_know_where_they_stand() {
        let text = "fn größe(a_b) → c";
        let words: Vec<&str> = split_identifiers(text).map(|(_, word)| word).collect();
        assert_eq!(words, ["fn", "größe", "a_b", "c"]);
        for (start, word) in split_identifiers(text) {
            assert!(text[start..].starts_with(word));
        }
    }
}
