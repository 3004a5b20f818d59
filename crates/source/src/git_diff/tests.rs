//! Differences from the last commit, in every layout of a repository that git has.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use super::*;
use crate::testing::{self, git};

#[test]
fn a_diff_is_read_whatever_its_lines_say() {
    let diff = "diff --git a/a b.rs b/a b.rs\n--- a/a b.rs\t\n+++ b/a b.rs\t\n\
                @@ -3 +3,2 @@ fn x\n-old\n+++ b/not-a-file\n+@@ -1 +1 @@\n\
                @@ -9,2 +10,0 @@\n-gone\n--- a/nor-this\n\
                diff --git a/gone.rs b/gone.rs\n--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    let files = parse_diff(diff);
    let shown: Vec<(String, Vec<[u32; 4]>)> = files
        .iter()
        .map(|Difference { file, .. }| {
            let hunks = file.hunks.iter().map(|hunk| {
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

/// A directory with a repository in `main`: three files, committed by somebody else's git.
struct Place {
    directory: tempfile::TempDir,
}

const BEFORE: &str = "one\ntwo\nthree\n";
const AFTER: &str = "one\n2\nthree\n";

impl Place {
    /// Without a repository.
    fn empty() -> Place {
        let place = Place { directory: tempfile::tempdir().unwrap() };
        fs::create_dir(place.path("main")).unwrap();
        fs::create_dir(place.path("temporary")).unwrap();
        place
    }

    fn new(options: &[&str]) -> Place {
        let place = Place::empty();
        git(&place.path("main"), &[&["init", "-q", "-b", "main"], options].concat());
        for name in ["a.rs", "deep/b.rs", "deep/c.rs"] {
            place.write(&format!("main/{name}"), BEFORE);
        }
        place.commit();
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        git(&self.path("main"), arguments);
    }

    fn commit(&self) {
        self.git(&["add", "."]);
        self.git(&["commit", "-qm", "all"]);
    }

    fn host(&self) -> GitHost {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path).map(|folder| folder.join("git"));
        GitHost {
            program: programs.into_iter().find(|program| program.is_file()).unwrap(),
            temporary_directory: self.path("temporary"),
            variables: Vec::new(),
        }
    }

    /// Files that differ below a directory, each with its first changed line.
    fn changed(&self, directory: &str) -> Option<Vec<String>> {
        let files = diff_work_tree(&self.path(directory), &self.host())?;
        let shown = files.iter().map(|file| format!("{}:{}", file.path, file.hunks[0].old.first));
        Some(shown.collect())
    }

    fn check(&self, directory: &str, expected: &[&str]) {
        let changed = self.changed(directory).expect("git answers");
        assert_eq!(changed, expected, "{directory}");
        assert_eq!(fs::read_dir(self.path("temporary")).unwrap().count(), 0);
    }
}

#[test]
fn staged_or_not() {
    let place = Place::new(&[]);
    place.check("main", &[]);
    place.write("main/a.rs", AFTER);
    place.write("main/deep/b.rs", AFTER);
    place.write("main/untracked.rs", AFTER);
    place.git(&["add", "a.rs"]);
    fs::remove_file(place.path("main/deep/c.rs")).unwrap();
    place.check("main", &["a.rs:2", "deep/b.rs:2", "deep/c.rs:1"]);
    place.check("main/deep", &["b.rs:2", "c.rs:1"]);
    place.git(&["add", "-N", "untracked.rs"]);
    place.check("main", &["a.rs:2", "deep/b.rs:2", "deep/c.rs:1", "untracked.rs:0"]);
}

#[test]
fn every_object_and_reference_format() {
    for options in [["--object-format=sha256"], ["--ref-format=reftable"]] {
        let probe = tempfile::tempdir().unwrap();
        let arguments = [&["init", "-q"], &options[..]].concat();
        let mut init = testing::command(probe.path(), &arguments);
        if !init.stderr(std::process::Stdio::null()).status().unwrap().success() {
            continue;
        }
        let place = Place::new(&options);
        place.write("main/a.rs", AFTER);
        place.check("main", &["a.rs:2"]);
    }
}

#[test]
fn packed_objects_and_alternates() {
    let place = Place::new(&[]);
    place.git(&["gc", "-q"]);
    place.write("main/a.rs", AFTER);
    place.check("main", &["a.rs:2"]);
    git(&place.path("."), &["clone", "-q", "--shared", "main", "borrowing"]);
    place.write("borrowing/a.rs", AFTER);
    place.check("borrowing", &["a.rs:2"]);
}

#[test]
fn worktrees_and_submodules() {
    let place = Place::new(&[]);
    place.git(&["worktree", "add", "-q", "-b", "side", "../side"]);
    place.write("side/deep/b.rs", AFTER);
    place.check("side", &["deep/b.rs:2"]);
    place.check("main", &[]);
    git(&place.path("."), &["clone", "-q", "main", "inner"]);
    let source = place.path("inner");
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"];
    place.git(&[&add[..], &[source.to_str().unwrap(), "sub"]].concat());
    place.commit();
    place.write("main/sub/a.rs", AFTER);
    place.write("main/a.rs", AFTER);
    place.check("main", &["a.rs:2"]);
    place.check("main/sub", &["a.rs:2"]);
}

#[test]
fn split_and_sparse_indexes() {
    let place = Place::new(&[]);
    place.git(&["update-index", "--split-index"]);
    place.write("main/a.rs", AFTER);
    place.git(&["add", "a.rs"]);
    place.write("main/deep/b.rs", AFTER);
    let names = fs::read_dir(place.path("main/.git")).unwrap().flatten();
    let is_shared = |name: OsString| name.to_string_lossy().starts_with("sharedindex.");
    assert!(names.into_iter().any(|entry| is_shared(entry.file_name())));
    place.check("main", &["a.rs:2", "deep/b.rs:2"]);

    let place = Place::new(&[]);
    place.write("main/other/d.rs", BEFORE);
    place.commit();
    place.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "other"]);
    assert!(!place.path("main/deep").exists());
    place.write("main/other/d.rs", AFTER);
    place.check("main", &["other/d.rs:2"]);
}

#[test]
fn no_commit_no_git_no_answer() {
    let place = Place::empty();
    assert_eq!(place.changed("main"), None);
    place.git(&["init", "-q"]);
    place.write("main/a.rs", AFTER);
    place.git(&["add", "."]);
    assert_eq!(place.changed("main"), None);

    let place = Place::new(&[]);
    place.write("main/a.rs", AFTER);
    let without_git = GitHost { program: place.path("missing"), ..place.host() };
    assert_eq!(diff_work_tree(&place.path("main"), &without_git), None);
    let nowhere = GitHost { temporary_directory: place.path("missing"), ..place.host() };
    assert_eq!(diff_work_tree(&place.path("main"), &nowhere), None);
}

#[test]
fn a_missing_object_is_no_answer_and_is_not_fetched() {
    let place = Place::new(&[]);
    place.git(&["config", "uploadpack.allowFilter", "true"]);
    let source = format!("file://{}", place.path("main").display());
    let clone = ["clone", "-q", "--filter=blob:none", "--no-checkout", &source, "partial"];
    git(&place.path("."), &clone);
    let partial = place.path("partial");
    git(&partial, &["reset", "-q"]);
    place.write("partial/a.rs", AFTER);
    let objects = || testing::command(&partial, &["count-objects", "-v"]).output().unwrap().stdout;
    let before = objects();
    assert_eq!(place.changed("partial"), None);
    assert_eq!(objects(), before);
}

/// Upper case in the work tree, lower case in the repository, and a mark at the end of each line.
fn filtered() -> Place {
    let place = Place::new(&[]);
    place.git(&["config", "filter.shout.clean", "tr A-Z a-z | sed 's/$/ !/'"]);
    place.git(&["config", "filter.shout.smudge", "sed 's/ !$//' | tr a-z A-Z"]);
    place.git(&["config", "filter.shout.required", "true"]);
    place.write("main/.gitattributes", "*.txt filter=shout\n*.rs filter=none\n");
    place.write("main/deep/loud.txt", "ONE\nTWO\n");
    place.commit();
    place
}

fn touch(path: PathBuf) {
    let file = fs::File::options().append(true).open(path).unwrap();
    file.set_modified(std::time::SystemTime::now() + std::time::Duration::from_secs(9)).unwrap();
}

#[test]
fn a_file_under_a_filter_has_not_changed_because_no_filter_ran() {
    let place = filtered();
    place.check("main", &[]);
    touch(place.path("main/deep/loud.txt"));
    touch(place.path("main/a.rs"));
    place.check("main", &[]);
    place.check("main/deep", &[]);
    // A filter that leaves the size alone is none: the smallest edit counts.
    place.write("main/a.rs", &BEFORE.replace("two", "TWO"));
    place.check("main", &["a.rs:2"]);
    place.write("main/deep/loud.txt", "ONE\nTWO\nTHREE\n");
    place.check("main", &["a.rs:2", "deep/loud.txt:1"]);
    place.check("main/deep", &["loud.txt:1"]);
}

#[test]
fn line_endings_are_no_difference() {
    let place = Place::new(&[]);
    place.write("main/a.rs", &BEFORE.replace('\n', "\r\n"));
    place.check("main", &[]);
    place.write("main/a.rs", &AFTER.replace('\n', "\r\n"));
    place.check("main", &["a.rs:2"]);
}

#[test]
fn the_text_of_the_last_commit() {
    let place = Place::new(&[]);
    place.write("main/deep/b.rs", AFTER);
    place.git(&["add", "."]);
    let text = |path: &str| read_committed(&place.path(path), &place.host());
    assert_eq!(text("main/deep/b.rs").as_deref(), Some(BEFORE.as_bytes()));
    assert_eq!(text("main/deep/missing.rs"), None);
    assert_eq!(text("main/deep"), None);
    assert_eq!(text("temporary/x"), None);
}
