//! Rules that several ecosystems share: relative directories, order of dependencies, and the choice
//! among packages of one name. It contains no rule of a single ecosystem.

use std::collections::{HashMap, HashSet};

use kenning_model::{Dependency, RepoPath};

/// Resolves the path `written` in a manifest of the directory `base`. `None` if it leads out of the
/// repository, as every absolute path does.
pub fn resolve_directory(base: &RepoPath, written: &str) -> Option<RepoPath> {
    // The second test is for Windows drives, such as `C:`.
    let absolute = written.starts_with(['/', '\\']) || written.get(1..2) == Some(":");
    if absolute { None } else { base.join(written) }
}

/// Sorts dependencies by kind, otherwise as declared, and drops exact repetitions. Those occur when
/// a manifest repeats a dependency for several platforms.
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

/// The directories of the packages of each name. If several packages have a name, the nearest one
/// is chosen: it shares the longest path with the dependent. Ties go to the shallowest, then to the
/// first by path.
#[derive(Default)]
pub struct PackageDirectories {
    /// For each name and each directory, the best package at or below that directory. A lookup then
    /// only climbs, however many packages have the name.
    best: HashMap<String, HashMap<RepoPath, RepoPath>>,
}

impl PackageDirectories {
    /// Adds a package. Takes time proportional to its depth.
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

    /// Returns the nearest package of a name, seen from `from`. Takes time proportional to the
    /// depth of `from`.
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
