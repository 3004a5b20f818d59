//! Package search by words. SQLite ranks; this module builds the query and puts exact names first.

use super::graph::{PackageGraph, PackageId};
use crate::database::PackageReader;
use kenning_store::StoreError;

/// Finds the packages that match any word of `query` as a prefix, best first. A package whose name
/// is the query comes before all others.
pub fn search_packages(
    reader: &PackageReader,
    graph: &PackageGraph,
    query: &str,
    limit: usize,
) -> Result<Vec<PackageId>, StoreError> {
    let mut found: Vec<PackageId> = find_named(graph, query.trim());
    // The index may be of another state than the graph; keys that the graph lacks are skipped.
    let keys = reader.search(&split_words(query), limit)?;
    for id in keys.iter().filter_map(|key| graph.find(key)) {
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found.truncate(limit);
    Ok(found)
}

/// Returns the packages of exactly that name; if there are none, those of that name in any case.
fn find_named(graph: &PackageGraph, query: &str) -> Vec<PackageId> {
    let exact: Vec<PackageId> = graph.find_by_name(query).collect();
    if !exact.is_empty() {
        return exact;
    }
    let folded = query.to_lowercase();
    let is_meant = |id: &PackageId| graph.package(*id).name.to_lowercase() == folded;
    graph.ids().filter(is_meant).collect()
}

/// Splits a query into words: letters and digits of any script. The full-text index separates at
/// the same characters.
fn split_words(query: &str) -> Vec<&str> {
    let words = query.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect()
}
