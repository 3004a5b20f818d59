//! Turns the facts of all manifests into the packages of the repository.
//!
//! It guarantees that keys are unique, that packages are sorted by key, and that every internal
//! dependency has a target. It reads no file.

use std::collections::{BTreeSet, HashSet};

use super::PackageBuild;
use crate::custom_packages;
use crate::database::ManifestRecord;
use crate::manifests::{MANIFESTS, Repo};
use kenning_model::{Package, PackageKey, Problem, RepoPath};
use kenning_source::FoundFile;

/// All packages, sorted by key, and the problems of linking.
pub struct LinkedPackages {
    pub packages: Vec<Package>,
    pub problems: Vec<Problem>,
}

/// Links each ecosystem by itself, adds the packages of custom rules, and applies the configured
/// descriptions. Ecosystems never depend on each other.
pub fn link_packages(
    build: &PackageBuild,
    manifests: &[ManifestRecord],
    found: &[FoundFile],
) -> LinkedPackages {
    let root_name = root_name(build);
    let repo = Repo { root_name: &root_name };
    let mut packages = Vec::new();
    let mut problems = Vec::new();
    for manifest in MANIFESTS {
        let facts: Vec<(RepoPath, String)> = manifests
            .iter()
            .filter(|record| record.kind == manifest.kind())
            .filter_map(|record| Some((record.path.clone(), record.facts.clone()?)))
            .collect();
        if !facts.is_empty() {
            let mut linked = manifest.link_erased(&repo, &facts);
            packages.append(&mut linked.packages);
            problems.append(&mut linked.problems);
        }
    }
    if !build.rules.custom.is_empty() {
        // Custom rules run last: a directory with a real manifest is not theirs.
        let declared: BTreeSet<RepoPath> = packages.iter().map(|p| p.path.clone()).collect();
        let files: Vec<RepoPath> = found.iter().map(|file| file.path.clone()).collect();
        let (mut custom, more) =
            custom_packages::discover_packages(&build.rules.custom, &files, &declared);
        packages.append(&mut custom);
        problems.extend(more);
    }
    packages.sort_by_cached_key(|package| (package.key(), package.manifest.clone()));
    dedup_packages(&mut packages, &mut problems);
    apply_descriptions(build, &mut packages);
    clear_unknown_targets(&mut packages);
    LinkedPackages { packages, problems }
}

/// The name of the root directory, which names packages there that do not name themselves.
pub fn root_name(build: &PackageBuild) -> String {
    let name = build.root.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "root".to_string())
}

/// Keeps the first of several packages with one key, and reports the others. The list must be
/// sorted by key.
fn dedup_packages(packages: &mut Vec<Package>, problems: &mut Vec<Problem>) {
    packages.dedup_by(|later, kept| {
        let is_same = later.key() == kept.key();
        if is_same {
            let message =
                format!("{} {:?} is also declared by {}", later.kind, later.name, kept.manifest);
            problems.push(Problem::new(&later.manifest, message));
        }
        is_same
    });
}

/// Replaces descriptions by those that the configuration gives, by package name.
fn apply_descriptions(build: &PackageBuild, packages: &mut [Package]) {
    for package in packages {
        if let Some(description) = build.rules.descriptions.get(&package.name) {
            package.description = Some(description.clone());
        }
    }
}

/// Makes a dependency external if its target is not among the packages. Readers rely on `internal`
/// having a target, and deduplication may have removed it.
fn clear_unknown_targets(packages: &mut [Package]) {
    let known: HashSet<PackageKey> = packages.iter().map(Package::key).collect();
    for package in packages {
        for dependency in &mut package.dependencies {
            let target = dependency.internal.as_ref().map(|path| PackageKey {
                kind: package.kind.clone(),
                name: dependency.name.clone(),
                path: path.clone(),
            });
            if target.is_some_and(|target| !known.contains(&target)) {
                dependency.internal = None;
            }
        }
    }
}
