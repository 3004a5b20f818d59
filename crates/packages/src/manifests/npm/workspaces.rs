//! Finds the workspace of each directory, and the catalogs and overrides that workspace roots
//! define. It handles directories, not packages.

use std::collections::HashMap;

use super::super::directory_globs::DirectoryGlobs;
use super::manifest_facts::{NpmFile, WorkspaceSettings};
use kenning_model::{Problem, RepoPath};

/// All directories with settings for the packages below them.
pub struct NpmWorkspaces<'a> {
    roots: HashMap<RepoPath, WorkspaceRoot<'a>>,
    /// Problems of member patterns.
    pub problems: Vec<Problem>,
}

/// The settings of one directory: its `package.json` and `pnpm-workspace.yaml` together.
#[derive(Default)]
pub struct WorkspaceRoot<'a> {
    package: Option<&'a WorkspaceSettings>,
    pnpm: Option<&'a WorkspaceSettings>,
    /// The patterns of its members, if it is the root of a workspace.
    members: Option<DirectoryGlobs>,
}

impl<'a> NpmWorkspaces<'a> {
    /// Combines the files of each directory, then compiles the patterns of the file that decides.
    pub fn new(files: &'a [(RepoPath, NpmFile)]) -> NpmWorkspaces<'a> {
        let mut roots: HashMap<RepoPath, WorkspaceRoot> = HashMap::new();
        for (path, file) in files {
            let root = roots.entry(path.parent()).or_default();
            match file {
                NpmFile::Package(package) => root.package = Some(&package.settings),
                NpmFile::Pnpm(settings) => root.pnpm = Some(settings),
                NpmFile::Paths(_) => {}
            }
        }
        let mut problems = Vec::new();
        for (path, file) in files {
            let directory = path.parent();
            let root = roots.entry(directory.clone()).or_default();
            let settings = match file {
                NpmFile::Package(_) if root.is_pnpm() => continue,
                NpmFile::Package(package) => &package.settings,
                NpmFile::Pnpm(settings) => settings,
                NpmFile::Paths(_) => continue,
            };
            if let Some(patterns) = &settings.members {
                let patterns = patterns.iter().map(String::as_str);
                let (globs, complaints) = DirectoryGlobs::new(&directory, patterns);
                root.members = Some(globs);
                let complaints = complaints.into_iter();
                problems.extend(complaints.map(|message| Problem::new(path, message)));
            }
        }
        NpmWorkspaces { roots, problems }
    }

    /// Returns the root of the workspace that `directory` belongs to: itself, or the nearest one
    /// above whose patterns include it. In yarn a member may have members of its own, all in one
    /// workspace. In pnpm it may not.
    pub fn find_root(&self, directory: &RepoPath) -> Option<RepoPath> {
        let own = self.root_at(directory);
        let mut root = if own.is_some_and(|root| root.members.is_some()) {
            directory.clone()
        } else {
            self.find_including(directory)?
        };
        while !self.is_pnpm(&root)
            && let Some(outer) = self.find_including(&root)
        {
            root = outer;
        }
        Some(root)
    }

    /// True if a directory is the root of a pnpm workspace.
    pub fn is_pnpm(&self, directory: &RepoPath) -> bool {
        self.root_at(directory).is_some_and(WorkspaceRoot::is_pnpm)
    }

    /// The settings of a directory.
    pub fn root_at(&self, directory: &RepoPath) -> Option<&WorkspaceRoot<'a>> {
        self.roots.get(directory)
    }

    /// Returns the entry of a package in the nearest catalogs at or above `directory`. The outer
    /// `None` means that there are no catalogs; the inner one, that they have no such entry.
    pub fn catalog_entry(
        &self,
        directory: &RepoPath,
        catalog: &str,
        name: &str,
    ) -> Option<Option<&'a str>> {
        let mut above = directory.ancestors();
        let root =
            above.find_map(|above| self.root_at(&above).filter(|root| root.has_catalogs()))?;
        let mut catalogs = root.settings().filter_map(|settings| settings.catalogs.get(catalog));
        Some(catalogs.find_map(|catalog| catalog.get(name)).map(String::as_str))
    }

    /// The nearest directory above whose patterns include `directory`.
    fn find_including(&self, directory: &RepoPath) -> Option<RepoPath> {
        let mut above = directory.ancestors().skip(1);
        above.find(|above| {
            let members = self.root_at(above).and_then(|root| root.members.as_ref());
            members.is_some_and(|members| members.matches(directory))
        })
    }
}

impl<'a> WorkspaceRoot<'a> {
    /// True if `pnpm-workspace.yaml` declares the members. pnpm then ignores the patterns in
    /// `package.json`.
    fn is_pnpm(&self) -> bool {
        self.pnpm.is_some_and(|settings| settings.members.is_some())
    }

    /// True if any file here defines a catalog.
    fn has_catalogs(&self) -> bool {
        self.settings().any(|settings| !settings.catalogs.is_empty())
    }

    /// True if ranges never resolve to members, even if they fit.
    pub fn is_protocol_only(&self) -> bool {
        self.pnpm.is_some_and(|settings| settings.protocol_only)
    }

    /// The override for a package; `pnpm-workspace.yaml` wins.
    pub fn find_override(&self, name: &str) -> Option<&'a str> {
        let written = self.settings().find_map(|settings| settings.overrides.get(name));
        written.map(String::as_str)
    }

    /// The settings of both files, those of pnpm first.
    fn settings(&self) -> impl Iterator<Item = &'a WorkspaceSettings> {
        self.pnpm.into_iter().chain(self.package)
    }
}
