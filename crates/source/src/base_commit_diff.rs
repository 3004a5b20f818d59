//! Compares the work tree with an earlier commit, file by file, with the text that each file had
//! there. Runs git, in isolation (`git_command`).

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::git_command::{GitHost, IsolatedGit};
use super::git_diff::{ChangedFile, Difference};
use super::git_repository::Checkout;
use super::unrun_git_filters;
use kenning_model::RepoPath;

/// The work tree compared with a commit.
#[derive(Debug)]
pub struct BaseDiff {
    /// The commit that the tree is compared with.
    pub base: String,
    /// The tracked files that differ, by path. Renamed files are recognised.
    pub files: Vec<BaseChange>,
    /// All files that git knows. A file of the tree that is not among them is new.
    pub tracked: HashSet<RepoPath>,
}

/// A tracked file that differs from the commit.
#[derive(Debug, PartialEq, Eq)]
pub struct BaseChange {
    /// The path in the work tree; `None` if the file was deleted.
    pub path: Option<RepoPath>,
    /// The path and text in the commit; `None` if the file was added.
    pub before: Option<(RepoPath, Vec<u8>)>,
}

/// The reason why there is no base to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseError {
    /// The directory is in no git repository, or nothing is committed.
    NoRepository,
    /// No commit, branch or tag has that name.
    UnknownBase,
    /// The base and the checkout have no commit in common, as in a shallow clone.
    NoCommonAncestor,
    /// Git failed.
    GitFailed,
}

/// Compares the work tree with a base, staged or not.
///
/// Without a name the base is the commit that is checked out. With a name it is the newest commit
/// that both have in common: later commits of the other branch do not count as changes.
pub fn diff_base(
    directory: &Path,
    host: &GitHost,
    name: Option<&str>,
) -> Result<BaseDiff, BaseError> {
    let checkout = Checkout::find_containing(directory).ok_or(BaseError::NoRepository)?;
    let head = checkout.head_commit().ok_or(BaseError::NoRepository)?;
    let git = IsolatedGit::open(host, &checkout, directory, &head).ok_or(BaseError::GitFailed)?;
    let base = match name {
        None => head,
        Some(name) => {
            let named = resolve_commit(&git, &checkout, name).ok_or(BaseError::UnknownBase)?;
            let common = git.run(&["merge-base", &named, &head], b"");
            first_line(common).ok_or(BaseError::NoCommonAncestor)?
        }
    };
    read_changes(&git, &checkout, directory, base).ok_or(BaseError::GitFailed)
}

/// Resolves `main`, `origin/main`, a tag, a commit id or its beginning, with `~` and `^` after it.
///
/// The isolated repository has no references, so they are looked up in the checkout's files.
fn resolve_commit(git: &IsolatedGit, checkout: &Checkout, name: &str) -> Option<String> {
    let end = name.find(['~', '^']).unwrap_or(name.len());
    let (name, steps) = name.split_at(end);
    let is_plain = steps.chars().all(|c| c.is_ascii_digit() || matches!(c, '~' | '^'));
    let start = checkout.commit_of_name(name).or_else(|| {
        // An abbreviated id. Only hex digits reach git, so that no name is taken for an option.
        let is_id = name.len() >= 4 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_id.then(|| name.to_string())
    })?;
    let revision = format!("{start}{steps}^{{commit}}");
    let found = git.run(&["rev-parse", "--verify", "--quiet", &revision], b"");
    first_line(found).filter(|_| is_plain)
}

/// Returns the first line of an output.
fn first_line(output: Option<Vec<u8>>) -> Option<String> {
    let text = String::from_utf8(output?).ok()?;
    Some(text.lines().next()?.trim().to_string()).filter(|line| !line.is_empty())
}

/// Lists what differs from a commit, and reads the old texts.
fn read_changes(
    git: &IsolatedGit,
    checkout: &Checkout,
    directory: &Path,
    base: String,
) -> Option<BaseDiff> {
    let output = git.run(&[&["diff", &base], DIFF_OPTIONS].concat(), b"")?;
    let mut entries = parse_raw(&output);
    let differences: Vec<Difference> = entries.iter().filter_map(RawEntry::to_difference).collect();
    let unchanged = unrun_git_filters::find_unchanged(git, checkout, directory, &differences)?;
    entries.retain(|entry| !entry.new.as_ref().is_some_and(|path| unchanged.contains(path)));
    let texts = read_blobs(git, entries.iter().filter_map(|entry| entry.old.as_ref()))?;
    let changes = entries.into_iter().map(|entry| BaseChange {
        path: entry.new,
        before: entry.old.and_then(|(path, id)| Some((path, texts.get(&id)?.clone()))),
    });
    let mut files: Vec<BaseChange> = changes.collect();
    // A blob that is gone and a new file that is gone say nothing.
    files.retain(|file| file.path.is_some() || file.before.is_some());
    let listing = git.run(&["ls-files", "-z"], b"")?;
    let tracked = listing.split(|byte| *byte == 0);
    Some(BaseDiff { base, files, tracked: tracked.filter_map(to_path).collect() })
}

/// `--ignore-submodules` also keeps git from starting another git in each of them.
const DIFF_OPTIONS: &[&str] = &[
    "--raw",
    "-z",
    "--relative",
    "--no-abbrev",
    "--find-renames",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "--",
];

/// One entry of `git diff --raw`.
struct RawEntry {
    /// The path and object id in the commit.
    old: Option<(RepoPath, String)>,
    /// The path in the work tree.
    new: Option<RepoPath>,
}

impl RawEntry {
    /// Converts to the form that the check for filters takes; `None` for a file with one side only.
    fn to_difference(&self) -> Option<Difference> {
        let (path, (_, id)) = (self.new.clone()?, self.old.clone()?);
        let file = ChangedFile { path, hunks: Vec::new() };
        Some(Difference { file, committed_id: id })
    }
}

/// Parses `:100644 100644 OLD NEW M\0path\0`, where `R` has two paths. Entries that are no regular
/// files are skipped.
fn parse_raw(output: &[u8]) -> Vec<RawEntry> {
    let mut fields = output.split(|byte| *byte == 0);
    let mut entries = Vec::new();
    while let Some(head) = fields.next().filter(|head| !head.is_empty()) {
        let head = String::from_utf8_lossy(head).into_owned();
        let words: Vec<&str> = head.trim_start_matches(':').split(' ').collect();
        let [old_mode, new_mode, old_id, _, status] = words[..] else {
            break;
        };
        let first = fields.next().and_then(to_path);
        let is_renamed = status.starts_with(['R', 'C']);
        let second = if is_renamed { fields.next().and_then(to_path) } else { first.clone() };
        let is_file = |mode: &str| mode.starts_with("100");
        let old = first.filter(|_| is_file(old_mode)).map(|path| (path, old_id.to_string()));
        entries.push(RawEntry { old, new: second.filter(|_| is_file(new_mode)) });
    }
    entries
}

/// Converts a path of git's. One that is not Unicode is not indexed either.
fn to_path(bytes: &[u8]) -> Option<RepoPath> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.is_empty())?;
    RepoPath::new(text)
}

/// Reads the contents of many objects with one process, by id.
fn read_blobs<'e>(
    git: &IsolatedGit,
    entries: impl Iterator<Item = &'e (RepoPath, String)>,
) -> Option<HashMap<String, Vec<u8>>> {
    let ids: String = entries.map(|(_, id)| format!("{id}\n")).collect();
    if ids.is_empty() {
        return Some(HashMap::new());
    }
    let output = git.run(&["cat-file", "--batch"], ids.as_bytes())?;
    let mut texts = HashMap::new();
    let mut rest = output.as_slice();
    while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let words: Vec<&str> = head.split(' ').collect();
        // A missing object has no content.
        let [id, "blob", size] = words[..] else {
            continue;
        };
        let size: usize = size.parse().ok()?;
        texts.insert(id.to_string(), rest.get(..size)?.to_vec());
        rest = rest.get(size + 1..).unwrap_or_default();
    }
    Some(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    /// `path`, `before` and `=` or `~` for an equal or another text in the commit.
    fn check(root: &Path, base: Option<&str>, expected: &[&str]) {
        let found = diff_base(root, &testing::git_host(), base).unwrap();
        let lines = found.files.iter().map(|file| {
            let path = |path: Option<&RepoPath>| path.map_or("-".to_string(), ToString::to_string);
            let before = file.before.as_ref();
            let text = before.map(|(_, text)| String::from_utf8(text.clone()).unwrap());
            format!(
                "{} {} {}",
                path(file.path.as_ref()),
                path(before.map(|(path, _)| path)),
                text.unwrap_or_default().trim()
            )
        });
        assert_eq!(lines.collect::<Vec<_>>(), expected, "{base:?}");
    }

    #[test]
    fn a_tree_is_compared_with_every_kind_of_base() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let write = |path: &str, text: &str| std::fs::write(root.join(path), text).unwrap();
        let git = |arguments: &[&str]| testing::git(&root, arguments);
        assert_eq!(
            diff_base(&root, &testing::git_host(), None).unwrap_err(),
            BaseError::NoRepository
        );
        git(&["init", "-q", "-b", "main"]);
        assert_eq!(
            diff_base(&root, &testing::git_host(), None).unwrap_err(),
            BaseError::NoRepository
        );
        write("a", "one\n");
        write("long", &"a line\n".repeat(20));
        git(&["add", "."]);
        git(&["commit", "-qm", "1"]);
        git(&["tag", "-a", "-m", "x", "v1"]);
        check(&root, None, &[]);
        git(&["checkout", "-qb", "side"]);
        write("a", "two\n");
        git(&["mv", "long", "renamed"]);
        git(&["commit", "-qam", "2"]);
        write("b", "staged\n");
        git(&["add", "b"]);
        write("a", "three\n");
        let long = "a line\n".repeat(20);
        let renamed = format!("renamed long {}", long.trim());
        check(&root, None, &["a a two", "b - "]);
        let all = ["a a one", "b - ", &renamed];
        for base in ["main", "v1", "HEAD~1", "HEAD^", "side~"] {
            check(&root, Some(base), &all);
        }
        // Commits of the other branch are no change of this one.
        git(&["stash", "-q"]);
        git(&["checkout", "-q", "main"]);
        write("a", "other\n");
        git(&["commit", "-qam", "3"]);
        git(&["checkout", "-q", "side"]);
        check(&root, Some("main"), &["a a one", &renamed]);
        std::fs::remove_file(root.join("a")).unwrap();
        check(&root, None, &["- a two"]);
        for base in ["nobody", "", "--help", "HEAD~99", "main;ls", "../main", "HEAD^{tree}"] {
            let error = diff_base(&root, &testing::git_host(), Some(base)).unwrap_err();
            assert_eq!(error, BaseError::UnknownBase, "{base}");
        }
        git(&["checkout", "-q", "--orphan", "alone"]);
        git(&["commit", "-qam", "4"]);
        let error = diff_base(&root, &testing::git_host(), Some("main")).unwrap_err();
        assert_eq!(error, BaseError::NoCommonAncestor);
    }
}
