//! Links all `Cargo.toml` of a repository: which workspace a package inherits from, and which
//! dependencies are packages of the repository. It reads no file.
//!
//! Only a `path` or a `[patch]` makes a dependency internal. A name alone means the registry, as
//! for cargo, even if the repository publishes that crate.

use std::collections::{BTreeMap, HashMap, HashSet};

use semver::{Version, VersionReq};

use super::{Cargo, CargoRequirement, CargoToml, InheritableField, PackageTable, WorkspaceTable};
use crate::manifests::{Ecosystem, LinkedEcosystem, Repo, package_directories};
use kenning_model::{DepKind, Dependency, Package, Problem, RepoPath};

/// Creates all packages first, because paths and patches refer to packages in any order.
/// Dependencies follow in a second pass.
pub fn link(repo: &Repo, files: &[(RepoPath, CargoToml)]) -> LinkedEcosystem {
    let mut linker = CargoLinker::new(files);
    for (path, facts) in files {
        if let Some(table) = &facts.package {
            let package = linker.build_package(repo, path, table);
            linker.packages.insert(package.path.clone(), package);
        }
    }
    linker.index_patches(files);
    for (path, facts) in files {
        if facts.package.is_some() {
            let dependencies = linker.resolve_dependencies(path, facts);
            let package = linker.packages.get_mut(&path.parent());
            package.expect("inserted above").dependencies = dependencies;
        }
    }
    LinkedEcosystem { packages: linker.packages.into_values().collect(), problems: linker.problems }
}

/// The state of linking all manifests of the repository. All keys are directories.
struct CargoLinker<'a> {
    /// Every manifest.
    manifests: HashMap<RepoPath, &'a CargoToml>,
    /// Every directory whose manifest has a `[workspace]`.
    memberships: HashMap<RepoPath, WorkspaceMembership>,
    packages: BTreeMap<RepoPath, Package>,
    /// The replacements of `[patch]`, by workspace root, source and package name.
    patches: HashMap<(RepoPath, String, String), Vec<RepoPath>>,
    problems: Vec<Problem>,
}

/// The directories that a workspace root names. They decide which packages below it are its
/// members.
struct WorkspaceMembership {
    members: HashSet<RepoPath>,
    exclude: HashSet<RepoPath>,
}

/// The manifest that a package inherits from: that of its workspace, else its own.
struct WorkspaceRoot<'a> {
    directory: RepoPath,
    manifest: &'a CargoToml,
}

impl<'a> CargoLinker<'a> {
    fn new(files: &'a [(RepoPath, CargoToml)]) -> CargoLinker<'a> {
        let workspaces = files
            .iter()
            .filter_map(|(path, facts)| Some((path.parent(), facts.workspace.as_ref()?)));
        CargoLinker {
            manifests: files.iter().map(|(path, facts)| (path.parent(), facts)).collect(),
            memberships: workspaces
                .map(|(root, table)| (root.clone(), WorkspaceMembership::new(&root, table)))
                .collect(),
            packages: BTreeMap::new(),
            patches: HashMap::new(),
            problems: Vec::new(),
        }
    }

    /// Builds the package without its dependencies. A `package.workspace` that points to no
    /// workspace is reported.
    fn build_package(&mut self, repo: &Repo, path: &RepoPath, table: &PackageTable) -> Package {
        let directory = path.parent();
        let root = self.find_root(&directory);
        if let Some(written) = &table.workspace
            && package_directories::resolve_directory(&directory, written)
                .is_some_and(|root| !self.is_workspace(&root))
        {
            let message = format!("package.workspace: there is no workspace in `{written}`");
            self.problems.push(Problem::new(path, message));
        }
        let name = table.name.clone().unwrap_or_else(|| repo.directory_name(&directory));
        let mut package = Package::new(Cargo::KIND, name, path);
        let workspace = root.manifest.workspace.as_ref();
        package.version =
            self.resolve_field(path, "version", &table.version, || workspace?.version.clone());
        package.description = self.resolve_field(path, "description", &table.description, || {
            workspace?.description.clone()
        });
        package
    }

    /// Resolves a field that may be inherited with `key.workspace = true`. A field that the
    /// workspace lacks is reported.
    fn resolve_field(
        &mut self,
        path: &RepoPath,
        key: &str,
        field: &InheritableField,
        inherited: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        match field {
            InheritableField::Absent => None,
            InheritableField::Own(text) => Some(text.clone()),
            InheritableField::Inherited => inherited().or_else(|| {
                let message = format!("no workspace has the `{key}` that the package inherits");
                self.problems.push(Problem::new(path, message));
                None
            }),
        }
    }

    /// Finds the workspace of a package as cargo does. It climbs from the package to the first
    /// workspace that does not exclude it, or follows the `package.workspace` of a manifest on the
    /// way.
    fn find_root(&self, directory: &RepoPath) -> WorkspaceRoot<'a> {
        let found = directory.ancestors().find_map(|ancestor| {
            let manifest = self.manifests.get(&ancestor)?;
            if let Some(territory) = self.memberships.get(&ancestor) {
                return territory.includes_directory(directory).then_some(ancestor);
            }
            let pointer = manifest.package.as_ref()?.workspace.as_ref()?;
            let root = package_directories::resolve_directory(&ancestor, pointer)?;
            self.is_workspace(&root).then_some(root)
        });
        let directory = found.unwrap_or_else(|| directory.clone());
        WorkspaceRoot { manifest: self.manifests[&directory], directory }
    }

    /// True if the manifest of a directory has a `[workspace]`.
    fn is_workspace(&self, directory: &RepoPath) -> bool {
        self.memberships.contains_key(directory)
    }

    /// Records the `[patch]` entries with a path. Patches from git or a registry never lead into
    /// the repository.
    fn index_patches(&mut self, files: &[(RepoPath, CargoToml)]) {
        for (path, facts) in files {
            for (source, key, patch) in facts.patches() {
                let Some(written) = &patch.path else {
                    continue;
                };
                let name = patch.package.as_deref().unwrap_or(key);
                if let Some(target) = self.resolve_path(path, &path.parent(), written, name) {
                    let key = (path.parent(), canonicalize_source(source), name.to_string());
                    self.patches.entry(key).or_default().push(target);
                }
            }
        }
    }

    /// Resolves the three dependency tables. Only a normal dependency becomes optional; an optional
    /// build dependency stays of kind build.
    fn resolve_dependencies(&mut self, path: &RepoPath, facts: &CargoToml) -> Vec<Dependency> {
        let root = self.find_root(&path.parent());
        let sections = [
            (DepKind::Runtime, &facts.dependencies),
            (DepKind::Dev, &facts.dev_dependencies),
            (DepKind::Build, &facts.build_dependencies),
        ];
        let mut dependencies = Vec::new();
        for (kind, requirements) in sections {
            for (key, requirement) in requirements {
                let optional = requirement.optional && kind == DepKind::Runtime;
                let kind = if optional { DepKind::Optional } else { kind };
                dependencies.push(self.resolve_dependency(path, &root, kind, key, requirement));
            }
        }
        package_directories::sort_dependencies(dependencies)
    }

    /// Resolves one entry. With `workspace = true`, the entry of `[workspace.dependencies]`
    /// replaces it, and its path is relative to the workspace root.
    fn resolve_dependency(
        &mut self,
        path: &RepoPath,
        root: &WorkspaceRoot<'a>,
        kind: DepKind,
        key: &str,
        requirement: &CargoRequirement,
    ) -> Dependency {
        let workspace = root.manifest.workspace.as_ref();
        let shared = workspace.and_then(|table| table.dependencies.get(key));
        if requirement.workspace && shared.is_none() {
            let message = format!("no workspace has the dependency `{key}` that is inherited");
            self.problems.push(Problem::new(path, message));
        }
        let (base, requirement) = match shared {
            Some(shared) if requirement.workspace => (root.directory.clone(), shared),
            _ => (path.parent(), requirement),
        };
        // `package = "…"` renames: the key is only the name that the code uses.
        let name = requirement.package.as_deref().unwrap_or(key);
        let internal = match &requirement.path {
            Some(written) => self.resolve_path(path, &base, written, name),
            None => self.find_patch(root, name, requirement),
        };
        Dependency {
            name: name.to_string(),
            kind,
            version_req: requirement.version.clone(),
            internal,
        }
    }

    /// Returns the directory `written`, if the package `name` is there. A path out of the
    /// repository is no mistake; one that leads to no such package is reported. A package is there
    /// only if its name matches too, because cargo checks that.
    fn resolve_path(
        &mut self,
        path: &RepoPath,
        base: &RepoPath,
        written: &str,
        name: &str,
    ) -> Option<RepoPath> {
        let directory = package_directories::resolve_directory(base, written)?;
        let package = self.packages.get(&directory);
        if package.is_some_and(|package| package.name == name) {
            return Some(directory);
        }
        let message = format!("dependency `{name}`: there is no such package in `{written}`");
        self.problems.push(Problem::new(path, message));
        None
    }

    /// Finds the package of this repository that `[patch]` puts in the place of one from elsewhere.
    /// As for cargo, a patch whose version does not fit is not used, and only patches of the
    /// workspace root count.
    fn find_patch(
        &self,
        root: &WorkspaceRoot,
        name: &str,
        requirement: &CargoRequirement,
    ) -> Option<RepoPath> {
        let source = match (&requirement.git, &requirement.registry) {
            (Some(url), _) => canonicalize_source(url),
            (None, Some(registry)) => registry.clone(),
            (None, None) => "crates-io".to_string(),
        };
        let key = (root.directory.clone(), source, name.to_string());
        let targets = self.patches.get(&key)?.iter();
        let mut fitting = targets.filter(|target| {
            let version = self.packages[*target].version.as_deref();
            satisfies_requirement(version, requirement.version.as_deref())
        });
        fitting.next().cloned()
    }
}

impl CargoToml {
    /// All entries of `[patch]`: the source, the key below it, and the requirement.
    fn patches(&self) -> impl Iterator<Item = (&str, &str, &CargoRequirement)> {
        self.patch.iter().flat_map(|(source, patches)| {
            let patches = patches.iter();
            patches.map(move |(key, patch)| (source.as_str(), key.as_str(), patch))
        })
    }
}

impl WorkspaceMembership {
    /// Resolves the literal paths of `members` and `exclude`. Globs stay unresolved; see
    /// [`WorkspaceMembership::includes_directory`].
    fn new(root: &RepoPath, table: &WorkspaceTable) -> WorkspaceMembership {
        let directories = |written: &[String]| {
            let directories = written.iter();
            directories
                .filter_map(|written| package_directories::resolve_directory(root, written))
                .collect()
        };
        WorkspaceMembership {
            members: directories(&table.members),
            exclude: directories(&table.exclude),
        }
    }

    /// True if a package below the root is a member. `exclude` covers whole trees, except for what
    /// `members` names literally. Globs do not count here, neither in the one nor in the other.
    fn includes_directory(&self, directory: &RepoPath) -> bool {
        let below = |set: &HashSet<RepoPath>| {
            !set.is_empty() && directory.ancestors().any(|ancestor| set.contains(&ancestor))
        };
        !below(&self.exclude) || below(&self.members)
    }
}

/// Maps the spellings of a git URL that cargo treats as equal to one. A trailing slash, `.git`, and
/// the case of GitHub URLs do not matter.
fn canonicalize_source(source: &str) -> String {
    let trimmed = source.trim_end_matches('/');
    let source = trimmed.strip_suffix(".git").unwrap_or(trimmed);
    if source.starts_with("https://github.com/") {
        source.to_lowercase()
    } else {
        source.to_string()
    }
}

/// True if a package of `version` satisfies `requirement`.
fn satisfies_requirement(version: Option<&str>, requirement: Option<&str>) -> bool {
    let Some(requirement) = requirement else {
        return true;
    };
    // To cargo, a package without a version has version 0.0.0.
    let version = Version::parse(version.unwrap_or("0.0.0"));
    match (version, VersionReq::parse(requirement)) {
        (Ok(version), Ok(requirement)) => requirement.matches(&version),
        _ => false,
    }
}
