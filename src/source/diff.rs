//! What differs from the last commit, by lines. Asks git; without it there is no answer.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::model::RepoPath;

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: RepoPath,
    pub hunks: Vec<Hunk>,
}

/// Lines that were there, and lines that are there now. A count of 0 is a place between lines: after
/// the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    pub old: Lines,
    pub new: Lines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines {
    pub first: u32,
    pub count: u32,
}

/// The files of a directory that differ from the commit that is checked out, staged or not; `None`
/// if git does not say. Files that git does not know are not among them.
pub fn uncommitted(directory: &Path) -> Option<Vec<ChangedFile>> {
    let output = Command::new("git")
        .args(["--no-optional-locks", "-c", "core.fsmonitor=false"])
        .args(["-c", "core.quotePath=false", "-C"])
        .arg(directory)
        .args(["diff", "HEAD", "--relative", "--unified=0", "--no-color"])
        .args(["--no-ext-diff", "--no-textconv", "--no-renames"])
        .args(["--src-prefix=a/", "--dst-prefix=b/"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| parse(&text))
}

fn parse(diff: &str) -> Vec<ChangedFile> {
    let mut files: Vec<ChangedFile> = Vec::new();
    let mut old_path = None;
    let mut lines = diff.lines();
    while let Some(line) = lines.next() {
        if let Some(path) = line.strip_prefix("--- ") {
            old_path = repo_path(path, "a/");
        } else if let Some(path) = line.strip_prefix("+++ ") {
            // A file that is gone is known by what it was.
            let path = repo_path(path, "b/").or(old_path.take());
            files.extend(path.map(|path| ChangedFile { path, hunks: Vec::new() }));
        } else if let Some(hunk) = line.strip_prefix("@@ ").and_then(hunk) {
            if let Some(file) = files.last_mut() {
                file.hunks.push(hunk);
            }
            // What follows is text, which may look like anything.
            let body = (hunk.old.count + hunk.new.count) as usize;
            lines.by_ref().take(body).for_each(drop);
        }
    }
    files
}

/// Git ends a name that holds a blank with a tab.
fn repo_path(text: &str, prefix: &str) -> Option<RepoPath> {
    let text = text.trim_end_matches('\t').trim_matches('"');
    RepoPath::new(text.strip_prefix(prefix)?)
}

/// `-12,3 +12,4 @@ fn around()`.
fn hunk(text: &str) -> Option<Hunk> {
    let mut words = text.split(' ');
    Some(Hunk {
        old: range(words.next()?.strip_prefix('-')?)?,
        new: range(words.next()?.strip_prefix('+')?)?,
    })
}

fn range(text: &str) -> Option<Lines> {
    let (first, count) = text.split_once(',').unwrap_or((text, "1"));
    Some(Lines { first: first.parse().ok()?, count: count.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_is_read_whatever_its_lines_say() {
        let diff = "diff --git a/a b.rs b/a b.rs\n--- a/a b.rs\t\n+++ b/a b.rs\t\n\
                    @@ -3 +3,2 @@ fn x\n-old\n+++ b/not-a-file\n+@@ -1 +1 @@\n\
                    @@ -9,2 +10,0 @@\n-gone\n--- a/nor-this\n\
                    diff --git a/gone.rs b/gone.rs\n--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let files = parse(diff);
        let shown: Vec<(String, Vec<[u32; 4]>)> = files
            .iter()
            .map(|file| {
                let hunks = file.hunks.iter();
                let hunks = hunks.map(|hunk| {
                    let Hunk { old, new } = hunk;
                    [old.first, old.count, new.first, new.count]
                });
                (file.path.to_string(), hunks.collect())
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("a b.rs".to_string(), vec![[3, 1, 3, 2], [9, 2, 10, 0]]),
                ("gone.rs".to_string(), vec![[1, 1, 0, 0]]),
            ]
        );
    }
}
