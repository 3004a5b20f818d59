//! Chooses among several packages of one name if only distance decides. The nearest is the one that
//! shares the longest path with the dependent.
//!
//! It handles directories and keys, not packages. Unlike `declarations::PackageDirectories`, it
//! takes the first by path at equal distance, and needs no table per ancestor.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use kenning_model::RepoPath;

/// Directories by key. The directories of a key are sorted by path.
pub struct DirectoriesByKey<K>(HashMap<K, Vec<RepoPath>>);

impl<K: Eq + Hash> FromIterator<(K, RepoPath)> for DirectoriesByKey<K> {
    fn from_iter<I: IntoIterator<Item = (K, RepoPath)>>(entries: I) -> DirectoriesByKey<K> {
        let mut directories: HashMap<K, Vec<RepoPath>> = HashMap::new();
        for (key, directory) in entries {
            directories.entry(key).or_default().push(directory);
        }
        for sorted in directories.values_mut() {
            sorted.sort();
        }
        DirectoriesByKey(directories)
    }
}

impl<K: Eq + Hash> DirectoriesByKey<K> {
    /// Returns the directory of `key` that shares the longest path with `from`; of several, the
    /// first by path. Takes one binary search for each ancestor of `from`.
    pub fn nearest<Q>(&self, key: &Q, from: &RepoPath) -> Option<&RepoPath>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let sorted = self.0.get(key)?;
        if let [only] = sorted.as_slice() {
            return Some(only);
        }
        from.ancestors().find_map(|above| {
            let exact = sorted.binary_search(&above).ok();
            exact.map(|index| &sorted[index]).or_else(|| first_below(sorted, &above))
        })
    }
}

/// Returns the first path below `directory`. Such paths are adjacent in a sorted list, but not
/// always next to the directory itself: `a`, `a-b`, `a/c`.
fn first_below<'a>(sorted: &'a [RepoPath], directory: &RepoPath) -> Option<&'a RepoPath> {
    let prefix = if directory.is_root() { String::new() } else { format!("{directory}/") };
    let start = sorted.partition_point(|path| path.as_str() < prefix.as_str());
    sorted.get(start).filter(|path| path.as_str().starts_with(&prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(directories: &[&str], from: &str, expected: Option<&str>) {
        let path = |text: &&str| RepoPath::new(text).expect("inside");
        let directories: DirectoriesByKey<()> = directories.iter().map(|d| ((), path(d))).collect();
        let nearest = directories.nearest(&(), &path(&from));
        assert_eq!(nearest.map(RepoPath::as_str), expected);
    }

    #[test]
    fn the_longest_common_path_wins() {
        check(&["x/lib", "a/b/lib", "a/lib"], "a/b/app", Some("a/b/lib"));
        check(&["x/lib", "a/b/lib", "a/lib"], "a/app", Some("a/b/lib"));
        check(&["x/lib", "a-b", "a", "a/lib"], "a/app", Some("a"));
        check(&["x/lib", "a-b"], "a/app", Some("a-b"));
        check(&["", "x"], "a", Some(""));
        check(&[], "a", None);
    }
}
