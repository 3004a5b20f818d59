//! Groups the packages that resolve each other by name: those of one pub workspace, or of one
//! `melos.yaml`. It also finds the overrides that apply to each. It handles directories, not
//! packages.

use std::collections::{BTreeMap, HashMap};

use super::super::directory_globs::DirectoryGlobs;
use super::manifest_facts::{DartFile, DartRequirement, PubspecSettings};
use kenning_model::{Problem, RepoPath};

/// The workspaces, melos groups and overrides of all directories.
#[derive(Default)]
pub struct ResolutionGroups<'a> {
    directories: BTreeMap<RepoPath, DirectorySettings<'a>>,
    /// By the root of the workspace, or the package itself outside of one; then by name.
    overrides: HashMap<RepoPath, BTreeMap<&'a str, DartOverride<'a>>>,
    /// Problems of member patterns.
    pub problems: Vec<Problem>,
}

/// The replacement for a dependency, and the directory of the file that states it. Paths in it are
/// relative to that directory.
pub struct DartOverride<'a> {
    pub directory: RepoPath,
    pub requirement: &'a DartRequirement,
}

/// The settings of one directory, merged from its files.
#[derive(Default)]
struct DirectorySettings<'a> {
    workspace: Option<DirectoryGlobs>,
    melos: Option<DirectoryGlobs>,
    overrides: Option<&'a BTreeMap<String, DartRequirement>>,
    resolution: Option<&'a str>,
}

impl<'a> ResolutionGroups<'a> {
    /// Merges the files of each directory. `files` must be sorted by path.
    pub fn new(files: &'a [(RepoPath, DartFile)]) -> ResolutionGroups<'a> {
        let mut groups = ResolutionGroups::default();
        for (path, file) in files {
            match file {
                // Files are sorted by path, and so `pubspec_overrides.yaml` has the last word.
                DartFile::Pubspec(pubspec) => groups.apply_settings(path, &pubspec.settings),
                DartFile::Overrides(settings) => groups.apply_settings(path, settings),
                DartFile::Melos(melos) => {
                    let globs = groups.compile_globs(path, &melos.members);
                    groups.directory_mut(path).melos = Some(globs);
                }
            }
        }
        groups.gather_overrides();
        groups
    }

    /// Returns the directory that identifies the group of packages which `directory` can see by
    /// name. That is the root of its workspace, else the directory of the `melos.yaml` that lists
    /// it.
    pub fn find_group(&self, directory: &RepoPath) -> Option<RepoPath> {
        self.find_workspace(directory).or_else(|| {
            let mut above = directory.ancestors();
            above.find(|above| self.lists_directory(above, |above| above.melos.as_ref(), directory))
        })
    }

    /// The override for a dependency, among those of `overrider`.
    pub fn find_overrider(&self, directory: &RepoPath) -> RepoPath {
        let workspace = self.find_workspace(directory);
        workspace.unwrap_or_else(|| directory.clone())
    }

    pub fn find_override(&self, overrider: &RepoPath, name: &str) -> Option<&DartOverride<'a>> {
        self.overrides.get(overrider)?.get(name)
    }

    /// The settings of the directory of a file, created if needed.
    fn directory_mut(&mut self, path: &RepoPath) -> &mut DirectorySettings<'a> {
        self.directories.entry(path.parent()).or_default()
    }

    /// Applies the settings of a file. Stated fields replace those of an earlier file.
    fn apply_settings(&mut self, path: &RepoPath, settings: &'a PubspecSettings) {
        let members = settings.members.as_ref();
        let globs = members.map(|patterns| self.compile_globs(path, patterns));
        let directory = self.directory_mut(path);
        directory.workspace = globs.or(directory.workspace.take());
        directory.overrides = settings.overrides.as_ref().or(directory.overrides);
        directory.resolution = settings.resolution.as_deref().or(directory.resolution);
    }

    /// Compiles member patterns and reports those that cannot be used.
    fn compile_globs(&mut self, path: &RepoPath, patterns: &[String]) -> DirectoryGlobs {
        let patterns = patterns.iter().map(String::as_str);
        let (globs, complaints) = DirectoryGlobs::new(&path.parent(), patterns);
        let complaints = complaints.into_iter();
        let problems = complaints.map(|message| Problem::new(path, message));
        self.problems.extend(problems);
        globs
    }

    /// Collects the overrides of each workspace. Those of every member hold for all. As pub refuses
    /// two overrides for one name, it does not matter which is kept.
    fn gather_overrides(&mut self) {
        let mut overrides: HashMap<RepoPath, BTreeMap<&str, DartOverride>> = HashMap::new();
        for (path, directory) in &self.directories {
            for (name, requirement) in directory.overrides.into_iter().flatten() {
                let in_group = overrides.entry(self.find_overrider(path)).or_default();
                in_group
                    .entry(name)
                    .or_insert_with(|| DartOverride { directory: path.clone(), requirement });
            }
        }
        self.overrides = overrides;
    }

    /// Returns the root of the workspace that `directory` is in. A member may list members of its
    /// own, and they all are in one workspace.
    fn find_workspace(&self, directory: &RepoPath) -> Option<RepoPath> {
        let own = self.directories.get(directory)?;
        let mut root = match own.workspace {
            Some(_) => directory.clone(),
            None => self.find_lister(directory)?,
        };
        while let Some(outer) = self.find_lister(&root) {
            root = outer;
        }
        Some(root)
    }

    /// Returns the nearest directory above that lists `directory` in its workspace. pub demands
    /// that the member agrees with `resolution: workspace`.
    fn find_lister(&self, directory: &RepoPath) -> Option<RepoPath> {
        let own = self.directories.get(directory)?;
        let mut above = directory.ancestors().skip(1);
        above
            .find(|above| self.lists_directory(above, |above| above.workspace.as_ref(), directory))
            .filter(|_| own.joins_workspace())
    }

    /// True if the globs that `globs` selects from the settings of `above` match `directory`.
    fn lists_directory(
        &self,
        above: &RepoPath,
        globs: impl for<'d> Fn(&'d DirectorySettings<'a>) -> Option<&'d DirectoryGlobs>,
        directory: &RepoPath,
    ) -> bool {
        let globs = self.directories.get(above).and_then(globs);
        globs.is_some_and(|globs| globs.matches(directory))
    }
}

impl DirectorySettings<'_> {
    /// True if the package states `resolution: workspace`. pub rejects a workspace that lists a
    /// package without it.
    fn joins_workspace(&self) -> bool {
        self.resolution == Some("workspace")
    }
}
