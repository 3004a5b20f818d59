//! The layout of a git repository, read from its files. Starts no process, so it works without git,
//! and no configuration of the repository has an effect.

use std::fs;
use std::path::{Path, PathBuf};

use super::reftable;
use crate::disk::{self, SymlinkPolicy};

/// A git work tree, and the directories in which git keeps its data about it.
pub struct Checkout {
    /// The directory that holds `.git`.
    pub top: PathBuf,
    /// Holds HEAD and the index of this checkout.
    pub git_dir: PathBuf,
    /// Holds objects and branches, which linked worktrees share.
    pub common_dir: PathBuf,
}

/// The value of a git reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    Commit(String),
    /// The name of another reference.
    Symbolic(String),
}

/// References may lead to references; git gives up after as many.
// References may point to references; git gives up after as many.
const MAX_SYMBOLIC: usize = 5;

/// The root of the git work tree that holds `directory`.
pub fn toplevel(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find(|ancestor| is_work_tree(ancestor)).map(Path::to_path_buf)
}

/// True if `directory` is the root of a work tree: `.git` is a git directory, or a file that names
/// one, as in linked worktrees and submodules. An empty folder named `.git` is none.
pub fn is_work_tree(directory: &Path) -> bool {
    let dot_git = directory.join(".git");
    match fs::metadata(&dot_git) {
        Ok(metadata) if metadata.is_dir() => dot_git.join("HEAD").exists(),
        Ok(metadata) => metadata.is_file(),
        Err(_) => false,
    }
}

/// The git directory that all checkouts of one repository share.
pub fn repository(directory: &Path) -> Option<PathBuf> {
    Checkout::find_containing(directory)?.common_dir.canonicalize().ok()
}

/// True if `directory` is a further checkout of a repository, as `git worktree add` makes them. A
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

/// Returns the path of `info/exclude`, which has the ignore rules of a repository that are not
/// committed.
pub fn exclude_file(directory: &Path) -> Option<PathBuf> {
    let git_dir = git_directory(&directory.join(".git"))?;
    Some(common_directory(&git_dir).join("info/exclude"))
}

/// Returns the path of git's index: the list of tracked files.
pub fn index_file(directory: &Path) -> Option<PathBuf> {
    Some(git_directory(&directory.join(".git"))?.join("index"))
}

/// Returns the id of the commit that is checked out; `None` outside of a repository and before the
/// first commit.
pub fn head_commit(directory: &Path) -> Option<String> {
    Checkout::find_containing(directory)?.head_commit()
}

impl Checkout {
    /// Returns the checkout that contains `directory`.
    pub fn find_containing(directory: &Path) -> Option<Checkout> {
        let top = toplevel(directory)?;
        let git_dir = git_directory(&top.join(".git"))?;
        let common_dir = common_directory(&git_dir);
        Some(Checkout { top, git_dir, common_dir })
    }

    /// Follows HEAD to a commit, through loose references, `packed-refs` and reftables. `None`
    /// before the first commit.
    pub fn head_commit(&self) -> Option<String> {
        self.follow_reference("HEAD")
    }

    /// Returns the object that a name means, in git's order: HEAD, a tag, a branch, a branch of a
    /// remote, or a complete id. The object may be an annotated tag.
    pub fn commit_of_name(&self, name: &str) -> Option<String> {
        if name == "HEAD" {
            return self.head_commit();
        }
        let places = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"].iter();
        let candidates = places.map(|place| format!("{place}{name}"));
        let mut names = candidates.filter(|name| is_reference_name(name));
        names.find_map(|name| self.follow_reference(&name)).or_else(|| parse_commit_id(name))
    }

    /// Follows a reference to an object, through loose references, `packed-refs` and reftables.
    fn follow_reference(&self, name: &str) -> Option<String> {
        let mut name = name.to_string();
        for _ in 0..MAX_SYMBOLIC {
            let found = self.read_reference(&name).or_else(|| {
                let directories = [&self.git_dir, &self.common_dir];
                directories.iter().find_map(|directory| reftable::find_reference(directory, &name))
            });
            match found? {
                Reference::Commit(id) => return Some(id),
                Reference::Symbolic(target) if is_reference_name(&target) => name = target,
                Reference::Symbolic(_) => return None,
            }
        }
        None
    }

    /// Reads a loose or packed reference. A repository with reftables has a placeholder in HEAD,
    /// which names a branch that cannot exist; that counts as none.
    fn read_reference(&self, name: &str) -> Option<Reference> {
        let is_placeholder = |found: &Reference| matches!(found, Reference::Symbolic(target) if target == "refs/heads/.invalid");
        [&self.git_dir, &self.common_dir]
            .iter()
            .find_map(|directory| Reference::parse(&read_text(&directory.join(name))?))
            .filter(|found| !is_placeholder(found))
            .or_else(|| read_packed_reference(&self.common_dir, name))
    }
}

impl Reference {
    fn parse(text: &str) -> Option<Reference> {
        match text.trim().strip_prefix("ref:") {
            Some(target) => Some(Reference::Symbolic(target.trim().to_string())),
            None => parse_commit_id(text).map(Reference::Commit),
        }
    }
}

/// True if a name stays below `refs/`. Any other could lead out of the repository.
fn is_reference_name(name: &str) -> bool {
    name.starts_with("refs/") && !name.split(['/', '\\']).any(|part| part == "..")
}

/// Reads a file of git's. Only regular files are read: git makes no others.
pub fn read_file(path: &Path) -> Option<Vec<u8>> {
    /// An index of several million files; what is larger is not read.
    const MAX_BYTES: u64 = 1 << 29;
    disk::read_file(path, SymlinkPolicy::Follow, MAX_BYTES).ok().map(|read| read.bytes)
}

/// Formats an object id as git does.
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn read_text(path: &Path) -> Option<String> {
    String::from_utf8(read_file(path)?).ok()
}

/// Returns the directory with objects and branches, which linked worktrees share.
fn common_directory(git_dir: &Path) -> PathBuf {
    match read_text(&git_dir.join("commondir")) {
        Some(relative) => git_dir.join(relative.trim()),
        None => git_dir.to_path_buf(),
    }
}

/// Returns `.git` itself, or the directory that it names in a worktree or submodule.
pub fn git_directory(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_path_buf());
    }
    let text = read_text(dot_git)?;
    let target = text.trim().strip_prefix("gitdir: ")?;
    Some(dot_git.parent()?.join(target))
}

/// Looks a reference up in `packed-refs`: lines of id, space and name.
fn read_packed_reference(common_dir: &Path, reference: &str) -> Option<Reference> {
    let text = read_text(&common_dir.join("packed-refs"))?;
    text.lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(_, name)| *name == reference)
        .and_then(|(id, _)| parse_commit_id(id))
        .map(Reference::Commit)
}

/// Parses a SHA-1 or SHA-256 id in hex.
fn parse_commit_id(text: &str) -> Option<String> {
    let id = text.trim();
    let is_hash = matches!(id.len(), 40 | 64) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then(|| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const COMMIT: &str = "0123456789012345678901234567890123456789";

    fn check(files: &[(&str, &str)], expected: Option<&str>) {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = head_commit(directory.path());
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
    fn references_lead_to_references() {
        let branch = (".git/refs/heads/main", COMMIT);
        let alias = (".git/refs/heads/alias", "ref: refs/heads/main\n");
        check(&[(".git/HEAD", "ref: refs/heads/alias"), alias, branch], Some(COMMIT));
        let endless = (".git/refs/heads/a", "ref: refs/heads/a");
        check(&[(".git/HEAD", "ref: refs/heads/a"), endless], None);
        check(&[(".git/HEAD", "ref: ../outside"), ("outside", COMMIT)], None);
        check(&[(".git/HEAD", "ref: refs/../../outside"), ("outside", COMMIT)], None);
    }

    #[test]
    fn is_silent_where_there_is_nothing() {
        check(&[(".git/HEAD", "ref: refs/heads/unborn\n")], None);
        check(&[("other", "")], None);
    }

    /// `git init` of older versions knows one format only.
    fn init(root: &Path, options: &[&str]) -> bool {
        let arguments = [&["init", "-q", "-b", "main"], options].concat();
        let mut git = testing::command(root, &arguments);
        git.stderr(std::process::Stdio::null()).status().unwrap().success()
    }

    fn check_as_git_says(directory: &Path) {
        let output = testing::command(directory, &["rev-parse", "HEAD"]).output().unwrap();
        let expected = String::from_utf8(output.stdout).unwrap();
        assert_eq!(head_commit(directory).as_deref(), Some(expected.trim()));
    }

    #[test]
    fn the_head_is_found_in_every_format() {
        for options in [
            &[][..],
            &["--object-format=sha256"],
            &["--ref-format=reftable"],
            &["--ref-format=reftable", "--object-format=sha256"],
        ] {
            let directory = tempfile::tempdir().unwrap();
            let root = directory.path().join("main");
            fs::create_dir(&root).unwrap();
            if !init(&root, options) {
                continue;
            }
            assert_eq!(head_commit(&root), None);
            testing::git(&root, &["commit", "-q", "--allow-empty", "-m", "1"]);
            check_as_git_says(&root);
            // More branches than one block has room for, and a table above the packed one.
            let branches: String =
                (0..500).map(|at| format!("create refs/heads/b{at} HEAD\n")).collect();
            testing::git_with_input(&root, &["update-ref", "--stdin"], &branches);
            testing::git(&root, &["pack-refs", "--all"]);
            check_as_git_says(&root);
            testing::git(&root, &["commit", "-q", "--allow-empty", "-m", "2"]);
            check_as_git_says(&root);
            testing::git(&root, &["tag", "-a", "-m", "tag", "v1"]);
            testing::git(&root, &["worktree", "add", "-q", "-b", "side", "../side"]);
            testing::git(&root.join("../side"), &["commit", "-q", "--allow-empty", "-m", "3"]);
            check_as_git_says(&root.join("../side"));
            check_as_git_says(&root);
            testing::git(&root, &["checkout", "-q", "--detach", "v1"]);
            check_as_git_says(&root);
        }
    }
}
