//! Compares the work tree with the last commit. Runs git, in isolation (`git_command`); without git
//! there is no answer.

use std::path::Path;

use super::git_command::{GitHost, IsolatedGit};
use super::git_repository::Checkout;
use super::unrun_git_filters;
use kenning_model::RepoPath;

/// A file that differs from the last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: RepoPath,
    pub hunks: Vec<Hunk>,
}

/// A range of old lines and the range of new lines that replaces it. A count of 0 is a position
/// after the line `first`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub old: LineRange,
    pub new: LineRange,
}

/// Consecutive lines, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRange {
    pub first: u32,
    pub count: u32,
}

/// Returns the tracked files of a directory that differ from the commit that is checked out, staged
/// or not; `None` if git fails.
///
/// A change of line endings alone is no difference: their conversion is part of a configuration
/// that git does not get to see.
pub fn diff_work_tree(directory: &Path, host: &GitHost) -> Option<Vec<ChangedFile>> {
    let checkout = Checkout::find_containing(directory)?;
    let commit = checkout.head_commit()?;
    let git = IsolatedGit::open(host, &checkout, directory, &commit)?;
    let output = git.run(&[&["diff", &commit], DIFF_OPTIONS].concat(), b"")?;
    let differences = parse_diff(&String::from_utf8_lossy(&output));
    let unchanged = unrun_git_filters::find_unchanged(&git, &checkout, directory, &differences)?;
    let files = differences.into_iter().map(|difference| difference.file);
    Some(files.filter(|file| !unchanged.contains(&file.path)).collect())
}

/// Returns the content of a file in the commit that is checked out; `None` if it has none, or git
/// fails.
pub fn read_committed(file: &Path, host: &GitHost) -> Option<Vec<u8>> {
    let directory = file.parent()?;
    let checkout = Checkout::find_containing(directory)?;
    let commit = checkout.head_commit()?;
    let git = IsolatedGit::open(host, &checkout, directory, &commit)?;
    let object = format!("{commit}:./{}", file.file_name()?.to_str()?);
    git.run(&["cat-file", "blob", &object], b"")
}

/// `--ignore-submodules` also keeps git from starting another git in each of them.
const DIFF_OPTIONS: &[&str] = &[
    "--relative",
    "--unified=0",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--ignore-submodules=all",
    "--ignore-cr-at-eol",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--",
];

/// A file that differs, with the object id of its content in the commit.
pub(super) struct Difference {
    pub file: ChangedFile,
    pub committed_id: String,
}

/// Parses the output of `git diff --unified=0`.
fn parse_diff(diff: &str) -> Vec<Difference> {
    let mut files: Vec<Difference> = Vec::new();
    let mut committed_id = String::new();
    let mut old_path = None;
    let mut lines = diff.lines();
    while let Some(line) = lines.next() {
        if let Some(ids) = line.strip_prefix("index ") {
            committed_id = ids.split("..").next().unwrap_or_default().to_string();
        } else if let Some(path) = line.strip_prefix("--- ") {
            old_path = parse_repo_path(path, "a/");
        } else if let Some(path) = line.strip_prefix("+++ ") {
            // A file that is gone is known by what it was.
            let path = parse_repo_path(path, "b/").or(old_path.take());
            let file = path.map(|path| ChangedFile { path, hunks: Vec::new() });
            let committed_id = std::mem::take(&mut committed_id);
            files.extend(file.map(|file| Difference { file, committed_id }));
        } else if let Some(hunk) = line.strip_prefix("@@ ").and_then(parse_hunk) {
            if let Some(difference) = files.last_mut() {
                difference.file.hunks.push(hunk);
            }
            // Skips the body of the hunk: its lines are file text and may look like headers.
            let body = (hunk.old.count + hunk.new.count) as usize;
            lines.by_ref().take(body).for_each(drop);
        }
    }
    files
}

/// Parses the path of a `---` or `+++` line. Git ends a name that contains a blank with a tab.
fn parse_repo_path(text: &str, prefix: &str) -> Option<RepoPath> {
    let text = text.trim_end_matches('\t').trim_matches('"');
    RepoPath::new(text.strip_prefix(prefix)?)
}

/// Parses a hunk header: `-12,3 +12,4 @@ fn around()`.
fn parse_hunk(text: &str) -> Option<Hunk> {
    let mut words = text.split(' ');
    Some(Hunk {
        old: parse_range(words.next()?.strip_prefix('-')?)?,
        new: parse_range(words.next()?.strip_prefix('+')?)?,
    })
}

/// Parses `12,3`, or `12` for a single line.
fn parse_range(text: &str) -> Option<LineRange> {
    let (first, count) = text.split_once(',').unwrap_or((text, "1"));
    Some(LineRange { first: first.parse().ok()?, count: count.parse().ok()? })
}

#[cfg(test)]
mod tests;
