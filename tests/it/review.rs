//! `ken review` over small git trees: what changed by definition, and what depends on it.

use serde_json::Value;

use crate::support::{KEN, Tree};

const CART: &str = "\
/// Adds up.
pub fn total(items: &[u32]) -> u32 {
    items.iter().sum()
}

pub fn discount(price: u32) -> u32 {
    price / 2
}

pub fn offer() -> u32 {
    discount(3)
}

pub struct Cart {
    pub items: Vec<u32>,
}

impl Cart {
    pub fn sum(&self) -> u32 {
        total(&self.items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(total(&[1]), 1);
    }
}
";

pub fn git(tree: &Tree, arguments: &[&str]) {
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let output = tree.command("git", &[&identity, arguments].concat()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// A crate whose first commit is on `main`.
pub fn shop() -> Tree {
    let tree = Tree::new(&[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", "pub mod cart;\n"),
        ("src/cart.rs", CART),
    ]);
    git(&tree, &["init", "-q", "-b", "main"]);
    commit(&tree);
    tree
}

pub fn commit(tree: &Tree) {
    git(tree, &["add", "."]);
    git(tree, &["commit", "-qm", "x"]);
}

pub fn edit(tree: &Tree, old: &str, new: &str) {
    let text = std::fs::read_to_string(tree.root().join("src/cart.rs")).unwrap();
    assert!(text.contains(old), "{old}");
    tree.write("src/cart.rs", &text.replace(old, new));
}

/// Each changed definition as `change name path`.
fn changed(answer: &Value) -> Vec<String> {
    let rows = answer["changed"].as_array().unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_string();
    let rows = rows.iter().map(|row| {
        format!("{} {} {}", text(row, "change"), text(row, "symbol"), text(row, "path"))
    });
    rows.collect()
}

fn names(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["symbol"].as_str().unwrap()).collect()
}

#[test]
fn an_uncommitted_change_is_reviewed_by_definition() {
    let tree = shop();
    let answer = tree.ken_json(&["review"]);
    assert_eq!(answer["note"], "no definition has changed", "{answer}");
    assert!(tree.ken(&["review"]).starts_with("No definition has changed, compared with "));
    edit(&tree, "items: &[u32]) -> u32 {", "items: &[u32]) -> u64 {");
    edit(&tree, "price / 2", "price / 3");
    tree.write("src/fresh.rs", "pub fn fresh() {}\n");
    let answer = tree.ken_json(&["review"]);
    let expected = [
        "signature changed total src/cart.rs",
        "body changed discount src/cart.rs",
        "added fresh src/fresh.rs",
    ];
    assert_eq!(changed(&answer), expected, "{answer}");
    let total = &answer["changed"][0];
    assert_eq!(total["before"], "pub fn total(items: &[u32]) -> u32");
    assert_eq!(total["after"], "pub fn total(items: &[u32]) -> u64");
    assert_eq!((&total["tests"], &total["dependents"]), (&1.into(), &2.into()), "{total}");
    let affected = names(&answer["affected"]);
    assert_eq!(affected.len(), 2, "{answer}");
    assert!(affected.contains(&"Cart.sum") && affected.contains(&"offer"), "{answer}");
    assert_eq!(names(&answer["tests"]), ["tests.adds"], "{answer}");
    assert_eq!(
        answer["untested"],
        serde_json::json!(["src/cart.rs:6 discount", "src/fresh.rs:1 fresh"])
    );
    assert_eq!(answer["packages"][0]["package"], "shop");
    // Staged is as good as unstaged, and twice is once.
    git(&tree, &["add", "."]);
    assert_eq!(tree.ken_json(&["review"]), answer);
    assert_eq!(tree.ken_json(&["review", "main"]), answer);
}

/// A call that no definition is known for may mean the changed one: it is listed, and said first.
#[test]
fn unresolved_calls_of_the_changed_names_are_listed() {
    let tree = Tree::new(&[
        (
            "store.py",
            "class Store:\n    def keep(self):\n        return 1\n\n\nclass Cache:\n    def keep(self):\n        return 3\n\n\ndef helper():\n    return 1\n",
        ),
        ("app.py", "def handle(store):\n    store.keep()\n"),
        ("tests/test_store.py", "def test_store(thing):\n    thing.helper()\n"),
    ]);
    git(&tree, &["init", "-q", "-b", "main"]);
    commit(&tree);
    let text = std::fs::read_to_string(tree.root().join("store.py")).unwrap();
    tree.write("store.py", &text.replace("return 1", "return 2"));
    let answer = tree.ken_json(&["review"]);
    let note = answer["note"].as_str().unwrap_or_default();
    assert!(note.contains("1 call of keep is unresolved"), "{answer}");
    assert!(note.contains("tests have unresolved calls of helper"), "{answer}");
    assert_eq!(answer["unresolvedCount"], 2, "{answer}");
    assert_eq!(answer["unresolved"][0]["calls"][0], "2: store.keep()", "{answer}");
    let text = tree.ken(&["review"]);
    assert!(
        text.contains("Unresolved calls that may lead to it\n  app.py:2  store.keep()"),
        "{text}"
    );
}

#[test]
fn a_branch_is_compared_with_what_it_left() {
    let tree = shop();
    git(&tree, &["checkout", "-qb", "side"]);
    edit(&tree, "price / 2", "price / 3");
    commit(&tree);
    git(&tree, &["checkout", "-q", "main"]);
    tree.write("src/other.rs", "pub fn other() {}\n");
    commit(&tree);
    git(&tree, &["checkout", "-q", "side"]);
    let answer = tree.ken_json(&["review", "main"]);
    assert_eq!(changed(&answer), ["body changed discount src/cart.rs"], "{answer}");
    assert_eq!(answer["changed"], tree.ken_json(&["review", "HEAD~1"])["changed"]);
    assert_eq!(tree.ken_json(&["review"])["changedCount"], 0);
}

#[test]
fn a_renamed_file_changes_no_definition() {
    let tree = shop();
    git(&tree, &["mv", "src/cart.rs", "src/basket.rs"]);
    tree.write("src/lib.rs", "pub mod basket;\n");
    let answer = tree.ken_json(&["review"]);
    assert_eq!(answer["changedCount"], 0, "{answer}");
    assert_eq!(answer["files"], 2, "{answer}");
    // A definition that goes to another file has moved.
    let text = CART.replace("pub fn offer() -> u32 {\n    discount(3)\n}\n", "");
    tree.write("src/basket.rs", &text);
    tree.write("src/offer.rs", "pub fn offer() -> u32 {\n    discount(3)\n}\n");
    let answer = tree.ken_json(&["review"]);
    assert_eq!(changed(&answer), ["moved offer src/offer.rs"], "{answer}");
    assert_eq!(answer["changed"][0]["from"], "src/cart.rs");
}

#[test]
fn a_deleted_function_leaves_its_callers_behind() {
    let tree = shop();
    edit(&tree, "pub fn discount(price: u32) -> u32 {\n    price / 2\n}\n", "");
    let answer = tree.ken_json(&["review"]);
    assert_eq!(changed(&answer), ["removed discount src/cart.rs"], "{answer}");
    assert_eq!(
        answer["stillNamed"],
        serde_json::json!([{"symbol": "discount", "lines": ["src/cart.rs:8"]}])
    );
    let text = tree.ken(&["review"]);
    assert!(text.contains("Removed, but still named\n  discount  at src/cart.rs:8"), "{text}");
    // A whole file.
    tree.remove("src/cart.rs");
    let answer = tree.ken_json(&["review"]);
    assert!(changed(&answer).contains(&"removed Cart src/cart.rs".to_string()), "{answer}");
}

#[test]
fn a_comment_for_a_pull_request_is_markdown() {
    let tree = shop();
    edit(&tree, "price / 2", "price / 3");
    let text = tree.ken(&["review", "--format", "markdown"]);
    assert!(text.starts_with("### Kenning review\n\n1 definition changed in 1 file, "), "{text}");
    assert!(
        text.contains("\n- `src/cart.rs:6 discount` body changed, 1 direct dependent\n"),
        "{text}"
    );
    assert_eq!(text, tree.ken(&["review", "--format", "markdown"]));
    // A repository chooses names; they must not act as Markdown in a comment.
    edit(&tree, "pub fn offer()", "/// <img src=x> @everybody\npub fn offer()");
    let text = tree.ken(&["review", "--format", "markdown"]);
    assert!(!text.contains("<img") && !text.contains("@everybody"), "{text}");
}

#[test]
fn without_git_or_base_there_is_an_error() {
    let fails = |tree: &Tree, arguments: &[&str], words: &str| {
        let output = tree.run(KEN, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
    };
    let tree = Tree::new(&[("src/a.rs", "fn a() {}\n")]);
    fails(&tree, &["review"], "needs a git repository with a commit");
    git(&tree, &["init", "-q"]);
    fails(&tree, &["review"], "needs a git repository with a commit");
    let tree = shop();
    fails(&tree, &["review", "nobody"], "no commit, branch or tag here is named \"nobody\"");
}

#[test]
fn requirements_that_speak_of_a_change_are_named() {
    let tree = shop();
    tree.write(
        "openspec/specs/prices/spec.md",
        "# Prices\n\n## Requirements\n\n### Requirement: Discount on a price\nThe system SHALL apply \
         a discount to the price of `discount`.\n\n#### Scenario: Half price\n- **WHEN** a discount \
         is asked\n- **THEN** the price is halved\n",
    );
    commit(&tree);
    edit(&tree, "price / 2", "price / 3");
    let answer = tree.ken_json(&["review"]);
    let requirement = &answer["requirements"][0];
    assert_eq!(requirement["requirement"], "Discount on a price", "{answer}");
    assert_eq!(requirement["symbols"], serde_json::json!(["discount"]), "{answer}");
}
