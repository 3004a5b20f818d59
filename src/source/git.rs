//! What git knows of a directory. Everything works without git; then these answer `None`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::disk;

/// Files of git's that hold one line: a commit, a branch or a path.
const MAX_LINE: u64 = 1 << 16;

/// The list of branches and tags: a million of them and more.
const MAX_REFERENCES: u64 = 1 << 28;

/// The directory that holds `.git`, at or above `directory`.
pub fn toplevel(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find(|ancestor| ancestor.join(".git").exists()).map(Path::to_path_buf)
}

/// What all checkouts of one repository share: its git directory.
pub fn repository(directory: &Path) -> Option<PathBuf> {
    let git_dir = git_directory(&toplevel(directory)?.join(".git"))?;
    common_directory(&git_dir).canonicalize().ok()
}

/// Whether `directory` is a further checkout of a repository, as `git worktree add` makes them. A
/// submodule, whose `.git` is a file too, is not.
pub fn is_linked_worktree(directory: &Path) -> bool {
    let dot_git = directory.join(".git");
    // Nearly no directory has one, and of those that do it is nearly always a directory.
    let is_file = fs::symlink_metadata(&dot_git).is_ok_and(|metadata| metadata.is_file());
    is_file
        && git_directory(&dot_git)
            .and_then(|git_dir| git_dir.parent()?.file_name().map(|name| name == "worktrees"))
            .unwrap_or(false)
}

/// Where the repository at `directory` keeps what is ignored in it beside its `.gitignore` files.
pub fn exclude_file(directory: &Path) -> Option<PathBuf> {
    let git_dir = git_directory(&directory.join(".git"))?;
    Some(common_directory(&git_dir).join("info/exclude"))
}

/// Where the checkout at `directory` keeps the list of the files that it tracks.
pub fn index_file(directory: &Path) -> Option<PathBuf> {
    Some(git_directory(&directory.join(".git"))?.join("index"))
}

/// The commit that is checked out at `directory`. Read from git's own files, which takes
/// microseconds; git itself is asked only where those are of a newer format.
pub fn head_commit(directory: &Path) -> Option<String> {
    let top = toplevel(directory)?;
    let dot_git = top.join(".git");
    // Git waits for ever for a pipe that stands where its files should be.
    let has_head = || git_directory(&dot_git).is_some_and(|git_dir| git_dir.join("HEAD").is_file());
    head_from_files(&dot_git).or_else(|| has_head().then(|| head_from_command(&top)).flatten())
}

fn head_from_files(dot_git: &Path) -> Option<String> {
    let git_dir = git_directory(dot_git)?;
    let head = read(&git_dir.join("HEAD"), MAX_LINE)?;
    let Some(reference) = head.trim().strip_prefix("ref: ") else {
        return commit_id(&head);
    };
    let common_dir = common_directory(&git_dir);
    [&git_dir, &common_dir]
        .iter()
        .find_map(|directory| commit_id(&read(&directory.join(reference), MAX_LINE)?))
        .or_else(|| packed(&common_dir, reference))
}

/// A worktree keeps its HEAD apart and shares the branches.
fn common_directory(git_dir: &Path) -> PathBuf {
    match read(&git_dir.join("commondir"), MAX_LINE) {
        Some(relative) => git_dir.join(relative.trim()),
        None => git_dir.to_path_buf(),
    }
}

/// The text of a file of git's, which is a regular one in every repository that git made.
fn read(path: &Path, limit: u64) -> Option<String> {
    disk::read_text(path, limit).ok().flatten()
}

/// `.git` itself, or the directory that it names in a worktree or submodule.
pub fn git_directory(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_path_buf());
    }
    let text = read(dot_git, MAX_LINE)?;
    let target = text.trim().strip_prefix("gitdir: ")?;
    Some(dot_git.parent()?.join(target))
}

fn packed(common_dir: &Path, reference: &str) -> Option<String> {
    let text = read(&common_dir.join("packed-refs"), MAX_REFERENCES)?;
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(_, name)| *name == reference)
        .and_then(|(id, _)| commit_id(id))
}

fn commit_id(text: &str) -> Option<String> {
    let id = text.trim();
    let is_hash = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| id.to_string())
}

fn head_from_command(top: &Path) -> Option<String> {
    let output = Command::new("git")
        .args(["--no-optional-locks", "-c", "core.fsmonitor=false", "-C"])
        .arg(top)
        .args(["rev-parse", "--verify", "--quiet", "HEAD"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    commit_id(&String::from_utf8_lossy(&output.stdout))
}

/// Asks git for something, in tests.
#[cfg(test)]
pub fn run(directory: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(directory).args(arguments);
    assert!(git.status().unwrap().success(), "{arguments:?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789012345678901234567890123456789";

    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = head_from_files(&directory.path().join(".git"));
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn reads_every_layout() {
        check(&[(".git/HEAD", COMMIT)], Some(COMMIT));
        check(
            &[(".git/HEAD", "ref: refs/heads/main\n"), (".git/refs/heads/main", COMMIT)],
            Some(COMMIT),
        );
        let packed = format!("# pack-refs\n{COMMIT} refs/heads/main\n");
        check(
            &[(".git/HEAD", "ref: refs/heads/main\n"), (".git/packed-refs", &packed)],
            Some(COMMIT),
        );
        check(
            &[
                (".git", "gitdir: real/worktrees/w\n"),
                ("real/worktrees/w/HEAD", "ref: refs/heads/b\n"),
                ("real/worktrees/w/commondir", "../..\n"),
                ("real/refs/heads/b", COMMIT),
            ],
            Some(COMMIT),
        );
    }

    #[test]
    fn is_silent_where_there_is_nothing() {
        check(&[(".git/HEAD", "ref: refs/heads/unborn\n")], None);
        check(&[("other", "")], None);
    }
}
