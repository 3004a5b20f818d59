//! Links all `go.mod` and `go.work` of a repository: which required modules are modules of the
//! repository. It reads no file.
//!
//! Workspaces win over replacements, and replacements over names, as in Go. A required module with
//! the path of a module here counts as internal even without either, because its path leads to this
//! repository.

use std::collections::{BTreeMap, HashMap};

use serde_json::json;

use super::{Go, GoFile, Replace, Require};
use crate::manifests::package_directories::{self, PackageDirectories};
use crate::manifests::{Ecosystem, LinkedEcosystem};
use kenning_model::{DepKind, Dependency, Package, Problem, RepoPath};

/// Adds modules, then workspaces, which refer to modules, then resolves dependencies.
pub fn link(files: &[(RepoPath, GoFile)]) -> LinkedEcosystem {
    let mut linker = GoLinker::new(files);
    for (path, facts) in files.iter().filter(|(path, _)| is_workspace(path)) {
        linker.add_workspace(path, facts);
    }
    let modules: Vec<(RepoPath, GoModule)> = linker.modules.clone().into_iter().collect();
    let packages =
        modules.iter().map(|(directory, module)| linker.build_package(directory, module)).collect();
    LinkedEcosystem { packages, problems: linker.problems }
}

/// True for a `go.work`.
fn is_workspace(path: &RepoPath) -> bool {
    path.file_name() == "go.work"
}

/// A module of the repository.
#[derive(Clone, Copy)]
struct GoModule<'a> {
    name: &'a str,
    manifest: &'a RepoPath,
    facts: &'a GoFile,
}

/// The state of linking all modules.
struct GoLinker<'a> {
    /// By directory.
    modules: BTreeMap<RepoPath, GoModule<'a>>,
    /// The directories of modules, by module path. Forks and examples may repeat a path.
    homes: PackageDirectories,
    /// The `replace` directives of each module, by its directory.
    replacements: HashMap<RepoPath, Replacements<'a>>,
    workspaces: Vec<Workspace<'a>>,
    /// Index of the workspace that each module belongs to, by the module's directory.
    membership: HashMap<RepoPath, usize>,
    problems: Vec<Problem>,
}

/// A `go.work`. Its modules use each other, whatever versions they require.
struct Workspace<'a> {
    directory: RepoPath,
    /// Module path to directory.
    members: HashMap<&'a str, RepoPath>,
    /// Replacements in the `go.work` itself. They override those of its modules.
    own: Replacements<'a>,
    /// Replacements in any of its modules. They hold for all of its modules.
    shared: Replacements<'a>,
}

/// Replacements by module path and, if only one version is replaced, that version. The directory is
/// that of the file with the directive; paths are relative to it.
type Replacements<'a> = HashMap<(&'a str, Option<&'a str>), (RepoPath, &'a Replace)>;

impl<'a> GoLinker<'a> {
    /// Indexes all modules. A `go.mod` without a module directive only marks a boundary.
    fn new(files: &'a [(RepoPath, GoFile)]) -> GoLinker<'a> {
        let mut linker = GoLinker {
            modules: BTreeMap::new(),
            homes: PackageDirectories::default(),
            replacements: HashMap::new(),
            workspaces: Vec::new(),
            membership: HashMap::new(),
            problems: Vec::new(),
        };
        for (manifest, facts) in files.iter().filter(|(path, _)| !is_workspace(path)) {
            let Some(name) = facts.module.as_deref() else {
                continue;
            };
            let directory = manifest.parent();
            let replacements = collect_replacements(&directory, facts);
            linker.replacements.insert(directory.clone(), replacements);
            linker.homes.add(name, &directory);
            let module = GoModule { name, manifest, facts };
            linker.modules.insert(directory, module);
        }
        linker
    }

    /// Adds a workspace. A `use` of a directory without a module is reported; one outside of the
    /// repository is not.
    fn add_workspace(&mut self, path: &RepoPath, facts: &'a GoFile) {
        let directory = path.parent();
        let mut workspace = Workspace {
            own: collect_replacements(&directory, facts),
            directory,
            members: HashMap::new(),
            shared: Replacements::new(),
        };
        for written in &facts.uses {
            let Some(member) =
                package_directories::resolve_directory(&workspace.directory, written)
            else {
                continue;
            };
            let Some(module) = self.modules.get(&member) else {
                let message = format!("use: there is no module in `{written}`");
                self.problems.push(Problem::new(path, message));
                continue;
            };
            workspace.members.insert(module.name, member.clone());
            for (replaced, by) in &self.replacements[&member] {
                let shared = workspace.shared.entry(*replaced);
                shared.or_insert_with(|| by.clone());
            }
            self.join_workspace(member, &workspace.directory);
        }
        self.workspaces.push(workspace);
    }

    /// Makes `member` a member of the workspace that is about to be added, unless a nearer one has
    /// it. Go takes the first `go.work` that it meets on the way up.
    fn join_workspace(&mut self, member: RepoPath, directory: &RepoPath) {
        let nearness =
            |directory: &RepoPath| (member.is_within(directory), directory.segments().count());
        let current = self.membership.get(&member);
        if current.is_none_or(|&at| nearness(&self.workspaces[at].directory) < nearness(directory))
        {
            self.membership.insert(member, self.workspaces.len());
        }
    }

    /// Builds the package of a module with its dependencies.
    fn build_package(&mut self, directory: &RepoPath, module: &GoModule<'a>) -> Package {
        let mut package = Package::new(Go::KIND, module.name, module.manifest);
        if let Some(version) = &module.facts.go {
            package.metadata.insert("go".to_string(), json!(version));
        }
        if self.membership.contains_key(directory) {
            let key = "go_workspace".to_string();
            package.metadata.insert(key, json!(true));
        }
        let tools = self.find_tool_modules(directory, module);
        let mut dependencies = Vec::new();
        for require in &module.facts.require {
            let is_tool = tools.contains_key(require.path.as_str());
            // `go get -tool` marks the module of a tool as indirect, because nothing imports it.
            if !(is_tool && require.indirect) {
                dependencies.push(self.resolve_dependency(
                    directory,
                    module,
                    DepKind::Runtime,
                    require,
                ));
            }
        }
        for require in tools.values() {
            dependencies.push(self.resolve_dependency(directory, module, DepKind::Dev, require));
        }
        package.dependencies = package_directories::sort_dependencies(dependencies);
        package
    }

    /// Finds the modules that provide the tools of a module. A tool is a package path; the longest
    /// prefix that is a known module provides it.
    fn find_tool_modules(
        &self,
        directory: &RepoPath,
        module: &GoModule<'a>,
    ) -> BTreeMap<String, Require> {
        let requires = module.facts.require.iter();
        let versions: HashMap<&str, &str> =
            requires.map(|require| (require.path.as_str(), require.version.as_str())).collect();
        let workspace = self.find_workspace(directory);
        let mut modules = BTreeMap::new();
        for tool in &module.facts.tools {
            let known = |name: &&str| {
                *name == module.name
                    || versions.contains_key(name)
                    || workspace.is_some_and(|workspace| workspace.members.contains_key(name))
            };
            let name = path_prefixes(tool).find(known).unwrap_or(tool);
            if name == module.name || tool.starts_with("./") {
                continue;
            }
            let require = Require {
                path: name.to_string(),
                version: versions.get(name).copied().unwrap_or_default().to_string(),
                indirect: false,
            };
            modules.insert(name.to_string(), require);
        }
        modules
    }

    /// Resolves one requirement: by the workspace, by a replacement, else by name.
    fn resolve_dependency(
        &mut self,
        directory: &RepoPath,
        module: &GoModule<'a>,
        kind: DepKind,
        require: &Require,
    ) -> Dependency {
        let mut dependency = Dependency {
            name: require.path.clone(),
            kind,
            version_req: Some(require.version.clone()).filter(|version| !version.is_empty()),
            internal: None,
        };
        let workspace = self.find_workspace(directory);
        let member = workspace.and_then(|workspace| workspace.members.get(require.path.as_str()));
        if let Some(member) = member {
            dependency.internal = Some(member.clone());
            return dependency;
        }
        match self.find_replacement(directory, require) {
            Some((base, replace)) if is_directory(&replace.by) => {
                self.replace_by_directory(&mut dependency, module, &base, &replace.by);
            }
            Some((_, replace)) => self.replace_by_module(&mut dependency, directory, replace),
            None => dependency.internal = self.find_module(directory, &require.path),
        }
        dependency
    }

    /// The workspace of the module in a directory.
    fn find_workspace(&self, directory: &RepoPath) -> Option<&Workspace<'a>> {
        let at = self.membership.get(directory)?;
        Some(&self.workspaces[*at])
    }

    /// Finds the replacement of a required module, and the directory of the file that states it.
    /// `go.work` wins over the module itself, and a replacement of one version over that of all.
    fn find_replacement(
        &self,
        directory: &RepoPath,
        require: &Require,
    ) -> Option<(RepoPath, &'a Replace)> {
        let workspace = self.find_workspace(directory);
        let tables = [
            workspace.map(|workspace| &workspace.own),
            self.replacements.get(directory),
            workspace.map(|workspace| &workspace.shared),
        ];
        let name = require.path.as_str();
        tables.into_iter().flatten().find_map(|replacements| {
            let of_version = replacements.get(&(name, Some(require.version.as_str())));
            of_version.or_else(|| replacements.get(&(name, None))).cloned()
        })
    }

    /// Applies a replacement by a local directory. Go lets the module there have another path than
    /// the replaced one; the dependency then takes that module's name.
    fn replace_by_directory(
        &mut self,
        dependency: &mut Dependency,
        module: &GoModule,
        base: &RepoPath,
        written: &str,
    ) {
        let Some(target) = package_directories::resolve_directory(base, written) else {
            return;
        };
        match self.modules.get(&target) {
            Some(module) => {
                dependency.name = module.name.to_string();
                dependency.internal = Some(target);
            }
            None => {
                let name = &dependency.name;
                let message = format!("replace `{name}`: there is no module in `{written}`");
                self.problems.push(Problem::new(module.manifest, message));
            }
        }
    }

    /// Applies a replacement by another module. The code still imports the replaced path, so that
    /// stays the name, with the replacement's version. A module of the repository keeps its own
    /// name.
    fn replace_by_module(&self, dependency: &mut Dependency, directory: &RepoPath, by: &Replace) {
        dependency.version_req.clone_from(&by.by_version);
        dependency.internal = self.find_module(directory, &by.by);
        if dependency.internal.is_some() {
            dependency.name.clone_from(&by.by);
        }
    }

    /// Finds the module of this repository with a path, the nearest if there are several. Go itself
    /// would fetch it from the URL in the path, which is this repository again.
    fn find_module(&self, from: &RepoPath, name: &str) -> Option<RepoPath> {
        self.homes.nearest(name, from).cloned()
    }
}

/// The `replace` directives of one file.
fn collect_replacements<'a>(directory: &RepoPath, facts: &'a GoFile) -> Replacements<'a> {
    let replacements = facts.replace.iter().map(|replace| {
        let replaced = (replace.path.as_str(), replace.version.as_deref());
        (replaced, (directory.clone(), replace))
    });
    replacements.collect()
}

/// True if a replacement is a directory. Go decides by the beginning of the text: `./`, `../`, or
/// an absolute path.
fn is_directory(written: &str) -> bool {
    let relative = ["./", "../", ".\\", "..\\", "/", "\\"];
    written == "."
        || written == ".."
        || relative.iter().any(|start| written.starts_with(start))
        || written.get(1..2) == Some(":")
}

/// A package path and all paths above it, the longest first.
fn path_prefixes(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(path), |path| path.rfind('/').map(|slash| &path[..slash]))
}
