//! The package graph and the questions on it: who needs whom, why, what a change touches, where it
//! goes in circles. It knows packages as the manifests declare them, not what the source code uses.

mod cycles;
mod graph;
mod health;
mod picture;
mod search;
#[cfg(test)]
mod testing;
mod walk;

pub use cycles::{Cycle, CycleKind};
pub use graph::{Edge, Link, PackageGraph, PackageId, Target};
pub use health::{Dependents, DuplicateName, Health, Request, Requirement, VersionConflict};
pub use picture::View;
pub use search::search;
pub use walk::{Affected, Impact, Scope};
