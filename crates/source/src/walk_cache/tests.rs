//! A walk that is remembered finds what one that is not would find, whatever happens to the tree in
//! between.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::*;
use crate::testing;
use kenning_model::Silent;

const CODE: WalkFilter = WalkFilter { pruned: &["vendor"], ..WalkFilter::EVERYTHING };
const MANIFESTS: WalkFilter = WalkFilter { names: Some(&["*.toml"]), ..WalkFilter::EVERYTHING };

/// A tree in which nothing was touched for an hour.
struct Tree {
    directory: tempfile::TempDir,
}

impl Tree {
    fn new() -> Tree {
        let tree = Tree { directory: tempfile::tempdir().unwrap() };
        for (path, text) in [
            ("tree/a.rs", "a"),
            ("tree/deep/er/b.rs", "b"),
            ("tree/deep/c.toml", "c"),
            ("tree/deep/log.txt", "log"),
            ("tree/vendor/d.toml", "d"),
            ("tree/.gitignore", "*.tmp\n"),
            ("tree/.git/info/exclude", "secret\n"),
            ("tree/other/.git", "gitdir: ../.git/worktrees/other\n"),
            ("tree/other/e.rs", "e"),
        ] {
            tree.write(path, text);
        }
        tree.settle();
        tree
    }

    fn root(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    fn memory(&self) -> PathBuf {
        self.directory.path().join("walk")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Everything was last changed an hour ago.
    fn settle(&self) {
        let then = SystemTime::now() - Duration::from_secs(3600);
        let mut open = vec![self.root()];
        while let Some(path) = open.pop() {
            if path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                let inside = fs::read_dir(&path).unwrap();
                open.extend(inside.map(|entry| entry.unwrap().path()));
            }
            File::open(&path).unwrap().set_modified(then).unwrap();
        }
    }

    fn again(&self) -> [Survey; 2] {
        survey_cached(
            &self.root(),
            [MANIFESTS, CODE],
            &WalkBounds::default(),
            &self.memory(),
            &Silent,
        )
        .unwrap()
    }

    /// Compares with a walk that remembers nothing.
    fn check(&self, when: &str) {
        let walked =
            walk::survey(&self.root(), [MANIFESTS, CODE], &WalkBounds::default(), &Silent).unwrap();
        assert_eq!(render(&self.again()), render(&walked), "{when}");
    }

    fn sees(&self, path: &str) -> bool {
        let [_, code] = self.again();
        code.files.iter().any(|file| file.path.as_str() == path)
    }
}

fn render(surveys: &[Survey]) -> String {
    format!("{surveys:#?}")
}

/// A change to a tree.
type TreeEdit = fn(&Tree);

const CHANGES: &[(&str, TreeEdit)] = &[
    ("nothing", |_| {}),
    ("an edit", |tree| tree.write("tree/a.rs", "longer")),
    ("a new file", |tree| tree.write("tree/deep/er/new.rs", "")),
    ("a new folder", |tree| tree.write("tree/x/y/new.toml", "")),
    ("a removed file", |tree| remove(tree, "tree/deep/c.toml")),
    ("a removed folder", |tree| {
        fs::remove_dir_all(tree.root().join("deep")).unwrap();
    }),
    ("a renamed file", |tree| {
        fs::rename(tree.root().join("a.rs"), tree.root().join("z.rs")).unwrap();
    }),
    ("a file replaced by another", |tree| {
        tree.write("tree/.a.rs.new", "other");
        fs::rename(tree.root().join(".a.rs.new"), tree.root().join("a.rs")).unwrap();
    }),
    ("a rule", |tree| tree.write("tree/.gitignore", "*.txt\n")),
    ("a rule less", |tree| remove(tree, "tree/.gitignore")),
    ("a rule below", |tree| {
        tree.write("tree/deep/.kenignore", "er\n");
    }),
    ("a rule of this checkout", |tree| {
        tree.write("tree/.git/info/exclude", "deep\n");
    }),
    ("a checkout that is none any more", |tree| {
        remove(tree, "tree/other/.git");
    }),
    #[cfg(unix)]
    ("a file replaced by a link", |tree| {
        remove(tree, "tree/a.rs");
        std::os::unix::fs::symlink("deep/er/b.rs", tree.root().join("a.rs")).unwrap();
    }),
    ("a file replaced by a folder", |tree| {
        remove(tree, "tree/a.rs");
        tree.write("tree/a.rs/inside.rs", "");
    }),
];

fn remove(tree: &Tree, path: &str) {
    fs::remove_file(tree.directory.path().join(path)).unwrap();
}

#[test]
fn finds_what_a_walk_finds() {
    for (what, act) in CHANGES {
        let tree = Tree::new();
        tree.check("the first time");
        assert!(tree.memory().is_file());
        act(&tree);
        tree.check(what);
        tree.check(&format!("once more after {what}"));
        // Long ago, but not so long that the times are those that are remembered.
        tree.settle();
        tree.check(&format!("long after {what}"));
    }
}

/// The way to see that no directory is listed: one that lies about its time.
#[test]
fn only_times_are_looked_at() {
    let tree = Tree::new();
    tree.again();
    let deep = tree.root().join("deep");
    let then = fs::metadata(&deep).unwrap().modified().unwrap();
    tree.write("tree/deep/unseen.rs", "");
    File::open(&deep).unwrap().set_modified(then).unwrap();
    assert!(!tree.sees("deep/unseen.rs"));
    File::open(&deep).unwrap().set_modified(then + Duration::from_secs(1)).unwrap();
    assert!(tree.sees("deep/unseen.rs"));
}

#[test]
fn times_of_a_replaced_file_are_learnt() {
    let tree = Tree::new();
    tree.again();
    let before = WalkCache::load(&tree.memory()).unwrap();
    let later = SystemTime::now() - Duration::from_secs(60);
    File::open(tree.root()).unwrap().set_modified(later).unwrap();
    tree.again();
    let after = WalkCache::load(&tree.memory()).unwrap();
    assert_ne!(before, after);
    assert_eq!(after.directories[0].modified_ns, walk::nanoseconds(later));
    assert_eq!(after.files, before.files);
}

#[test]
fn what_changed_a_moment_ago_is_not_remembered() {
    let tree = Tree::new();
    tree.write("tree/new.rs", "");
    tree.again();
    assert!(!tree.memory().exists());
}

#[test]
fn other_wishes_are_another_walk() {
    let tree = Tree::new();
    tree.again();
    let others = ["deep".to_string()];
    let want = WalkFilter { exclude: &others, ..CODE };
    let [survey] =
        survey_cached(&tree.root(), [want], &WalkBounds::default(), &tree.memory(), &Silent)
            .unwrap();
    let files = survey.files.iter().map(|file| file.path.as_str());
    assert_eq!(files.collect::<Vec<_>>(), ["a.rs"]);
}

#[test]
fn a_broken_memory_is_none() {
    let tree = Tree::new();
    tree.again();
    let whole = fs::read(tree.memory()).unwrap();
    let (packed, checksum) = whole.split_last_chunk::<{ blake3::OUT_LEN }>().unwrap();
    let text = zstd::decode_all(packed).unwrap();
    let cut = zstd::encode_all(&text[..text.len() / 2], 1).unwrap();
    let checked = [cut.as_slice(), blake3::hash(&cut).as_bytes()].concat();
    let swapped = [cut.as_slice(), checksum].concat();
    for broken in [&whole[..whole.len() / 2], &checked, &swapped, b"nonsense", b""] {
        fs::write(tree.memory(), broken).unwrap();
        assert_eq!(WalkCache::load(&tree.memory()), None);
        tree.check("after it broke");
    }
}

#[test]
fn what_git_begins_to_track_is_seen() {
    let tree = Tree::new();
    let git = |arguments: &[&str]| testing::git(&tree.root(), arguments);
    git(&["init", "-q"]);
    tree.write("tree/kept.tmp", "");
    tree.settle();
    tree.check("nothing is tracked");
    assert!(!tree.sees("kept.tmp"));
    git(&["add", "-f", "kept.tmp"]);
    tree.settle();
    assert!(tree.sees("kept.tmp"));
    tree.check("it is tracked");
    git(&["rm", "-q", "--cached", "kept.tmp"]);
    tree.settle();
    assert!(!tree.sees("kept.tmp"));
}
