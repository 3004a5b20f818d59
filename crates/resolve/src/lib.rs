//! Language-neutral name resolution: the symbol table of a repository, the resolution of references
//! and heritage clauses, and the knowledge of which edits make edges invalid. It reads facts through
//! [`FactSource`] and writes nothing. Languages come in as [`rules::Rules`].

mod heritage;
mod inference;
mod invalidation;
mod members;
mod modules;
mod overloads;
mod references;
mod resolver;
pub mod rules;
mod scip;
mod scopes;
mod symbol_table;
mod syntax;

use kenning_model::{Confidence, Edge, EdgeTarget, FileEdges, Reason, Reference, Relation};

pub use invalidation::{fingerprints, keeps_edges, lookup_keys};
pub use modules::module_paths::Module;
pub use modules::package_visibility::Packages;
pub use references::Meaning;
pub use resolver::{Position, ResolvedTarget, Resolver};
pub use scip::{Compiled, IndexedFile, fingerprint as scip_fingerprint};
pub use symbol_table::fact_source::FactSource;
pub use symbol_table::file_symbols::File;
pub use symbol_table::{FileIndex, SymbolId, World};

use inference::Type;
use scip::Said;

/// The edges of one file, and the names that they depend on.
#[derive(Debug, PartialEq, Eq)]
pub struct ResolvedEdges {
    pub edges: FileEdges,
    /// All references of the file; edges name them by index.
    pub references: Vec<Reference>,
    /// Every name that was looked up, in no order.
    pub touched: Vec<String>,
    /// The names of definitions that the file mentions under another name.
    pub aliased: Vec<String>,
}

/// Resolves the references and heritage clauses of one file. A compiler's statement (SCIP) replaces
/// inference.
pub fn resolve_file(world: &World, compiled: &Compiled, file: FileIndex) -> ResolvedEdges {
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
    let touched = resolver.into_touched().into_iter().collect();
    ResolvedEdges { edges: found, references, touched, aliased }
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
                resolver.record_dependency(&resolver.world.symbol(id).name);
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
        if let Some((subject, base)) = resolve_heritage(resolver, file, index) {
            aliased.push(resolver.world.symbol(base).name.clone());
            found.push(Relation {
                heritage: Some(index as u32),
                subject: target(subject),
                base: target(base),
            });
        }
    }
    let literals = resolver.objects().written_as(file);
    for (subject, base) in resolver.heritage().fulfilled(file).into_iter().chain(literals) {
        aliased.push(resolver.world.symbol(base).name.clone());
        found.push(Relation { heritage: None, subject: target(subject), base: target(base) });
    }
    found
}

/// The two ends of a heritage clause, if both are ours.
pub fn resolve_heritage(
    resolver: &Resolver,
    file: FileIndex,
    index: usize,
) -> Option<(SymbolId, SymbolId)> {
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
    let known = |text: &str| match resolver.objects().constructed(at, text) {
        Type::Known { symbol, .. } => Some(symbol),
        _ => None,
    };
    // `var page = Object.create(…)` makes a value and no type.
    let subject = match owner {
        Some(symbol) => resolver.heritage().type_of_extension(SymbolId { file, symbol }),
        None => known(&heritage.subject)?,
    };
    Some((subject, known(&heritage.base)?))
}
