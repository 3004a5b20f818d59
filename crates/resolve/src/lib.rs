//! Language-neutral name resolution: finds the definition that each reference of a repository
//! means.
//!
//! The input is the facts of every file (symbols, references, bindings, heritage clauses), read
//! through [`FactSource`], the [`Packages`] of the repository, and the [`rules::Rules`] of each
//! language. The output of [`resolve_file`] is the edges of one file and the names that they depend
//! on.
//!
//! ```text
//! // a.ts
//! export class Page { open() {} }
//! // b.ts
//! import { Page } from "./a";
//! new Page().open();       // edge to `Page.open` in a.ts: high confidence, by the receiver's type
//! ```
//!
//! | folder | answers |
//! |---|---|
//! | `symbol_table` | the definitions under a name, and the facts of one file |
//! | `modules` | the target of an import, an export or a qualified path |
//! | `scopes` | the definition that a bare name means at a position |
//! | `inference` | the type of an expression |
//! | `members` | the member of a type, through bases, extensions and wrappers |
//! | `heritage` | the bases and extensions of a type, and the interfaces that it implements |
//! | `overloads` | the definitions of one name that a call can mean |
//! | `scip` | the definition that a compiler recorded for a reference |
//! | `invalidation` | the edges that an edit makes stale |
//! | `syntax` | the structure of type and expression texts |
//!
//! Guarantees, on which the index relies:
//!
//! - **Deterministic.** Edges depend on facts alone. Each file has its own [`Resolver`], which
//!   visits references in text order, so files can be resolved in parallel and in any order.
//! - **Dependencies are recorded.** An edge may only rest on facts under names that were recorded
//!   with [`Resolver::record_dependency`]. Invalidation resolves a file again if such a name
//!   changes.
//! - **Bounded.** Recursive steps run in [`Resolver::with_budget`], so cyclic code terminates.
//! - **Read-only.** Nothing here writes. Only `scip` reads files: compilers' indexes and their
//!   sources.

#![warn(missing_docs)]

mod bare_words;
mod heritage;
mod inference;
mod invalidation;
mod members;
mod modules;
mod overloads;
mod resolve_reference;
mod resolver;
pub mod rules;
mod scip;
mod scopes;
mod symbol_table;
mod syntax;
mod type_references;

use kenning_model::{Confidence, Edge, EdgeTarget, FileEdges, Reason, Reference};

pub use heritage::clauses::resolve_heritage;
pub use invalidation::{can_keep_edges, fingerprints, lookup_keys};
pub use modules::module_table::{Module, declared_paths, file_stem};
pub use modules::package_visibility::Packages;
pub use resolve_reference::Resolution;
pub use resolver::{Position, ResolvedTarget, Resolver};
pub use scip::{CompilerIndex, IndexedFile, fingerprint as scip_fingerprint};
pub use symbol_table::fact_source::FactSource;
pub use symbol_table::file_symbols::FileSymbols;
pub use symbol_table::{FileIndex, SymbolId, SymbolTable, is_callable};

use scip::CompilerAnswer;

/// The result of [`resolve_file`].
#[derive(Debug, PartialEq, Eq)]
pub struct ResolvedEdges {
    /// Edges of references, and relations between types.
    pub edges: FileEdges,
    /// All references of the file; edges name them by index.
    pub references: Vec<Reference>,
    /// Every name that was looked up, unordered. The file is resolved again if one becomes dirty.
    pub dependencies: Vec<String>,
    /// Names of targets that the file spells differently, by an alias or a constructor. The store
    /// indexes them, so that readers of incoming edges examine this file, which lacks the name.
    pub aliased_names: Vec<String>,
}

/// Resolves the references and heritage clauses of one file. An answer of a compiler's index
/// replaces inference.
pub fn resolve_file(
    table: &SymbolTable,
    compiler_index: &CompilerIndex,
    file: FileIndex,
) -> ResolvedEdges {
    let resolver = Resolver::new(table, file);
    let edge_target = |id: SymbolId| EdgeTarget {
        file: table.file(id.file).id,
        symbol: Some(table.file(id.file).keys()[id.symbol as usize]),
    };
    let references = table.references(file);
    let mut found = FileEdges::default();
    let mut aliased_names = Vec::new();
    for (index, reference) in references.iter().enumerate() {
        // Each reference has its own budget, so one that is cut short does not affect the next.
        resolver.reset_budget();
        let Some(resolution) = resolve_with_compiler(&resolver, compiler_index, file, reference)
        else {
            continue;
        };
        let targets = resolution.targets.iter().map(|target| match target {
            ResolvedTarget::Symbol(id) => {
                let name = &table.symbol(*id).name;
                // `import { a as b }`, and `new Page()` that resolves to `constructor`.
                if *name != reference.name {
                    aliased_names.push(name.clone());
                }
                Some(edge_target(*id))
            }
            ResolvedTarget::Module(Module::File(file)) => {
                Some(EdgeTarget { file: table.file(*file).id, symbol: None })
            }
            // An edge needs a file. The first one stands for the directory.
            ResolvedTarget::Module(Module::Directory(path)) => {
                let first = table.modules.files_in(path).first()?;
                Some(EdgeTarget { file: table.file(*first).id, symbol: None })
            }
        });
        found.edges.push(Edge {
            reference: index as u32,
            targets: targets.flatten().collect(),
            confidence: resolution.confidence,
            reason: resolution.reason,
        });
    }
    resolver.reset_budget();
    found.relations =
        heritage::clauses::resolve_relations(&resolver, file, edge_target, &mut aliased_names);
    let dependencies = resolver.into_dependencies().into_iter().collect();
    ResolvedEdges { edges: found, references, dependencies, aliased_names }
}

/// Resolves a reference by a compiler's index if that knows its definition, else by inference.
fn resolve_with_compiler(
    resolver: &Resolver,
    compiler_index: &CompilerIndex,
    file: FileIndex,
    reference: &Reference,
) -> Option<Resolution> {
    match compiler_index.lookup_reference(resolver.table, file, reference) {
        CompilerAnswer::Definitions(found) => {
            // The edge depends on the definition's name, which an alias may hide.
            for &id in &found {
                resolver.record_dependency(&resolver.table.symbol(id).name);
            }
            Resolution::new(found, Confidence::Exact, Reason::Compiler)
        }
        CompilerAnswer::NotIndexed => resolver.resolve_reference(file, reference),
        // An index may cover a part of the tree only; inference may find targets in the rest.
        CompilerAnswer::External => {
            resolver.resolve_reference(file, reference).filter(|resolution| {
                resolution.targets.iter().all(|target| match target {
                    ResolvedTarget::Symbol(id) => {
                        !compiler_index.covers_file(resolver.table.file(id.file))
                    }
                    ResolvedTarget::Module(_) => true,
                })
            })
        }
    }
}
