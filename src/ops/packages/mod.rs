//! The packages family: shire's seven tools to the letter, and five operations on the package graph
//! that Kenning adds. All of them answer from one loaded view of the package index.

pub mod dependency_graph;
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
pub mod reply_parts;
pub mod search_packages;

use crate::ops::Reply;
use kenning_packages::query::{PackageGraph, PackageId};
use kenning_text::fuzzy_match::nearest;

/// Returns the packages of a name: all that share it, or those of one ecosystem.
pub(super) fn find_packages(
    graph: &PackageGraph,
    name: &str,
    kind: Option<&str>,
) -> Vec<PackageId> {
    match kind {
        Some(kind) => graph.find_by_kind(kind, name).collect(),
        None => graph.find_by_name(name).collect(),
    }
}

/// The reply for an unknown package. The contract wants a success with these words; people also get
/// similar names.
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
