//! Which package a file belongs to: the one whose directory is nearest above it.

use std::collections::HashMap;

use crate::model::{Package, RepoPath};

/// The directories of all packages.
#[derive(Clone, Debug, Default)]
pub struct PackageHomes {
    names: HashMap<String, String>,
}

impl PackageHomes {
    /// Of several packages in one directory, the first.
    pub fn new<'p>(packages: impl IntoIterator<Item = &'p Package>) -> PackageHomes {
        let mut names = HashMap::new();
        for package in packages {
            let directory = package.path.as_str().to_string();
            names
                .entry(directory)
                .or_insert_with(|| package.name.clone());
        }
        PackageHomes { names }
    }

    pub fn of(&self, file: &RepoPath) -> Option<&str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_directory_decides() {
        let names = [("", "root"), ("crates/a", "a"), ("crates/a/b", "b")];
        let homes = PackageHomes {
            names: names
                .map(|(path, name)| (path.to_string(), name.to_string()))
                .into(),
        };
        let of = |path: &str| homes.of(&RepoPath::new(path).unwrap());
        assert_eq!(of("crates/a/src/lib.rs"), Some("a"));
        assert_eq!(of("crates/a/b/lib.rs"), Some("b"));
        assert_eq!(of("crates/ab/lib.rs"), Some("root"));
        assert_eq!(of("main.rs"), Some("root"));
        assert_eq!(
            PackageHomes::default().of(&RepoPath::new("a/b").unwrap()),
            None
        );
    }
}
