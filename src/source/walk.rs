//! Finding files: gitignore-aware, in parallel, sorted. Opens no file; `read` does.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    let seen = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let failed = Mutex::new(Vec::new());
    let builder = builder(walk, &mut problems);
    builder.build_parallel().run(|| {
        Box::new(|entry| {
            match entry {
                Ok(entry) => {
                    if let Some(file) = visit(walk.root, &names, &entry, &failed) {
                        found.lock().expect("no holder panics").push(file);
                    }
                }
                Err(error) => failed
                    .lock()
                    .expect("no holder panics")
                    .push(walk_problem(walk.root, &error)),
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
    problems.append(&mut failed.into_inner().expect("no holder panics"));
    // Threads finish in any order; sort so that two runs over one tree see the same list.
    files.sort();
    problems.sort();
    (files, problems)
}

fn visit(
    root: &Path,
    names: &GlobSet,
    entry: &DirEntry,
    failed: &Mutex<Vec<Problem>>,
) -> Option<FoundFile> {
    // A symbolic link is not a file here: it may leave the root, or close a loop.
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return None;
    }
    if !names.is_match(Path::new(entry.file_name())) {
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
}
