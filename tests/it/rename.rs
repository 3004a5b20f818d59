//! `ken rename`: its patches are applied with git and compiled with rustc.

use std::process::Command;

use crate::support::{KEN, Tree};

const LIB: &str = "\
pub mod cart;

use cart::total_price;

pub trait Store {
    fn load(&self, key: &str) -> u32;
}

pub struct Disk {
    pub limit: u32,
}

impl Store for Disk {
    fn load(&self, key: &str) -> u32 {
        key.len() as u32 + self.limit
    }
}

// To load is slow.
pub fn both(disk: &Disk, store: &dyn Store) -> u32 {
    disk.load(\"load\") + store.load(\"x\") + total_price(&[1])
}

pub struct Truck;

impl Truck {
    pub fn load(&self) -> u32 {
        let load = 1;
        load
    }
}

pub fn drive() -> u32 {
    Truck.load()
}
";

const CART: &str = "\
pub fn total_price(items: &[u32]) -> u32 {
    items.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_price_of_nothing() {
        assert_eq!(total_price(&[]), 0);
    }
}
";

fn shop() -> Tree {
    Tree::new(&[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("src/lib.rs", LIB),
        ("src/cart.rs", CART),
        ("README.md", "Call total_price for the price.\n"),
    ])
}

fn read(tree: &Tree, path: &str) -> String {
    std::fs::read_to_string(tree.root().join(path)).unwrap()
}

/// Applies the text that the command prints, and compiles the result with its tests.
fn apply_and_compile(tree: &Tree, text: &str) {
    tree.write("rename.patch", text);
    let git = tree.command("git", &["apply", "rename.patch"]).output().unwrap();
    assert!(git.status.success(), "{git:?}\n{text}");
    let output = tempfile::tempdir().unwrap();
    let rustc = Command::new("rustc")
        .args(["--edition", "2021", "--test", "--emit", "metadata", "--out-dir"])
        .arg(output.path())
        .arg(tree.root().join("src/lib.rs"))
        .output()
        .unwrap();
    assert!(rustc.status.success(), "{}", String::from_utf8_lossy(&rustc.stderr));
}

#[test]
fn a_requirement_is_renamed_with_its_implementations() {
    let tree = shop();
    let reply = tree.ken_json(&["rename", "Store.load", "fetch", "--dry-run"]);
    assert_eq!((&reply["edits"], &reply["files"]), (&4.into(), &1.into()), "{reply}");
    assert_eq!(reply["definitions"].as_array().unwrap().len(), 2, "{reply}");
    let text_only = reply["textOnly"].as_array().unwrap();
    assert!(text_only.contains(&"src/lib.rs:19 // To load is slow.".into()), "{reply}");
    assert_eq!(read(&tree, "src/lib.rs"), LIB, "a proposal changes nothing");
    apply_and_compile(&tree, &tree.ken(&["rename", "Disk.load", "fetch"]));
    let text = read(&tree, "src/lib.rs");
    assert!(text.contains("disk.fetch(\"load\") + store.fetch(\"x\")"), "{text}");
    assert!(text.contains("Truck.load()") && text.contains("let load = 1;"), "{text}");
}

#[test]
fn a_function_is_renamed_with_its_imports() {
    let tree = shop();
    let text = tree.ken(&["rename", "total_price", "sum_up"]);
    assert!(text.contains("#   README.md:1 Call total_price for the price."), "{text}");
    apply_and_compile(&tree, &text);
    assert!(read(&tree, "src/lib.rs").contains("use cart::sum_up;"));
    assert!(read(&tree, "src/cart.rs").contains("fn total_price_of_nothing"));
}

#[test]
fn a_type_is_renamed_with_its_blocks() {
    let tree = shop();
    apply_and_compile(&tree, &tree.ken(&["rename", "Disk", "Drive"]));
    let text = read(&tree, "src/lib.rs");
    assert!(text.contains("impl Store for Drive {") && !text.contains("Disk"), "{text}");
    // `Truck.load()` has an edge to the method only, so the type before the dot is probable.
    apply_and_compile(&tree, &tree.ken(&["rename", "Truck", "Lorry", "--include", "probable"]));
    assert!(!read(&tree, "src/lib.rs").contains("Truck"));
}

#[test]
fn places_without_an_edge_are_changed_on_request() {
    let tree = shop();
    let reply = tree.ken_json(&["rename", "Disk.limit", "offset"]);
    let probable = reply["probable"].as_array().unwrap();
    assert_eq!(probable.len(), 1, "{reply}");
    apply_and_compile(
        &tree,
        &tree.ken(&["rename", "Disk.limit", "offset", "--include", "probable"]),
    );
    assert!(read(&tree, "src/lib.rs").contains("self.offset"));
}

#[test]
fn a_doubtful_rename_is_refused() {
    let tree = shop();
    for (symbol, new_name, expected) in [
        ("load", "fetch", "several definitions have that name"),
        ("total_price", "2many", "is no identifier"),
        ("total_price", "total_price", "the new name is the old one"),
        ("Disk", "Truck", "already exists"),
        ("nothing_here", "name", "nothing"),
    ] {
        let output = tree.run(KEN, &["rename", symbol, new_name]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(expected), "{symbol}: {error}");
    }
    assert_eq!(read(&tree, "src/lib.rs"), LIB);
}
