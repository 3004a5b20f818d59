//! The call graph: resolves every reference and heritage clause of a repository, and stores the
//! edges with their files. This module decides which files are resolved again after a change. The
//! modules beside it resolve names.

mod arguments;
mod bindings;
mod brackets;
mod closure_params;
mod commonjs;
mod cycle_memo;
mod declaration_merging;
mod deferred_types;
mod destructuring;
mod expression;
mod extensions;
mod fact_source;
mod file_symbols;
mod generics;
mod infer;
mod macros;
mod members;
mod module_paths;
mod overloads;
mod package_visibility;
mod qualified_paths;
mod references;
mod resolver;
mod return_types;
mod ruby_mixins;
mod rules;
mod rust_modules;
mod scip;
mod scope;
mod self_type;
mod stdlib_flows;
mod structural;
mod substitution;
mod symbol_table;
#[cfg(test)]
mod tests;
mod type_expr;
mod type_params;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use fact_source::{InMemory, InStore, Kept};
use infer::Type;
use kenning_model::{
    Confidence, Edge, EdgeTarget, FileEdges, Package, Problem, Progress, Reason, Reference,
    Relation, RepoPath,
};
use kenning_store::StoreError;
use kenning_store::code::{GraphFile, ResolvedFile, Writer};
use module_paths::Module;
use package_visibility::Packages;
use references::Meaning;
use resolver::{Position, ResolvedTarget, Resolver};
use scip::{Compiled, IndexedFile, Said};
use symbol_table::{FileIndex, SymbolId, World};

/// The counts and problems of one resolution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphReport {
    /// Files whose references were resolved, and how many there are.
    pub resolved: usize,
    pub files: usize,
    /// Problems of the compilers' indexes (SCIP).
    pub problems: Vec<Problem>,
}

/// The inputs of a resolution, beside the stored files.
pub struct ResolveInputs<'s> {
    pub root: &'s Path,
    pub packages: &'s [Package],
    /// Indexes that compilers made (SCIP).
    pub compilers: &'s [PathBuf],
}

/// How many files are stored in one transaction: few enough that most are stored while others are
/// resolved.
const BATCH: usize = 512;

/// Resolves what has changed since the last time, and what rests on it.
pub fn resolve(
    writer: &mut Writer,
    around: &ResolveInputs,
    progress: &dyn Progress,
) -> Result<GraphReport, StoreError> {
    let packages = around.packages;
    let said = fingerprint_of_rules(around.compilers);
    let rests_on = format!("{} {said}", fingerprint(packages));
    let stale = writer.stale_edges(&rests_on)?;
    let files = stale.len();
    if stale.is_empty() {
        writer.mark_edges_current(&rests_on)?;
        return Ok(GraphReport::default());
    }
    progress.report("resolving names", 0, Some(files));
    let known = writer.graph_files()?;
    let mut problems = Vec::new();
    let compiled = compiled(&known, around, &mut problems);
    let look = Load::for_so_many(files);
    let world = world(writer, known, packages, look, progress)?;
    let stale: HashSet<i64> = stale.into_iter().collect();
    let wanted: Vec<FileIndex> = (0..world.files.len() as u32)
        .filter(|&index| stale.contains(&world.file(index).id))
        .collect();
    let mut done = 0;
    let mut last = Vec::new();
    for batch in wanted.chunks(BATCH) {
        // One writes what was found before, the others find more.
        let (resolved, written) = rayon::join(
            || resolve_files(&world, &compiled, batch, progress),
            || writer.put_edges(&last),
        );
        written?;
        last = resolved?;
        world.all_was_read()?;
        done += batch.len();
        progress.report("resolving names", done, Some(files));
    }
    let files = world.files.len();
    let (settled, ()) = rayon::join(
        || {
            writer.put_edges(&last)?;
            writer.mark_edges_current(&rests_on)
        },
        || world.let_go(),
    );
    settled?;
    Ok(GraphReport { problems, resolved: wanted.len(), files })
}

fn resolve_files(
    world: &World,
    compiled: &Compiled,
    files: &[FileIndex],
    progress: &dyn Progress,
) -> Result<Vec<ResolvedFile>, StoreError> {
    let resolved = files.par_iter().map(|&file| {
        check_wanted(progress)?;
        Ok(resolve_file(world, compiled, file))
    });
    resolved.collect()
}

/// How much of the world is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    AtAll,
    WhereAsked,
}

impl Load {
    /// To read all files takes as long as to resolve so many.
    const FEW: usize = 64;

    fn for_so_many(files: usize) -> Load {
        if files <= Load::FEW { Load::WhereAsked } else { Load::AtAll }
    }
}

fn world(
    writer: &mut Writer,
    files: Vec<GraphFile>,
    packages: &[Package],
    look: Load,
    progress: &dyn Progress,
) -> Result<World, StoreError> {
    let kept: Arc<dyn Kept> = match look {
        Load::AtAll => Arc::new(InMemory::new(&files, writer.graph_facts()?)),
        Load::WhereAsked => Arc::new(InStore::new(&files, writer.facts_reader()?)),
    };
    let mut world = World::new(files, Packages::new(packages), kept);
    if look == Load::AtAll {
        world.look_at_all(progress);
        check_wanted(progress)?;
        world.all_was_read()?;
    }
    Ok(world)
}

/// Asked for every file: a batch of them takes seconds.
fn check_wanted(progress: &dyn Progress) -> Result<(), StoreError> {
    if progress.is_cancelled() { Err(StoreError::Cancelled) } else { Ok(()) }
}

/// Reads the compilers' indexes (SCIP) for the files as they are stored.
fn compiled(files: &[GraphFile], around: &ResolveInputs, problems: &mut Vec<Problem>) -> Compiled {
    if around.compilers.is_empty() {
        return Compiled::default();
    }
    let known: HashMap<&RepoPath, IndexedFile> = files
        .iter()
        .map(|file| {
            let known = IndexedFile { hash: &file.hash, modified_ns: file.modified_ns };
            (&file.path, known)
        })
        .collect();
    let known = |path: &RepoPath| known.get(path).copied();
    Compiled::read(around.root, around.compilers, &known, problems)
}

/// Edges that other rules made are made again: raise it whenever a rule changes.
const RULES: u32 = 2;

/// Tells whether edges were made as they would be now: by these rules, and by what these compilers said.
pub fn fingerprint_of_rules(compilers: &[PathBuf]) -> String {
    format!("{RULES} {}", scip::fingerprint(compilers))
}

/// Tells whether what packages can use is still the same.
fn fingerprint(packages: &[Package]) -> String {
    let mut hasher = blake3::Hasher::new();
    for package in packages {
        hasher.update(format!("{:?}{}", package.key(), package.path).as_bytes());
        hasher.update(format!("{:?}", package.modules).as_bytes());
        for dependency in &package.dependencies {
            hasher.update(format!("{:?}", dependency.internal).as_bytes());
        }
    }
    hasher.finalize().to_hex()[..16].to_string()
}

fn resolve_file(world: &World, compiled: &Compiled, file: FileIndex) -> ResolvedFile {
    let resolver = Resolver::new(world);
    let target = |id: SymbolId| EdgeTarget {
        file: world.file(id.file).id,
        symbol: Some(world.file(id.file).keys()[id.symbol as usize]),
    };
    let references = world.references(file);
    let mut found = FileEdges::default();
    let mut aliased = Vec::new();
    for (index, reference) in references.iter().enumerate() {
        resolver.begin();
        let Some(meaning) = meaning(&resolver, compiled, file, reference) else {
            continue;
        };
        let targets = meaning.targets.iter().map(|meant| match meant {
            ResolvedTarget::Symbol(id) => {
                let name = &world.symbol(*id).name;
                if *name != reference.name {
                    aliased.push(name.clone());
                }
                Some(target(*id))
            }
            ResolvedTarget::Module(Module::File(file)) => {
                Some(EdgeTarget { file: world.file(*file).id, symbol: None })
            }
            ResolvedTarget::Module(Module::Directory(path)) => {
                let first = world.modules.directory(path).first()?;
                Some(EdgeTarget { file: world.file(*first).id, symbol: None })
            }
        });
        found.edges.push(Edge {
            reference: index as u32,
            targets: targets.flatten().collect(),
            confidence: meaning.confidence,
            reason: meaning.reason,
        });
    }
    resolver.begin();
    found.relations = relations(&resolver, file, target, &mut aliased);
    let touched = resolver.into_touched();
    let touched = touched.iter().map(String::as_str);
    ResolvedFile::new(world.file(file).id, &found, &references, touched, &aliased)
}

/// Resolves a reference by a compiler's index if that knows its definition, else by inference.
fn meaning(
    resolver: &Resolver,
    compiled: &Compiled,
    file: FileIndex,
    reference: &Reference,
) -> Option<Meaning> {
    match compiled.said(resolver.world, file, reference) {
        Said::Meant(found) => {
            // The edge rests on the definition's name, which need not be the one that is written.
            for &id in &found {
                resolver.touch(&resolver.world.symbol(id).name);
            }
            Meaning::new(found, Confidence::Exact, Reason::Compiler)
        }
        Said::Nothing => resolver.meaning(file, reference),
        // An index may be of a part of the tree: of the rest it says nothing.
        Said::Elsewhere => resolver.meaning(file, reference).filter(|meaning| {
            meaning.targets.iter().all(|target| match target {
                ResolvedTarget::Symbol(id) => !compiled.covers(resolver.world.file(id.file)),
                ResolvedTarget::Module(_) => true,
            })
        }),
    }
}

/// Finds the bases of a file's types, by heritage clauses, structural interfaces and typed object
/// literals. Adds the names of the bases to `aliased`.
fn relations(
    resolver: &Resolver,
    file: FileIndex,
    target: impl Fn(SymbolId) -> EdgeTarget,
    aliased: &mut Vec<String>,
) -> Vec<Relation> {
    let mut found = Vec::new();
    for index in 0..resolver.world.file(file).heritage().len() {
        if let Some((subject, base)) = relation(resolver, file, index) {
            aliased.push(resolver.world.symbol(base).name.clone());
            found.push(Relation {
                heritage: Some(index as u32),
                subject: target(subject),
                base: target(base),
            });
        }
    }
    let literals = resolver.written_as(file);
    for (subject, base) in resolver.fulfilled(file).into_iter().chain(literals) {
        aliased.push(resolver.world.symbol(base).name.clone());
        found.push(Relation { heritage: None, subject: target(subject), base: target(base) });
    }
    found
}

/// The two ends of a heritage clause, if both are ours.
fn relation(resolver: &Resolver, file: FileIndex, index: usize) -> Option<(SymbolId, SymbolId)> {
    let facts = resolver.world.file(file);
    let heritage = &facts.heritage()[index];
    let named = facts.named(heritage.subject_name());
    let around = named.filter(|&symbol| {
        let span = &facts.symbols()[symbol as usize].span;
        span.start_line <= heritage.line && heritage.line <= span.end_line
    });
    let owner = around.max_by_key(|&symbol| facts.symbols()[symbol as usize].span.start_byte);
    let at = Position {
        file,
        symbol: owner.and_then(|owner| facts.parents()[owner as usize]),
        byte: owner.map_or(0, |owner| facts.symbols()[owner as usize].span.start_byte),
    };
    let known = |text: &str| match resolver.constructed(at, text) {
        Type::Known { symbol, .. } => Some(symbol),
        _ => None,
    };
    // `var page = Object.create(…)` makes a value and no type.
    let subject = match owner {
        Some(symbol) => resolver.type_of_extension(SymbolId { file, symbol }),
        None => known(&heritage.subject)?,
    };
    Some((subject, known(&heritage.base)?))
}
