//! Paths inside a repository: relative to its root, always with `/`, never escaping. Not for paths
//! on the machine; those are `std::path::Path`. Links are not followed: a path is text.

use std::fmt;

/// A normalized path relative to the repository's root. The root itself is the empty path.
///
/// ```
/// use kenning_model::RepoPath;
///
/// let directory = RepoPath::new("apps/web").unwrap();
/// assert_eq!(directory.join("../api").unwrap().as_str(), "apps/api");
/// assert_eq!(directory.join("../../.."), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(String);

impl RepoPath {
    /// Normalises `text`: `\` becomes `/`, `.` and empty segments vanish, `..` climbs.
    /// `None` if it climbs out of the repository.
    pub fn new(text: &str) -> Option<RepoPath> {
        // Nearly all paths are normalized already, and thousands of them are made at once.
        if is_normalized(text) {
            return Some(RepoPath(text.to_string()));
        }
        RepoPath::default().join(text)
    }

    /// Resolves `relative` against this directory, as a file in it would. `None` if the result
    /// leaves the repository.
    pub fn join(&self, relative: &str) -> Option<RepoPath> {
        let mut segments: Vec<&str> = self.segments().collect();
        for segment in relative.split(['/', '\\']) {
            match segment {
                "" | "." => {}
                ".." => {
                    segments.pop()?;
                }
                name => segments.push(name),
            }
        }
        Some(RepoPath(segments.join("/")))
    }

    /// The path with `/` between segments, without one at either end.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True for the root of the repository.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The directory that contains this path; the root is its own parent.
    pub fn parent(&self) -> RepoPath {
        let end = self.0.rfind('/').unwrap_or(0);
        RepoPath(self.0[..end].to_string())
    }

    /// The last segment; empty for the root.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The names between the slashes; none for the root.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// This directory, then its parent, up to and including the root.
    pub fn ancestors(&self) -> impl Iterator<Item = RepoPath> {
        std::iter::successors(Some(self.clone()), |path| (!path.is_root()).then(|| path.parent()))
    }

    /// True if this path is `directory` or lies below it.
    pub fn is_within(&self, directory: &RepoPath) -> bool {
        directory.is_root()
            || self
                .0
                .strip_prefix(&directory.0)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// True if every segment is a name. The empty text is not, and takes the slower way.
fn is_normalized(text: &str) -> bool {
    let is_name = |segment: &[u8]| !matches!(segment, b"" | b"." | b"..");
    !text.contains('\\') && text.as_bytes().split(|byte| *byte == b'/').all(is_name)
}

impl fmt::Display for RepoPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(directory: &str, relative: &str, expected: Option<&str>) {
        let directory = RepoPath::new(directory).expect("inside");
        let joined = directory.join(relative);
        assert_eq!(joined.as_ref().map(RepoPath::as_str), expected);
    }

    #[test]
    fn joins_and_normalises() {
        check("a/b", "../c/./d", Some("a/c/d"));
        check("a", "..", Some(""));
        check("a", "../..", None);
        check("", "x\\y", Some("x/y"));
        for (text, expected) in [
            ("a/b.c", Some("a/b.c")),
            (".a/..b", Some(".a/..b")),
            ("/a//b/", Some("a/b")),
            ("./a", Some("a")),
            ("a/../b", Some("b")),
            ("a\\..\\b", Some("b")),
            ("", Some("")),
            ("..", None),
        ] {
            let path = RepoPath::new(text);
            assert_eq!(path.as_ref().map(RepoPath::as_str), expected, "{text:?}");
        }
        check("a", "", Some("a"));
    }

    #[test]
    fn ancestors_end_at_the_root() {
        let path = RepoPath::new("a/b").expect("inside");
        let ancestors: Vec<_> = path.ancestors().map(|p| p.to_string()).collect();
        assert_eq!(ancestors, ["a/b", "a", ""]);
    }

    #[test]
    fn within_respects_segments() {
        let path = RepoPath::new("apps/web").expect("inside");
        assert!(path.is_within(&RepoPath::new("apps").expect("inside")));
        assert!(!path.is_within(&RepoPath::new("app").expect("inside")));
        assert!(path.is_within(&RepoPath::default()));
    }
}
