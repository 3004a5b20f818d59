//! The package graph and the queries on it: dependencies, dependents and the reasons for them, the
//! impact of a change, cycles, health, search, and diagrams.
//!
//! It knows packages as the manifests declare them, not what the source code uses.

mod cycles;
mod diagram;
mod graph;
mod health;
mod search;
#[cfg(test)]
mod testing;
mod traversal;

pub use cycles::{Cycle, CycleKind};
pub use diagram::DiagramView;
pub use graph::{DependencyTarget, PackageEdge, PackageGraph, PackageId, PackageLink};
pub use health::{
    Dependents, DuplicateName, Health, VersionConflict, VersionRequest, VersionRequirement,
};
pub use search::search_packages;
pub use traversal::{Affected, Impact, TraversalScope};
