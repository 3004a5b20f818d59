//! Declarations that manifests of several ecosystems share: relative directories, lists of
//! dependencies, and names that several packages have. It contains no ecosystem's rules.

use std::collections::{HashMap, HashSet};

use kenning_model::{Dependency, RepoPath};

/// The directory that `written`, in a manifest of the directory `base`, means. `None` if that is
/// outside of the repository, as every absolute path is.
pub fn resolve_directory(base: &RepoPath, written: &str) -> Option<RepoPath> {
    let absolute = written.starts_with(['/', '\\']) || written.get(1..2) == Some(":");
    if absolute { None } else { base.join(written) }
}

/// Dependencies by kind, otherwise as declared, without exact repetitions (such as one for each of
/// several platforms).
pub fn sort_dependencies(mut dependencies: Vec<Dependency>) -> Vec<Dependency> {
    let mut seen = HashSet::new();
    dependencies.retain(|dependency| {
        seen.insert((
            dependency.name.clone(),
            dependency.kind,
            dependency.version_req.clone(),
            dependency.internal.clone(),
        ))
    });
    dependencies.sort_by_key(|dependency| dependency.kind);
    dependencies
}

/// Where the packages of each name live. Of several, the nearest is meant: the one that shares the
/// longest path with who asks; then the highest up, then the first by path.
#[derive(Default)]
pub struct PackageDirectories {
    /// For each name and each directory, the best home at or below that directory. So looking for
    /// the nearest only climbs, however many packages have the name.
    best: HashMap<String, HashMap<RepoPath, RepoPath>>,
}

impl PackageDirectories {
    pub fn add(&mut self, name: &str, home: &RepoPath) {
        let rank = |home: &RepoPath| (home.segments().count(), home.clone());
        let best = self.best.entry(name.to_string()).or_default();
        for ancestor in home.ancestors() {
            let current = best.entry(ancestor).or_insert_with(|| home.clone());
            if rank(home) < rank(current) {
                current.clone_from(home);
            }
        }
    }

    pub fn nearest(&self, name: &str, from: &RepoPath) -> Option<&RepoPath> {
        let best = self.best.get(name)?;
        from.ancestors().find_map(|ancestor| best.get(&ancestor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).expect("inside")
    }

    #[test]
    fn absolute_paths_are_outside() {
        assert_eq!(resolve_directory(&path("a"), "../b"), Some(path("b")));
        assert_eq!(resolve_directory(&path("a"), "../../b"), None);
        assert_eq!(resolve_directory(&path("a"), "/b"), None);
        assert_eq!(resolve_directory(&path("a"), "C:\\b"), None);
    }

    #[test]
    fn nearest_shares_the_longest_path() {
        let mut homes = PackageDirectories::default();
        for home in ["b/x", "b/c/x", "a/y", "a/x"] {
            homes.add("x", &path(home));
        }
        let check = |from, expected| {
            assert_eq!(homes.nearest("x", &path(from)), Some(&path(expected)));
        };
        check("b/d", "b/x");
        check("b/c/d", "b/c/x");
        check("a/y", "a/y");
        check("e", "a/x");
        assert_eq!(homes.nearest("y", &path("a")), None);
    }
}
