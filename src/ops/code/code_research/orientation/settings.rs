//! The types with settings, those that users of the product meet first.

use std::collections::BTreeSet;

use super::is_side_path;
use super::markers::SETTING_WORDS;
use crate::graph::{Definition, Graph, SymbolHit};
use crate::ops::OpError;
use kenning_model::{ChunkKind, RepoPath, Visibility};

/// The types whose uses are counted. Each costs a lookup.
const COUNTED: usize = 80;

/// Returns the types whose names speak of settings, the most used first. A name that contains the
/// product's name comes before others.
pub fn setting_types(graph: &Graph) -> Result<Vec<SymbolHit>, OpError> {
    let mut found = graph.types_with_word(SETTING_WORDS)?;
    found.retain(|hit| !is_side_path(&hit.path));
    let product = product_words(&graph.all_paths()?);
    found.sort_by_cached_key(|hit| {
        let name = hit.symbol.name.to_lowercase();
        (!product.iter().any(|word| name.contains(word.as_str())), name.len(), hit.path.clone())
    });
    let rest = found.split_off(found.len().min(COUNTED));
    let mut ranked = Vec::new();
    for hit in found {
        let uses = count_uses(graph, &hit)?;
        let name = hit.symbol.name.to_lowercase();
        // A name of the product, and nothing else before `Options`, is what users write.
        let is_own = product.iter().any(|word| name.starts_with(word.as_str()));
        let is_bare = SETTING_WORDS.contains(&hit.symbol.name.as_str());
        let boost = if is_own || is_bare { 3.0 } else { 1.0 };
        let visible = if hit.symbol.visibility == Visibility::Private { 0.2 } else { 1.0 };
        // A type of one line has no settings of its own.
        let span = &hit.symbol.span;
        let lines = (span.end_line - span.start_line + 1).min(100);
        let score = ((uses + 1) as f32 * lines as f32).sqrt() * boost * visible;
        ranked.push((score, hit));
    }
    ranked.sort_by(|(a, one), (b, other)| {
        let place = (&one.path, one.symbol.line).cmp(&(&other.path, other.symbol.line));
        b.total_cmp(a).then(place)
    });
    let mut names: BTreeSet<String> = BTreeSet::new();
    let ordered = ranked.into_iter().map(|(_, hit)| hit).chain(rest);
    // A forward declaration and an alias have the name of their type.
    Ok(ordered.filter(|hit| names.insert(hit.qualified_name())).collect())
}

/// Counts the references to a type.
pub fn count_uses(graph: &Graph, hit: &SymbolHit) -> Result<usize, OpError> {
    let found = graph.find_definitions(&hit.symbol.name)?;
    let is_hit = |one: &&Definition| one.path == hit.path && one.symbol.line == hit.symbol.line;
    Ok(match found.iter().find(is_hit) {
        Some(definition) => graph.references(definition)?.len(),
        None => 0,
    })
}

/// Returns the words that name the product: the folders below a source folder.
fn product_words(paths: &[RepoPath]) -> Vec<String> {
    const SOURCE_FOLDERS: &[&str] =
        &["src", "source", "sources", "lib", "include", "packages", "pkg"];
    let mut counts = std::collections::BTreeMap::new();
    for path in paths {
        let parts: Vec<&str> = path.as_str().split('/').collect();
        let name = match parts.as_slice() {
            [folder, name, _, ..] if SOURCE_FOLDERS.contains(&folder.to_lowercase().as_str()) => {
                name
            }
            [name, _, ..] => name,
            // A file at the root that others are called after, such as an entry point.
            [file] => file.split('.').next().unwrap_or_default(),
            [] => continue,
        };
        if name.len() > 3 {
            *counts.entry(name.to_lowercase().replace(['-', '_'], "")).or_insert(0usize) += 1;
        }
    }
    counts.into_keys().collect()
}

/// Returns the constants with default settings.
pub fn default_settings(graph: &Graph) -> Result<Vec<SymbolHit>, OpError> {
    let mut found = graph.constants_where(|name| {
        let lower = name.to_lowercase();
        lower == "defaults"
            || lower.contains("default")
                && ["option", "config", "setting"].iter().any(|word| lower.contains(word))
    })?;
    found.retain(|hit| !is_side_path(&hit.path) && hit.symbol.kind != ChunkKind::Entry);
    Ok(found)
}
