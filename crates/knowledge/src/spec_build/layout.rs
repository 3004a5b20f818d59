//! Locates specs and changes in a repository. It knows folder and file names, and opens no file.
//!
//! Specs lie in `openspec/specs` or `specs`, or in a configured folder; changes in
//! `openspec/changes` or in `_changes` of a spec folder. A spec is a `spec.md` in a folder that
//! names it.

use std::path::Path;

use kenning_model::{Problem, RepoPath};
use kenning_source::{FileSystems, IrregularKind, Listing, list_files};

/// The folders that hold specs, and those that hold changes. Their order is the order of precedence
/// of an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecLayout {
    specs: Vec<RepoPath>,
    changes: Vec<RepoPath>,
    /// The folders that the configuration names. If one is missing, that is a problem.
    configured: Vec<RepoPath>,
    /// The file systems below the root that may be entered.
    file_systems: FileSystems,
}

/// The file name of a spec in its folder.
const SPEC_FILE: &str = "spec.md";

/// The deepest nesting of spec groups. `specs` is also a name for other things, so the search must
/// end.
const MAX_DEPTH: usize = 4;

/// A spec or a change that was found: its id and its path. For a change, the path is its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundSpec {
    pub id: String,
    pub path: RepoPath,
}

impl SpecLayout {
    /// Puts the configured folders before the standard ones. Duplicates are dropped.
    pub fn new(specs: Option<RepoPath>, changes: Option<RepoPath>) -> SpecLayout {
        let known = |text: &str| RepoPath::new(text).expect("it stays inside");
        let configured = specs.iter().chain(&changes).cloned().collect();
        let spec_folders = specs.into_iter().chain(["openspec/specs", "specs"].map(known));
        let specs = dedup_folders(spec_folders);
        let inner = specs.iter().filter_map(|folder| folder.join("_changes"));
        let change_folders = changes.into_iter().chain([known("openspec/changes")]);
        let changes = dedup_folders(change_folders.chain(inner));
        SpecLayout { specs, changes, configured, file_systems: FileSystems::default() }
    }

    /// Replaces the file systems that may be entered.
    pub fn with_file_systems(self, file_systems: FileSystems) -> SpecLayout {
        SpecLayout { file_systems, ..self }
    }

    /// The folders that are searched for specs.
    pub fn folders(&self) -> &[RepoPath] {
        &self.specs
    }

    /// Finds every spec below `root`, sorted by id. If two specs have one id, the second gets the
    /// path of its folder as its id.
    pub fn find_specs(&self, root: &Path) -> (Vec<FoundSpec>, Vec<Problem>) {
        let mut found: Vec<FoundSpec> = Vec::new();
        let mut problems = Vec::new();
        for folder in &self.specs {
            // A nested folder may be listed on its own, or hold changes. Its specs belong to that
            // listing.
            let is_other = |path: &RepoPath| {
                let mut others = self.changes.iter().chain(&self.specs);
                others.any(|other| path.is_within(other) && !folder.is_within(other))
            };
            let mut listing =
                list_files(root, folder, MAX_DEPTH, &is_searched_folder, self.file_systems);
            problems.extend(self.missing_folder_problem(folder, &listing));
            problems.extend(irregular_file_problems(&listing));
            problems.append(&mut listing.problems);
            for path in listing.files.into_iter().filter(is_spec) {
                let is_known = found.iter().any(|known| known.path == path);
                if !is_other(&path) && !is_known && path.parent() != *folder {
                    let plain_id = relative_id(folder, &path.parent());
                    let is_taken = found.iter().any(|known| known.id == plain_id);
                    let id = if is_taken { path.parent().to_string() } else { plain_id };
                    found.push(FoundSpec { id, path });
                }
            }
        }
        found.sort_by(|a, b| a.id.cmp(&b.id));
        (found, problems)
    }

    /// Finds the folder of every change that is not archived, with the files in it, sorted by id.
    pub fn find_changes(&self, root: &Path) -> (Vec<(FoundSpec, Vec<RepoPath>)>, Vec<Problem>) {
        let mut found: Vec<(FoundSpec, Vec<RepoPath>)> = Vec::new();
        let mut problems = Vec::new();
        for folder in &self.changes {
            // A delta lies two levels deeper than a spec: in the change, and in its folder `specs`.
            let depth = MAX_DEPTH + 2;
            let mut listing =
                list_files(root, folder, depth, &is_searched_folder, self.file_systems);
            problems.extend(self.missing_folder_problem(folder, &listing));
            problems.extend(irregular_file_problems(&listing));
            problems.append(&mut listing.problems);
            for file in listing.files {
                let Some(name) = file.segments().nth(folder.segments().count()) else {
                    continue;
                };
                let path = folder.join(name).expect("it is a name");
                if path == file || name == "archive" {
                    continue;
                }
                match found.iter_mut().find(|(change, _)| change.path == path) {
                    Some((_, files)) => files.push(file),
                    None => found.push((identify_change(&found, name, path), vec![file])),
                }
            }
        }
        found.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
        (found, problems)
    }

    /// Reports a configured folder that does not exist. A standard folder may be missing.
    fn missing_folder_problem(&self, folder: &RepoPath, listing: &Listing) -> Option<Problem> {
        let is_missing = !listing.is_there && listing.problems.is_empty();
        let message = "there is no such folder (specs.folder, specs.changes)";
        (is_missing && self.configured.contains(folder)).then(|| Problem::new(folder, message))
    }
}

/// Reports paths that are named like a spec but are not regular files.
fn irregular_file_problems(listing: &Listing) -> impl Iterator<Item = Problem> {
    let others = listing.others.iter().filter(|(path, _)| is_spec(path));
    others.map(|(path, other)| {
        let what = match other {
            IrregularKind::Folder => "a folder, not a file",
            IrregularKind::Link => "a link, which is not followed; put the file itself here",
            IrregularKind::Special => "not a regular file",
        };
        Problem::new(path, what)
    })
}

/// Gives a change its id: the name of its folder, or the path if the name is taken.
fn identify_change(found: &[(FoundSpec, Vec<RepoPath>)], name: &str, path: RepoPath) -> FoundSpec {
    let is_taken = found.iter().any(|(known, _)| known.id == name);
    let id = if is_taken { path.as_str() } else { name }.to_string();
    FoundSpec { id, path }
}

/// Finds the deltas among the files of a change. Each has the id of the spec that it changes.
pub fn find_deltas(change: &RepoPath, files: &[RepoPath]) -> Vec<FoundSpec> {
    let specs = change.join("specs").expect("it is a name");
    let deltas = files
        .iter()
        .filter(|file| is_spec(file))
        .filter(|file| file.is_within(&specs) && file.parent() != specs);
    deltas
        .map(|file| FoundSpec { id: relative_id(&specs, &file.parent()), path: file.clone() })
        .collect()
}

/// True for `spec.md` in any case, as case-insensitive file systems have it.
fn is_spec(path: &RepoPath) -> bool {
    path.file_name().eq_ignore_ascii_case(SPEC_FILE)
}

/// False for hidden folders, for `_archive` and the like, and for `node_modules`, which holds other
/// projects.
fn is_searched_folder(name: &str) -> bool {
    !name.starts_with(['_', '.']) && name != "node_modules"
}

/// The id of a spec: the path of its folder below the folder of specs.
fn relative_id(folder: &RepoPath, path: &RepoPath) -> String {
    let skipped = folder.segments().count();
    path.segments().skip(skipped).collect::<Vec<_>>().join("/")
}

/// Drops repeated folders and keeps the order. The list has a handful of entries, so a scan is
/// enough.
fn dedup_folders(folders: impl Iterator<Item = RepoPath>) -> Vec<RepoPath> {
    let mut unique = Vec::new();
    for folder in folders {
        if !unique.contains(&folder) {
            unique.push(folder);
        }
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(specs: Option<&str>, changes: Option<&str>) -> SpecLayout {
        let path = |text: &str| RepoPath::new(text).unwrap();
        SpecLayout::new(specs.map(path), changes.map(path))
    }

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for path in files {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        directory
    }

    fn check(layout: &SpecLayout, files: &[&str], specs: &[&str], changes: &[&str]) {
        let directory = tree(files);
        let (found, problems) = layout.find_specs(directory.path());
        let found = found.iter().map(|found| format!("{} {}", found.id, found.path));
        assert_eq!(found.collect::<Vec<_>>(), specs);
        assert_eq!(problems, []);
        let (found, problems) = layout.find_changes(directory.path());
        let found = found.iter().map(|(found, files)| {
            let found_deltas = find_deltas(&found.path, files);
            let deltas: Vec<&str> = found_deltas.iter().map(|delta| delta.id.as_str()).collect();
            format!("{} {} [{}]", found.id, found.path, deltas.join(" "))
        });
        assert_eq!(found.collect::<Vec<_>>(), changes);
        assert_eq!(problems, []);
    }

    #[test]
    fn known_layouts_need_no_set_up() {
        check(
            &layout(None, None),
            &[
                "specs/mission.md",
                "specs/auth/spec.md",
                "specs/auth/deep/spec.md",
                "specs/_archive/old/specs/auth/spec.md",
                "specs/_changes/two/proposal.md",
                "specs/_changes/two/specs/auth/spec.md",
                "specs/README/readme.md",
                "openspec/specs/billing/spec.md",
                "openspec/specs/auth/spec.md",
                "openspec/changes/one/tasks.md",
                "openspec/changes/one/specs/billing/spec.md",
                "openspec/changes/one/specs/a/b/spec.md",
                "openspec/changes/archive/2025-01-01-x/specs/auth/spec.md",
                "openspec/changes/notes.md",
            ],
            &[
                "auth openspec/specs/auth/spec.md",
                "auth/deep specs/auth/deep/spec.md",
                "billing openspec/specs/billing/spec.md",
                "specs/auth specs/auth/spec.md",
            ],
            &["one openspec/changes/one [a/b billing]", "two specs/_changes/two [auth]"],
        );
    }

    #[test]
    fn configured_folders_come_first() {
        check(
            &layout(Some("docs/what"), Some("docs/how")),
            &[
                "docs/what/auth/spec.md",
                "docs/what/_changes/b/proposal.md",
                "docs/how/a/proposal.md",
                "specs/auth/spec.md",
            ],
            &["auth docs/what/auth/spec.md", "specs/auth specs/auth/spec.md"],
            &["a docs/how/a []", "b docs/what/_changes/b []"],
        );
        // One that was named and is not there is told.
        let directory = tree(&["specs/a/spec.md"]);
        let layout = layout(Some("docs/what"), Some("docs/how"));
        let (specs, problems) = layout.find_specs(directory.path());
        assert_eq!((specs.len(), problems[0].path.as_str()), (1, "docs/what"));
        let (_, problems) = layout.find_changes(directory.path());
        assert_eq!((problems.len(), problems[0].path.as_str()), (1, "docs/how"));
    }

    #[cfg(unix)]
    #[test]
    fn a_spec_that_is_no_file_is_told() {
        let directory = tree(&["specs/folder/spec.md/x", "specs/link/x"]);
        let specs = directory.path().join("specs");
        std::os::unix::fs::symlink("nowhere", specs.join("link/spec.md")).unwrap();
        std::fs::create_dir_all(specs.join("pipe")).unwrap();
        let mut pipe = std::process::Command::new("mkfifo");
        assert!(pipe.arg(specs.join("pipe/spec.md")).status().unwrap().success());
        let (found, problems) = layout(None, None).find_specs(directory.path());
        assert_eq!(found, []);
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "specs/folder/spec.md: a folder, not a file",
                "specs/link/spec.md: a link, which is not followed; put the file itself here",
                "specs/pipe/spec.md: not a regular file",
            ]
        );
    }

    #[test]
    fn folders_may_lie_among_each_other() {
        // The folder of changes may lie among the specs, and the root may hold everything.
        check(
            &layout(Some(""), Some("changes")),
            &["auth/spec.md", "changes/a/specs/auth/spec.md", "specs/x/spec.md"],
            &["auth auth/spec.md", "x specs/x/spec.md"],
            &["a changes/a [auth]"],
        );
    }
}
