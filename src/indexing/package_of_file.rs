//! Maps each file to its package: the one whose directory is nearest above the file.
//!
//! Only directories decide. The contents of manifests, such as a list of sources, are not
//! consulted.

use std::collections::HashMap;

use kenning_model::RepoPath;

/// The directories of all packages.
///
/// Keys are directories relative to the root; the root itself is the empty string.
#[derive(Clone, Debug, Default)]
pub struct PackageDirectories {
    names: HashMap<String, String>,
}

impl PackageDirectories {
    /// Builds the map from the directory and name of each package. The first package of a directory
    /// wins.
    pub fn new(packages: impl IntoIterator<Item = (RepoPath, String)>) -> PackageDirectories {
        let mut names = HashMap::new();
        for (directory, name) in packages {
            names.entry(directory.as_str().to_string()).or_insert(name);
        }
        PackageDirectories { names }
    }

    /// Returns a lookup for files in the order of their paths. Files of one directory are then
    /// resolved once.
    pub fn sorted_lookup(&self) -> SortedPackageLookup<'_> {
        SortedPackageLookup { homes: self, last: None }
    }

    /// Returns the package of a file. It walks up from the file's directory; the depth of the tree
    /// bounds the cost.
    pub fn package_of(&self, file: &RepoPath) -> Option<&str> {
        let mut directory = file.as_str();
        while let Some((parent, _)) = directory.rsplit_once('/') {
            if let Some(name) = self.names.get(parent) {
                return Some(name);
            }
            directory = parent;
        }
        self.names.get("").map(String::as_str)
    }
}

/// A lookup that remembers the last directory. It is correct in any order, but fast only for sorted
/// paths.
pub struct SortedPackageLookup<'h> {
    homes: &'h PackageDirectories,
    /// A directory, and the package that files in it belong to.
    last: Option<(String, Option<&'h str>)>,
}

impl<'h> SortedPackageLookup<'h> {
    /// Returns the package of a file, like [`PackageDirectories::package_of`].
    pub fn package_of(&mut self, file: &RepoPath) -> Option<&'h str> {
        let directory = file.as_str().rsplit_once('/').map_or("", |(above, _)| above);
        match &self.last {
            Some((last, name)) if last == directory => *name,
            _ => {
                let name = self.homes.package_of(file);
                self.last = Some((directory.to_string(), name));
                name
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_directory_decides() {
        let names = [("", "root"), ("crates/a", "a"), ("crates/a/b", "b")];
        let homes = PackageDirectories {
            names: names.map(|(path, name)| (path.to_string(), name.to_string())).into(),
        };
        let of = |path: &str| homes.package_of(&RepoPath::new(path).unwrap());
        assert_eq!(of("crates/a/src/lib.rs"), Some("a"));
        assert_eq!(of("crates/a/b/lib.rs"), Some("b"));
        assert_eq!(of("crates/ab/lib.rs"), Some("root"));
        assert_eq!(of("main.rs"), Some("root"));
        let mut in_order = homes.sorted_lookup();
        for path in ["a.rs", "crates/a/c.rs", "crates/a/d.rs", "crates/a/b/e.rs"] {
            let path = RepoPath::new(path).unwrap();
            assert_eq!(in_order.package_of(&path), homes.package_of(&path));
        }
        assert_eq!(PackageDirectories::default().package_of(&RepoPath::new("a/b").unwrap()), None);
    }
}
