//! What manifests of several ecosystems declare alike: directories as relative paths, and lists of
//! dependencies. It knows no ecosystem's rules.

use std::collections::HashSet;

use crate::model::{Dependency, RepoPath};

/// The directory that `written`, in a manifest of the directory `base`, means. `None` if that is
/// outside of the repository, as every absolute path is.
pub fn directory(base: &RepoPath, written: &str) -> Option<RepoPath> {
    let absolute = written.starts_with(['/', '\\']) || written.get(1..2) == Some(":");
    if absolute { None } else { base.join(written) }
}

/// Dependencies by kind, otherwise as declared, without exact repetitions (such as one for each of
/// several platforms).
pub fn in_order(mut dependencies: Vec<Dependency>) -> Vec<Dependency> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).expect("inside")
    }

    #[test]
    fn absolute_paths_are_outside() {
        assert_eq!(directory(&path("a"), "../b"), Some(path("b")));
        assert_eq!(directory(&path("a"), "../../b"), None);
        assert_eq!(directory(&path("a"), "/b"), None);
        assert_eq!(directory(&path("a"), "C:\\b"), None);
    }
}
