//! `ken history` over small git trees: the commits of a definition, and what changed with it.

use crate::review::{commit, edit, git, shop};
use crate::support::{KEN, Tree};

#[test]
fn the_commits_of_a_definition_are_listed() {
    let tree = shop();
    edit(&tree, "price / 2", "price / 3");
    tree.write("notes.md", "# Notes\n");
    commit(&tree);
    git(&tree, &["mv", "src/cart.rs", "src/basket.rs"]);
    tree.write("src/lib.rs", "pub mod basket;\n");
    commit(&tree);
    let reply = tree.ken_json(&["history", "discount"]);
    let one = &reply["definitions"][0];
    assert_eq!((&one["symbol"], &one["path"]), (&"discount".into(), &"src/basket.rs".into()));
    assert_eq!(one["commits"].as_array().unwrap().len(), 2, "{reply}");
    assert_eq!(one["commits"][0]["files"], 2, "{reply}");
    assert!(one["uncommitted"].is_null(), "{reply}");
    let changed_with = one["changedWith"].as_array().unwrap();
    assert!(changed_with.contains(&"1 notes.md".into()), "{reply}");
    let reply = tree.ken_json(&["history", "total", "--limit", "1"]);
    assert_eq!(reply["definitions"][0]["commits"].as_array().unwrap().len(), 1, "{reply}");
    assert!(reply["definitions"][0]["hasOlder"].is_null(), "{reply}");
    let text = tree.ken(&["history", "discount"]);
    assert!(text.starts_with("src/basket.rs:6 function discount\n  "), "{text}");
    assert!(text.contains(" a: x (2 files)\n"), "{text}");
}

#[test]
fn uncommitted_definitions_say_so() {
    let tree = shop();
    tree.write("src/fresh.rs", "pub fn fresh() {}\n");
    edit(&tree, "price / 2", "price / 3");
    let text = tree.ken(&["history", "fresh"]);
    assert!(text.contains("fresh, with uncommitted changes\n  not committed yet"), "{text}");
    let reply = tree.ken_json(&["history", "discount"]);
    assert_eq!(reply["definitions"][0]["uncommitted"], true, "{reply}");
    assert_eq!(reply["definitions"][0]["commits"].as_array().unwrap().len(), 1, "{reply}");
}

#[test]
fn a_tree_without_git_has_no_history() {
    let tree = Tree::new(&[("src/lib.rs", "pub fn total() {}\n")]);
    let output = tree.run(KEN, &["history", "total"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("there is no history"), "{error}");
}
