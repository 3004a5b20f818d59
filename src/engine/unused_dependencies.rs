//! Internal dependencies that no source file of the declaring package mentions. It reads the whole
//! tree, so it runs only on request.
//!
//! It compares text, not meaning: a mention in a comment counts as a use. A dependency is therefore
//! reported only if nothing names it at all.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use super::EngineError;
use crate::indexing::IndexError;
use kenning_model::{Progress, RepoPath};
use kenning_packages::build::{PackageRules, is_manifest_name};
use kenning_packages::manifests::MANIFESTS;
use kenning_packages::query::{PackageGraph, PackageId};
use kenning_source::{self as source, ReadOutcome, WalkFilter};

/// A dependency that a manifest declares and no source file mentions.
pub struct UnusedDependency {
    pub package: PackageId,
    pub dependency: String,
}

/// Searches the source of every package that has internal dependencies.
///
/// Packages are scanned in parallel. The result is sorted, so it does not depend on the order of
/// threads.
pub fn unused_dependencies(
    root: &Path,
    graph: &PackageGraph,
    rules: &PackageRules,
    progress: &dyn Progress,
) -> Result<Vec<UnusedDependency>, EngineError> {
    let want = WalkFilter { exclude: &rules.exclude, ..WalkFilter::EVERYTHING };
    let files =
        source::survey_one(root, want, &rules.bounds, progress).map_err(IndexError::Walk)?.files;
    let owners = FileOwners::new(graph);
    let mut owned: HashMap<PackageId, Vec<RepoPath>> = HashMap::new();
    for file in files.into_iter().map(|file| file.path) {
        for owner in owners.owners_of(&file) {
            owned.entry(owner).or_default().push(file.clone());
        }
    }
    let (done, total) = (AtomicUsize::new(0), owned.len());
    let mut unused: Vec<UnusedDependency> = owned
        .par_iter()
        .flat_map_iter(|(package, files)| {
            let unused =
                find_unmentioned(root, graph, *package, files, rules.max_file_size, progress);
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress.report("packages", done, Some(total));
            unused
        })
        .collect();
    if progress.is_cancelled() {
        return Err(IndexError::Cancelled.into());
    }
    unused.sort_by(|a, b| (a.package, &a.dependency).cmp(&(b.package, &b.dependency)));
    Ok(unused)
}

/// The owners of files: for each kind, the package in the nearest directory.
///
/// A directory may hold packages of several kinds, and each kind owns its files separately.
struct FileOwners {
    by_directory: HashMap<RepoPath, Vec<(String, PackageId)>>,
}

impl FileOwners {
    fn new(graph: &PackageGraph) -> FileOwners {
        let mut by_directory: HashMap<RepoPath, Vec<(String, PackageId)>> = HashMap::new();
        for id in graph.ids() {
            let package = graph.package(id);
            let here = by_directory.entry(package.path.clone()).or_default();
            here.push((package.kind.clone(), id));
        }
        FileOwners { by_directory }
    }

    /// Walks up from the file. The first package of a kind hides those of the same kind further up.
    fn owners_of(&self, file: &RepoPath) -> Vec<PackageId> {
        let mut kinds = BTreeSet::new();
        let mut owners = Vec::new();
        for directory in file.parent().ancestors() {
            let here = self.by_directory.get(&directory).into_iter().flatten();
            let nearest: Vec<_> = here.filter(|(kind, _)| !kinds.contains(kind)).collect();
            kinds.extend(nearest.iter().map(|(kind, _)| kind.clone()));
            owners.extend(nearest.iter().map(|(_, id)| *id));
        }
        owners
    }
}

/// Returns the internal dependencies of one package that none of its files mentions. It stops
/// reading once all are found.
fn find_unmentioned(
    root: &Path,
    graph: &PackageGraph,
    id: PackageId,
    files: &[RepoPath],
    max_file_size: u64,
    progress: &dyn Progress,
) -> Vec<UnusedDependency> {
    let package = graph.package(id);
    let internal = package.dependencies.iter().filter(|d| d.internal.is_some());
    let names: BTreeSet<&str> = internal.map(|dependency| dependency.name.as_str()).collect();
    let Some(mut search) = MentionSearch::new(&package.kind, &names) else {
        return Vec::new();
    };
    for file in files.iter().filter(|file| is_usage_source(file)) {
        if search.unmentioned.is_empty() || progress.is_cancelled() {
            break;
        }
        if let ReadOutcome::Read(contents) = source::read_text(root, file, max_file_size)
            && let Ok(text) = contents.text
        {
            search.scan_text(&text);
        }
    }
    let unused = search
        .unmentioned
        .into_iter()
        .map(|dependency| UnusedDependency { package: id, dependency });
    unused.collect()
}

/// The dependencies of one package that no text has mentioned yet.
///
/// One automaton finds the mentions of all dependencies in one pass over a text.
struct MentionSearch {
    unmentioned: BTreeSet<String>,
    searcher: AhoCorasick,
    /// The dependency that each search pattern mentions.
    pattern_dependencies: Vec<String>,
}

impl MentionSearch {
    /// Builds the search; `None` if this ecosystem does not tie names to mentions.
    fn new(kind: &str, names: &BTreeSet<&str>) -> Option<MentionSearch> {
        let manifest = MANIFESTS.iter().find(|manifest| manifest.kind() == kind)?;
        let (mut texts, mut meaning) = (Vec::new(), Vec::new());
        for name in names {
            for text in manifest.mentions_of(name)? {
                texts.push(text);
                meaning.push(name.to_string());
            }
        }
        Some(MentionSearch {
            unmentioned: names.iter().map(ToString::to_string).collect(),
            searcher: AhoCorasick::new(texts).ok()?,
            pattern_dependencies: meaning,
        })
    }

    /// Removes the dependencies that the text mentions. Overlapping matches count, since one name
    /// may contain another.
    fn scan_text(&mut self, text: &str) {
        for found in self.searcher.find_overlapping_iter(text) {
            if is_whole_word(text, found.start(), found.end()) {
                self.unmentioned.remove(&self.pattern_dependencies[found.pattern().as_usize()]);
            }
        }
    }
}

/// True if a mention in this file counts as a use. Manifests and lock files list dependencies
/// without using them.
fn is_usage_source(file: &RepoPath) -> bool {
    let name = file.file_name();
    !LOCK_FILES.contains(&name) && !is_manifest_name(name)
}

/// Files that list dependencies without using them, by exact name.
const LOCK_FILES: [&str; 12] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "Cargo.lock",
    "go.sum",
    "go.work.sum",
    "uv.lock",
    "poetry.lock",
    "pdm.lock",
    "pubspec.lock",
];

/// True if the match is a whole word: `core_extras` does not mention `core`. Quotes at either end
/// are boundaries of their own.
fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let (first, last) = (text[start..].chars().next(), text[..end].chars().next_back());
    let before = text[..start].chars().next_back();
    let after = text[end..].chars().next();
    let joins = |inner: Option<char>, outer: Option<char>| {
        inner.is_some_and(is_word) && outer.is_some_and(is_word)
    };
    !joins(first, before) && !joins(last, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(kind: &str, name: &str, text: &str, expected: bool) {
        let mut search = MentionSearch::new(kind, &BTreeSet::from([name])).unwrap();
        search.scan_text(text);
        assert_eq!(search.unmentioned.is_empty(), expected, "{kind} {name}: {text}");
    }

    #[test]
    fn lock_files_are_told_by_their_names() {
        let is_source = |name: &str| is_usage_source(&RepoPath::new(name).unwrap());
        assert!(is_source("src/clock.js") && is_source("block.rs"));
        assert!(!is_source("yarn.lock") && !is_source("a/requirements-dev.txt"));
    }

    #[test]
    fn each_ecosystem_mentions_in_its_way() {
        check("npm", "@acme/ui", "import { B } from '@acme/ui/button'", true);
        check("npm", "@acme/ui", "import { B } from '@acme/ui-kit'", false);
        check("cargo", "my-core", "use my_core::Thing;", true);
        check("cargo", "core", "use core_extras::Thing;", false);
        check("go", "acme.org/log", "import (\n\t\"acme.org/log/sink\"\n)", true);
        check("python", "acme-core", "from acme.core import x", true);
        check("dart", "acme", "import 'package:acme/acme.dart';", true);
    }
}
