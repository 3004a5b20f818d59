//! Finds files: gitignore-aware, in parallel, sorted. Opens no file; `text_reader` does. All consumers of
//! a root share one walk, each with its own filter.
//!
//! A walk has up to three passes. The first follows all ignore rules. The second looks for files
//! that git tracks although its rules match them. The third looks for hidden files that a consumer
//! wants by name. The later passes enter only directories that contain a candidate.

use std::collections::HashSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::walk_bounds::{WalkBounds, WalkError, check_rules};
use super::walk_filter::{ConsumerSet, SharedFilter, WalkFilter};
use super::{git_index, git_repository, hidden_files};
use kenning_model::{Problem, ProblemList, Progress, RepoPath};

use crate::disk;
pub use crate::disk::{modified_ns, nanoseconds};

/// A file that a consumer wants, with the stamp that tells cheaply whether it changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundFile {
    pub path: RepoPath,
    pub size: u64,
    pub modified_ns: i64,
}

/// The tick of a coarse clock. Two changes within one tick look alike, so a file that changed this
/// recently may have changed again since.
pub const CLOCK_TICK_NS: i64 = 2_000_000_000;

/// The names of ignore files.
pub const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", KEN_IGNORE];

const KEN_IGNORE: &str = ".kenignore";

/// The number of entries between two progress reports and checks for cancellation.
const REPORT_EVERY: usize = 1024;

/// The result of a walk for one consumer.
#[derive(Debug, Default)]
pub struct Survey {
    /// Sorted by path.
    pub files: Vec<FoundFile>,
    /// The directories that were entered, without the root, sorted.
    pub directories: Vec<RepoPath>,
    /// The entries that were not entered, with the reason, sorted.
    pub pruned: Vec<(RepoPath, PruneReason)>,
    pub problems: Vec<Problem>,
}

/// The reason why something was not entered, though git does not ignore it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PruneReason {
    /// By its name.
    Name,
    /// It is another checkout of a repository: everything in it would be found twice.
    Worktree,
    /// It is a symbolic link, which may leave the root, or close a loop.
    Link,
    /// Another file system is mounted there.
    FileSystem,
}

/// Walks once and returns for each of `wants` the result of a walk of its own. A cancelled walk
/// returns what it has found; the caller has to check for cancellation.
pub fn survey<const N: usize>(
    root: &Path,
    wants: [WalkFilter; N],
    bounds: &WalkBounds,
    progress: &dyn Progress,
) -> Result<[Survey; N], WalkError> {
    check_rules(root)?;
    let (wants, problems) = SharedFilter::new(root, &wants, bounds);
    let wants = Arc::new(wants);
    let mut builder = walk_builder(root);
    let filter = wants.clone();
    builder.filter_entry(move |entry| {
        let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
        // `!.git` in an ignore file of the repository would show what is hidden.
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        entry.depth() == 0 || !is_hidden && (!is_directory || filter.enter_directory(entry.path()))
    });
    let (mut found, mut failed) = run_walk(root, &builder, &wants, progress);
    wants.counts.check(root, bounds.max_files)?;
    wants.counts.reset_folders();
    let (tracked, more) = find_tracked(root, &wants, &found, progress);
    wants.counts.check(root, bounds.max_files)?;
    if !tracked.is_empty() {
        found.extend(tracked);
        found.sort_unstable_by(|a, b| a.0.path.cmp(&b.0.path));
    }
    failed.extend(more);
    let (hidden, more) = hidden_files::find_hidden(root, &wants, &found, progress);
    if !hidden.is_empty() {
        found.extend(hidden);
        found.sort_unstable_by(|a, b| a.0.path.cmp(&b.0.path));
    }
    failed.extend(more);
    failed.extend(wants.take_refused().into_iter().map(|problem| (problem, ConsumerSet::ALL)));
    let mut surveys: [Survey; N] = std::array::from_fn(|place| {
        let (directories, pruned) = wants.take_entered(place);
        Survey { directories, pruned, ..Survey::default() }
    });
    distribute(found, &mut surveys, |survey| &mut survey.files);
    distribute(failed, &mut surveys, |survey| &mut survey.problems);
    for (survey, problems) in surveys.iter_mut().zip(problems) {
        survey.problems.extend(problems);
        survey.problems.sort();
        survey.problems.dedup();
    }
    Ok(surveys)
}

/// Finds the files that git tracks although its ignore rules match them. The consumers' filters and
/// the other ignore files still apply.
fn find_tracked(
    root: &Path,
    wants: &Arc<SharedFilter>,
    found: &PerConsumer<FoundFile>,
    progress: &dyn Progress,
) -> (PerConsumer<FoundFile>, PerConsumer<Problem>) {
    let is_found = |path: &str| {
        let place = found.binary_search_by(|(file, _)| file.path.as_str().cmp(path));
        place.is_ok()
    };
    let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
    let missing: HashSet<PathBuf> = git_index::tracked_paths(root)
        .into_iter()
        .filter(|path| {
            !is_found(path)
                && !is_hidden(path)
                && !wants.is_pruned(path)
                && wants.consumers_of_file(&root.join(path)) != ConsumerSet::NOBODY
        })
        .map(|path| root.join(path))
        .collect();
    if missing.is_empty() || progress.is_cancelled() {
        return Default::default();
    }
    let directories: HashSet<PathBuf> =
        missing.iter().flat_map(|path| path.ancestors().skip(1)).map(Path::to_path_buf).collect();
    let mut builder = walk_builder(root);
    let filter = wants.clone();
    builder.git_ignore(false).git_exclude(false).git_global(false).filter_entry(move |entry| {
        match entry.file_type() {
            Some(kind) if kind.is_dir() => {
                entry.depth() == 0
                    || directories.contains(entry.path()) && filter.enter_directory(entry.path())
            }
            _ => missing.contains(entry.path()),
        }
    });
    run_walk(root, &builder, wants, progress)
}

/// Adds each item to the surveys of all consumers that want it. The last of them gets the item
/// itself, the others a clone.
pub fn distribute<T: Clone>(
    things: PerConsumer<T>,
    surveys: &mut [Survey],
    list: fn(&mut Survey) -> &mut Vec<T>,
) {
    for (thing, mask) in things {
        let Some(last) = (0..surveys.len()).rev().find(|place| mask.contains(*place)) else {
            continue;
        };
        for place in (0..last).filter(|place| mask.contains(*place)) {
            list(&mut surveys[place]).push(thing.clone());
        }
        list(&mut surveys[last]).push(thing);
    }
}

/// Like [`survey`], for a single consumer.
pub fn survey_one(
    root: &Path,
    want: WalkFilter,
    bounds: &WalkBounds,
    progress: &dyn Progress,
) -> Result<Survey, WalkError> {
    let [survey] = survey(root, [want], bounds, progress)?;
    Ok(survey)
}

/// Items, each with the consumers that want it.
pub type PerConsumer<T> = Vec<(T, ConsumerSet)>;

/// Runs one pass. Returns files and problems, both sorted.
pub fn run_walk(
    root: &Path,
    builder: &WalkBuilder,
    wants: &SharedFilter,
    progress: &dyn Progress,
) -> (PerConsumer<FoundFile>, PerConsumer<Problem>) {
    let seen = AtomicUsize::new(0);
    let found = Mutex::new(Vec::new());
    let failed: Mutex<ProblemList<(Problem, ConsumerSet)>> = Mutex::default();
    builder.build_parallel().run(|| {
        // Threads collect for themselves and give over at the end.
        let mut batch = ThreadFiles { files: Vec::new(), found: &found };
        let (seen, failed) = (&seen, &failed);
        Box::new(move |entry| {
            let failure = match entry {
                Ok(entry) => visit_entry(root, wants, &entry, &mut batch.files),
                Err(error) => Err((walk_problem(root, &error), ConsumerSet::ALL)),
            };
            if let Err(problem) = failure {
                failed.lock().expect("no holder panics").push(problem);
            }
            let seen = seen.fetch_add(1, Ordering::Relaxed) + 1;
            if seen.is_multiple_of(REPORT_EVERY) {
                progress.report("finding files", seen, None);
                if progress.is_cancelled() {
                    return WalkState::Quit;
                }
            }
            if wants.is_full() { WalkState::Quit } else { WalkState::Continue }
        })
    });
    let mut files = found.into_inner().expect("no holder panics");
    // Threads finish in any order; sort so that two runs over one tree see the same list.
    files.sort_unstable_by(|a: &(FoundFile, ConsumerSet), b| a.0.path.cmp(&b.0.path));
    let (mut failed, more) = failed.into_inner().expect("no holder panics").into_sorted();
    failed.extend(Problem::summarize_omitted(more).map(|problem| (problem, ConsumerSet::ALL)));
    (files, failed)
}

/// The files that one thread of a walk found. Dropping it appends them to the shared list.
struct ThreadFiles<'w> {
    files: PerConsumer<FoundFile>,
    found: &'w Mutex<PerConsumer<FoundFile>>,
}

impl Drop for ThreadFiles<'_> {
    fn drop(&mut self) {
        let mut found = self.found.lock().expect("no holder panics");
        found.append(&mut self.files);
    }
}

/// Handles one entry: adds a wanted file, records a link.
fn visit_entry(
    root: &Path,
    wants: &SharedFilter,
    entry: &DirEntry,
    files: &mut PerConsumer<FoundFile>,
) -> Result<(), (Problem, ConsumerSet)> {
    if entry.path_is_symlink() {
        wants.record_link(entry.path());
    }
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return Ok(());
    }
    let mask = wants.consumers_of_file(entry.path());
    let Ok(relative) = entry.path().strip_prefix(root) else {
        return Ok(());
    };
    if mask == ConsumerSet::NOBODY {
        return Ok(());
    }
    let Some(relative) = relative.to_str() else {
        let path = RepoPath::new(&relative.to_string_lossy()).unwrap_or_default();
        let problem = Problem::new(&path, "its name is not valid UTF-8; the file is left out");
        return Err((problem, mask));
    };
    let Some(path) = RepoPath::new(relative) else {
        return Ok(());
    };
    match entry.metadata() {
        Ok(metadata) => {
            wants.counts.add_file();
            files.push((found_file(path, &metadata), mask));
        }
        Err(error) => return Err((Problem::new(&path, error.to_string()), mask)),
    }
    Ok(())
}

/// Returns a path without links and dots.
pub fn real_path(path: &Path) -> std::io::Result<PathBuf> {
    path.canonicalize()
}

/// Like [`real_path`], for a path that may have been deleted while its directory still exists.
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

/// Fails unless `path` is a directory that can be listed, and not on a pseudo file system.
pub fn check_directory(path: &Path) -> std::io::Result<()> {
    if let Some(name) = disk::pseudo_file_system(path) {
        return Err(std::io::Error::other(format!(
            "it is on a pseudo file system ({name}), which is never read"
        )));
    }
    std::fs::read_dir(path).map(|_| ())
}

/// Returns the current stamp of a file; `None` if it is gone or not a regular file.
pub fn stat(root: &Path, path: &RepoPath) -> Option<FoundFile> {
    let metadata = std::fs::symlink_metadata(root.join(path.as_str())).ok()?;
    metadata.is_file().then(|| found_file(path.clone(), &metadata))
}

fn found_file(path: RepoPath, metadata: &Metadata) -> FoundFile {
    FoundFile { path, size: metadata.len(), modified_ns: modified_ns(metadata) }
}

/// Returns the settings that all passes share.
pub fn walk_builder(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .follow_links(false)
        .add_custom_ignore_filename(KEN_IGNORE)
        // A tree that was unpacked rather than cloned still means its .gitignore files.
        .require_git(false)
        // Ignore files above the root count only inside one repository: a home directory under
        // git must not hide what lies in it.
        .parents(git_repository::toplevel(root).is_some_and(|top| top != root))
        .threads(std::thread::available_parallelism().map_or(2, |n| n.get().min(8)));
    builder
}

/// Converts an error of the walker.
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
    use crate::testing;
    use kenning_model::Silent;

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
        let want = WalkFilter {
            names: Some(&["a.toml", "*.cs"]),
            exclude: &exclude,
            pruned: &[],
            ..WalkFilter::EVERYTHING
        };
        let survey = survey_one(directory.path(), want, &WalkBounds::default(), &Silent).unwrap();
        assert_eq!(paths(&survey.files), expected);
        assert_eq!(survey.problems, []);
    }

    fn paths(files: &[FoundFile]) -> Vec<&str> {
        files.iter().map(|file| file.path.as_str()).collect()
    }

    #[test]
    fn matches_names_at_any_depth_in_order() {
        check(
            &[("z/a.toml", ""), ("b/x.cs", ""), ("a.toml", ""), ("b/a.tom", "")],
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

    #[test]
    fn what_git_tracks_is_not_ignored_by_its_rules() {
        let directory = tree(&[
            (".gitignore", "package.json\nout/\nsecret\n"),
            (".kenignore", "out/skipped.rs\n"),
            ("package.json", ""),
            ("out/kept.rs", ""),
            ("out/skipped.rs", ""),
            ("out/untracked.rs", ""),
            ("out/deep/kept.rs", ""),
            ("out/node_modules/a.js", ""),
            (".hidden/a.rs", ""),
            ("secret", ""),
        ]);
        let git = |arguments: &[&str]| testing::git(directory.path(), arguments);
        git(&["init", "-q"]);
        git(&["add", "-f", "package.json", "out", ".hidden"]);
        git(&["rm", "-q", "--cached", "out/untracked.rs"]);
        let want = WalkFilter { pruned: &["node_modules"], ..WalkFilter::EVERYTHING };
        let survey = survey_one(directory.path(), want, &WalkBounds::default(), &Silent).unwrap();
        let expected = ["out/deep/kept.rs", "out/kept.rs", "package.json"];
        assert_eq!(paths(&survey.files), expected);
        let entered: Vec<_> = survey.directories.iter().map(RepoPath::as_str).collect();
        assert_eq!(entered, ["out", "out/deep"]);
    }

    #[cfg(unix)]
    #[test]
    fn symlink_loops_do_no_harm() {
        let directory = tree(&[("sub/a.toml", "")]);
        std::os::unix::fs::symlink(directory.path(), directory.path().join("sub/up")).unwrap();
        let survey =
            survey_one(directory.path(), WalkFilter::EVERYTHING, &WalkBounds::default(), &Silent)
                .unwrap();
        assert_eq!(paths(&survey.files), ["sub/a.toml"]);
        let link = RepoPath::new("sub/up").unwrap();
        assert_eq!(survey.pruned, [(link, PruneReason::Link)]);
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
        let want = WalkFilter { pruned: &["node_modules"], ..WalkFilter::EVERYTHING };
        let survey = survey_one(directory.path(), want, &WalkBounds::default(), &Silent).unwrap();
        assert_eq!(paths(&survey.files), ["node_modules", "src/a.rs"]);
        let entered: Vec<_> = survey.directories.iter().map(RepoPath::as_str).collect();
        assert_eq!(entered, ["empty", "src", "web"]);
        let pruned = RepoPath::new("web/node_modules").unwrap();
        assert_eq!(survey.pruned, [(pruned, PruneReason::Name)]);
    }

    /// Each consumer of a shared walk gets the result of a walk of its own.
    #[test]
    fn one_walk_serves_all_as_if_each_had_walked_alone() {
        let directory = tree(&[
            ("a.toml", ""),
            ("src/b.rs", ""),
            ("src/vendor/x/a.toml", ""),
            ("src/vendor/x/c.rs", ""),
            ("out/a.toml", ""),
            ("out/deep/d.rs", ""),
            ("both/a.toml", ""),
        ]);
        let out = ["out".to_string(), "both".to_string()];
        let both = ["both".to_string()];
        let wants = [
            WalkFilter { names: Some(&["*.toml"]), exclude: &out, ..WalkFilter::EVERYTHING },
            WalkFilter { exclude: &both, pruned: &["vendor"], ..WalkFilter::EVERYTHING },
            WalkFilter::EVERYTHING,
        ];
        let together = survey(directory.path(), wants, &WalkBounds::default(), &Silent).unwrap();
        for (want, shared) in wants.iter().zip(together) {
            let own = survey_one(directory.path(), *want, &WalkBounds::default(), &Silent).unwrap();
            assert_eq!(shared.files, own.files);
            assert_eq!(shared.directories, own.directories);
            assert_eq!(shared.pruned, own.pruned);
        }
        let toml = survey_one(directory.path(), wants[0], &WalkBounds::default(), &Silent).unwrap();
        assert_eq!(paths(&toml.files), ["a.toml", "src/vendor/x/a.toml"]);
        let rust = survey_one(directory.path(), wants[1], &WalkBounds::default(), &Silent).unwrap();
        assert_eq!(paths(&rust.files), ["a.toml", "out/a.toml", "out/deep/d.rs", "src/b.rs"]);
    }

    #[test]
    fn another_checkout_below_the_root_is_not_entered_and_a_submodule_is() {
        let directory = tree(&[
            (".git/HEAD", "ref: refs/heads/main\n"),
            ("a.rs", ""),
            ("trees/fix/.git", "gitdir: /elsewhere/.git/worktrees/fix\n"),
            ("trees/fix/a.rs", ""),
            ("library/.git", "gitdir: ../.git/modules/library\n"),
            ("library/b.rs", ""),
        ]);
        let survey =
            survey_one(directory.path(), WalkFilter::EVERYTHING, &WalkBounds::default(), &Silent)
                .unwrap();
        assert_eq!(paths(&survey.files), ["a.rs", "library/b.rs"]);
        let pruned = RepoPath::new("trees/fix").unwrap();
        assert_eq!(survey.pruned, [(pruned, PruneReason::Worktree)]);
        // Asked for itself, it is a root like any other.
        let own = directory.path().join("trees/fix");
        let survey =
            survey_one(&own, WalkFilter::EVERYTHING, &WalkBounds::default(), &Silent).unwrap();
        assert_eq!(paths(&survey.files), ["a.rs"]);
    }
}
