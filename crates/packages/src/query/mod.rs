//! The package graph and the questions on it: who needs whom, why, what a change touches, where it
//! goes in circles. It knows packages as the manifests declare them, not what the source code uses.

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
