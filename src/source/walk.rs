//! Finding files: gitignore-aware, in parallel, sorted. Opens no file; `read` does.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::overrides::OverrideBuilder;
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::git;
use crate::model::{Problem, Progress, RepoPath};

/// A file that was asked for, with what tells cheaply whether it changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundFile {
    pub path: RepoPath,
    pub size: u64,
    pub modified_ns: i64,
}

/// After how many entries the walk says where it is and asks whether it should go on.
const LOOK_UP: usize = 1024;

/// What [`find_files`] looks for.
pub struct Walk<'a> {
    pub root: &'a Path,
    /// Globs over the last path segment.
    pub names: &'a [&'a str],
    /// Directory names or path globs that are left out on top of what git ignores.
    pub exclude: &'a [String],
}

/// The files below the root whose name matches, sorted by path, and what could not be visited.
/// Whoever cancels gets what was found so far, and has to ask.
pub fn find_files(walk: &Walk, progress: &dyn Progress) -> (Vec<FoundFile>, Vec<Problem>) {
    let (names, mut problems) = name_matcher(walk.names);
    let builder = builder(walk, &mut problems);
    let is_wanted = |entry: &DirEntry| names.is_match(Path::new(entry.file_name()));
    let (files, failed) = run(walk.root, &builder, &is_wanted, progress);
    problems.extend(failed);
    problems.sort();
    (files, problems)
}

/// All that lies below a root and is not ignored.
pub struct Survey {
    /// Sorted by path.
    pub files: Vec<FoundFile>,
    /// Those that were entered, without the root, sorted.
    pub directories: Vec<RepoPath>,
    /// Directories that were not entered because of their names.
    pub pruned: Vec<RepoPath>,
    pub problems: Vec<Problem>,
}

/// Every file below the root, except in directories of these names, which are reported.
pub fn survey(
    walk: &Walk,
    pruned_names: &'static [&'static str],
    progress: &dyn Progress,
) -> Survey {
    let mut problems = Vec::new();
    let mut builder = builder(walk, &mut problems);
    let pruned = Arc::new(Mutex::new(Vec::new()));
    let entered = Arc::new(Mutex::new(Vec::new()));
    let (to_prune, to_enter) = (pruned.clone(), entered.clone());
    let root = walk.root.to_path_buf();
    builder.filter_entry(move |entry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        let name = entry.file_name().to_str().unwrap_or_default();
        let is_pruned = is_directory && entry.depth() > 0 && pruned_names.contains(&name);
        if is_directory
            && entry.depth() > 0
            && let Ok(relative) = entry.path().strip_prefix(&root)
        {
            let path = RepoPath::new(&relative.to_string_lossy());
            let list = if is_pruned { &to_prune } else { &to_enter };
            list.lock().expect("no holder panics").extend(path);
        }
        !is_pruned
    });
    let (files, failed) = run(walk.root, &builder, &|_| true, progress);
    problems.extend(failed);
    problems.sort();
    Survey {
        files,
        directories: sorted(&entered),
        pruned: sorted(&pruned),
        problems,
    }
}

fn sorted(paths: &Mutex<Vec<RepoPath>>) -> Vec<RepoPath> {
    let mut paths = std::mem::take(&mut *paths.lock().expect("no holder panics"));
    paths.sort();
    paths
}

fn run(
    root: &Path,
    builder: &WalkBuilder,
    is_wanted: &(dyn Fn(&DirEntry) -> bool + Sync),
    progress: &dyn Progress,
) -> (Vec<FoundFile>, Vec<Problem>) {
    let seen = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let failed = Mutex::new(Vec::new());
    builder.build_parallel().run(|| {
        // Threads collect for themselves and give over at the end.
        let mut batch = Batch {
            files: Vec::new(),
            found: &found,
        };
        let (seen, failed) = (&seen, &failed);
        Box::new(move |entry| {
            match entry {
                Ok(entry) => batch.files.extend(visit(root, is_wanted, &entry, failed)),
                Err(error) => failed
                    .lock()
                    .expect("no holder panics")
                    .push(walk_problem(root, &error)),
            }
            let seen = seen.fetch_add(1, Ordering::Relaxed) + 1;
            if seen.is_multiple_of(LOOK_UP) {
                progress.report("finding files", seen, None);
                if progress.is_cancelled() {
                    return WalkState::Quit;
                }
            }
            WalkState::Continue
        })
    });
    let mut files = found.into_inner().expect("no holder panics");
    // Threads finish in any order; sort so that two runs over one tree see the same list.
    files.sort();
    (files, failed.into_inner().expect("no holder panics"))
}

/// What one thread of a walk found.
struct Batch<'w> {
    files: Vec<FoundFile>,
    found: &'w Mutex<Vec<FoundFile>>,
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        let mut found = self.found.lock().expect("no holder panics");
        found.append(&mut self.files);
    }
}

fn visit(
    root: &Path,
    is_wanted: &dyn Fn(&DirEntry) -> bool,
    entry: &DirEntry,
    failed: &Mutex<Vec<Problem>>,
) -> Option<FoundFile> {
    // A symbolic link is not a file here: it may leave the root, or close a loop.
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return None;
    }
    if !is_wanted(entry) {
        return None;
    }
    let relative = entry.path().strip_prefix(root).ok()?;
    let Some(relative) = relative.to_str() else {
        let shown = relative.to_string_lossy();
        let path = RepoPath::new(&shown).unwrap_or_default();
        let problem = Problem::new(&path, "its name is not valid UTF-8; the file is left out");
        failed.lock().expect("no holder panics").push(problem);
        return None;
    };
    let path = RepoPath::new(relative)?;
    let metadata = match entry.metadata() {
        Ok(metadata) => metadata,
        Err(error) => {
            let problem = Problem::new(&path, error.to_string());
            failed.lock().expect("no holder panics").push(problem);
            return None;
        }
    };
    Some(found_file(path, &metadata))
}

/// Without links and dots.
pub fn real_path(path: &Path) -> std::io::Result<PathBuf> {
    path.canonicalize()
}

/// The same for something that is gone from a directory that is not.
pub fn real_path_or_gone(path: &Path) -> std::io::Result<PathBuf> {
    path.canonicalize().or_else(|error| {
        let above = path.parent().and_then(|above| above.canonicalize().ok());
        match (above, path.file_name()) {
            (Some(above), Some(name)) if error.kind() == std::io::ErrorKind::NotFound => {
                Ok(above.join(name))
            }
            _ => Err(error),
        }
    })
}

/// Whether `path` is a directory that can be listed, and if not, why.
pub fn check_directory(path: &Path) -> std::io::Result<()> {
    std::fs::read_dir(path).map(|_| ())
}

/// The file at `path` as it is now; `None` if it is gone.
pub fn stat(root: &Path, path: &RepoPath) -> Option<FoundFile> {
    let metadata = std::fs::symlink_metadata(root.join(path.as_str())).ok()?;
    metadata
        .is_file()
        .then(|| found_file(path.clone(), &metadata))
}

fn found_file(path: RepoPath, metadata: &Metadata) -> FoundFile {
    let modified = metadata.modified().ok();
    let since_epoch = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    FoundFile {
        path,
        size: metadata.len(),
        modified_ns: since_epoch.map_or(0, |time| time.as_nanos() as i64),
    }
}

fn builder(walk: &Walk, problems: &mut Vec<Problem>) -> WalkBuilder {
    let mut builder = WalkBuilder::new(walk.root);
    let mut overrides = OverrideBuilder::new(walk.root);
    for pattern in walk.exclude {
        if let Err(error) = overrides.add(&format!("!{pattern}")) {
            let message = format!("exclude pattern {pattern:?}: {error}");
            problems.push(Problem::new(&RepoPath::default(), message));
        }
    }
    match overrides.build() {
        Ok(overrides) => {
            builder.overrides(overrides);
        }
        Err(error) => problems.push(Problem::new(&RepoPath::default(), error.to_string())),
    }
    builder
        .follow_links(false)
        .add_custom_ignore_filename(".kenignore")
        // A tree that was unpacked rather than cloned still means its .gitignore files.
        .require_git(false)
        // Ignore files above the root count only inside one repository: a home directory under
        // git must not hide what lies in it.
        .parents(git::toplevel(walk.root).is_some_and(|top| top != walk.root))
        .threads(std::thread::available_parallelism().map_or(2, |n| n.get().min(8)));
    builder
}

fn name_matcher(names: &[&str]) -> (GlobSet, Vec<Problem>) {
    let mut builder = GlobSetBuilder::new();
    let mut problems = Vec::new();
    for name in names {
        match Glob::new(name) {
            Ok(glob) => {
                builder.add(glob);
            }
            Err(error) => {
                problems.push(Problem::new(&RepoPath::default(), error.to_string()));
            }
        }
    }
    let matcher = builder.build().unwrap_or_else(|error| {
        problems.push(Problem::new(&RepoPath::default(), error.to_string()));
        GlobSet::empty()
    });
    (matcher, problems)
}

fn walk_problem(root: &Path, error: &ignore::Error) -> Problem {
    let path = failing_path(error)
        .and_then(|path| path.strip_prefix(root).ok().map(Path::to_path_buf))
        .and_then(|path| RepoPath::new(&path.to_string_lossy()))
        .unwrap_or_default();
    let message = match error.io_error() {
        Some(io) => io.to_string(),
        None => error.to_string(),
    };
    Problem::new(&path, message)
}

fn failing_path(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
            failing_path(err)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Silent;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        directory
    }

    fn check(files: &[(&str, &str)], exclude: &[&str], expected: &[&str]) {
        let directory = tree(files);
        let exclude: Vec<String> = exclude.iter().map(|text| text.to_string()).collect();
        let walk = Walk {
            root: directory.path(),
            names: &["a.toml", "*.cs"],
            exclude: &exclude,
        };
        let (found, problems) = find_files(&walk, &Silent);
        let found: Vec<_> = found.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(found, expected);
        assert_eq!(problems, []);
    }

    #[test]
    fn matches_names_at_any_depth_in_order() {
        check(
            &[
                ("z/a.toml", ""),
                ("b/x.cs", ""),
                ("a.toml", ""),
                ("b/a.tom", ""),
            ],
            &[],
            &["a.toml", "b/x.cs", "z/a.toml"],
        );
    }

    #[test]
    fn honours_gitignore_kenignore_and_excludes_without_git() {
        check(
            &[
                (".gitignore", "out/\n"),
                (".kenignore", "skip\n"),
                ("out/a.toml", ""),
                ("skip/a.toml", ""),
                ("vendor/a.toml", ""),
                ("my-vendor/a.toml", ""),
                (".hidden/a.toml", ""),
            ],
            &["vendor"],
            &["my-vendor/a.toml"],
        );
    }

    #[cfg(unix)]
    #[test]
    fn symlink_loops_do_no_harm() {
        let directory = tree(&[("sub/a.toml", "")]);
        std::os::unix::fs::symlink(directory.path(), directory.path().join("sub/up")).unwrap();
        let walk = Walk {
            root: directory.path(),
            names: &["a.toml"],
            exclude: &[],
        };
        let (found, _) = find_files(&walk, &Silent);
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn a_survey_sees_everything_and_says_where_it_did_not_look() {
        let directory = tree(&[
            ("src/a.rs", ""),
            ("web/node_modules/b/c.js", ""),
            ("node_modules", "a file of that name"),
            (".hidden/d", ""),
            (".gitignore", "out/\n"),
            ("out/e", ""),
        ]);
        std::fs::create_dir(directory.path().join("empty")).unwrap();
        let walk = Walk {
            root: directory.path(),
            names: &[],
            exclude: &[],
        };
        let survey = survey(&walk, &["node_modules"], &Silent);
        let files: Vec<_> = survey.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(files, ["node_modules", "src/a.rs"]);
        let entered: Vec<_> = survey.directories.iter().map(RepoPath::as_str).collect();
        assert_eq!(entered, ["empty", "src", "web"]);
        let pruned: Vec<_> = survey.pruned.iter().map(RepoPath::as_str).collect();
        assert_eq!(pruned, ["web/node_modules"]);
    }
}
