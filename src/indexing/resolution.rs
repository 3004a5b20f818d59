//! Brings the edges of a collection up to date: finds which files must be resolved again after a
//! change, resolves them, and stores their edges.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use crate::indexing::stored_facts::{FactsInMemory, FactsInStore, StoredFacts};
use kenning_lang::languages::resolution_rules;
use kenning_model::{FileFacts, Fingerprints, GraphFile, Package, Problem, Progress, RepoPath};
use kenning_resolve::{CompilerIndex, FileIndex, IndexedFile, Packages, SymbolTable};
use kenning_store::StoreError;
use kenning_store::code::{Invalidation, ResolvedFile, Writer};

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

/// Resolves the files that changed since the last time, and those whose edges depend on a dirty name.
pub fn resolve(
    writer: &mut Writer,
    inputs: &ResolveInputs,
    progress: &dyn Progress,
) -> Result<GraphReport, StoreError> {
    let rules = fingerprint_of_rules(inputs.compilers);
    let version = format!("{} {rules}", fingerprint(inputs.packages));
    let stale = writer.stale_edges(&version)?;
    let files = stale.len();
    if stale.is_empty() {
        writer.mark_edges_current(&version)?;
        return Ok(GraphReport::default());
    }
    progress.report("resolving names", 0, Some(files));
    let known = writer.graph_files()?;
    let mut problems = Vec::new();
    let compiled = read_compiler_indexes(&known, inputs, &mut problems);
    let facts = open_facts(writer, &known, Load::for_files(files))?;
    let table =
        build_symbol_table(known, inputs.packages, &facts, Load::for_files(files), progress)?;
    let stale: HashSet<i64> = stale.into_iter().collect();
    let wanted: Vec<FileIndex> = (0..table.files.len() as u32)
        .filter(|&index| stale.contains(&table.file(index).id))
        .collect();
    let mut done = 0;
    let mut last = Vec::new();
    for batch in wanted.chunks(BATCH) {
        // One thread writes the batch before, the others resolve this one.
        let (resolved, written) = rayon::join(
            || resolve_files(&table, &compiled, batch, progress),
            || writer.put_edges(&last),
        );
        written?;
        last = resolved?;
        check_read(&*facts)?;
        done += batch.len();
        progress.report("resolving names", done, Some(files));
    }
    let files = table.files.len();
    let (settled, ()) = rayon::join(
        || {
            writer.put_edges(&last)?;
            writer.mark_edges_current(&version)
        },
        || table.drop_parallel(),
    );
    settled?;
    Ok(GraphReport { problems, resolved: wanted.len(), files })
}

fn resolve_files(
    table: &SymbolTable,
    compiled: &CompilerIndex,
    files: &[FileIndex],
    progress: &dyn Progress,
) -> Result<Vec<ResolvedFile>, StoreError> {
    let resolved = files.par_iter().map(|&file| {
        check_wanted(progress)?;
        let found = kenning_resolve::resolve_file(table, compiled, file);
        let touched = found.dependencies.iter().map(String::as_str);
        let id = table.file(file).id;
        Ok(ResolvedFile::new(id, &found.edges, &found.references, touched, &found.aliased_names))
    });
    resolved.collect()
}

/// How the facts of files are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Load {
    /// All at once, before anything is resolved.
    Eager,
    /// File by file, when something of a file is looked up.
    Lazy,
}

impl Load {
    /// Resolving this many files one by one takes as long as reading all of them.
    const FEW: usize = 64;

    fn for_files(stale: usize) -> Load {
        if stale <= Load::FEW { Load::Lazy } else { Load::Eager }
    }
}

fn open_facts(
    writer: &mut Writer,
    files: &[GraphFile],
    load: Load,
) -> Result<Arc<dyn StoredFacts>, StoreError> {
    Ok(match load {
        Load::Eager => Arc::new(FactsInMemory::new(files, writer.graph_facts()?)),
        Load::Lazy => Arc::new(FactsInStore::new(files, writer.facts_reader()?)),
    })
}

fn build_symbol_table(
    files: Vec<GraphFile>,
    packages: &[Package],
    facts: &Arc<dyn StoredFacts>,
    load: Load,
    progress: &dyn Progress,
) -> Result<SymbolTable, StoreError> {
    let mut table =
        SymbolTable::new(files, Packages::new(packages), facts.clone(), resolution_rules);
    if load == Load::Eager {
        table.load_all(progress);
        check_wanted(progress)?;
        check_read(&**facts)?;
    }
    Ok(table)
}

/// Fails with the first read error, if a lookup had one.
fn check_read(facts: &dyn StoredFacts) -> Result<(), StoreError> {
    facts.failure().map_or(Ok(()), Err)
}

/// Checked for every file, because a batch of them takes seconds.
fn check_wanted(progress: &dyn Progress) -> Result<(), StoreError> {
    if progress.is_cancelled() { Err(StoreError::Cancelled) } else { Ok(()) }
}

/// Reads the compilers' indexes (SCIP) for the files as they are stored.
fn read_compiler_indexes(
    files: &[GraphFile],
    inputs: &ResolveInputs,
    problems: &mut Vec<Problem>,
) -> CompilerIndex {
    if inputs.compilers.is_empty() {
        return CompilerIndex::default();
    }
    let known: HashMap<&RepoPath, IndexedFile> = files
        .iter()
        .map(|file| {
            let known = IndexedFile { hash: &file.hash, modified_ns: file.modified_ns };
            (&file.path, known)
        })
        .collect();
    let known = |path: &RepoPath| known.get(path).copied();
    CompilerIndex::read(inputs.root, inputs.compilers, &known, problems)
}

/// Edges that other rules made are made again: raise it whenever a rule changes.
const RULES: u32 = 3;

/// Tells whether edges were made as they would be now: by these rules, and by what these compilers said.
pub fn fingerprint_of_rules(compilers: &[PathBuf]) -> String {
    format!("{RULES} {}", kenning_resolve::scip_fingerprint(compilers))
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

/// The resolver's knowledge of which edits make edges invalid, as the store asks for it.
pub struct ResolverInvalidation;

pub static INVALIDATION: ResolverInvalidation = ResolverInvalidation;

impl Invalidation for ResolverInvalidation {
    fn lookup_keys(&self, facts: FileFacts) -> BTreeSet<u32> {
        kenning_resolve::lookup_keys(resolution_rules(facts.language), facts)
    }

    fn fingerprints(&self, path: &RepoPath, facts: FileFacts) -> Fingerprints {
        kenning_resolve::fingerprints(resolution_rules(facts.language), path, facts)
    }

    fn keeps_edges(&self, before: FileFacts, after: FileFacts) -> bool {
        kenning_resolve::can_keep_edges(before, after)
    }
}
