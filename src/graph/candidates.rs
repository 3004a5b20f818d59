//! Candidates of a name: declarations that are one definition are merged, and the others are ranked
//! by how likely the name means them.
//!
//! Prototypes and their definitions are one, and so are definitions of one name for several
//! platforms. Every list of definitions goes through here, so that all count alike.

use std::collections::HashSet;

use crate::graph::{Definition, Graph, qualified_name};
use kenning_lang::languages::{self, Redeclarations};
use kenning_model::{ChunkKind, DefinitionRank, EdgeTarget, RepoPath, Visibility};
use kenning_store::StoreError;

/// Directories of code that other projects wrote, or that a generator did.
const FOREIGN_DIRECTORIES: &[&str] =
    &["vendor", "vendored", "third_party", "third-party", "external", "deps", "generated"];

/// Directories of code that nobody means first: examples, benchmarks, documents.
const SECONDARY_DIRECTORIES: &[&str] =
    &["examples", "example", "samples", "demo", "benchmarks", "bench", "benches", "docs"];

/// The most candidates whose types are looked up. Further ones keep their order.
const MAX_OWNERS: usize = 400;

/// The rank of a candidate, likeliest first.
type CandidateRank = (bool, u8, DefinitionRank, bool, bool, usize);

impl Graph<'_> {
    /// Merges declarations of one definition, and sorts the rest: code before tests, vendored and
    /// generated code; types before aliases; requirements before what fulfils them.
    pub fn rank_candidates(&self, found: Vec<Definition>) -> Result<Vec<Definition>, StoreError> {
        let merged = self.merge_declarations(found)?;
        let mut ranked: Vec<(CandidateRank, Definition)> = Vec::with_capacity(merged.len());
        for (place, one) in merged.into_iter().enumerate() {
            let is_member = place < MAX_OWNERS && one.symbol.kind == ChunkKind::Method;
            let owner = if is_member { self.owner(&one)? } else { None };
            let is_requirement = owner.is_some_and(|owner| is_interface(owner.symbol.kind));
            ranked.push((candidate_rank(&one, is_requirement), one));
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        Ok(ranked.into_iter().map(|(_, one)| one).collect())
    }

    /// Replaces each declaration by the main one of its definition, and keeps each once.
    pub fn merge_declarations(
        &self,
        found: Vec<Definition>,
    ) -> Result<Vec<Definition>, StoreError> {
        let mut seen: HashSet<EdgeTarget> = HashSet::new();
        let mut merged = Vec::with_capacity(found.len());
        for one in found {
            let main = self.main_declaration(one)?;
            if seen.insert(main.target) {
                merged.push(main);
            }
        }
        Ok(merged)
    }

    /// Removes the places of a file's symbols whose main declaration is among the others. Each place
    /// is a file and an index of its symbols; the result says for each if it stays.
    pub(super) fn keep_main_places(&self, places: &[(i64, u32)]) -> Result<Vec<bool>, StoreError> {
        let mut found = Vec::with_capacity(places.len());
        for (file, place) in places {
            found.push(self.definition_at(*file, *place)?);
        }
        let targets: HashSet<EdgeTarget> = found.iter().flatten().map(|one| one.target).collect();
        let mut kept = Vec::with_capacity(places.len());
        for one in found {
            let Some(one) = one else {
                kept.push(true);
                continue;
            };
            let own = one.target;
            let main = self.main_declaration(one)?.target;
            kept.push(main == own || !targets.contains(&main));
        }
        Ok(kept)
    }

    /// Returns the main declaration of a definition: the one with a body, or the first.
    pub(super) fn main_declaration(&self, one: Definition) -> Result<Definition, StoreError> {
        if !may_be_redeclared(&one) {
            return Ok(one);
        }
        Ok(self.declarations(&one)?.into_iter().next().unwrap_or(one))
    }

    /// Returns all declarations of a definition, the main one first. Most have only one.
    pub fn declarations(&self, one: &Definition) -> Result<Vec<Definition>, StoreError> {
        if !may_be_redeclared(one) {
            return Ok(vec![one.clone()]);
        }
        let whole = qualified_name(&one.symbol);
        let mut same = Vec::new();
        for file in self.snapshot.files_defining(&one.symbol.name)? {
            same.extend(self.select_in_file_number(file, |symbol| {
                symbol.name == one.symbol.name
                    && symbol.kind == one.symbol.kind
                    && qualified_name(symbol) == whole
            })?);
        }
        same.retain(|other| redeclarations(&other.path) == redeclarations(&one.path));
        if same.len() < 2 {
            return Ok(vec![one.clone()]);
        }
        same.sort_by(|a, b| (&a.path, a.symbol.line).cmp(&(&b.path, b.symbol.line)));
        match redeclarations(&one.path) {
            Redeclarations::Prototypes => self.with_prototypes(one, same),
            Redeclarations::Platforms => Ok(platform_twins(one, same)),
            Redeclarations::None => Ok(vec![one.clone()]),
        }
    }

    /// Returns the definition with a body and its prototypes. A prototype belongs to the nearest
    /// body that it fits.
    fn with_prototypes(
        &self,
        one: &Definition,
        same: Vec<Definition>,
    ) -> Result<Vec<Definition>, StoreError> {
        let (mut bodies, mut prototypes) = (Vec::new(), Vec::new());
        for other in same {
            if self.is_prototype(&other)? {
                prototypes.push(other);
            } else {
                bodies.push(other);
            }
        }
        let body = if self.is_prototype(one)? {
            nearest_body(one, &bodies).cloned()
        } else {
            Some(one.clone())
        };
        let Some(body) = body else {
            // Prototypes without a body here: those with the same parameters are one.
            prototypes.retain(|other| have_same_parameters(one, other));
            return Ok(prototypes);
        };
        prototypes.retain(|prototype| {
            nearest_body(prototype, &bodies).is_some_and(|near| near.target == body.target)
        });
        Ok(std::iter::once(body).chain(prototypes).collect())
    }

    /// True if the text of a function ends without a body.
    fn is_prototype(&self, one: &Definition) -> Result<bool, StoreError> {
        let Some(text) = self.snapshot.text_of(one.target.file)? else {
            return Ok(false);
        };
        let span = one.symbol.span;
        let own = text.get(span.start_byte as usize..span.end_byte as usize).unwrap_or_default();
        Ok(own.trim_end().ends_with([';', ')']) && !own.contains('{'))
    }
}

/// Returns the way in which the language of a file declares a definition again.
fn redeclarations(path: &RepoPath) -> Redeclarations {
    languages::by_path(path).map_or(Redeclarations::None, |language| language.redeclarations)
}

/// True if a definition can have other declarations.
fn may_be_redeclared(one: &Definition) -> bool {
    use ChunkKind::{Deinitializer, Function, Initializer, Method};
    match redeclarations(&one.path) {
        Redeclarations::None => false,
        Redeclarations::Prototypes => {
            matches!(one.symbol.kind, Function | Method | Initializer | Deinitializer)
        }
        Redeclarations::Platforms => {
            let language = languages::by_path(&one.path);
            let name = one.symbol.name.as_str();
            let is_entry = |entries: &[&str]| entries.contains(&name) || name == "_";
            !one.symbol.is_test
                && name != "main"
                && !language.is_some_and(|language| is_entry(language.usage.entry_points))
        }
    }
}

/// Returns the body that a prototype declares: the nearest in the tree with the same parameters. A
/// private function is visible in its own file only.
fn nearest_body<'d>(prototype: &Definition, bodies: &'d [Definition]) -> Option<&'d Definition> {
    let is_visible = |body: &&Definition| {
        body.path == prototype.path
            || body.symbol.visibility != Visibility::Private
            || body.symbol.scope.is_some()
    };
    let visible = bodies.iter().filter(is_visible);
    let fitting: Vec<&Definition> =
        visible.filter(|body| have_same_parameters(prototype, body)).collect();
    let nearness = |body: &&&Definition| {
        let steps = body.path.segments().zip(prototype.path.segments());
        let shared = steps.take_while(|(one, other)| one == other).count();
        (shared, stem(&body.path) == stem(&prototype.path))
    };
    fitting.iter().rev().max_by_key(nearness).copied()
}

/// Returns the name of a file without its extension.
fn stem(path: &RepoPath) -> &str {
    path.file_name().split('.').next().unwrap_or_default()
}

/// True if two declarations have the same number of parameters, and the same types where both are
/// written alike.
fn have_same_parameters(one: &Definition, other: &Definition) -> bool {
    let (one, other) = (&one.symbol.parameters, &other.symbol.parameters);
    let last_word = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.rfind(|word| !word.is_empty()).unwrap_or_default().to_string()
    };
    one.len() == other.len()
        && one.iter().zip(other).all(|((_, one), (_, other))| {
            one.is_none() || other.is_none() || last_word(one) == last_word(other)
        })
}

/// Returns the definitions of one name in files of one directory, one for each platform.
fn platform_twins(one: &Definition, mut same: Vec<Definition>) -> Vec<Definition> {
    let directory = |path: &RepoPath| {
        let text = path.as_str();
        text.rsplit_once('/').map_or(String::new(), |(directory, _)| directory.to_string())
    };
    let own = directory(&one.path);
    same.retain(|other| directory(&other.path) == own && !other.symbol.is_test);
    same
}

/// True for kinds whose members are requirements.
fn is_interface(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Protocol | ChunkKind::Interface | ChunkKind::Trait)
}

/// Ranks a candidate, likeliest first.
fn candidate_rank(one: &Definition, is_requirement: bool) -> CandidateRank {
    let symbol = &one.symbol;
    let rank = DefinitionRank::new(symbol.kind, &symbol.name, symbol.scope.as_deref());
    let is_test = symbol.is_test || languages::is_test_path(&one.path);
    let is_alias = symbol.kind == ChunkKind::TypeAlias;
    let depth = symbol.scope.as_deref().map_or(0, |scope| scope.split('.').count());
    (is_test, remoteness(&one.path), rank, is_alias, !is_requirement, depth)
}

/// Returns 2 for foreign code, 1 for examples and the like, 0 for the rest.
fn remoteness(path: &RepoPath) -> u8 {
    let mut directories: Vec<&str> = path.segments().collect();
    directories.pop();
    let is_in = |names: &[&str]| directories.iter().any(|one| names.contains(one));
    if is_in(FOREIGN_DIRECTORIES) { 2 } else { u8::from(is_in(SECONDARY_DIRECTORIES)) }
}
