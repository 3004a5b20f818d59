//! The bounds of a walk: the file systems that it stays on, the number of files that it takes, and
//! the ignore files that it may read. Does not walk itself.

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::git_repository;
use super::walk::IGNORE_FILES;
use crate::disk::{self, FileSystemId};

/// The limits of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkBounds {
    /// A tree with more files than this, or more folders, is refused: it is rarely meant to be
    /// indexed.
    pub max_files: usize,
    pub file_systems: FileSystems,
}

impl Default for WalkBounds {
    fn default() -> WalkBounds {
        WalkBounds { max_files: usize::MAX, file_systems: FileSystems::OfRoot }
    }
}

/// The file systems below a root that are entered. Pseudo file systems never are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileSystems {
    /// Only the one that the root is on.
    #[default]
    OfRoot,
    /// Those that are mounted below too, such as the volumes of a container.
    All,
}

/// The reason why a tree is not walked at all.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    #[error("{} has more than {limit} {what}", root.display())]
    TooMany { root: PathBuf, limit: usize, what: &'static str },
    #[error(
        "{} is {why}, so its rules are unknown; nothing is indexed until it is a regular file or deleted",
        path.display()
    )]
    IgnoreFile { path: PathBuf, why: String },
}

/// Counts files and folders, from all threads of a walk. Links count as files.
#[derive(Default)]
pub struct EntryCounts {
    files: AtomicUsize,
    folders: AtomicUsize,
}

impl EntryCounts {
    /// Counts a file or link.
    pub fn add_file(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a folder.
    pub fn add_folder(&self) {
        self.folders.fetch_add(1, Ordering::Relaxed);
    }

    /// Resets the count of folders, before a second pass over the same tree.
    pub fn reset_folders(&self) {
        self.folders.store(0, Ordering::Relaxed);
    }

    /// True if there are more files or folders than `limit`.
    pub fn exceeds(&self, limit: usize) -> bool {
        self.exceeded_kind(limit).is_some()
    }

    /// Names the kind of which there are more than `limit`.
    fn exceeded_kind(&self, limit: usize) -> Option<&'static str> {
        let is_above = |count: &AtomicUsize| count.load(Ordering::Relaxed) > limit;
        match (is_above(&self.files), is_above(&self.folders)) {
            (true, _) => Some("files"),
            (_, true) => Some("folders"),
            _ => None,
        }
    }

    /// Fails if a limit is exceeded.
    pub fn check(&self, root: &Path, limit: usize) -> Result<(), WalkError> {
        match self.exceeded_kind(limit) {
            Some(what) => Err(WalkError::TooMany { root: root.to_path_buf(), limit, what }),
            None => Ok(()),
        }
    }
}

/// Distinguishes directories on other file systems from those on the root's.
pub struct FileSystemBoundary {
    root: Option<FileSystemId>,
    file_systems: FileSystems,
    /// The other file systems that were checked; the flag tells that one must not be entered. There
    /// are few.
    others: Mutex<Vec<(FileSystemId, bool)>>,
}

impl FileSystemBoundary {
    /// Remembers the file system of `root`. If that cannot be read, every directory counts as
    /// foreign.
    pub fn new(root: &Path, file_systems: FileSystems) -> FileSystemBoundary {
        let root = fs::metadata(root).ok().map(|metadata| disk::device(&metadata));
        FileSystemBoundary { root, file_systems, others: Mutex::default() }
    }

    /// True if the directory is on a file system that is not entered.
    pub fn is_crossed_by(&self, path: &Path, metadata: &Metadata) -> bool {
        let device = disk::device(metadata);
        if self.root == Some(device) {
            return false;
        }
        if self.file_systems == FileSystems::OfRoot {
            return true;
        }
        let mut others = self.others.lock().expect("no holder panics");
        if let Some((_, is_crossed)) = others.iter().find(|(known, _)| *known == device) {
            return *is_crossed;
        }
        let is_crossed = disk::pseudo_file_system(path).is_some();
        others.push((device, is_crossed));
        is_crossed
    }

    /// Like [`FileSystemBoundary::is_crossed_by`], for a directory whose metadata the caller does not have.
    /// Links are not followed.
    pub fn is_crossed_at(&self, path: &Path) -> bool {
        let metadata = fs::symlink_metadata(path);
        metadata.is_ok_and(|metadata| self.is_crossed_by(path, &metadata))
    }
}

/// The `ignore` crate opens any ignore file and reads it to its end. A pipe would block the walk
/// for ever, and a device would fill the memory, so both are refused before.
const MAX_IGNORE_FILE: u64 = 1 << 24;

/// Returns the first ignore file of a directory that must not be opened, with the reason.
pub fn find_unreadable_rules(directory: &Path) -> Option<(PathBuf, String)> {
    let own = IGNORE_FILES.iter().map(|name| directory.join(name));
    let of_git = fs::symlink_metadata(directory.join(".git")).is_ok().then(|| {
        let git_dir = git_repository::git_directory(&directory.join(".git"));
        git_dir
            .map(|git_dir| git_dir.join("commondir"))
            .into_iter()
            .chain(git_repository::exclude_file(directory))
    });
    own.chain(of_git.into_iter().flatten()).find_map(|path| {
        let why = unreadable_reason(&path)?;
        Some((path, why))
    })
}

/// Checks the ignore files that apply to the whole walk: those of the root, of the directories
/// above it within the repository, and of the user.
pub fn check_rules(root: &Path) -> Result<(), WalkError> {
    let top = git_repository::toplevel(root);
    let above =
        root.ancestors().skip(1).take_while(|_| top.as_deref().is_some_and(|top| top != root));
    let users = ignore::gitignore::gitconfig_excludes_path()
        .and_then(|path| unreadable_reason(&path).map(|why| (path, why)));
    let mut found = std::iter::once(root).chain(above).filter_map(find_unreadable_rules);
    match found.next().or(users) {
        Some((path, why)) => Err(WalkError::IgnoreFile { path, why }),
        None => Ok(()),
    }
}

/// Returns the reason why an ignore file must not be opened; `None` if it may, or does not exist.
fn unreadable_reason(path: &Path) -> Option<String> {
    // Whatever cannot be looked at cannot be opened either.
    let entry = fs::symlink_metadata(path).ok()?;
    let is_link = entry.is_symlink();
    // A link that leads nowhere hides nothing.
    let found = if is_link { fs::metadata(path).ok()? } else { entry };
    // A folder cannot be read, which is an error at once.
    if found.is_dir() {
        return None;
    }
    if !found.is_file() {
        return Some("not a regular file".to_string());
    }
    if found.len() > MAX_IGNORE_FILE {
        return Some(format!("larger than {MAX_IGNORE_FILE} bytes"));
    }
    let pseudo = if is_link { disk::pseudo_file_system(path) } else { None };
    pseudo.map(|name| format!("on a pseudo file system ({name})"))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::process::Command;

    use rustix::fs::{Mode, OFlags, mkdirat, open, openat};

    use super::*;
    use crate::{PruneReason, Survey, WalkFilter, survey_one};
    use kenning_model::{RepoPath, Silent};

    fn walk(root: &Path, bounds: &WalkBounds) -> Result<Survey, String> {
        let survey = survey_one(root, WalkFilter::EVERYTHING, bounds, &Silent);
        survey.map_err(|error| error.to_string())
    }

    fn pipe(path: &Path) {
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    }

    fn paths(survey: &Survey) -> Vec<&str> {
        survey.files.iter().map(|file| file.path.as_str()).collect()
    }

    /// Every system has file systems mounted in `/dev`; without one this checks that nothing is
    /// left out.
    #[test]
    fn what_is_mounted_below_is_not_entered_and_told() {
        let root = Path::new("/dev").canonicalize().unwrap();
        let of_root = disk::device(&fs::metadata(&root).unwrap());
        let survey = walk(&root, &WalkBounds::default()).unwrap();
        for entry in fs::read_dir(&root).unwrap().flatten() {
            let metadata = entry.metadata().unwrap();
            let name = entry.file_name().into_string().unwrap();
            if !metadata.is_dir() || name.starts_with('.') {
                continue;
            }
            let path = RepoPath::new(&name).unwrap();
            let is_mounted = disk::device(&metadata) != of_root;
            assert_eq!(survey.directories.contains(&path), !is_mounted, "{name}");
            let pruned = (path, PruneReason::FileSystem);
            assert_eq!(survey.pruned.contains(&pruned), is_mounted, "{name}");
        }
    }

    #[test]
    fn other_file_systems_are_entered_if_wanted_and_pseudo_ones_never() {
        let folder = tempfile::tempdir().unwrap();
        let is_crossed = |path: &str, file_systems| {
            FileSystemBoundary::new(folder.path(), file_systems).is_crossed_at(Path::new(path))
        };
        for file_systems in [FileSystems::OfRoot, FileSystems::All] {
            let border = FileSystemBoundary::new(folder.path(), file_systems);
            assert!(!border.is_crossed_at(folder.path()));
            assert!(!border.is_crossed_at(&folder.path().join("gone")));
            #[cfg(target_os = "linux")]
            assert!(is_crossed("/proc", file_systems) && is_crossed("/proc/self", file_systems));
        }
        // A file system in memory, where there is one.
        let shared = fs::metadata("/dev/shm").ok().map(|metadata| disk::device(&metadata));
        let own = disk::device(&fs::metadata(folder.path()).unwrap());
        if shared.is_some_and(|shared| shared != own) {
            assert!(is_crossed("/dev/shm", FileSystems::OfRoot));
            assert!(!is_crossed("/dev/shm", FileSystems::All));
        }
    }

    #[test]
    fn a_tree_with_too_many_files_or_folders_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..20 {
            let below = folder.path().join(format!("d{number}"));
            fs::create_dir(&below).unwrap();
            fs::write(below.join("a"), "").unwrap();
            std::os::unix::fs::symlink("a", below.join("link")).unwrap();
        }
        let limited =
            |max_files| walk(folder.path(), &WalkBounds { max_files, ..WalkBounds::default() });
        assert_eq!(limited(40).unwrap().files.len(), 20);
        assert!(limited(39).unwrap_err().ends_with("has more than 39 files"));
        let shallow = tempfile::tempdir().unwrap();
        for number in 0..20 {
            fs::create_dir(shallow.path().join(format!("d{number}"))).unwrap();
        }
        let limited =
            |max_files| walk(shallow.path(), &WalkBounds { max_files, ..WalkBounds::default() });
        assert_eq!(limited(20).unwrap().directories.len(), 20);
        assert!(limited(19).unwrap_err().ends_with("has more than 19 folders"));
    }

    #[test]
    fn ignore_files_that_never_end_are_not_opened() {
        for (name, target) in [
            (".gitignore", None),
            (".ignore", Some("/dev/zero")),
            (".kenignore", Some("/proc/kmsg")),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let put = |directory: &Path| match target {
                None => pipe(&directory.join(name)),
                Some(target) => {
                    std::os::unix::fs::symlink(target, directory.join(name)).unwrap();
                }
            };
            let below = folder.path().join("below");
            fs::create_dir_all(below.join("deep")).unwrap();
            fs::write(below.join("a"), "").unwrap();
            fs::write(folder.path().join("b"), "").unwrap();
            put(&below);
            let survey = walk(folder.path(), &WalkBounds::default()).unwrap();
            assert_eq!(paths(&survey), ["b"], "{name}");
            let problem = survey.problems[0].to_string();
            assert!(problem.starts_with(&format!("below: its {name} is ")), "{problem}");
            put(folder.path());
            let refused = walk(folder.path(), &WalkBounds::default()).unwrap_err();
            assert!(refused.contains(name), "{refused}");
        }
        // One that leads to a file is read, and one that leads nowhere hides nothing.
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("rules"), "a\n").unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        std::os::unix::fs::symlink("rules", folder.path().join(".gitignore")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join(".ignore")).unwrap();
        assert_eq!(paths(&walk(folder.path(), &WalkBounds::default()).unwrap()), ["rules"]);
    }

    #[test]
    fn git_files_that_never_end_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        let git = folder.path().join(".git");
        fs::create_dir_all(git.join("info")).unwrap();
        for name in ["HEAD", "index", "packed-refs"] {
            pipe(&git.join(name));
        }
        assert_eq!(paths(&walk(folder.path(), &WalkBounds::default()).unwrap()), ["a"]);
        assert_eq!(crate::head_commit(folder.path()), None);
        pipe(&git.join("info/exclude"));
        let refused = walk(folder.path(), &WalkBounds::default()).unwrap_err();
        assert!(refused.contains("info/exclude"), "{refused}");
    }

    /// Deeper than any path that the system takes; the rest is a problem and stops nothing.
    #[test]
    fn a_tree_of_ten_thousand_levels_is_walked_as_far_as_paths_go() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut deepest = open(folder.path(), flags, Mode::empty()).unwrap();
        for _ in 0..10_000 {
            mkdirat(&deepest, "d", Mode::RWXU).unwrap();
            deepest = openat(&deepest, "d", flags, Mode::empty()).unwrap();
        }
        let survey = walk(folder.path(), &WalkBounds::default());
        let removed = Command::new("rm").arg("-rf").arg(folder.path().join("d")).status();
        assert!(removed.unwrap().success());
        let survey = survey.unwrap();
        assert_eq!(paths(&survey), ["a"]);
        assert!(survey.directories.len() > 1000);
        assert_eq!(survey.problems.len(), 1, "{:?}", survey.problems);
    }

    #[test]
    fn folders_that_cannot_be_listed_are_problems() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::write(folder.path().join("a"), "").unwrap();
        let set = |mode| fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).unwrap();
        set(0);
        // Those who may read everywhere see no problem.
        let is_closed = fs::read_dir(&closed).is_err();
        let survey = walk(folder.path(), &WalkBounds::default()).unwrap();
        set(0o700);
        assert_eq!(paths(&survey), ["a"]);
        assert_eq!(survey.problems.len(), usize::from(is_closed));
    }
}
