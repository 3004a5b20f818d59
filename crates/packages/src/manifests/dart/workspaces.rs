//! Groups the packages that resolve each other by name: those of one pub workspace, or of one
//! `melos.yaml`. It also finds the overrides for each. It handles directories, not packages.

use std::collections::{BTreeMap, HashMap};

use super::super::directory_globs::DirectoryGlobs;
use super::facts::{DartRequirement, File, PubspecSettings};
use kenning_model::{Problem, RepoPath};

/// The workspaces, melos groups and overrides of all directories.
#[derive(Default)]
pub struct Groups<'a> {
    directories: BTreeMap<RepoPath, Directory<'a>>,
    /// By the root of the workspace, or the package itself outside of one; then by name.
    overrides: HashMap<RepoPath, BTreeMap<&'a str, Override<'a>>>,
    pub problems: Vec<Problem>,
}

/// The replacement for a dependency, and the directory of the file that states it.
pub struct Override<'a> {
    pub directory: RepoPath,
    pub requirement: &'a DartRequirement,
}

/// The settings of one directory, merged from its files.
#[derive(Default)]
struct Directory<'a> {
    workspace: Option<DirectoryGlobs>,
    melos: Option<DirectoryGlobs>,
    overrides: Option<&'a BTreeMap<String, DartRequirement>>,
    resolution: Option<&'a str>,
}

impl<'a> Groups<'a> {
    pub fn new(files: &'a [(RepoPath, File)]) -> Groups<'a> {
        let mut groups = Groups::default();
        for (path, file) in files {
            match file {
                // Files are sorted by path, and so `pubspec_overrides.yaml` has the last word.
                File::Pubspec(pubspec) => groups.settle(path, &pubspec.settings),
                File::Overrides(settings) => groups.settle(path, settings),
                File::Melos(melos) => {
                    let globs = groups.compile(path, &melos.members);
                    groups.at(path).melos = Some(globs);
                }
            }
        }
        groups.gather_overrides();
        groups
    }

    /// Returns the directory that identifies the group of packages which `directory` can see by
    /// name. That is the root of its workspace, else the directory of the `melos.yaml` that lists
    /// it.
    pub fn group_of(&self, directory: &RepoPath) -> Option<RepoPath> {
        self.workspace_of(directory).or_else(|| {
            let mut above = directory.ancestors();
            above.find(|above| self.has(above, |above| above.melos.as_ref(), directory))
        })
    }

    /// Returns the directory whose overrides apply to `directory`: the root of its workspace, else
    /// itself.
    pub fn overrider_of(&self, directory: &RepoPath) -> RepoPath {
        let workspace = self.workspace_of(directory);
        workspace.unwrap_or_else(|| directory.clone())
    }

    pub fn override_of(&self, overrider: &RepoPath, name: &str) -> Option<&Override<'a>> {
        self.overrides.get(overrider)?.get(name)
    }

    fn at(&mut self, path: &RepoPath) -> &mut Directory<'a> {
        self.directories.entry(path.parent()).or_default()
    }

    fn settle(&mut self, path: &RepoPath, settings: &'a PubspecSettings) {
        let members = settings.members.as_ref();
        let globs = members.map(|patterns| self.compile(path, patterns));
        let directory = self.at(path);
        directory.workspace = globs.or(directory.workspace.take());
        directory.overrides = settings.overrides.as_ref().or(directory.overrides);
        directory.resolution = settings.resolution.as_deref().or(directory.resolution);
    }

    fn compile(&mut self, path: &RepoPath, patterns: &[String]) -> DirectoryGlobs {
        let patterns = patterns.iter().map(String::as_str);
        let (globs, complaints) = DirectoryGlobs::new(&path.parent(), patterns);
        let complaints = complaints.into_iter();
        let problems = complaints.map(|message| Problem::new(path, message));
        self.problems.extend(problems);
        globs
    }

    /// The overrides of every member hold for the whole workspace. pub refuses two for one name,
    /// so it does not matter which is kept.
    fn gather_overrides(&mut self) {
        let mut overrides: HashMap<RepoPath, BTreeMap<&str, Override>> = HashMap::new();
        for (path, directory) in &self.directories {
            for (name, requirement) in directory.overrides.into_iter().flatten() {
                let in_group = overrides.entry(self.overrider_of(path)).or_default();
                in_group
                    .entry(name)
                    .or_insert_with(|| Override { directory: path.clone(), requirement });
            }
        }
        self.overrides = overrides;
    }

    /// The root of the workspace that `directory` is in. A member may list members of its own, and
    /// they all are in one workspace.
    fn workspace_of(&self, directory: &RepoPath) -> Option<RepoPath> {
        let own = self.directories.get(directory)?;
        let mut root = match own.workspace {
            Some(_) => directory.clone(),
            None => self.lister_of(directory)?,
        };
        while let Some(outer) = self.lister_of(&root) {
            root = outer;
        }
        Some(root)
    }

    /// The nearest directory above that lists `directory` in its workspace, if it joins any.
    fn lister_of(&self, directory: &RepoPath) -> Option<RepoPath> {
        let own = self.directories.get(directory)?;
        let mut above = directory.ancestors().skip(1);
        above
            .find(|above| self.has(above, |above| above.workspace.as_ref(), directory))
            .filter(|_| own.joins_workspace())
    }

    fn has(
        &self,
        above: &RepoPath,
        globs: impl for<'d> Fn(&'d Directory<'a>) -> Option<&'d DirectoryGlobs>,
        directory: &RepoPath,
    ) -> bool {
        let globs = self.directories.get(above).and_then(globs);
        globs.is_some_and(|globs| globs.matches(directory))
    }
}

impl Directory<'_> {
    /// pub rejects a workspace that lists a package without this.
    fn joins_workspace(&self) -> bool {
        self.resolution == Some("workspace")
    }
}
