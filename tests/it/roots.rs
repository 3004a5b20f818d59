//! The root that a command works on, and roots that are far more than a project.

use std::path::Path;

use serde_json::json;

use crate::support::{Client, KEN, SHIRE, Tree};

fn make_repository(directory: &Path) {
    std::fs::create_dir_all(directory.join(".git")).unwrap();
    std::fs::write(directory.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(directory.join("lib.rs"), "pub fn parse() {}\n").unwrap();
}

/// A folder with three repositories in it.
fn many() -> Tree {
    let tree = Tree::new(&[("notes.rs", "pub fn notes() {}\n")]);
    for name in ["one", "two", "three"] {
        make_repository(&tree.root().join(name));
    }
    tree
}

/// Runs `ken` in a folder and returns its exit code and both outputs.
fn ken_in(tree: &Tree, folder: &Path, arguments: &[&str]) -> (i32, String) {
    let output = tree.command(KEN, arguments).current_dir(folder).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

#[test]
fn the_index_of_a_parent_never_answers_for_a_repository_below() {
    let tree = many();
    tree.ken(&["index", "--root", tree.root().to_str().unwrap()]);
    let inner = tree.root().join("one");
    let callers = ["callers", "parse", "--set", "index.on_demand=off"];
    let (exit, said) = ken_in(&tree, &inner, &callers);
    assert_eq!(exit, 3, "{said}");
    let (_, said) = ken_in(&tree, &inner, &["status", "--json"]);
    assert!(!said.contains("\"files\": 4"), "{said}");
    let (exit, said) = ken_in(&tree, &inner, &["search", "parse", "--json"]);
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("\"lib.rs\"") && !said.contains("one/lib.rs"), "{said}");
    let mut server = tree.command(KEN, &["serve"]);
    server.current_dir(tree.root().join("two"));
    let mut client = Client::connect(server);
    let error = client.call("search_code", json!({"query": "parse"})).unwrap_err();
    assert_eq!(error["code"], -32000, "{error}");
    // Named in so many words, the parent answers.
    let path = tree.root().to_str().unwrap().to_string();
    let answer = client.call("search_code", json!({"query": "parse", "path": path}));
    assert!(answer.is_ok(), "{answer:?}");
}

#[test]
fn a_folder_of_many_repositories_is_refused_unless_named_with_a_flag() {
    let tree = many();
    let root = tree.root();
    let path = root.to_str().unwrap();
    for arguments in [&["index"][..], &["index", path], &["search", "parse"], &["watch"]] {
        let (exit, said) = ken_in(&tree, &root, arguments);
        assert_eq!(exit, 2, "{arguments:?}: {said}");
        assert!(said.contains("is a folder of several repositories"), "{said}");
        assert!(said.contains("ken index --root"), "{said}");
    }
    let output = tree.run(SHIRE, &["build"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!tree.database().exists());
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let error = client.call("index_codebase", json!({"path": path})).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("several repositories"), "{error}");
    let started = json!({"path": path, "action": "start"});
    assert!(client.call("watch_codebase", started).is_err());
    assert_eq!(ken_in(&tree, &root, &["index", "--root", path]).0, 0);
    // Once it was allowed, it is brought up to date like any other.
    assert_eq!(ken_in(&tree, &root, &["index"]).0, 0);
}

#[test]
fn the_home_directory_and_the_file_system_are_refused() {
    let tree = Tree::new(&[]);
    tree.write_at_home("notes.rs", "pub fn notes() {}\n");
    for (place, words) in [
        (tree.user(), "is your home directory"),
        (tree.user().parent().unwrap().to_path_buf(), "holds your home directory"),
        ("/".into(), "is the whole file system"),
    ] {
        for arguments in [&["index"][..], &["search", "notes"]] {
            let (exit, said) = ken_in(&tree, &place, arguments);
            assert_eq!(exit, 2, "{}: {said}", place.display());
            assert!(said.contains(words), "{said}");
        }
    }
    assert!(!tree.home().join("collections").exists());
    let home = tree.user();
    let (exit, said) = ken_in(&tree, &home, &["index", "--root", "."]);
    assert_eq!(exit, 0, "{said}");
    // A folder below it is not answered from there.
    let below = home.join("below");
    std::fs::create_dir(&below).unwrap();
    let (_, said) = ken_in(&tree, &below, &["status", "--json"]);
    assert!(!said.contains("notes.rs") && !said.contains("\"files\": 1"), "{said}");
}
