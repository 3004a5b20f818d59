//! Edges that a compiler's index brings: exact where the files are as the compiler read them, and
//! nothing but a word where they are not.

use crate::support::Tree;

const SHOP: &str = "\
class Store:
    def save(self): pass
class Order:
    def save(self): pass
def go(thing):
    thing.save()
";

/// An index that says that `thing.save` of line 6 is the one of `Order`.
fn index(text: Option<&str>) -> Vec<u8> {
    let occurrence = |range: &[u8], symbol: &str, roles: u8| {
        let mut bytes = field(1, range);
        bytes.extend(field(2, symbol.as_bytes()));
        bytes.extend([3 << 3, roles]);
        field(2, &bytes)
    };
    let mut document = field(1, b"shop.py");
    document.extend(occurrence(&[1, 8, 12], "py a 1 shop/Store#save().", 1));
    document.extend(occurrence(&[3, 8, 12], "py a 1 shop/Order#save().", 1));
    document.extend(occurrence(&[5, 10, 14], "py a 1 shop/Order#save().", 0));
    if let Some(text) = text {
        document.extend(field(5, text.as_bytes()));
    }
    field(2, &document)
}

fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![number << 3 | 2];
    let mut size = content.len();
    while size >= 0x80 {
        bytes.push(size as u8 | 0x80);
        size >>= 7;
    }
    bytes.push(size as u8);
    bytes.extend(content);
    bytes
}

fn saves(tree: &Tree) -> Vec<String> {
    let edges = tree.ken(&["edges", "--kind", "calls", "--jsonl"]);
    let edges = edges.lines().filter(|line| line.contains("\"save\""));
    let edges = edges.map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    edges
        .map(|edge| {
            let callee = &edge["callees"][0];
            let said = [&edge["confidence"], &edge["reason"]];
            format!("{}:{} {} {}", edge["site"]["line"], callee["line"], said[0], said[1])
        })
        .collect()
}

const EXACT: &str = "6:4 \"exact\" \"scip\"";

#[test]
fn an_index_in_the_root_is_found_and_believed_as_long_as_the_text_is_the_same() {
    let tree = Tree::new(&[("shop.py", SHOP)]);
    tree.ken(&["index"]);
    assert_eq!(saves(&tree), [""; 0]);
    tree.write_bytes("index.scip", &index(Some(SHOP)));
    tree.ken(&["index"]);
    assert_eq!(saves(&tree), [EXACT]);
    // Moved code is not the code that the compiler read, though all names are still there.
    tree.write("shop.py", &format!("import os\n{SHOP}"));
    let report = tree.ken_json(&["index"]);
    assert_eq!(saves(&tree), [""; 0]);
    let problem = report["problems"].to_string();
    assert!(
        problem.contains("1 of 1 documents of this SCIP index differ from the files"),
        "{report}"
    );
    tree.write("shop.py", SHOP);
    tree.ken(&["index"]);
    assert_eq!(saves(&tree), [EXACT]);
    tree.remove("index.scip");
    tree.ken(&["index"]);
    assert_eq!(saves(&tree), [""; 0]);
}

#[test]
fn an_index_without_texts_is_believed_of_files_that_are_older_and_have_its_names() {
    let tree = Tree::new(&[("shop.py", SHOP)]);
    tree.write_bytes("../given.scip", &index(None));
    tree.ken(&["index", "--scip", "../given.scip"]);
    assert_eq!(saves(&tree), [EXACT]);
    // An index that was given once counts in the next run.
    tree.write("other.py", "x = 1\n");
    tree.ken(&["index"]);
    assert_eq!(saves(&tree), [EXACT]);
    // Newer than the index, and its names are elsewhere.
    tree.write("shop.py", &format!("import os\n{SHOP}"));
    tree.write_bytes("../given.scip", &index(None));
    tree.ken(&["index"]);
    assert_eq!(saves(&tree), [""; 0]);
}

#[test]
fn a_broken_index_is_a_problem_and_stops_nothing() {
    let tree = Tree::new(&[("shop.py", SHOP)]);
    let whole = index(Some(SHOP));
    for (bytes, problem) in [
        (&whole[..whole.len() / 2], "SCIP index read in part: it is cut off"),
        (b"not an index".as_slice(), "SCIP index read in part: it is cut off"),
    ] {
        tree.write_bytes("index.scip", bytes);
        let report = tree.ken_json(&["index", "--force"]);
        assert_eq!(report["files"], 1, "{report}");
        assert!(report["problems"].to_string().contains(problem), "{report}");
    }
    let report = tree.ken_json(&["index", "--scip", "missing.scip"]);
    let problem = "missing.scip: SCIP index not read: there is no such file";
    assert!(report["problems"].to_string().contains(problem), "{report}");
}

#[test]
fn an_index_of_nothing_or_of_another_tree_says_so() {
    let tree = Tree::new(&[("shop.py", SHOP), ("scip/readme.txt", "nothing")]);
    tree.write_bytes("index.scip", b"");
    let report = tree.ken_json(&["index"]);
    let problem = "SCIP index says nothing: it is empty";
    assert!(report["problems"].to_string().contains(problem), "{report}");
    tree.remove("index.scip");
    let report = tree.ken_json(&["index", "--scip", "scip"]);
    let problem = "SCIP index not read: it is a folder";
    assert!(report["problems"].to_string().contains(problem), "{report}");
    for path in ["other/shop.py", "/elsewhere/shop.py"] {
        tree.write_bytes("../given.scip", &field(2, &field(1, path.as_bytes())));
        let report = tree.ken_json(&["index", "--scip", "../given.scip"]);
        let problem = "none of the 1 documents of this SCIP index is a file here";
        assert!(report["problems"].to_string().contains(problem), "{report}");
    }
}
