//! What calls what: the resolution of every reference and every heritage clause of a repository,
//! stored with the files that it is about. Which files must be resolved again after a change is
//! decided here; what a name means is decided in the files beside this one.

mod asked;
mod bindings;
mod brackets;
mod calls;
mod candidates;
mod compiled;
mod crates;
mod expression;
mod flows;
mod generics;
mod infer;
mod members;
mod modules;
mod own;
mod resolver;
mod returns;
mod rules;
mod scope;
mod structural;
#[cfg(test)]
mod tests;
mod types;
mod world;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::model::{
    Confidence, Edge, EdgeTarget, FileEdges, Package, Problem, Progress, Reason, Reference,
    Relation, RepoPath, SymbolKey, symbol_keys,
};
use crate::store::StoreError;
use crate::store::code::{GraphInput, ResolvedFile, Writer};
use calls::Meaning;
use compiled::{Compiled, Known, Said};
use infer::Type;
use modules::Module;
use resolver::{At, Resolver, Target};
use world::{File, FileIndex, FileInput, Packages, SymbolId, World};

pub use compiled::fingerprint as fingerprint_of_compilers;

/// What a resolution did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphReport {
    /// Files whose references were resolved, and how many there are.
    pub resolved: usize,
    pub files: usize,
    /// What was wrong with what compilers said.
    pub problems: Vec<Problem>,
}

/// What is beside the files that are stored.
pub struct Surroundings<'s> {
    pub root: &'s Path,
    pub packages: &'s [Package],
    /// Indexes that compilers made (SCIP).
    pub compilers: &'s [PathBuf],
}

/// How many files are stored in one transaction.
const BATCH: usize = 2048;

/// Resolves what has changed since the last time, and what rests on it.
pub fn resolve(
    writer: &mut Writer,
    around: &Surroundings,
    progress: &dyn Progress,
) -> Result<GraphReport, StoreError> {
    let packages = around.packages;
    let said = fingerprint_of_compilers(around.compilers);
    let rests_on = format!("{} {said}", fingerprint(packages));
    let stale = writer.stale_edges(&rests_on)?;
    let files = stale.len();
    if stale.is_empty() {
        writer.settle_edges(&rests_on)?;
        return Ok(GraphReport::default());
    }
    progress.report("resolving names", 0, Some(files));
    let inputs = writer.graph_inputs()?;
    let world = load(inputs.as_slice(), Packages::new(packages), progress)?;
    let keys: Vec<Vec<SymbolKey>> = world
        .files
        .par_iter()
        .map(|file| symbol_keys(&file.symbols))
        .collect();
    let stale: std::collections::HashSet<i64> = stale.into_iter().collect();
    let wanted: Vec<FileIndex> = (0..world.files.len() as u32)
        .filter(|&index| stale.contains(&world.file(index).id))
        .collect();
    let mut problems = Vec::new();
    let compiled = compiled(&inputs, around, &mut problems);
    let mut done = 0;
    for batch in wanted.chunks(BATCH) {
        let resolved = batch.par_iter().map(|&file| {
            check_wanted(progress)?;
            let (references, _) = inputs[file as usize].references_and_bindings()?;
            Ok(resolve_file(&world, &compiled, &keys, file, references))
        });
        let resolved: Result<Vec<ResolvedFile>, StoreError> = resolved.collect();
        writer.put_edges(&resolved?)?;
        done += batch.len();
        progress.report("resolving names", done, Some(files));
    }
    writer.settle_edges(&rests_on)?;
    Ok(GraphReport {
        problems,
        resolved: wanted.len(),
        files: world.files.len(),
    })
}

/// Asked for every file: a batch of them takes seconds.
fn check_wanted(progress: &dyn Progress) -> Result<(), StoreError> {
    match progress.is_cancelled() {
        true => Err(StoreError::Cancelled),
        false => Ok(()),
    }
}

/// What compilers say of the files as they are stored.
fn compiled(inputs: &[GraphInput], around: &Surroundings, problems: &mut Vec<Problem>) -> Compiled {
    if around.compilers.is_empty() {
        return Compiled::default();
    }
    let known: HashMap<&RepoPath, Known> = inputs
        .iter()
        .map(|input| {
            let known = Known {
                hash: &input.hash,
                modified_ns: input.modified_ns,
            };
            (&input.path, known)
        })
        .collect();
    let known = |path: &RepoPath| known.get(path).copied();
    Compiled::read(around.root, around.compilers, &known, problems)
}

/// Tells whether what packages can use is still the same.
fn fingerprint(packages: &[Package]) -> String {
    let mut hasher = blake3::Hasher::new();
    for package in packages {
        hasher.update(format!("{:?}{}", package.key(), package.path).as_bytes());
        for dependency in &package.dependencies {
            hasher.update(format!("{:?}", dependency.internal).as_bytes());
        }
    }
    hasher.finalize().to_hex()[..16].to_string()
}

fn load(
    inputs: &[GraphInput],
    packages: Packages,
    progress: &dyn Progress,
) -> Result<World, StoreError> {
    let files: Result<Vec<File>, StoreError> = inputs
        .par_iter()
        .map(|input| {
            check_wanted(progress)?;
            let (references, bindings) = input.references_and_bindings()?;
            let facts = FileInput {
                id: input.file,
                path: input.path.clone(),
                language: input.language.clone(),
                package: input.package.clone(),
                symbols: input.symbols()?,
                references,
                bindings,
                heritage: input.heritage.clone(),
            };
            Ok(File::new(facts, &packages))
        })
        .collect();
    Ok(World::new(files?, packages))
}

fn resolve_file(
    world: &World,
    compiled: &Compiled,
    keys: &[Vec<SymbolKey>],
    file: FileIndex,
    references: Vec<Reference>,
) -> ResolvedFile {
    let resolver = Resolver::new(world);
    let target = |id: SymbolId| EdgeTarget {
        file: world.file(id.file).id,
        symbol: Some(keys[id.file as usize][id.symbol as usize]),
    };
    let mut found = FileEdges::default();
    let mut aliased = Vec::new();
    for (index, reference) in references.iter().enumerate() {
        let Some(meaning) = meaning(&resolver, compiled, file, reference) else {
            continue;
        };
        let targets = meaning.targets.iter().map(|meant| match meant {
            Target::Symbol(id) => {
                let name = &world.symbol(*id).name;
                if *name != reference.name {
                    aliased.push(name.clone());
                }
                Some(target(*id))
            }
            Target::Module(Module::File(file)) => Some(EdgeTarget {
                file: world.file(*file).id,
                symbol: None,
            }),
            Target::Module(Module::Directory(path)) => {
                let first = world.modules.directory(path).first()?;
                Some(EdgeTarget {
                    file: world.file(*first).id,
                    symbol: None,
                })
            }
        });
        found.edges.push(Edge {
            reference: index as u32,
            targets: targets.flatten().collect(),
            confidence: meaning.confidence,
            reason: meaning.reason,
        });
    }
    found.relations = relations(&resolver, file, target, &mut aliased);
    ResolvedFile {
        file: world.file(file).id,
        edges: found,
        touched: resolver.into_touched().into_iter().collect(),
        references,
        aliased,
    }
}

/// What a reference means: what a compiler says, else what can be followed.
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
                Target::Symbol(id) => !compiled.covers(resolver.world.file(id.file)),
                Target::Module(_) => true,
            })
        }),
    }
}

/// What the types of a file are kinds of, by its heritage clauses and by what they have; the names of
/// the bases are noted in `aliased`.
fn relations(
    resolver: &Resolver,
    file: FileIndex,
    target: impl Fn(SymbolId) -> EdgeTarget,
    aliased: &mut Vec<String>,
) -> Vec<Relation> {
    let mut found = Vec::new();
    for index in 0..resolver.world.file(file).heritage.len() {
        if let Some((subject, base)) = relation(resolver, file, index) {
            aliased.push(resolver.world.symbol(base).name.clone());
            found.push(Relation {
                heritage: Some(index as u32),
                subject: target(subject),
                base: target(base),
            });
        }
    }
    for (subject, base) in resolver.fulfilled(file) {
        aliased.push(resolver.world.symbol(base).name.clone());
        found.push(Relation {
            heritage: None,
            subject: target(subject),
            base: target(base),
        });
    }
    found
}

/// The two ends of a heritage clause, if both are ours.
fn relation(resolver: &Resolver, file: FileIndex, index: usize) -> Option<(SymbolId, SymbolId)> {
    let facts = resolver.world.file(file);
    let heritage = &facts.heritage[index];
    let subject_name = heritage.subject.rsplit(['.', ':']).next()?;
    let named = facts.by_name.get(subject_name).into_iter().flatten();
    let around = named.copied().filter(|&symbol| {
        let span = &facts.symbols[symbol as usize].span;
        span.start_line <= heritage.line && heritage.line <= span.end_line
    });
    let owner = around.max_by_key(|&symbol| facts.symbols[symbol as usize].span.start_byte);
    let at = At {
        file,
        symbol: owner.and_then(|owner| facts.parents[owner as usize]),
        byte: 0,
    };
    let known = |text: &str| match resolver.resolve_type(at, &types::parse(text)) {
        Type::Known { symbol, .. } => Some(symbol),
        _ => None,
    };
    let subject = match owner {
        Some(symbol) => resolver.type_of_extension(SymbolId { file, symbol }),
        None => known(&heritage.subject)?,
    };
    Some((subject, known(&heritage.base)?))
}
