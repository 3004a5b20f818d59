//! Internal dependencies that no source file of the declaring package mentions. Reads the tree,
//! which the index does not need to; so it is done only when asked for.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::atomic::AtomicUsize;

use aho_corasick::AhoCorasick;
use rayon::prelude::*;

use super::EngineError;
use crate::extract::manifests::MANIFESTS;
use crate::extract::mentions::mentions;
use crate::model::{Dependency, RepoPath};
use crate::query::packages::{PackageGraph, PackageId};
use crate::source::{self, Reading, Walk};

/// A dependency that a manifest declares and the source does not show.
pub struct Unused {
    pub package: PackageId,
    pub dependency: String,
}

/// Looks through the source of every package that has internal dependencies.
pub fn unused_dependencies(
    root: &Path,
    graph: &PackageGraph,
    exclude: &[String],
    max_file_size: u64,
) -> Result<Vec<Unused>, EngineError> {
    let walk = Walk {
        root,
        names: &["*"],
        exclude,
    };
    let (files, _) = source::find_files(&walk, &AtomicUsize::new(0));
    let mut owned: HashMap<PackageId, Vec<RepoPath>> = HashMap::new();
    let owners = Owners::new(graph);
    for file in files.into_iter().map(|file| file.path) {
        for owner in owners.of(&file) {
            owned.entry(owner).or_default().push(file.clone());
        }
    }
    let mut unused: Vec<Unused> = owned
        .par_iter()
        .flat_map_iter(|(package, files)| scan(root, graph, *package, files, max_file_size))
        .collect();
    unused.sort_by(|a, b| (a.package, &a.dependency).cmp(&(b.package, &b.dependency)));
    Ok(unused)
}

/// Who owns a file: of each kind, the package in the nearest directory.
struct Owners {
    by_directory: HashMap<RepoPath, Vec<(String, PackageId)>>,
}

impl Owners {
    fn new(graph: &PackageGraph) -> Owners {
        let mut by_directory: HashMap<RepoPath, Vec<(String, PackageId)>> = HashMap::new();
        for id in graph.ids() {
            let package = graph.package(id);
            let here = by_directory.entry(package.path.clone()).or_default();
            here.push((package.kind.clone(), id));
        }
        Owners { by_directory }
    }

    fn of(&self, file: &RepoPath) -> Vec<PackageId> {
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

fn scan(
    root: &Path,
    graph: &PackageGraph,
    id: PackageId,
    files: &[RepoPath],
    max_file_size: u64,
) -> Vec<Unused> {
    let package = graph.package(id);
    let internal = package.dependencies.iter().filter(|d| d.internal.is_some());
    let mut open: Vec<(&Dependency, Vec<String>)> = internal
        .filter_map(|dependency| Some((dependency, mentions(&package.kind, &dependency.name)?)))
        .collect();
    for file in files.iter().filter(|file| !is_manifest(file)) {
        if open.is_empty() {
            break;
        }
        if let Reading::Read(contents) = source::read_text(root, file, max_file_size)
            && let Ok(text) = contents.text
        {
            open.retain(|(_, texts)| !is_mentioned(&text, texts));
        }
    }
    let unused = open.into_iter().map(|(dependency, _)| Unused {
        package: id,
        dependency: dependency.name.clone(),
    });
    unused.collect()
}

/// A manifest mentions its dependencies by being one.
fn is_manifest(file: &RepoPath) -> bool {
    let name = file.file_name();
    let is_lock = name.contains("lock") || name == "go.sum";
    let mut patterns = MANIFESTS.iter().flat_map(|manifest| manifest.files());
    is_lock || patterns.any(|pattern| *pattern == name)
}

fn is_mentioned(text: &str, texts: &[String]) -> bool {
    AhoCorasick::new(texts).is_ok_and(|searcher| {
        searcher
            .find_iter(text)
            .any(|found| is_whole_word(text, found.start(), found.end()))
    })
}

/// `core` is not mentioned by `core_extras`. Quotes at either end are boundaries of their own.
fn is_whole_word(text: &str, start: usize, end: usize) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let (first, last) = (
        text[start..].chars().next(),
        text[..end].chars().next_back(),
    );
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
        let texts = mentions(kind, name).unwrap();
        assert_eq!(
            is_mentioned(text, &texts),
            expected,
            "{kind} {name}: {text}"
        );
    }

    #[test]
    fn each_ecosystem_mentions_in_its_way() {
        check(
            "npm",
            "@acme/ui",
            "import { B } from '@acme/ui/button'",
            true,
        );
        check("npm", "@acme/ui", "import { B } from '@acme/ui-kit'", false);
        check("cargo", "my-core", "use my_core::Thing;", true);
        check("cargo", "core", "use core_extras::Thing;", false);
        check(
            "go",
            "acme.org/log",
            "import (\n\t\"acme.org/log/sink\"\n)",
            true,
        );
        check("python", "acme-core", "from acme.core import x", true);
        check("dart", "acme", "import 'package:acme/acme.dart';", true);
    }
}
