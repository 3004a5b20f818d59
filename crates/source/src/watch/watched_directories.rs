//! The directories to watch. A target that does not exist is awaited at its nearest existing
//! ancestor.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// A directory, by its real path: no link leads there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WatchTarget {
    pub path: PathBuf,
    pub reach: Reach,
}

/// The depth to which a directory is watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The entries of the directory.
    Folder,
    /// The entries, and everything below.
    Tree,
}

impl WatchTarget {
    /// A directory with everything below it.
    pub fn tree(path: impl Into<PathBuf>) -> WatchTarget {
        WatchTarget { path: path.into(), reach: Reach::Tree }
    }

    /// A directory without its subdirectories.
    pub fn folder(path: impl Into<PathBuf>) -> WatchTarget {
        WatchTarget { path: path.into(), reach: Reach::Folder }
    }
}

/// Targets by path, so that one of thousands is found without looking at all.
pub struct TargetLookup<'t> {
    folders: BTreeSet<&'t Path>,
    trees: BTreeSet<&'t Path>,
}

impl<'t> TargetLookup<'t> {
    pub fn new(targets: &'t [WatchTarget]) -> TargetLookup<'t> {
        let of = |reach: Reach| {
            let those = targets.iter().filter(move |target| target.reach == reach);
            those.map(|target| target.path.as_path()).collect()
        };
        TargetLookup { folders: of(Reach::Folder), trees: of(Reach::Tree) }
    }

    /// True if a change of `path` is a change of a target, or may make or unmake one.
    pub fn covers(&self, path: &Path) -> bool {
        let is_folder = |path: &Path| self.folders.contains(path);
        is_folder(path)
            || path.parent().is_some_and(is_folder)
            || path.ancestors().any(|above| self.trees.contains(above))
            || self.targets_below(path).next().is_some()
    }

    /// Returns the targets that are `path` or lie below it.
    pub fn targets_below<'p>(&'p self, path: &'p Path) -> impl Iterator<Item = &'t Path> + 'p {
        // Paths are ordered by their segments, so those below follow without a gap.
        let of = move |set: &'p BTreeSet<&'t Path>| {
            let after = set.range::<Path, _>((Bound::Included(path), Bound::Unbounded));
            after.copied().take_while(move |one| one.starts_with(path))
        };
        of(&self.folders).chain(of(&self.trees))
    }
}

/// Returns the directories to watch so that nothing of the targets is missed: those that exist, and
/// for each the one above it, where its deletion and its return are seen. A directory within a
/// watched tree is left out, because the system keeps one depth for each directory.
pub fn directories_to_watch(targets: &[WatchTarget]) -> BTreeMap<PathBuf, Reach> {
    let mut wanted: BTreeMap<PathBuf, Reach> = BTreeMap::new();
    let mut want = |path: &Path, reach: Reach| {
        let known = wanted.entry(path.to_path_buf()).or_insert(reach);
        *known = reach.max(*known);
    };
    for target in targets {
        if target.path.is_dir() {
            want(&target.path, target.reach);
        }
        let above = target.path.ancestors().skip(1);
        if let Some(nearest) = above.into_iter().find(|path| path.is_dir()) {
            want(nearest, Reach::Folder);
        }
    }
    let trees: Vec<PathBuf> = wanted
        .iter()
        .filter(|(_, reach)| **reach == Reach::Tree)
        .map(|(path, _)| path.clone())
        .collect();
    wanted.retain(|path, _| {
        let mut above = path.ancestors().skip(1);
        !above.any(|above| trees.binary_search_by(|tree| tree.as_path().cmp(above)).is_ok())
    });
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_concerns_targets_around_it_and_below_it() {
        let targets = [
            WatchTarget::folder("/r"),
            WatchTarget::folder("/r/a/b"),
            WatchTarget::folder("/r/a-b"),
            WatchTarget::tree("/r/t"),
        ];
        let lookup = TargetLookup::new(&targets);
        for (path, expected) in [
            ("/r", true),
            ("/r/file", true),
            ("/r/a", true),
            ("/r/a/file", false),
            ("/r/a/b/file", true),
            ("/r/a/b/c/file", false),
            ("/r/a-b/file", true),
            ("/r/t/deep/down", true),
            ("/", true),
            ("/other", false),
        ] {
            assert_eq!(lookup.covers(Path::new(path)), expected, "{path}");
        }
        let below = |path: &str| lookup.targets_below(Path::new(path)).count();
        assert_eq!([below("/r/a"), below("/r"), below("/r/t/x")], [1, 4, 0]);
    }

    #[test]
    fn what_exists_and_what_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        let wanted = |targets: &[WatchTarget]| -> Vec<(PathBuf, Reach)> {
            directories_to_watch(targets).into_iter().collect()
        };
        assert_eq!(
            wanted(&[WatchTarget::tree(root.join("a/b"))]),
            [(root.join("a"), Reach::Folder), (root.join("a/b"), Reach::Tree)]
        );
        assert_eq!(
            wanted(&[WatchTarget::tree(root.join("a/c/d"))]),
            [(root.join("a"), Reach::Folder)]
        );
        // The tree sees to the rest.
        let both = [WatchTarget::tree(root.join("a")), WatchTarget::tree(root.join("a/b"))];
        assert_eq!(
            wanted(&both),
            [(root.to_path_buf(), Reach::Folder), (root.join("a"), Reach::Tree)]
        );
    }
}
