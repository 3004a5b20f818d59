//! The commits that changed a range of lines, and the files that those commits also changed. Runs
//! git, in isolation (`git_command`).
//!
//! Git follows the lines of the last commit backwards (`git log -L`), also over renames of their
//! file. The caller has lines of the work tree, so these are first mapped over what is not
//! committed.

use std::collections::HashMap;
use std::path::Path;

use super::base_commit_diff::BaseError;
use super::git_command::{GitHost, IsolatedGit};
use super::git_repository::Checkout;
use kenning_model::RepoPath;

/// The commits that changed a range of lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LineHistory {
    /// Newest first. Empty if the lines are not committed.
    pub commits: Vec<LineCommit>,
    /// True if older commits were left out.
    pub has_older: bool,
    /// True if the work tree has other lines than the last commit.
    pub is_edited: bool,
}

/// A commit that changed the lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCommit {
    /// The whole id.
    pub id: String,
    /// The author's date, such as `2026-03-31`.
    pub date: String,
    /// The author's name.
    pub author: String,
    /// The first line of the message.
    pub subject: String,
    /// All files that the commit changed, under their names of that time.
    pub files: Vec<RepoPath>,
}

/// A range of lines of one file; both ends belong to it, and the first line is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinesOfFile<'p> {
    /// The file, relative to the directory that is asked about.
    pub path: &'p RepoPath,
    /// The first line in the work tree.
    pub first: u32,
    /// The last line in the work tree.
    pub last: u32,
}

/// Returns the commits that changed lines of a file, at most `limit` of them.
pub fn line_history(
    directory: &Path,
    host: &GitHost,
    lines: LinesOfFile,
    limit: usize,
) -> Result<LineHistory, BaseError> {
    let checkout = Checkout::find_containing(directory).ok_or(BaseError::NoRepository)?;
    let head = checkout.head_commit().ok_or(BaseError::NoRepository)?;
    let git = IsolatedGit::open(host, &checkout, directory, &head).ok_or(BaseError::GitFailed)?;
    if !is_committed(&git, &head, lines.path) {
        return Ok(LineHistory { is_edited: true, ..LineHistory::default() });
    }
    let hunks = uncommitted_hunks(&git, &head, lines.path).ok_or(BaseError::GitFailed)?;
    let (committed, is_edited) = map_to_commit(&hunks, lines.first, lines.last);
    let Some((first, last)) = committed else {
        return Ok(LineHistory { is_edited, ..LineHistory::default() });
    };
    let range = format!("-L{first},{last}:{}", lines.path);
    let count = format!("-n{}", limit + 1);
    let options = ["-s", "--date=short", "--no-textconv", FORMAT];
    let arguments = [&["log", &range, &count][..], &options, &[&head]].concat();
    let output = git.run(&arguments, b"").ok_or(BaseError::GitFailed)?;
    let mut commits = parse_commits(&output);
    let has_older = commits.len() > limit;
    commits.truncate(limit);
    add_files(&git, &mut commits).ok_or(BaseError::GitFailed)?;
    Ok(LineHistory { commits, has_older, is_edited })
}

/// Id, date, author and subject, each with a zero byte after it.
const FORMAT: &str = "--format=%H%x00%ad%x00%an%x00%s%x00";

/// True if a commit has the file.
fn is_committed(git: &IsolatedGit, commit: &str, path: &RepoPath) -> bool {
    let object = format!("{commit}:./{path}");
    git.run(&["cat-file", "-e", &object], b"").is_some()
}

/// A replaced range: the lines of the commit, and those of the work tree. A range without lines
/// stands after its first number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReplacedLines {
    old_start: u32,
    old_count: u32,
    new_start: u32,
    new_count: u32,
}

/// Returns what the work tree has instead of lines of the commit, in ascending order.
fn uncommitted_hunks(
    git: &IsolatedGit,
    commit: &str,
    path: &RepoPath,
) -> Option<Vec<ReplacedLines>> {
    let options = ["diff", "-U0", "--no-ext-diff", "--no-textconv", "--relative"];
    let output = git.run(&[&options[..], &[commit, "--", path.as_str()]].concat(), b"")?;
    let text = String::from_utf8_lossy(&output);
    Some(text.lines().filter_map(parse_hunk_header).collect())
}

/// Parses `@@ -3,2 +3,4 @@`.
fn parse_hunk_header(line: &str) -> Option<ReplacedLines> {
    let mut words = line.strip_prefix("@@ -")?.split(' ');
    let range = |text: &str| -> Option<(u32, u32)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (old_start, old_count) = range(words.next()?)?;
    let (new_start, new_count) = range(words.next()?.strip_prefix('+')?)?;
    Some(ReplacedLines { old_start, old_count, new_start, new_count })
}

/// Maps lines of the work tree to those of the commit. `None` if all of them are new. The flag
/// tells if any of them was edited, or if lines between them were deleted.
fn map_to_commit(hunks: &[ReplacedLines], first: u32, last: u32) -> (Option<(u32, u32)>, bool) {
    let mut is_edited = false;
    // The lines of the commit that the range begins and ends with, as far as hunks move them.
    let (mut start, mut end) = (i64::from(first), i64::from(last));
    for hunk in hunks {
        // Without new lines, the hunk stands between `new_start` and the next line.
        let new_first = if hunk.new_count == 0 { hunk.new_start + 1 } else { hunk.new_start };
        let new_end = new_first + hunk.new_count;
        let old_first = if hunk.old_count == 0 { hunk.old_start + 1 } else { hunk.old_start };
        let old_end = old_first + hunk.old_count;
        let is_before = new_end <= first;
        let is_after = new_first > last;
        is_edited |= !is_before && !is_after;
        if new_end <= first {
            start = i64::from(first) - i64::from(new_end) + i64::from(old_end);
        } else if new_first <= first {
            // The first line is new: the lines that it replaces stand for it.
            start = i64::from(old_first);
        }
        if new_end <= last {
            end = i64::from(last) - i64::from(new_end) + i64::from(old_end);
        } else if new_first <= last {
            end = i64::from(old_end) - 1;
        }
    }
    let committed = (start <= end && start > 0).then_some((start as u32, end as u32));
    (committed, is_edited)
}

/// Parses commits in the form of [`FORMAT`].
fn parse_commits(output: &[u8]) -> Vec<LineCommit> {
    let fields: Vec<String> = output
        .split(|byte| *byte == 0)
        .map(|field| String::from_utf8_lossy(field).trim_start_matches('\n').to_string())
        .collect();
    let commits = fields.chunks_exact(4).map(|fields| LineCommit {
        id: fields[0].clone(),
        date: fields[1].clone(),
        author: fields[2].clone(),
        subject: fields[3].clone(),
        files: Vec::new(),
    });
    commits.collect()
}

/// Adds the files of each commit, with one run of git for all.
fn add_files(git: &IsolatedGit, commits: &mut [LineCommit]) -> Option<()> {
    if commits.is_empty() {
        return Some(());
    }
    let ids: String = commits.iter().map(|commit| format!("{}\n", commit.id)).collect();
    let options = ["--stdin", "--root", "-r", "-z", "--name-only"];
    let arguments = [&["diff-tree"][..], &options, &["--relative"]].concat();
    let output = git.run(&arguments, ids.as_bytes())?;
    let mut files: HashMap<String, Vec<RepoPath>> = HashMap::new();
    let mut current = String::new();
    for field in output.split(|byte| *byte == 0) {
        let text = String::from_utf8_lossy(field).into_owned();
        if commits.iter().any(|commit| commit.id == text) {
            current = text;
        } else if let Some(path) = RepoPath::new(&text).filter(|_| !text.is_empty()) {
            files.entry(current.clone()).or_default().push(path);
        }
    }
    for commit in commits {
        commit.files = files.remove(&commit.id).unwrap_or_default();
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn lines_are_mapped_over_uncommitted_edits() {
        let added = ReplacedLines { old_start: 2, old_count: 0, new_start: 3, new_count: 2 };
        let deleted = ReplacedLines { old_start: 6, old_count: 3, new_start: 5, new_count: 0 };
        let changed = ReplacedLines { old_start: 5, old_count: 2, new_start: 5, new_count: 1 };
        for (hunks, first, last, committed, is_edited) in [
            (&[][..], 3, 9, Some((3, 9)), false),
            (&[added], 1, 2, Some((1, 2)), false),
            (&[added], 3, 4, None, true),
            (&[added], 5, 9, Some((3, 7)), false),
            (&[added], 1, 9, Some((1, 7)), true),
            (&[deleted], 1, 5, Some((1, 5)), false),
            (&[deleted], 6, 7, Some((9, 10)), false),
            (&[deleted], 4, 7, Some((4, 10)), true),
            (&[changed], 1, 5, Some((1, 6)), true),
            (&[changed], 5, 5, Some((5, 6)), true),
            (&[changed], 6, 8, Some((7, 9)), false),
        ] {
            let found = map_to_commit(hunks, first, last);
            assert_eq!(found, (committed, is_edited), "{hunks:?} {first}-{last}");
        }
    }

    #[test]
    fn lines_are_followed_through_commits_and_renames() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let host = testing::git_host();
        let write = |path: &str, text: &str| std::fs::write(root.join(path), text).unwrap();
        let git = |arguments: &[&str]| testing::git(&root, arguments);
        let history = |path: &str, first: u32, last: u32, limit: usize| {
            let path = RepoPath::new(path).unwrap();
            line_history(&root, &host, LinesOfFile { path: &path, first, last }, limit)
        };
        assert_eq!(history("a", 1, 1, 9), Err(BaseError::NoRepository));
        git(&["init", "-q", "-b", "main"]);
        write("a", "fn a\none\nend\nfn b\ntwo\nend\n");
        git(&["add", "."]);
        git(&["commit", "-qm", "begin"]);
        write("a", "fn a\nONE\nend\nfn b\ntwo\nend\n");
        write("other", "text\n");
        git(&["add", "."]);
        git(&["commit", "-qm", "shout"]);
        git(&["mv", "a", "b"]);
        git(&["commit", "-qm", "rename"]);
        write("b", "// new\nfn a\nONE\nend\nfn b\ntwo!\nend\n");
        let subjects = |found: Result<LineHistory, BaseError>| {
            let found = found.unwrap();
            let subjects = found.commits.iter().map(|commit| commit.subject.clone());
            (subjects.collect::<Vec<_>>().join(" "), found.has_older, found.is_edited)
        };
        let expected =
            |subjects: &str, has_older, is_edited| (subjects.to_string(), has_older, is_edited);
        assert_eq!(subjects(history("b", 2, 4, 9)), expected("shout begin", false, false));
        assert_eq!(subjects(history("b", 2, 4, 1)), expected("shout", true, false));
        assert_eq!(subjects(history("b", 5, 7, 9)), expected("begin", false, true));
        assert_eq!(subjects(history("b", 1, 1, 9)), expected("", false, true));
        write("c", "text\n");
        assert_eq!(subjects(history("c", 1, 1, 9)), expected("", false, true));
        let found = history("b", 2, 4, 9).unwrap();
        let files: Vec<String> = found.commits[0].files.iter().map(ToString::to_string).collect();
        assert_eq!(files, ["a", "other"]);
        assert_eq!(found.commits[1].files.len(), 1);
        assert_eq!((found.commits[0].date.len(), found.commits[0].author.as_str()), (10, "a"));
    }

    #[test]
    fn a_shallow_clone_has_the_commits_that_were_fetched() {
        let directory = tempfile::tempdir().unwrap();
        let origin = directory.path().join("origin");
        std::fs::create_dir(&origin).unwrap();
        testing::git(&origin, &["init", "-q", "-b", "main"]);
        for text in ["one\n", "two\n"] {
            std::fs::write(origin.join("a"), text).unwrap();
            testing::git(&origin, &["add", "."]);
            testing::git(&origin, &["commit", "-qm", text.trim()]);
        }
        let address = format!("file://{}", origin.display());
        testing::git(directory.path(), &["clone", "-q", "--depth", "1", &address, "clone"]);
        let path = RepoPath::new("a").unwrap();
        let lines = LinesOfFile { path: &path, first: 1, last: 1 };
        let clone = directory.path().join("clone");
        let found = line_history(&clone, &testing::git_host(), lines, 9).unwrap();
        let subjects: Vec<&str> = found.commits.iter().map(|one| one.subject.as_str()).collect();
        assert_eq!(subjects, ["two"]);
    }
}
