//! Watches by polling: compares the files with those of the last look. The library has a poller
//! too, but it compares times by the second. It would miss a change that follows another within
//! one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::watched_directories::{Reach, WatchTarget};
use crate::walk_bounds::{FileSystemBoundary, FileSystems};

/// The stamps of all watched files at the last look.
pub struct Poll {
    seen: BTreeMap<PathBuf, PollStamp>,
}

/// The size and time of a file. Comparing them tells cheaply whether it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PollStamp {
    modified: Option<SystemTime>,
    size: u64,
}

impl Poll {
    /// Takes the first look, which reports nothing.
    pub fn new(targets: &[WatchTarget]) -> Poll {
        Poll { seen: snapshot(targets) }
    }

    /// Returns the paths that were added, removed or changed since the last call, sorted.
    pub fn find_changes(&mut self, targets: &[WatchTarget]) -> Vec<PathBuf> {
        let now = snapshot(targets);
        let before = std::mem::replace(&mut self.seen, now);
        let changed = self.seen.iter().filter(|(path, stamp)| before.get(*path) != Some(stamp));
        let gone = before.keys().filter(|path| !self.seen.contains_key(*path));
        let mut paths: Vec<PathBuf> = changed.map(|(path, _)| path).chain(gone).cloned().collect();
        paths.sort();
        paths
    }
}

/// Returns the stamps of all entries of the targets.
fn snapshot(targets: &[WatchTarget]) -> BTreeMap<PathBuf, PollStamp> {
    let mut seen = BTreeMap::new();
    for target in targets {
        let border = FileSystemBoundary::new(&target.path, FileSystems::OfRoot);
        visit(&target.path, target.reach, &border, &mut seen);
    }
    seen
}

fn visit(
    directory: &Path,
    reach: Reach,
    border: &FileSystemBoundary,
    seen: &mut BTreeMap<PathBuf, PollStamp>,
) {
    // A directory that cannot be listed counts as empty; its entries show up once it can be.
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let path = entry.path();
        if metadata.is_dir() {
            let is_new = reach == Reach::Tree && !seen.contains_key(&path);
            if is_new && !border.is_crossed_by(&path, &metadata) {
                // The time of a directory only repeats what its entries say.
                seen.insert(path.clone(), PollStamp { modified: None, size: 0 });
                visit(&path, reach, border, seen);
            }
            continue;
        }
        let stamp = PollStamp { modified: metadata.modified().ok(), size: metadata.len() };
        seen.insert(path, stamp);
    }
}
