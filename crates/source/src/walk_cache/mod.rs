//! A cache of the result of a walk. A directory's mtime changes when an entry is added or removed.
//! If no mtime changed, the tree has the same files: no directory is listed and no ignore file is
//! parsed. In doubt, the tree is walked.
//!
//! A cached file still gets a new stamp: sizes and times are read on every run. An mtime within the
//! last clock tick proves nothing, so a tree that changed during or just before the walk is not
//! cached.

mod format;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rayon::prelude::*;

use super::walk::{self, CLOCK_TICK_NS, FoundFile, IGNORE_FILES, PruneReason, Survey};
use super::walk_bounds::{FileSystemBoundary, WalkBounds, WalkError};
use super::walk_filter::{ConsumerSet, WalkFilter};
use super::{git_index, git_repository};
use kenning_model::{Progress, RepoPath};

/// The version of the cache format. A cache of another version is ignored.
const VERSION: u32 = 4;

/// Returns the same as [`survey`](walk::survey), from the cache in the file `memory` if that is
/// still valid. Else it walks and writes the cache.
pub fn survey_cached<const N: usize>(
    root: &Path,
    wants: [WalkFilter; N],
    bounds: &WalkBounds,
    memory: &Path,
    progress: &dyn Progress,
) -> Result<[Survey; N], WalkError> {
    let began_ns = walk::nanoseconds(SystemTime::now());
    let key = cache_key(root, &wants, bounds);
    let border = FileSystemBoundary::new(root, bounds.file_systems);
    let remembered = WalkCache::load(memory).filter(|remembered| remembered.key == key);
    if let Some(mut remembered) = remembered
        && let Some(change) = remembered.revalidate(root, &border, began_ns)
        && let Some(surveys) = remembered.to_surveys(root)
    {
        if change == Change::Times {
            remembered.save(memory);
        }
        return Ok(surveys);
    }
    let surveys = walk::survey(root, wants, bounds, progress)?;
    match WalkCache::from_surveys(root, key, began_ns, &surveys) {
        Some(fresh) if !progress.is_cancelled() => fresh.save(memory),
        // The tree may have changed during the walk, so the next call walks again.
        _ => remove_cache(memory),
    }
    Ok(surveys)
}

/// Removes the cache file.
fn remove_cache(memory: &Path) {
    if let Err(error) = std::fs::remove_file(memory)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!("{}: {error}", memory.display());
    }
}

/// Returns a hash of everything outside of the tree that decides what a walk finds.
fn cache_key(root: &Path, wants: &[WalkFilter], bounds: &WalkBounds) -> String {
    let top = git_repository::toplevel(root);
    // As the walk does, see `walk_builder`.
    let above = top.iter().filter(|top| *top != root).flat_map(|_| {
        let above = root.ancestors().skip(1);
        above.flat_map(|above| IGNORE_FILES.map(|name| above.join(name)))
    });
    let global = ignore::gitignore::gitconfig_excludes_path();
    let own = git_repository::exclude_file(root);
    let rules: Vec<(PathBuf, Option<DirectoryStamp>)> =
        above.chain(global).chain(own).map(|path| (path.clone(), stamp(&path))).collect();
    let paths = git_index::tracked_paths(root).join("\0");
    let tracked = blake3::hash(paths.as_bytes());
    let text = format!("{:?}", (VERSION, root, &top, wants, bounds, rules, tracked));
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Size and time of a file.
type DirectoryStamp = (u64, i64);

/// Returns the stamp of a file; `None` if it does not exist.
fn stamp(path: &Path) -> Option<DirectoryStamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.len(), walk::modified_ns(&metadata)))
}

/// A tree as a walk saw it.
#[derive(Debug, PartialEq, Eq)]
struct WalkCache {
    key: String,
    directories: Vec<Directory>,
    /// Files below the root that say what is ignored.
    rules: Vec<(PathBuf, Option<DirectoryStamp>)>,
    pruned: Vec<(RepoPath, PruneReason, ConsumerSet)>,
    /// Sorted by path.
    files: Vec<(RepoPath, ConsumerSet)>,
}

/// A directory that the walk entered.
#[derive(Debug, PartialEq, Eq)]
struct Directory {
    path: RepoPath,
    /// The consumers that entered it. Empty for the root and for other checkouts, which only have
    /// to stay as they are.
    mask: ConsumerSet,
    modified_ns: i64,
    /// A hash of the names and kinds of its entries.
    names: u64,
}

/// The difference between the cache and a tree that has the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change {
    Nothing,
    Times,
}

impl WalkCache {
    /// Makes the cache of a walk. `None` if the tree may have changed during the walk, or if the
    /// walk met problems.
    fn from_surveys(
        root: &Path,
        key: String,
        began_ns: i64,
        surveys: &[Survey],
    ) -> Option<WalkCache> {
        if surveys.iter().any(|survey| !survey.problems.is_empty()) {
            return None;
        }
        let entered = merge_surveys(surveys, |survey| survey.directories.clone());
        let pruned = merge_surveys(surveys, |survey| survey.pruned.clone());
        // Another checkout is checked too: it is skipped only as long as it is a checkout.
        let checkouts = pruned
            .iter()
            .filter(|((_, why), _)| *why == PruneReason::Worktree)
            .map(|((path, _), _)| (path.clone(), ConsumerSet::NOBODY));
        let root_itself = std::iter::once((RepoPath::default(), ConsumerSet::NOBODY));
        let all: Vec<(RepoPath, ConsumerSet)> =
            root_itself.chain(entered).chain(checkouts).collect();
        let is_settled = |modified_ns: i64| modified_ns < began_ns - CLOCK_TICK_NS;
        let seen: Option<Vec<_>> = all
            .into_par_iter()
            .map(|(path, mask)| {
                let seen = list_directory(&root.join(path.as_str())).ok()?;
                let is_certain = is_settled(seen.modified_ns)
                    && seen.rules.iter().all(|(_, stamp)| {
                        stamp.is_none_or(|(_, modified_ns)| is_settled(modified_ns))
                    });
                let directory =
                    Directory { path, mask, modified_ns: seen.modified_ns, names: seen.names };
                is_certain.then_some((directory, seen.rules))
            })
            .collect();
        let (directories, rules): (Vec<_>, Vec<_>) = seen?.into_iter().unzip();
        Some(WalkCache {
            key,
            directories,
            rules: rules.into_iter().flatten().collect(),
            pruned: pruned.into_iter().map(|((path, why), mask)| (path, why, mask)).collect(),
            files: merge_surveys(surveys, |survey| {
                let paths = survey.files.iter().map(|file| file.path.clone());
                paths.collect()
            }),
        })
    }

    /// Returns `None` if a walk could find other names. Updates the times of directories that
    /// changed although their names are the same.
    fn revalidate(
        &mut self,
        root: &Path,
        border: &FileSystemBoundary,
        now_ns: i64,
    ) -> Option<Change> {
        let is_mounted = |path: &RepoPath| border.is_crossed_at(&root.join(path.as_str()));
        let mut mounts = self.pruned.iter().filter(|(_, why, _)| *why == PruneReason::FileSystem);
        if !mounts.all(|(path, ..)| is_mounted(path)) {
            return None;
        }
        if self.rules.iter().any(|(path, known)| stamp(path) != *known) {
            return None;
        }
        let changes = self.directories.par_iter_mut().map(|directory| {
            let path = root.join(directory.path.as_str());
            let metadata = std::fs::symlink_metadata(&path).ok()?;
            // Something was mounted there since.
            if border.is_crossed_by(&path, &metadata) {
                return None;
            }
            if metadata.is_dir() && walk::modified_ns(&metadata) == directory.modified_ns {
                return Some(Change::Nothing);
            }
            // Something came and went, as when an editor replaces a file.
            let seen = list_directory(&path).ok()?;
            let is_settled = seen.modified_ns < now_ns - CLOCK_TICK_NS;
            let is_same = seen.names == directory.names;
            if is_same && is_settled {
                directory.modified_ns = seen.modified_ns;
                return Some(Change::Times);
            }
            is_same.then_some(Change::Nothing)
        });
        let looked: Option<Vec<Change>> = changes.collect();
        if looked?.contains(&Change::Times) { Some(Change::Times) } else { Some(Change::Nothing) }
    }

    /// Returns the result that a walk would have. `None` if a file is gone.
    fn to_surveys<const N: usize>(&self, root: &Path) -> Option<[Survey; N]> {
        let found: Option<Vec<(FoundFile, ConsumerSet)>> = self
            .files
            .par_iter()
            .map(|(path, mask)| Some((walk::stat(root, path)?, *mask)))
            .collect();
        let mut surveys: [Survey; N] = std::array::from_fn(|_| Survey::default());
        walk::distribute(found?, &mut surveys, |survey| &mut survey.files);
        let entered =
            self.directories.iter().map(|directory| (directory.path.clone(), directory.mask));
        walk::distribute(entered.collect(), &mut surveys, |survey| &mut survey.directories);
        let pruned = self.pruned.iter().map(|(path, why, mask)| ((path.clone(), *why), *mask));
        walk::distribute(pruned.collect(), &mut surveys, |survey| &mut survey.pruned);
        Some(surveys)
    }
}

/// Merges the lists of several surveys: each item once, with the consumers that found it, sorted.
fn merge_surveys<T: Ord>(
    surveys: &[Survey],
    list: impl Fn(&Survey) -> Vec<T>,
) -> Vec<(T, ConsumerSet)> {
    let mut all: Vec<(T, ConsumerSet)> = Vec::new();
    for (place, survey) in surveys.iter().enumerate() {
        let found = list(survey).into_iter();
        all.extend(found.map(|thing| (thing, ConsumerSet::single(place))));
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all.dedup_by(|other, kept| {
        let is_same = other.0 == kept.0;
        if is_same {
            kept.1 = kept.1.union(other.1);
        }
        is_same
    });
    all
}

/// The content of a directory, as far as the cache compares it.
struct DirectoryContent {
    modified_ns: i64,
    names: u64,
    rules: Vec<(PathBuf, Option<DirectoryStamp>)>,
}

/// Lists a directory, regardless of ignore rules.
fn list_directory(path: &Path) -> io::Result<DirectoryContent> {
    let mut names: Vec<(Vec<u8>, u8)> = Vec::new();
    let mut rules = Vec::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        if IGNORE_FILES.iter().any(|file| name == OsStr::new(file)) {
            rules.push(entry.path());
        }
        if name == OsStr::new(".git") {
            rules.extend(git_repository::exclude_file(path));
        }
        let kind = u8::from(kind.is_dir()) + 2 * u8::from(kind.is_symlink());
        names.push((name.into_encoded_bytes(), kind));
    }
    names.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    for (name, kind) in names {
        hasher.update(&name).update(&[0, kind]);
    }
    let mut hash = [0; 8];
    hash.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    rules.sort_unstable();
    let rules = rules.into_iter().map(|path| {
        let stamp = stamp(&path);
        (path, stamp)
    });
    Ok(DirectoryContent {
        rules: rules.collect(),
        names: u64::from_le_bytes(hash),
        // After the names: if this is long ago, they have not changed since.
        modified_ns: walk::modified_ns(&std::fs::metadata(path)?),
    })
}
