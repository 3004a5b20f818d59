//! Skills on disk: the folders with a SKILL.md, and the files beside it. Does not interpret the
//! files.

mod skill_folder;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::disk::{self, FileSystemId, ReadError, SymlinkPolicy};
use kenning_model::SkillProblem;
pub use skill_folder::{FileError, SkillFile, list_skill_files, read_skill_file};

/// The file that makes a folder a skill. Some write it in lower case.
const FILE_NAMES: [&str; 2] = ["SKILL.md", "skill.md"];

/// Folders with any number of files of other authors.
const SKIPPED_NAMES: [&str; 2] = [".git", "node_modules"];

/// Far deeper than skills are nested.
const MAX_DEPTH: usize = 8;

/// A tree with more folders is not one of skills.
const MAX_FOLDERS: usize = 20_000;

const OUTSIDE: &str = "a link that leads outside of the repository, which is not followed; name the \
                       folder in skills.directories of your own config.toml if you want it";

/// The skills below one folder.
#[derive(Debug, Default)]
pub struct FoundSkills {
    /// Sorted by folder.
    pub skills: Vec<SkillSource>,
    pub problems: Vec<SkillProblem>,
    /// Each SKILL.md that could not be read.
    pub unread: Vec<SkillProblem>,
    /// Real paths of folders that only a link leads to. A watcher has to watch them by these paths.
    pub linked: Vec<PathBuf>,
    /// The folders of files that a SKILL.md is a link to.
    pub linked_files: Vec<PathBuf>,
}

/// The kind of folder that a search begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RootKind {
    /// Skills at any depth, whether it is one itself or not.
    Tree,
    /// One skill or a shelf of them.
    SkillOrTree,
    /// One skill, or nothing.
    Skill,
}

/// A SKILL.md with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillSource {
    pub directory: PathBuf,
    pub file_name: String,
    pub text: String,
}

/// Finds every skill below `root`, which may be one itself. Files below a skill belong to it, so
/// the search does not descend further.
///
/// Linked folders are followed, each real folder once, so loops end. `visited` has the real paths
/// of folders that were seen in earlier searches, and gets the new ones. Links that leave
/// `boundary` are not followed: a repository's links must not expose the files of its user. Nothing
/// is fatal: what cannot be read becomes a problem.
pub fn find_skills(
    root: &Path,
    kind: RootKind,
    max_bytes: u64,
    boundary: Option<&Path>,
    visited: &mut HashSet<PathBuf>,
) -> FoundSkills {
    let mut search = SkillSearch {
        max_bytes,
        kind,
        boundary: boundary.map(real_path),
        max_visited: visited.len() + MAX_FOLDERS,
        ordinary: None,
        visited,
        found: FoundSkills::default(),
    };
    if fs::metadata(root).is_ok() {
        search.visit(root, 0);
    }
    let mut found = search.found;
    found.skills.sort_by(|a, b| a.directory.cmp(&b.directory));
    found.problems.sort();
    found.unread.sort();
    found.linked.sort();
    found
}

/// The state of one search.
struct SkillSearch<'v> {
    max_bytes: u64,
    kind: RootKind,
    /// The real path of the folder that nothing may leave.
    boundary: Option<PathBuf>,
    /// The size of `visited` at which the search stops.
    max_visited: usize,
    /// The last file system that was checked and is not a pseudo file system.
    ordinary: Option<FileSystemId>,
    /// Real paths.
    visited: &'v mut HashSet<PathBuf>,
    found: FoundSkills,
}

impl SkillSearch<'_> {
    /// Reads the skill in a folder, or descends into its subfolders.
    fn visit(&mut self, directory: &Path, depth: usize) {
        if !self.is_new(directory) {
            return;
        }
        let entries = match fs::read_dir(directory) {
            Ok(entries) => entries,
            Err(error) => return self.add_problem(directory, error.to_string()),
        };
        let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        let is_here = |name: &&&str| names.iter().any(|entry| entry == **name);
        if let Some(file_name) = FILE_NAMES.iter().find(is_here) {
            self.read_skill(directory, file_name);
            // A shelf may be a skill and hold others.
            if depth > 0 || self.kind != RootKind::Tree {
                return;
            }
        }
        if depth == MAX_DEPTH || self.kind == RootKind::Skill {
            return;
        }
        for name in names.iter().filter(|name| !is_skipped(name)) {
            self.descend(&directory.join(name), depth);
        }
    }

    /// Visits a subfolder, or the folder that a link leads to.
    fn descend(&mut self, path: &Path, depth: usize) {
        let is_link = match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_dir() => false,
            Ok(metadata) if metadata.is_symlink() => true,
            _ => return,
        };
        if is_link {
            match fs::canonicalize(path) {
                Ok(real) if real.is_dir() => {
                    if self.is_outside(&real) {
                        return self.add_problem(path, OUTSIDE.to_string());
                    }
                    if !self.visited.contains(&real) {
                        self.found.linked.push(real);
                    }
                }
                Ok(_) => return,
                Err(error) => {
                    return self.add_problem(path, format!("the link leads nowhere: {error}"));
                }
            }
        }
        self.visit(path, depth + 1);
    }

    /// True if a folder may be visited and was not visited yet. Records it, or the reason against
    /// it.
    fn is_new(&mut self, directory: &Path) -> bool {
        if self.visited.len() >= self.max_visited {
            let message = format!("more than {MAX_FOLDERS} folders; the rest is left out");
            let problem = SkillProblem::new(directory, message);
            if !self.found.problems.iter().any(|known| known.message == problem.message) {
                self.found.problems.push(problem);
            }
            return false;
        }
        if let Some(name) = self.pseudo_file_system(directory) {
            let message = format!("on a pseudo file system ({name}), which is never read");
            self.add_problem(directory, message);
            return false;
        }
        match fs::canonicalize(directory) {
            Ok(real) if self.is_outside(&real) => {
                self.add_problem(directory, OUTSIDE.to_string());
                false
            }
            Ok(real) => self.visited.insert(real),
            Err(error) => {
                self.add_problem(directory, error.to_string());
                false
            }
        }
    }

    /// Returns the name of the pseudo file system that a folder is on. A link in a repository may
    /// lead anywhere. Nearly all folders are on one file system, which is checked once.
    fn pseudo_file_system(&mut self, directory: &Path) -> Option<String> {
        let device = disk::device(&fs::metadata(directory).ok()?);
        if self.ordinary == Some(device) {
            return None;
        }
        let found = disk::pseudo_file_system(directory);
        if found.is_none() {
            self.ordinary = Some(device);
        }
        found
    }

    /// Reads the SKILL.md of a folder.
    fn read_skill(&mut self, directory: &Path, file_name: &str) {
        let path = directory.join(file_name);
        let is_link = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink());
        if is_link && let Ok(real) = fs::canonicalize(&path) {
            if self.is_outside(&real) {
                return self.add_problem(&path, OUTSIDE.to_string());
            }
            let folder = real.parent().map(Path::to_path_buf);
            self.found.linked_files.extend(folder);
        }
        match read_text(&path, self.max_bytes) {
            Ok(text) => self.found.skills.push(SkillSource {
                directory: directory.to_path_buf(),
                file_name: file_name.to_string(),
                text,
            }),
            Err(problem) => self.found.unread.push(problem),
        }
    }

    /// True if a real path leaves the boundary.
    fn is_outside(&self, real: &Path) -> bool {
        self.boundary.as_ref().is_some_and(|boundary| !real.starts_with(boundary))
    }

    fn add_problem(&mut self, path: &Path, message: String) {
        self.found.problems.push(SkillProblem::new(path, message));
    }
}

/// True for names that are never entered.
fn is_skipped(name: &std::ffi::OsStr) -> bool {
    SKIPPED_NAMES.iter().any(|passed| name == *passed)
}

/// Returns the text of a file, verbatim. Too large, not a file, or not UTF-8 is a problem.
fn read_text(path: &Path, max_bytes: u64) -> Result<String, SkillProblem> {
    let problem = |message: String| SkillProblem::new(path, message);
    let read =
        disk::read_file(path, SymlinkPolicy::Follow, max_bytes).map_err(|error| match error {
            ReadError::NotRegular(_) => problem("not a file".to_string()),
            ReadError::TooLarge { .. } => problem(format!("{error} (index.max_file_size)")),
            other => problem(other.to_string()),
        })?;
    String::from_utf8(read.bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..good].iter().filter(|b| **b == b'\n').count();
        problem("not valid UTF-8".to_string()).at_line(Some(line as u32))
    })
}

/// Returns the text of a file; `None` if it does not exist.
pub fn read_optional(path: &Path, max_bytes: u64) -> Result<Option<String>, SkillProblem> {
    match fs::symlink_metadata(path) {
        Ok(_) => read_text(path, max_bytes).map(Some),
        Err(_) => Ok(None),
    }
}

/// Resolves the links of the longest existing prefix of a path.
pub fn real_path(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (fs::canonicalize(above), path.strip_prefix(above)) {
            return real.join(rest);
        }
    }
    path.to_path_buf()
}

/// Returns the folder of a plugin. The list of plugins may name a file in its catalog folder, or a
/// version that an update has replaced; both occur.
pub fn plugin_folder(named: &Path) -> Option<PathBuf> {
    if named.is_dir() {
        return Some(named.to_path_buf());
    }
    if named.is_file() {
        let mut above = named.ancestors().skip(1);
        let folder = above.find(|path| !path.ends_with(".claude-plugin"))?;
        return Some(folder.to_path_buf());
    }
    let mut versions: Vec<PathBuf> = fs::read_dir(named.parent()?)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    match versions.len() {
        1 => versions.pop(),
        _ => None,
    }
}

/// Splits a list of folders into those below `root`, as sorted paths, and the others.
pub fn split_by_root(root: &Path, listed: &[String]) -> (Vec<PathBuf>, Vec<String>) {
    let mut inside = BTreeMap::new();
    let mut outside = Vec::new();
    let real_root = real_path(root);
    for folder in listed {
        let path = match folder.trim_start_matches("./") {
            "" => root.to_path_buf(),
            folder => root.join(folder),
        };
        if real_path(&path).starts_with(&real_root) && !Path::new(folder).is_absolute() {
            inside.insert(path, ());
        } else {
            outside.push(folder.clone())
        }
    }
    (inside.into_keys().collect(), outside)
}

#[cfg(test)]
mod tests;
