//! Unused definitions. A definition is certainly unused only if no edge leads to it, no text names
//! it, and no pattern could build its name. Definitions that may be used from outside (entry
//! points, tests, public names, overrides) are separate: see `unused_exemptions`.
//!
//! Three questions are asked of every candidate, from cheap to expensive: has it an edge, is it
//! exempt, does any text give a reason to doubt. The last one reads the whole index once.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use crate::graph::symbol_search::SymbolHit;
use crate::graph::unused_doubts::{
    Doubt, RequiredMethods, TextScan, find_computed_names, is_span_too_long,
};
use crate::graph::unused_exemptions;
use crate::graph::{Graph, qualified_name};
use kenning_lang::languages::{DefinitionContext, Language, rules_by_name};
use kenning_model::{
    ChunkKind, EdgeTarget, Heritage, HeritageKind, Progress, RepoPath, Span, Symbol, Visibility,
    symbol_keys, symbol_parents,
};
use kenning_store::StoreError;
use kenning_store::code::DefinedFile;

/// The unused definitions, by certainty.
#[derive(Debug, Default)]
pub struct UnusedDefinitions {
    /// Definitions without an incoming edge and without a doubt.
    pub certain: Vec<SymbolHit>,
    /// Definitions without an incoming edge that may be used after all, with the reason.
    pub perhaps: Vec<(SymbolHit, Doubt)>,
    /// Public definitions without an incoming edge or another mention. Other repositories may use
    /// them.
    pub public: Vec<SymbolHit>,
    /// The number of definitions that were checked.
    pub checked: usize,
    /// The number of definitions in vendored folders, which are not checked.
    pub vendored: usize,
    /// The number of files that were not searched for names, because the time was up. No definition
    /// is then certainly unused.
    pub unsearched: usize,
}

/// The number of files that are read at once.
const PAGE: usize = 500;

/// Reasons for which the index skips files without names of definitions.
const WITHOUT_NAMES: [&str; 3] = ["binary", "lock file", "source map"];

/// A definition that may be unused.
struct UnusedCandidate {
    hit: SymbolHit,
    file: i64,
    language: &'static Language,
    target: EdgeTarget,
    /// The members of a type, with their names.
    members: Vec<(EdgeTarget, String)>,
}

impl Graph<'_> {
    /// Cancelling returns early with what is known so far; the caller checks for it. `read_file`
    /// reads files that the index leaves out, such as generated ones: they may name definitions.
    ///
    /// The cost is linear in the size of the index: all edges once, and all texts once. After the
    /// deadline, no further texts are read.
    pub fn find_unused(
        &self,
        read_file: &dyn Fn(&RepoPath) -> Option<String>,
        deadline: Instant,
        progress: &dyn Progress,
    ) -> Result<UnusedDefinitions, StoreError> {
        let mut found = UnusedDefinitions::default();
        let mut candidates = Vec::new();
        let mut spans = NamedSpans::new();
        let mut types = HashSet::new();
        let mut required = RequiredMethods::new();
        self.snapshot.for_each_defined_file(None, |file| {
            for symbol in &file.symbols {
                let key = (file.file, unused_exemptions::searchable_word(&symbol.name).to_string());
                spans.entry(key).or_default().push(symbol.span);
                if symbol.kind.is_type() && !types.contains(&symbol.name) {
                    types.insert(symbol.name.clone());
                }
            }
            collect_required_methods(&file, &mut required);
            let is_vendored = unused_exemptions::is_vendored(&file.path);
            let of_file = collect_candidates(file);
            if is_vendored {
                found.vendored += of_file.len();
            } else {
                candidates.extend(of_file);
            }
        })?;
        found.checked = candidates.len();
        let used = self.find_used(progress)?;
        candidates.retain(|one| !used.contains(&one.target));
        self.exempt_subtypes(&mut candidates, &types)?;
        self.exempt_registered(&mut candidates)?;
        let words: HashSet<String> = candidates.iter().flat_map(UnusedCandidate::words).collect();
        let mut scan = TextScan::new(&words);
        scan.required = required;
        found.unsearched = self.scan_texts(&mut scan, &spans, read_file, deadline, progress)?;
        self.classify(candidates, &used, &scan, &mut found)?;
        Ok(found)
    }

    /// Sorts the candidates into the lists, each with the first reason to doubt.
    fn classify(
        &self,
        candidates: Vec<UnusedCandidate>,
        used: &HashSet<EdgeTarget>,
        scan: &TextScan,
        found: &mut UnusedDefinitions,
    ) -> Result<(), StoreError> {
        let damaged = self.snapshot.problems()?;
        let damaged: HashSet<&RepoPath> = damaged.iter().map(|one| &one.path).collect();
        let mut text = (None, String::new());
        let mut listed: HashSet<(i64, String)> = HashSet::new();
        for one in candidates {
            if text.0 != Some(one.file) {
                text = (Some(one.file), self.snapshot.text_of(one.file)?.unwrap_or_default());
            }
            let is_damaged = damaged.contains(&one.hit.path);
            let doubt = scan.doubt(one.word()).or_else(|| one.members_doubt(used, scan));
            let doubt = match doubt {
                None => self.file_doubt(&one, &text.1, is_damaged, scan)?,
                doubt => doubt,
            };
            let doubt = doubt.or((found.unsearched > 0).then_some(Doubt::Unsearched));
            // A declaration and its definition in one file are one row.
            if !listed.insert((one.file, one.hit.qualified_name())) {
                continue;
            }
            let is_public = is_visible_outside(&one.hit.symbol);
            match doubt {
                Some(doubt) if !is_public || doubt.is_mention() => {
                    found.perhaps.push((one.hit, doubt));
                }
                _ if is_public => found.public.push(one.hit),
                _ => found.certain.push(one.hit),
            }
        }
        Ok(())
    }

    /// Returns the reason that the file of a candidate gives.
    fn file_doubt(
        &self,
        one: &UnusedCandidate,
        text: &str,
        is_damaged: bool,
        scan: &TextScan,
    ) -> Result<Option<Doubt>, StoreError> {
        let symbol = &one.hit.symbol;
        if is_damaged || is_span_too_long(text, &symbol.span) {
            return Ok(Some(Doubt::Unparsed));
        }
        let usage = &one.language.usage;
        let key = (one.language.name, symbol.name.clone());
        if symbol.kind == ChunkKind::Method && scan.required.contains(&key) {
            return Ok(Some(Doubt::Required));
        }
        let is_open_method =
            symbol.kind == ChunkKind::Method && symbol.visibility != Visibility::Private;
        if usage.is_duck_typed && is_open_method {
            return Ok(Some(Doubt::DuckTyped));
        }
        if !symbol.kind.is_type() {
            return Ok(find_computed_names(text, usage.computed_names));
        }
        let Some((word, place)) = scan.registries.get(one.language.name) else {
            return Ok(None);
        };
        let clauses = self.snapshot.heritage_in(one.file)?;
        let is_subtype = clauses.iter().any(|clause| one.is_subject_of(clause));
        Ok(is_subtype.then(|| Doubt::Registry { word, place: place.clone() }))
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

    /// Scans all texts, indexed or not, until the deadline. Returns the number of files that are
    /// left.
    ///
    /// A name inside of its own definition does not count, nor in another definition of the same
    /// name in that file.
    fn scan_texts(
        &self,
        scan: &mut TextScan,
        spans: &NamedSpans,
        read_file: &dyn Fn(&RepoPath) -> Option<String>,
        deadline: Instant,
        progress: &dyn Progress,
    ) -> Result<usize, StoreError> {
        let skips = self.snapshot.skips()?;
        let paths = self.snapshot.paths()?;
        for (done, path) in paths.iter().enumerate() {
            if done % PAGE == 0 {
                progress.report("texts", done, Some(paths.len()));
            }
            if progress.is_cancelled() || Instant::now() >= deadline {
                return Ok(paths.len() - done + skips.len());
            }
            let Some(file) = self.snapshot.number_of(path)? else {
                continue;
            };
            let Some(text) = self.snapshot.text_of(file)? else {
                continue;
            };
            scan.add_text(path, &text, |word, start| {
                let own = spans.get(&(file, word.to_string()));
                own.is_some_and(|spans| {
                    let mut spans = spans.iter();
                    spans.any(|span| {
                        (span.start_byte as usize..span.end_byte as usize).contains(&start)
                    })
                })
            });
        }
        for (done, skip) in skips.iter().enumerate() {
            if progress.is_cancelled() || Instant::now() >= deadline {
                return Ok(skips.len() - done);
            }
            let is_text = !WITHOUT_NAMES.contains(&skip.reason.as_str());
            if let Some(text) = is_text.then(|| read_file(&skip.stamp.path)).flatten() {
                scan.add_text(&skip.stamp.path, &text, |_, _| false);
            }
        }
        Ok(0)
    }
}

/// The spans of the definitions, by file and name.
type NamedSpans = HashMap<(i64, String), Vec<Span>>;

impl UnusedCandidate {
    /// Returns the part of the name to search in texts.
    fn word(&self) -> &str {
        unused_exemptions::searchable_word(&self.hit.symbol.name)
    }

    /// Returns the names to search: its own, and those of its members.
    fn words(&self) -> Vec<String> {
        let members = self.members.iter().map(|(_, name)| name.clone());
        std::iter::once(self.word().to_string()).chain(members).collect()
    }

    /// Returns a doubt if something uses or names a member of the type. Extension methods and
    /// members of a module are used without naming the type around them.
    fn members_doubt(&self, used: &HashSet<EdgeTarget>, scan: &TextScan) -> Option<Doubt> {
        let mut members = self.members.iter();
        let is_used =
            members.any(|(target, name)| used.contains(target) || scan.named.contains_key(name));
        is_used.then_some(Doubt::MembersUsed)
    }

    /// True if a heritage clause with this subject is about the type that the candidate belongs to.
    fn is_member_of(&self, subject: &str) -> bool {
        let scope = self.hit.symbol.scope.as_deref().unwrap_or_default();
        let owner = scope.rsplit('.').next().unwrap_or_default();
        subject == scope || subject.rsplit(['.', ':']).next() == Some(owner)
    }

    /// True if a clause declares a base of this type.
    fn is_subject_of(&self, clause: &Heritage) -> bool {
        let symbol = &self.hit.symbol;
        clause.subject.rsplit(['.', ':']).next() == Some(symbol.name.as_str())
            && (symbol.span.start_line..=symbol.span.end_line).contains(&clause.line)
    }

    /// True if a clause makes this type a subtype of a library's type, and the library may find it.
    fn is_library_subtype(&self, clause: &Heritage, types: &HashSet<String>) -> bool {
        let base = clause.base.rsplit(['.', ':', '\\']).next();
        self.is_subject_of(clause)
            && clause.kind == HeritageKind::Declared
            && self.language.heritage.libraries_find_subtypes
            && base.is_some_and(|base| !types.contains(base))
    }
}

/// Adds the methods that interfaces of a file require of the types that fulfil them.
fn collect_required_methods(file: &DefinedFile, required: &mut RequiredMethods) {
    let language = rules_by_name(&file.language).name;
    let parents = symbol_parents(&file.symbols);
    for (symbol, parent) in file.symbols.iter().zip(parents) {
        let parent = parent.map(|parent| file.symbols[parent as usize].kind);
        let is_interface =
            matches!(parent, Some(ChunkKind::Interface | ChunkKind::Protocol | ChunkKind::Trait));
        if is_interface && symbol.kind == ChunkKind::Method {
            required.insert((language, symbol.name.clone()));
        }
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
    let keys: Vec<_> = symbol_keys(symbols).into_iter().collect();
    let members_of = |index: usize| {
        let inner = (0..symbols.len()).filter(|&one| parent(one) == Some(index));
        let callable = inner
            .filter(|&one| matches!(symbols[one].kind, ChunkKind::Function | ChunkKind::Method));
        let member = |one: usize| {
            let target = EdgeTarget { file: file.file, symbol: Some(keys[one]) };
            (target, unused_exemptions::searchable_word(&symbols[one].name).to_string())
        };
        callable.map(member).collect()
    };
    let kept =
        symbols.iter().zip(symbol_keys(symbols)).enumerate().filter(|(index, (symbol, _))| {
            let parent = parent(*index).map(|parent| &symbols[parent]);
            let context = DefinitionContext { symbol, parent, symbols };
            is_checked_kind(symbol)
                && !starting.contains(index)
                && !unused_exemptions::is_exempt(&file.path, language, &context)
        });
    kept.map(|(index, (symbol, key))| UnusedCandidate {
        file: file.file,
        members: if symbol.kind.is_type() { members_of(index) } else { Vec::new() },
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

/// True if other repositories may use it. Their subtypes may use what is protected.
fn is_visible_outside(symbol: &Symbol) -> bool {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    symbol.visibility == Visibility::Public
        || signature.split_whitespace().any(|word| word == "protected")
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

impl SymbolHit {
    /// Returns the name with the scopes around it.
    pub fn qualified_name(&self) -> String {
        qualified_name(&self.symbol)
    }
}
