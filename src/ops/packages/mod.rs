//! The packages family: shire's seven tools to the letter, and the questions its users asked for.

pub mod dependency_graph;
pub mod dto;
pub mod get_package;
pub mod index_status;
pub mod list_packages;
pub mod package_cycles;
pub mod package_dependencies;
pub mod package_dependents;
pub mod package_graph;
pub mod package_health;
pub mod package_impact;
pub mod package_path;
pub mod search_packages;

use crate::ops::Reply;
use kenning_packages::query::{PackageGraph, PackageId};
use kenning_text::fuzzy::nearest;

/// The packages that a name means: all that share it, or those of the kind that was picked.
pub(super) fn find_packages(
    graph: &PackageGraph,
    name: &str,
    kind: Option<&str>,
) -> Vec<PackageId> {
    match kind {
        Some(kind) => graph.of_kind(kind, name).collect(),
        None => graph.named(name).collect(),
    }
}

/// The contract's words, which are a success on the wire, and for people the names that are like it.
fn package_not_found(graph: &PackageGraph, name: &str) -> Reply {
    let known = graph.ids().map(|id| graph.package(id).name.as_str());
    let hint = match nearest(name, known).as_slice() {
        [] => "list_packages shows what there is".to_string(),
        names => format!("did you mean {}? list_packages shows all", names.join(" or ")),
    };
    Reply::NotFound { text: format!("Package '{name}' not found"), hint }
}

#[cfg(test)]
mod tests;
