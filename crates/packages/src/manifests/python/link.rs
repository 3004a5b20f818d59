//! Links all Python files of a repository: which of them declare one package, and which
//! requirements are packages of the repository. It reads no file.
//!
//! A requirement without a source means the nearest package here that declares the name. Package
//! indexes are not consulted.

use std::collections::{BTreeMap, HashMap, HashSet};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::requirement::{PythonRequirement, RequirementSource};
use super::{Python, PythonDeclaration, Workspace, normalize_name};
use crate::manifests::package_directories::{self, PackageDirectories};
use crate::manifests::{Ecosystem, LinkedEcosystem, Repo};
use kenning_model::{DepKind, Dependency, Package, Problem, RepoPath};

/// Creates packages, then workspaces, which refer to packages, then dependencies.
pub fn link(repo: &Repo, files: &[(RepoPath, PythonDeclaration)]) -> LinkedEcosystem {
    let mut linker = PythonLinker::new(files);
    linker.add_packages(repo);
    linker.add_members();
    let directories: Vec<RepoPath> = linker.packages.keys().cloned().collect();
    for directory in directories {
        let dependencies = linker.resolve_dependencies(&directory);
        let package = linker.packages.get_mut(&directory);
        package.expect("it is one of the keys").dependencies = dependencies;
    }
    LinkedEcosystem { packages: linker.packages.into_values().collect(), problems: linker.problems }
}

/// The state of linking all files. All keys are directories.
struct PythonLinker<'a> {
    /// The files of each directory, the most authoritative first.
    files: BTreeMap<RepoPath, Vec<(&'a RepoPath, &'a PythonDeclaration)>>,
    /// By directory, as everything here.
    packages: BTreeMap<RepoPath, Package>,
    /// The packages that declare their names. A directory's name is no evidence of a package.
    homes: PackageDirectories,
    workspaces: HashMap<RepoPath, MemberGlobs>,
    /// The workspace root of each package that has one.
    roots: HashMap<RepoPath, RepoPath>,
    /// The members of workspaces, by root and normalized name.
    members: HashMap<(RepoPath, String), RepoPath>,
    problems: Vec<Problem>,
}

/// The patterns of a uv workspace.
struct MemberGlobs {
    members: GlobSet,
    exclude: GlobSet,
}

impl<'a> PythonLinker<'a> {
    /// Groups the files by directory and compiles the patterns of workspaces.
    fn new(files: &'a [(RepoPath, PythonDeclaration)]) -> PythonLinker<'a> {
        let mut linker = PythonLinker {
            files: BTreeMap::new(),
            packages: BTreeMap::new(),
            homes: PackageDirectories::default(),
            workspaces: HashMap::new(),
            roots: HashMap::new(),
            members: HashMap::new(),
            problems: Vec::new(),
        };
        for (path, declaration) in files {
            if let Some(workspace) = &declaration.workspace {
                let globs = linker.compile_globs(path, workspace);
                linker.workspaces.insert(path.parent(), globs);
            }
            let siblings = linker.files.entry(path.parent()).or_default();
            siblings.push((path, declaration));
        }
        for siblings in linker.files.values_mut() {
            siblings.sort_by_key(|(path, _)| file_rank(path));
        }
        linker
    }

    /// Compiles the patterns of a workspace and reports invalid ones.
    fn compile_globs(&mut self, path: &RepoPath, workspace: &Workspace) -> MemberGlobs {
        let mut set = |globs: &[String]| {
            let (set, errors) = build_glob_set(globs);
            let problems = errors.iter().map(|error| Problem::new(path, error.to_string()));
            self.problems.extend(problems);
            set
        };
        MemberGlobs { members: set(&workspace.members), exclude: set(&workspace.exclude) }
    }

    /// Makes one package of all files in a directory. A field that a stronger file leaves open, a
    /// weaker one may fill in.
    fn add_packages(&mut self, repo: &Repo) {
        for (directory, files) in &self.files {
            let declaring = || files.iter().filter(|(_, file)| file.is_package);
            let Some((manifest, _)) = declaring().next() else {
                continue;
            };
            let declared_name = declaring().find_map(|(_, file)| file.name.clone());
            if let Some(name) = &declared_name {
                self.homes.add(&normalize_name(name), directory);
            }
            let name = declared_name.unwrap_or_else(|| repo.directory_name(directory));
            let mut package = Package::new(Python::KIND, name, manifest);
            package.version = declaring().find_map(|(_, file)| file.version.clone());
            package.description = declaring().find_map(|(_, file)| file.description.clone());
            self.packages.insert(directory.clone(), package);
        }
    }

    /// Finds the workspace of each package as uv does: the nearest root above decides, and it may
    /// exclude the package.
    fn add_members(&mut self) {
        for (directory, package) in &self.packages {
            let mut ancestors = directory.ancestors();
            let Some(root) = ancestors.find(|ancestor| self.workspaces.contains_key(ancestor))
            else {
                continue;
            };
            let globs = &self.workspaces[&root];
            let relative = directory.as_str()[root.as_str().len()..].trim_start_matches('/');
            let wanted = globs.members.is_match(relative) && !globs.exclude.is_match(relative);
            if wanted || *directory == root {
                let key = (root.clone(), normalize_name(&package.name));
                self.members.insert(key, directory.clone());
                self.roots.insert(directory.clone(), root);
            }
        }
    }

    /// Resolves the requirements of all files in a directory.
    fn resolve_dependencies(&mut self, directory: &RepoPath) -> Vec<Dependency> {
        let mut dependencies = Vec::new();
        // A weaker file often repeats, and pins, what a stronger file declares. These keys drop the
        // repetitions.
        let mut declared_before = HashSet::new();
        for (path, file) in self.files[directory].clone() {
            let mut declared_here = HashSet::new();
            for (kind, requirements) in [
                (DepKind::Runtime, &file.runtime),
                (DepKind::Dev, &file.dev),
                (DepKind::Build, &file.build),
                (DepKind::Optional, &file.optional),
            ] {
                for requirement in requirements {
                    let Some(dependency) = self.resolve_dependency(path, kind, requirement) else {
                        continue;
                    };
                    let key = (normalize_name(&dependency.name), kind);
                    if !declared_before.contains(&key) {
                        declared_here.insert(key);
                        dependencies.push(dependency);
                    }
                }
            }
            declared_before.extend(declared_here);
        }
        package_directories::sort_dependencies(dependencies)
    }

    /// Resolves one requirement. `None` if the package requires itself, which only selects its own
    /// extras.
    fn resolve_dependency(
        &mut self,
        path: &RepoPath,
        kind: DepKind,
        requirement: &PythonRequirement,
    ) -> Option<Dependency> {
        let directory = path.parent();
        let name = requirement.name.as_deref();
        let (base, source) = self.resolve_source(&directory, requirement);
        let internal = match &source {
            RequirementSource::Unsaid => name.and_then(|name| {
                let home = self.homes.nearest(&normalize_name(name), &directory);
                home.cloned()
            }),
            RequirementSource::Workspace => self.find_member(path, name.unwrap_or_default()),
            RequirementSource::Directory(written) => {
                self.resolve_directory(path, &base, written, name)
            }
            RequirementSource::Elsewhere => None,
        };
        if internal.as_ref() == Some(&directory) {
            return None;
        }
        let name = match (&internal, name, &source) {
            (Some(target), _, _) => self.packages[target].name.clone(),
            (None, Some(name), _) => name.to_string(),
            (None, None, RequirementSource::Directory(written)) => last_segment(written),
            (None, None, _) => return None,
        };
        Some(Dependency { name, kind, version_req: requirement.version_req.clone(), internal })
    }

    /// Returns the source of a requirement of the package in `directory`, and the directory that a
    /// path in it is relative to. As in uv, the sources of a workspace root hold for its members as
    /// well.
    fn resolve_source(
        &self,
        directory: &RepoPath,
        requirement: &PythonRequirement,
    ) -> (RepoPath, RequirementSource) {
        let own = (directory.clone(), requirement.source.clone());
        let (RequirementSource::Unsaid, Some(name)) = (&requirement.source, &requirement.name)
        else {
            return own;
        };
        let name = normalize_name(name);
        let places = [Some(directory), self.roots.get(directory)];
        let said = places.into_iter().flatten().find_map(|place| {
            let mut files = self.files.get(place)?.iter();
            let source = files.find_map(|(_, file)| file.sources.get(&name))?;
            Some((place.clone(), source.clone()))
        });
        said.unwrap_or(own)
    }

    /// Finds a member of the package's workspace by name. A missing one is reported.
    fn find_member(&mut self, path: &RepoPath, name: &str) -> Option<RepoPath> {
        let root = self.roots.get(&path.parent());
        let key = root.map(|root| (root.clone(), normalize_name(name)));
        let member = key.and_then(|key| self.members.get(&key)).cloned();
        if member.is_none() {
            let message = format!("`{name}` is not a member of the workspace");
            self.problems.push(Problem::new(path, message));
        }
        member
    }

    /// Returns the directory `written`, if the required package is there. A path out of the
    /// repository is no mistake; one that leads to no such package is reported.
    fn resolve_directory(
        &mut self,
        path: &RepoPath,
        base: &RepoPath,
        written: &str,
        name: Option<&str>,
    ) -> Option<RepoPath> {
        let target = package_directories::resolve_directory(base, written)?;
        // pip takes paths from where it is started, which is this directory or the root.
        let from_root = RepoPath::new(written).filter(|_| path.file_name() != "pyproject.toml");
        let mut targets = [Some(target), from_root].into_iter().flatten();
        let found = targets.find(|target| self.is_package_named(target, name));
        if found.is_none() {
            let what = name.map(|name| format!(" `{name}`")).unwrap_or_default();
            let message = format!("there is no package{what} in `{written}`");
            self.problems.push(Problem::new(path, message));
        }
        found
    }

    /// True if the package in `directory` may be called `name`. A package that declares no name
    /// fits any.
    fn is_package_named(&self, directory: &RepoPath, name: Option<&str>) -> bool {
        let Some(package) = self.packages.get(directory) else {
            return false;
        };
        let says_name =
            self.files[directory].iter().any(|(_, file)| file.is_package && file.name.is_some());
        let same = |name| normalize_name(name) == normalize_name(&package.name);
        !says_name || name.is_none_or(same)
    }
}

/// Compiles globs in which `*` does not match a slash. Returns the errors of invalid ones.
fn build_glob_set(globs: &[String]) -> (GlobSet, Vec<globset::Error>) {
    let mut builder = GlobSetBuilder::new();
    let mut errors = Vec::new();
    for glob in globs {
        let glob = glob.trim_start_matches("./").trim_end_matches('/');
        match GlobBuilder::new(glob).literal_separator(true).build() {
            Ok(glob) => {
                builder.add(glob);
            }
            Err(error) => errors.push(error),
        }
    }
    let set = builder.build().unwrap_or_else(|error| {
        errors.push(error);
        GlobSet::empty()
    });
    (set, errors)
}

/// The authority of a file on its package; the lowest is the strongest.
fn file_rank(path: &RepoPath) -> (u8, RepoPath) {
    let strength = match path.file_name() {
        "pyproject.toml" => 0,
        "setup.cfg" => 1,
        "requirements.txt" => 2,
        _ => 3,
    };
    (strength, path.clone())
}

/// The last segment of a path that is a name.
fn last_segment(path: &str) -> String {
    let mut segments = path.rsplit(['/', '\\']);
    let last = segments.find(|segment| !["", ".", ".."].contains(segment));
    last.unwrap_or(path).to_string()
}
