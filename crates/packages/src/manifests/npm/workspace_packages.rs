//! The packages of the repository, as targets of dependencies: by directory, and by name among
//! those that can see each other.
//!
//! Visibility is the workspace: its members see each other, and all packages outside of workspaces
//! see each other.

use std::collections::HashMap;

use super::super::nearest_package::DirectoriesByKey;
use super::super::{Repo, npm_range};
use super::manifest_facts::{NpmFile, PackageJson};
use super::workspaces::NpmWorkspaces;
use kenning_model::RepoPath;

/// One package of the repository.
pub struct NpmPackage<'a> {
    pub manifest: &'a RepoPath,
    pub directory: RepoPath,
    pub name: String,
    /// The parsed version; `None` if it is missing or not a semantic version.
    pub version: Option<semver::Version>,
    pub facts: &'a PackageJson,
    /// The root of its workspace, if it is in one.
    pub root: Option<RepoPath>,
}

/// The packages of the repository, in the order of their paths.
pub struct NpmPackages<'a> {
    all: Vec<NpmPackage<'a>>,
    by_directory: HashMap<RepoPath, usize>,
    /// By workspace root, then by name. The key `None` has the packages outside of workspaces.
    by_name: HashMap<Option<RepoPath>, DirectoriesByKey<String>>,
}

impl<'a> NpmPackages<'a> {
    /// Indexes the packages.
    pub fn new(
        repo: &Repo,
        files: &'a [(RepoPath, NpmFile)],
        workspaces: &NpmWorkspaces,
    ) -> NpmPackages<'a> {
        let mut all = Vec::new();
        for (path, file) in files {
            if let NpmFile::Package(facts) = file {
                let directory = path.parent();
                all.push(NpmPackage {
                    manifest: path,
                    name: match &facts.name {
                        Some(name) => name.clone(),
                        None => repo.directory_name(&directory),
                    },
                    version: facts.version.as_deref().and_then(npm_range::parse_version),
                    facts,
                    root: workspaces.find_root(&directory),
                    directory,
                });
            }
        }
        NpmPackages {
            by_name: index_by_name(&all),
            by_directory: (0..)
                .zip(&all)
                .map(|(index, local)| (local.directory.clone(), index))
                .collect(),
            all,
        }
    }

    /// All packages, by path.
    pub fn iter(&self) -> impl Iterator<Item = &NpmPackage<'a>> {
        self.all.iter()
    }

    /// The package in a directory.
    pub fn package_at(&self, directory: &RepoPath) -> Option<&NpmPackage<'a>> {
        self.by_directory.get(directory).map(|index| &self.all[*index])
    }

    /// Finds the package of a name that `local` can see, the nearest if there are several. A
    /// package's own name means the registry's package, because none depends on itself.
    pub fn find_visible(&self, local: &NpmPackage, name: &str) -> Option<&NpmPackage<'a>> {
        if name == local.name {
            return None;
        }
        let in_sight = self.by_name.get(&local.root)?;
        self.package_at(in_sight.nearest(name, &local.directory)?)
    }
}

/// Indexes names by workspace root.
fn index_by_name(all: &[NpmPackage]) -> HashMap<Option<RepoPath>, DirectoriesByKey<String>> {
    let mut by_root: HashMap<Option<RepoPath>, Vec<(String, RepoPath)>> = HashMap::new();
    for local in all {
        // npm names a member that does not name itself by its directory. Outside of a workspace
        // nobody does, and a fixture in a directory `react` must not pass for that package.
        if local.facts.name.is_some() || local.root.is_some() {
            let entries = by_root.entry(local.root.clone()).or_default();
            entries.push((local.name.clone(), local.directory.clone()));
        }
    }
    by_root.into_iter().map(|(root, entries)| (root, entries.into_iter().collect())).collect()
}
