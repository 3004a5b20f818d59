//! Disks that are full and repositories that vanish. `tests/torture/faults.py` tries many more of
//! these; each one here was once answered wrongly.

use serde_json::json;

use crate::support::{Client, KEN, Tree};

const SPEC: (&str, &str) =
    ("openspec/specs/auth/spec.md", "# Auth\n\n### Requirement: Login\n\nIt SHALL log in.\n");

#[cfg(unix)]
#[test]
fn a_file_beyond_the_largest_size_is_a_full_disk() {
    let source: String = (0..900).map(|n| format!("pub fn function_{n}() {{}}\n")).collect();
    let tree = Tree::new(&[("src/lib.rs", &source)]);
    // Blocks of 512 bytes. Without the trap, the signal would end the program.
    let output = tree.run("sh", &["-c", "trap '' XFSZ; ulimit -f 60; exec \"$0\" index", KEN]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("full"), "{said}");
    tree.ken(&["index"]);
    assert!(tree.ken(&["callers", "function_7"]).contains("function_7"));
}

#[test]
fn specs_of_a_repository_that_vanished_are_no_empty_list() {
    let tree = Tree::new(&[SPEC, ("lib.rs", "pub fn parse() {}\n")]);
    tree.ken(&["index"]);
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    assert!(client.text("list_specs", json!({})).contains("auth"));
    let elsewhere = tree.root().with_file_name("elsewhere");
    std::fs::rename(tree.root(), &elsewhere).unwrap();
    for (tool, arguments) in
        [("list_specs", json!({})), ("search_specs", json!({ "query": "log in" }))]
    {
        let answer = client.call(tool, arguments);
        let said = format!("{answer:?}");
        assert!(said.contains("cannot be read as a directory"), "{tool}: {said}");
    }
    std::fs::rename(&elsewhere, tree.root()).unwrap();
    assert!(client.text("list_specs", json!({})).contains("auth"));
}
