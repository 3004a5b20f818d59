//! What is to be watched, and what has to be watched for it: a directory that does not exist is
//! waited for at the nearest one that does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A directory, by its real path: no link leads there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    pub path: PathBuf,
    pub reach: Reach,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// What stands in it.
    Folder,
    /// That, and everything below.
    Tree,
}

impl Target {
    pub fn tree(path: impl Into<PathBuf>) -> Target {
        Target {
            path: path.into(),
            reach: Reach::Tree,
        }
    }

    pub fn folder(path: impl Into<PathBuf>) -> Target {
        Target {
            path: path.into(),
            reach: Reach::Folder,
        }
    }

    /// Whether a change of `path` is a change of this target.
    pub fn covers(&self, path: &Path) -> bool {
        match self.reach {
            Reach::Tree => path.starts_with(&self.path),
            Reach::Folder => path == self.path || path.parent() == Some(&self.path),
        }
    }

    /// Whether a change of `path` may make or unmake this target.
    pub fn depends_on(&self, path: &Path) -> bool {
        self.path.starts_with(path)
    }
}

/// The directories to watch so that nothing of the targets is missed: those that exist, and for
/// each the one above it, where its end and its return are seen. One that lies within a tree that
/// is watched anyway is left out: the system keeps one reach for each directory.
pub fn directories(targets: &[Target]) -> BTreeMap<PathBuf, Reach> {
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
    let trees = wanted.iter().filter(|(_, reach)| **reach == Reach::Tree);
    let trees: Vec<PathBuf> = trees.map(|(path, _)| path.clone()).collect();
    wanted.retain(|path, _| {
        let mut above = path.ancestors().skip(1);
        !above.any(|above| {
            trees
                .binary_search_by(|tree| tree.as_path().cmp(above))
                .is_ok()
        })
    });
    wanted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exists_and_what_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        std::fs::create_dir_all(root.join("a/b")).unwrap();
        let wanted = |targets: &[Target]| -> Vec<(PathBuf, Reach)> {
            directories(targets).into_iter().collect()
        };
        assert_eq!(
            wanted(&[Target::tree(root.join("a/b"))]),
            [
                (root.join("a"), Reach::Folder),
                (root.join("a/b"), Reach::Tree)
            ]
        );
        assert_eq!(
            wanted(&[Target::tree(root.join("a/c/d"))]),
            [(root.join("a"), Reach::Folder)]
        );
        // The tree sees to the rest.
        let both = [Target::tree(root.join("a")), Target::tree(root.join("a/b"))];
        assert_eq!(
            wanted(&both),
            [
                (root.to_path_buf(), Reach::Folder),
                (root.join("a"), Reach::Tree)
            ]
        );
    }
}
