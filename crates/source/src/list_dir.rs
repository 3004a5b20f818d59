//! Lists the files of one folder that the caller names, even if git ignores it. For a whole
//! repository use `walk`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::walk_bounds::{FileSystemBoundary, FileSystems};
use crate::disk::stays_inside;
use kenning_model::{Problem, RepoPath};

const ON_ANOTHER: &str = "on another file system, which is not read (index.other_file_systems)";

/// The content of a folder, sorted.
#[derive(Debug, Default)]
pub struct Listing {
    /// The regular files.
    pub files: Vec<RepoPath>,
    /// The entries that are not regular files, with their kind.
    pub others: Vec<(RepoPath, IrregularKind)>,
    /// The folders and files that could not be read.
    pub problems: Vec<Problem>,
    /// True if the folder exists.
    pub is_there: bool,
}

/// The kind of an entry that is not a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IrregularKind {
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Special,
}

const LEADS_OUTSIDE: &str = "a link that leads outside of the repository, which is not followed";

/// Returns the directories directly below one, sorted, without links and hidden ones; none if it
/// cannot be read.
pub fn list_directories(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_directory = |entry: &fs::DirEntry| {
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir())
    };
    let mut found: Vec<PathBuf> = entries.filter(is_directory).map(|entry| entry.path()).collect();
    found.sort_unstable();
    found
}

/// Everything below `folder`, at most `depth` folders deep. Goes only into folders whose name
/// `enters` accepts, and never through a symbolic link: it may leave the root, or close a loop. A
/// folder that is not there has no files.
pub fn list_files(
    root: &Path,
    folder: &RepoPath,
    depth: usize,
    enters: &dyn Fn(&str) -> bool,
    file_systems: FileSystems,
) -> Listing {
    let border = FileSystemBoundary::new(root, file_systems);
    let mut listing = Listing::default();
    if !stays_inside(root, &root.join(folder.as_str())) {
        listing.problems.push(Problem::new(folder, LEADS_OUTSIDE));
        return listing;
    }
    let mut open = vec![(folder.clone(), depth)];
    while let Some((folder, depth)) = open.pop() {
        let path = root.join(folder.as_str());
        if fs::metadata(&path).is_ok_and(|metadata| border.is_crossed_by(&path, &metadata)) {
            listing.problems.push(Problem::new(&folder, ON_ANOTHER));
            continue;
        }
        let entries = match fs::read_dir(&path) {
            Ok(entries) => entries.flatten(),
            Err(error) if is_absent(error.kind()) => continue,
            Err(error) => {
                let problem = Problem::new(&folder, error.to_string());
                listing.problems.push(problem);
                continue;
            }
        };
        listing.is_there = true;
        for entry in entries {
            // A name that is not Unicode is none that anybody could ask for.
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else {
                continue;
            };
            let Some(path) = folder.join(&name) else {
                continue;
            };
            if kind.is_file() {
                listing.files.push(path);
                continue;
            }
            if kind.is_dir() && depth > 0 && enters(&name) {
                open.push((path.clone(), depth - 1));
            }
            let other = match (kind.is_dir(), kind.is_symlink()) {
                (true, _) => IrregularKind::Folder,
                (_, true) => IrregularKind::Link,
                _ => IrregularKind::Special,
            };
            listing.others.push((path, other));
        }
    }
    listing.files.sort();
    listing.others.sort();
    listing.problems.sort();
    listing
}

/// True if the folder does not exist.
fn is_absent(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(files: &[&str], depth: usize, expected: &[&str]) {
        let directory = tempfile::tempdir().unwrap();
        for path in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let folder = RepoPath::new("specs").unwrap();
        let enters = |name: &str| !name.starts_with('_');
        let found = list_files(directory.path(), &folder, depth, &enters, FileSystems::OfRoot);
        let files: Vec<_> = found.files.iter().map(RepoPath::as_str).collect();
        assert_eq!(files, expected);
        assert_eq!(found.problems, []);
    }

    #[test]
    fn finds_what_is_deep_enough_and_wanted() {
        let files = ["specs/a/x.md", "specs/_b/x.md", "specs/c/d/x.md", "y.md"];
        check(&files, 1, &["specs/a/x.md"]);
        check(&files, 2, &["specs/a/x.md", "specs/c/d/x.md"]);
        check(&["y.md"], 2, &[]);
        check(&["specs"], 2, &[]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let directory = tempfile::tempdir().unwrap();
        let specs = directory.path().join("specs");
        fs::create_dir_all(specs.join("a")).unwrap();
        std::os::unix::fs::symlink(&specs, specs.join("a/up")).unwrap();
        std::os::unix::fs::symlink("/etc/hostname", specs.join("a/spec.md")).unwrap();
        let folder = RepoPath::new("specs").unwrap();
        let found = list_files(directory.path(), &folder, 9, &|_| true, FileSystems::OfRoot);
        assert_eq!(found.files, []);
        let others: Vec<_> =
            found.others.iter().map(|(path, other)| (path.as_str(), *other)).collect();
        let expected = [
            ("specs/a", IrregularKind::Folder),
            ("specs/a/spec.md", IrregularKind::Link),
            ("specs/a/up", IrregularKind::Link),
        ];
        assert_eq!(others, expected);
    }
}
