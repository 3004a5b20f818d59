//! The filters of the consumers that share a walk, and the sets of consumers that want a path. Does
//! not walk itself.
//!
//! Each consumer is a bit in a [`ConsumerSet`]. A directory is entered if at least one consumer
//! wants it; below a directory that only some entered, files are reported to those only.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, RwLock};

use globset::{Glob, GlobSet, GlobSetBuilder};
use ignore::overrides::{Override, OverrideBuilder};

use super::git_repository;
use super::walk::PruneReason;
use super::walk_bounds::{EntryCounts, FileSystemBoundary, WalkBounds, find_unreadable_rules};
use kenning_model::{Problem, ProblemList, RepoPath};

/// The files that one consumer of a shared walk wants.
#[derive(Clone, Copy, Debug)]
pub struct WalkFilter<'a> {
    /// Globs over the last path segment; `None` for every file.
    pub names: Option<&'a [&'a str]>,
    /// Directory names or path globs that are left out on top of what git ignores.
    pub exclude: &'a [String],
    /// Names of directories that are not entered, and reported.
    pub pruned: &'static [&'static str],
    /// Hidden files that are found although they are hidden.
    pub hidden: HiddenNames,
}

/// Globs over the names of hidden files, in lower case: wanted if one of `wanted` matches and none
/// of `unless`.
#[derive(Clone, Copy, Debug, Default)]
pub struct HiddenNames {
    pub wanted: &'static [&'static str],
    pub unless: &'static [&'static str],
}

impl HiddenNames {
    pub const NONE: HiddenNames = HiddenNames { wanted: &[], unless: &[] };
}

impl WalkFilter<'_> {
    pub const EVERYTHING: WalkFilter<'static> =
        WalkFilter { names: None, exclude: &[], pruned: &[], hidden: HiddenNames::NONE };
}

/// A set of up to eight consumers, as a bit mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConsumerSet(u8);

impl ConsumerSet {
    pub const NOBODY: ConsumerSet = ConsumerSet(0);
    pub const ALL: ConsumerSet = ConsumerSet(u8::MAX);

    /// Returns the set of the first `count` consumers.
    fn first_n(count: usize) -> ConsumerSet {
        ConsumerSet(((1_u32 << count) - 1) as u8)
    }

    /// True if the consumer at this index is in the set.
    pub fn contains(self, place: usize) -> bool {
        self.0 >> place & 1 == 1
    }

    /// Returns the set of one consumer.
    pub fn single(place: usize) -> ConsumerSet {
        ConsumerSet(1 << place)
    }

    /// Returns the consumers that are in either set.
    pub fn union(self, other: ConsumerSet) -> ConsumerSet {
        ConsumerSet(self.0 | other.0)
    }

    /// Returns the mask, for the walk cache.
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The inverse of [`ConsumerSet::bits`].
    pub fn from_bits(bits: u8) -> ConsumerSet {
        ConsumerSet(bits)
    }

    /// Returns the set without one consumer.
    fn remove(self, place: usize) -> ConsumerSet {
        ConsumerSet(self.0 & !(1 << place))
    }
}

/// The filters of all consumers of a walk, and what each has entered. Shared by the threads of the
/// walk.
pub struct SharedFilter {
    root: PathBuf,
    /// All consumers.
    all: ConsumerSet,
    /// The compiled filter of each consumer.
    each: Vec<Matcher>,
    entered: Vec<Mutex<EnteredDirectories>>,
    bounds: WalkBounds,
    border: FileSystemBoundary,
    pub counts: EntryCounts,
    /// Directories that no consumer may enter, with the reason.
    refused: Mutex<ProblemList>,
    /// The directories that only some consumers entered, for the entries below. Hardly any, so
    /// `has_partial` avoids the lock.
    partial: RwLock<HashMap<PathBuf, ConsumerSet>>,
    has_partial: AtomicBool,
}

/// The directories that a consumer entered, and those that it did not, with the reason.
pub type EnteredDirectories = (Vec<RepoPath>, Vec<(RepoPath, PruneReason)>);

/// A compiled filter.
struct Matcher {
    names: Option<GlobSet>,
    /// `None` if nothing is left out.
    exclude: Option<Override>,
    pruned: &'static [&'static str],
    /// The names that are wanted, and those among them that are not.
    hidden: Option<(GlobSet, GlobSet)>,
}

impl SharedFilter {
    /// Compiles the filters. Also returns, for each, the problems with its patterns.
    pub fn new(
        root: &Path,
        wants: &[WalkFilter],
        bounds: &WalkBounds,
    ) -> (SharedFilter, Vec<Vec<Problem>>) {
        assert!(wants.len() <= 8, "a mask has a bit for each");
        let read = wants.iter().map(|want| Matcher::new(root, want));
        let (each, problems): (Vec<Matcher>, Vec<Vec<Problem>>) = read.unzip();
        let wants = SharedFilter {
            root: root.to_path_buf(),
            all: ConsumerSet::first_n(each.len()),
            entered: each.iter().map(|_| Mutex::default()).collect(),
            each,
            bounds: *bounds,
            border: FileSystemBoundary::new(root, bounds.file_systems),
            counts: EntryCounts::default(),
            refused: Mutex::default(),
            partial: RwLock::default(),
            has_partial: AtomicBool::new(false),
        };
        (wants, problems)
    }

    /// True if a consumer wants to enter a directory. The walker calls it before it visits the
    /// entries.
    pub fn enter_directory(&self, path: &Path) -> bool {
        let above = self.consumers_of_parent(path);
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let repo_path = RepoPath::new(&relative.to_string_lossy()).unwrap_or_default();
        let name = path.file_name().and_then(|name| name.to_str());
        // Before anything in it is looked at, which may take for ever on another file system.
        let is_foreign = self.border.is_crossed_at(path);
        let is_worktree = !is_foreign && git_repository::is_linked_worktree(path);
        self.counts.add_folder();
        let mut mask = above;
        for (place, want) in self.each.iter().enumerate() {
            if !above.contains(place) {
                continue;
            }
            let is_pruned = name.is_some_and(|name| want.pruned.contains(&name));
            let mut entered = self.entered[place].lock().expect("no holder panics");
            let why = match (is_pruned, is_foreign, is_worktree) {
                (true, ..) => Some(PruneReason::Name),
                (_, true, _) => Some(PruneReason::FileSystem),
                (_, _, true) => Some(PruneReason::Worktree),
                _ => None,
            };
            match (want.excludes(path, EntryKind::Directory), why) {
                (true, _) => mask = mask.remove(place),
                (_, Some(why)) => {
                    entered.1.push((repo_path.clone(), why));
                    mask = mask.remove(place);
                }
                _ => entered.0.push(repo_path.clone()),
            }
        }
        if mask != ConsumerSet::NOBODY && self.refuse_unreadable(path, &repo_path) {
            return false;
        }
        if mask != self.all && mask != ConsumerSet::NOBODY {
            let mut partial = self.partial.write().expect("no holder panics");
            partial.insert(path.to_path_buf(), mask);
            self.has_partial.store(true, Ordering::Release);
        }
        mask != ConsumerSet::NOBODY
    }

    /// Refuses a directory whose ignore files must not be opened: its rules are unknown, so it
    /// might show ignored files.
    fn refuse_unreadable(&self, path: &Path, repo_path: &RepoPath) -> bool {
        let Some((file, why)) = find_unreadable_rules(path) else {
            return false;
        };
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let message =
            format!("its {name} is {why}, so its rules are unknown; the folder is skipped");
        let mut refused = self.refused.lock().expect("no holder panics");
        refused.push(Problem::new(repo_path, message));
        true
    }

    /// The directories that no consumer may enter, with the reason.
    pub fn take_refused(&self) -> Vec<Problem> {
        let mut refused = self.refused.lock().expect("no holder panics");
        std::mem::take(&mut *refused).into_problems()
    }

    /// True if the walk has found more than it may.
    pub fn is_full(&self) -> bool {
        self.counts.exceeds(self.bounds.max_files)
    }

    /// Records a link as not entered, whatever it leads to.
    pub fn record_link(&self, path: &Path) {
        self.counts.add_file();
        let relative = path.strip_prefix(&self.root).unwrap_or(path);
        let repo_path = RepoPath::new(&relative.to_string_lossy()).unwrap_or_default();
        let above = self.consumers_of_parent(path);
        let places = self.entered.iter().zip(&self.each).enumerate();
        for (place, (entered, want)) in places {
            if above.contains(place) && !want.excludes(path, EntryKind::File) {
                let mut entered = entered.lock().expect("no holder panics");
                entered.1.push((repo_path.clone(), PruneReason::Link));
            }
        }
    }

    /// Returns the consumers that want a file.
    pub fn consumers_of_file(&self, path: &Path) -> ConsumerSet {
        let mut mask = self.consumers_of_parent(path);
        let Some(name) = path.file_name() else {
            return ConsumerSet::NOBODY;
        };
        for (place, want) in self.each.iter().enumerate() {
            // The name first: it is cheaper than the whole path, and decides nearly always.
            let is_named =
                || want.names.as_ref().is_none_or(|names| names.is_match(Path::new(name)));
            if mask.contains(place) && (!is_named() || want.excludes(path, EntryKind::File)) {
                mask = mask.remove(place);
            }
        }
        mask
    }

    /// Returns the directories in which a consumer wants hidden files. Mostly there are none.
    pub fn directories_with_hidden(&self) -> Vec<RepoPath> {
        let places = self.each.iter().zip(&self.entered);
        let mut directories: Vec<RepoPath> = Vec::new();
        for (_, entered) in places.filter(|(want, _)| want.hidden.is_some()) {
            directories.push(RepoPath::default());
            directories.extend(entered.lock().expect("no holder panics").0.iter().cloned());
        }
        directories.sort_unstable();
        directories.dedup();
        directories
    }

    /// Returns the consumers that want a hidden file, by its name.
    pub fn consumers_of_hidden(&self, path: &Path) -> ConsumerSet {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let mut mask = self.consumers_of_file(path);
        for (place, want) in self.each.iter().enumerate() {
            let is_wanted = want
                .hidden
                .as_ref()
                .is_some_and(|(wanted, unless)| wanted.is_match(&name) && !unless.is_match(&name));
            if !is_wanted {
                mask = mask.remove(place);
            }
        }
        mask
    }

    /// Returns the directories that one consumer entered, and did not, sorted. Later passes enter
    /// some twice, so duplicates are removed.
    pub fn take_entered(&self, place: usize) -> EnteredDirectories {
        let mut entered = self.entered[place].lock().expect("no holder panics");
        let mut entered = std::mem::take(&mut *entered);
        entered.0.sort_unstable();
        entered.0.dedup();
        entered.1.sort_unstable();
        entered.1.dedup();
        entered
    }

    /// True if a path, relative to the root, is or lies in a directory that all consumers pruned.
    pub fn is_pruned(&self, path: &str) -> bool {
        self.entered.iter().all(|entered| {
            let entered = entered.lock().expect("no holder panics");
            let mut pruned = entered.1.iter();
            pruned.any(|(directory, _)| {
                let below = path.strip_prefix(directory.as_str());
                below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
            })
        })
    }

    /// Returns the consumers that entered the directory of `path`.
    fn consumers_of_parent(&self, path: &Path) -> ConsumerSet {
        if !self.has_partial.load(Ordering::Acquire) {
            return self.all;
        }
        let partial = self.partial.read().expect("no holder panics");
        let above = path.parent().and_then(|parent| partial.get(parent));
        above.copied().unwrap_or(self.all)
    }
}

/// The kind of an entry, which decides whether a pattern with a final `/` matches.
enum EntryKind {
    Directory,
    File,
}

impl Matcher {
    fn new(root: &Path, want: &WalkFilter) -> (Matcher, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut note = |message: String| {
            problems.push(Problem::new(&RepoPath::default(), message));
        };
        let matcher = Matcher {
            names: want.names.map(|names| build_name_matcher(names, &mut note)),
            exclude: build_excluder(root, want.exclude, &mut note),
            pruned: want.pruned,
            hidden: (!want.hidden.wanted.is_empty()).then(|| {
                let HiddenNames { wanted, unless } = want.hidden;
                (build_name_matcher(wanted, &mut note), build_name_matcher(unless, &mut note))
            }),
        };
        (matcher, problems)
    }

    /// True if the consumer's exclude patterns match.
    fn excludes(&self, path: &Path, kind: EntryKind) -> bool {
        let is_directory = matches!(kind, EntryKind::Directory);
        let exclude = self.exclude.as_ref();
        exclude.is_some_and(|exclude| exclude.matched(path, is_directory).is_ignore())
    }
}

/// Compiles exclude patterns, in gitignore syntax; `None` if there are none.
fn build_excluder(
    root: &Path,
    patterns: &[String],
    note: &mut dyn FnMut(String),
) -> Option<Override> {
    if patterns.is_empty() {
        return None;
    }
    let mut overrides = OverrideBuilder::new(root);
    for pattern in patterns {
        if let Err(error) = overrides.add(&format!("!{pattern}")) {
            note(format!("exclude pattern {pattern:?}: {error}"));
        }
    }
    overrides.build().map_err(|error| note(error.to_string())).ok()
}

/// Compiles globs over names. Reports invalid ones and goes on without them.
fn build_name_matcher(names: &[&str], note: &mut dyn FnMut(String)) -> GlobSet {
    let mut builder = GlobSetBuilder::new();
    for name in names {
        match Glob::new(name) {
            Ok(glob) => {
                builder.add(glob);
            }
            Err(error) => note(error.to_string()),
        }
    }
    builder.build().unwrap_or_else(|error| {
        note(error.to_string());
        GlobSet::empty()
    })
}
