//! The packages of the repository, as targets of dependencies: through path repositories, by name,
//! and by what they replace. The rules are stated in [`super`].

use std::collections::{BTreeMap, HashMap};

use super::super::Repo;
use super::super::directory_globs::DirectoryGlobs;
use super::super::nearest_package::DirectoriesByKey;
use super::Composer;
use super::constraint;
use kenning_model::{Problem, RepoPath};

/// The packages of the repository.
pub struct PhpPackages<'a> {
    by_directory: BTreeMap<RepoPath, PhpPackage<'a>>,
    /// By declared name in lower case.
    by_name: DirectoriesByKey<String>,
    /// By the names that packages replace, in lower case.
    by_replaced_name: DirectoriesByKey<String>,
    /// The packages in each path repository, by name in lower case.
    path_repositories: HashMap<PathRepository, HashMap<String, RepoPath>>,
    /// Problems of repository patterns.
    pub problems: Vec<Problem>,
}

/// One package.
pub struct PhpPackage<'a> {
    pub manifest: &'a RepoPath,
    pub name: String,
    pub facts: &'a Composer,
}

/// A path repository: a glob, and the directory that it starts from. Equal ones are indexed once.
#[derive(PartialEq, Eq, Hash)]
struct PathRepository {
    base: RepoPath,
    pattern: String,
}

impl<'a> PhpPackages<'a> {
    /// Indexes the packages and their path repositories.
    pub fn new(repo: &Repo, files: &'a [(RepoPath, Composer)]) -> PhpPackages<'a> {
        let mut by_directory = BTreeMap::new();
        for (manifest, facts) in files {
            let directory = manifest.parent();
            let name = facts.name.clone().unwrap_or_else(|| repo.directory_name(&directory));
            by_directory.insert(directory, PhpPackage { manifest, name, facts });
        }
        // A package without a name is found by directory only.
        let declared = |(directory, local): (&RepoPath, &PhpPackage)| {
            Some((local.facts.name.as_ref()?.to_lowercase(), directory.clone()))
        };
        let replaced = files.iter().flat_map(|(manifest, facts)| {
            let names = facts.replaces.iter();
            names.map(|name| (name.to_lowercase(), manifest.parent()))
        });
        let mut locals = PhpPackages {
            by_name: by_directory.iter().filter_map(declared).collect(),
            by_replaced_name: replaced.collect(),
            by_directory,
            path_repositories: HashMap::new(),
            problems: Vec::new(),
        };
        locals.index_path_repositories(files);
        locals
    }

    /// The packages with their directories, in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&RepoPath, &PhpPackage<'a>)> {
        self.by_directory.iter()
    }

    /// Finds the package that `local`, in `directory`, means by a name and a constraint. A package
    /// never depends on itself.
    pub fn find_target(
        &self,
        directory: &RepoPath,
        local: &PhpPackage,
        name: &str,
        constraint: &str,
    ) -> Option<(&RepoPath, &PhpPackage<'a>)> {
        let name = name.to_lowercase();
        if name == local.name.to_lowercase() {
            return None;
        }
        let urls = &local.facts.path_repositories;
        // Composer does not look further for a name that a path repository lacks, except in the
        // registry.
        if !urls.is_empty() {
            let mut repositories =
                urls.iter().filter_map(|url| PathRepository::new(directory, url));
            let target = repositories
                .find_map(|repository| self.path_repositories.get(&repository)?.get(&name));
            return self.by_directory.get_key_value(target?);
        }
        // Replacements count only if no package here declares the name.
        let Some(declaring) = self.by_name.nearest(&name, directory) else {
            let replacing = self.by_replaced_name.nearest(&name, directory)?;
            let target = self.by_directory.get_key_value(replacing);
            return target.filter(|(replacing, _)| *replacing != directory);
        };
        let target = self.by_directory.get_key_value(declaring);
        target.filter(|(_, target)| {
            let version = target.facts.version.as_deref();
            let fits = version.and_then(|version| constraint::accepts_version(constraint, version));
            fits != Some(false)
        })
    }

    /// Indexes each path repository once, however many packages state it.
    fn index_path_repositories(&mut self, files: &[(RepoPath, Composer)]) {
        for (manifest, facts) in files {
            for url in &facts.path_repositories {
                let Some(repository) = PathRepository::new(&manifest.parent(), url) else {
                    continue;
                };
                if self.path_repositories.contains_key(&repository) {
                    continue;
                }
                let (globs, complaints) =
                    DirectoryGlobs::new(&repository.base, [repository.pattern.as_str()]);
                let complaints = complaints.into_iter();
                self.problems.extend(complaints.map(|message| Problem::new(manifest, message)));
                let held = self.packages_matching(&repository.base, &globs);
                self.path_repositories.insert(repository, held);
            }
        }
    }

    /// The packages below `base` whose directory matches, by name; the first by path wins.
    fn packages_matching(
        &self,
        base: &RepoPath,
        globs: &DirectoryGlobs,
    ) -> HashMap<String, RepoPath> {
        let below = self
            .by_directory
            .range(base.clone()..)
            .take_while(|(directory, _)| directory.as_str().starts_with(base.as_str()));
        let mut held = HashMap::new();
        for (directory, local) in below.filter(|(directory, _)| globs.matches(directory)) {
            if let Some(name) = &local.facts.name {
                held.entry(name.to_lowercase()).or_insert_with(|| directory.clone());
            }
        }
        held
    }
}

impl PathRepository {
    /// Splits a URL into its literal directory and its pattern. `None` if it leads out of the
    /// repository.
    fn new(directory: &RepoPath, url: &str) -> Option<PathRepository> {
        let is_absolute = url.starts_with(['/', '\\', '~', '$']) || url.contains(':');
        if is_absolute {
            return None;
        }
        let is_literal = |segment: &&str| !segment.contains(['*', '?', '[', '{']);
        let segments: Vec<&str> = url.split(['/', '\\']).collect();
        let literal = segments.iter().take_while(|segment| is_literal(segment)).count();
        Some(PathRepository {
            base: directory.join(&segments[..literal].join("/"))?,
            // PHP's globs know no `**`: it is the same as `*`.
            pattern: segments[literal..].join("/").replace("**", "*"),
        })
    }
}
