//! The code graph through the binary: edges of a repository of several packages, and increments
//! that end where a fresh index would.

use serde_json::Value;

use crate::support::Tree;

fn packages() -> Tree {
    Tree::new(&[
        ("package.json", r#"{"name":"root","workspaces":["packages/*"]}"#),
        ("packages/core/package.json", r#"{"name":"@shop/core","version":"1.0.0"}"#),
        (
            "packages/core/src/index.ts",
            "export * from './order';\nexport { open as openStore } from './store';\n",
        ),
        (
            "packages/core/src/order.ts",
            "export interface Priced { price(): number }\n\
             export class Order implements Priced {\n  price(): number { return 1; }\n}\n\
             export class Rush extends Order {}\n",
        ),
        (
            "packages/core/src/store.ts",
            "import { Order } from './order';\n\
             export class Store {\n  last(): Order { return new Order(); }\n}\n\
             export function open(): Store { return new Store(); }\n",
        ),
        (
            "packages/app/package.json",
            r#"{"name":"@shop/app","version":"1.0.0","dependencies":{"@shop/core":"1.0.0"}}"#,
        ),
        (
            "packages/app/src/main.ts",
            "import { openStore, Priced } from '@shop/core';\n\
             export function run(item: Priced) {\n  openStore().last().price();\n  item.price();\n}\n",
        ),
    ])
}

/// The edges of one kind, each as a short line, sorted.
fn edges(tree: &Tree, kind: &str) -> Vec<String> {
    let text = tree.ken(&["edges", "--kind", kind, "--jsonl"]);
    let place = |one: &Value| {
        let symbol = one["symbol"].as_str().unwrap_or_default();
        let path = one["path"].as_str().unwrap().rsplit('/').next().unwrap();
        format!("{path}:{} {symbol}", one["line"])
    };
    let lines = text.lines().map(|line| {
        let edge: Value = serde_json::from_str(line).unwrap();
        if kind == "implements" {
            let how = edge["how"].as_str().unwrap();
            return format!("{} is {} {how}", place(&edge["type"]), place(&edge["interface"]));
        }
        let callees = edge["callees"].as_array().unwrap().iter().map(place);
        let callees: Vec<String> = callees.collect();
        let site = &edge["site"];
        let confidence = edge["confidence"].as_str().unwrap();
        assert!(!edge["reason"].as_str().unwrap().is_empty());
        format!(
            "{}:{} {} → {} {confidence}",
            place(&edge["caller"]),
            site["line"],
            site["name"].as_str().unwrap(),
            callees.join("+")
        )
    });
    let mut lines: Vec<String> = lines.collect();
    lines.sort();
    lines
}

#[test]
fn edges_cross_packages_through_barrels() {
    let tree = packages();
    tree.ken(&["index"]);
    let calls = edges(&tree, "calls");
    for line in [
        "main.ts:2 run:3 openStore → store.ts:5 open high",
        "main.ts:2 run:3 last → store.ts:3 Store.last high",
        "main.ts:2 run:3 price → order.ts:3 Order.price high",
        "main.ts:2 run:4 price → order.ts:1 Priced.price high",
    ] {
        assert!(calls.iter().any(|known| known == line), "{line}\n{calls:#?}");
    }
    assert_eq!(
        edges(&tree, "implements"),
        [
            "order.ts:2 Order is order.ts:1 Priced direct",
            "order.ts:5 Rush is order.ts:1 Priced inherited",
            "order.ts:5 Rush is order.ts:2 Order direct",
        ]
    );
    let imports = tree.ken(&["edges", "--kind", "imports"]);
    assert!(
        imports
            .contains("packages/app/src/main.ts:1 openStore → packages/core/src/store.ts:5 open"),
        "{imports}"
    );
}

#[test]
fn a_trait_with_a_bound_implements_nothing() {
    let tree = Tree::new(&[(
        "src/lib.rs",
        "pub trait Read { fn read(&self); }\npub trait Seek: Read {}\npub struct File;\nimpl Read for File { fn read(&self) {} }\n",
    )]);
    tree.ken(&["index"]);
    assert_eq!(
        edges(&tree, "implements"),
        ["lib.rs:2 Seek is lib.rs:1 Read inherited", "lib.rs:3 File is lib.rs:1 Read direct",]
    );
}

/// After each of many edits, what is known is what a fresh index of the same tree knows.
#[test]
fn after_an_edit_the_graph_is_as_if_made_anew() {
    let tree = packages();
    tree.ken(&["index"]);
    let main = "packages/app/src/main.ts";
    let order = "packages/core/src/order.ts";
    let store = "packages/core/src/store.ts";
    let edits: &[(&str, Option<&str>)] = &[
        // Lines move; nothing else does.
        (
            store,
            Some(
                "// a\n// b\nimport { Order } from './order';\nexport class Store {\n  last(): Order { return new Order(); }\n}\nexport function open(): Store { return new Store(); }\n",
            ),
        ),
        // The call returns another type, which the caller never mentions.
        (
            store,
            Some(
                "import { Rush } from './order';\nexport class Store {\n  last() { return new Rush(); }\n}\nexport function open(): Store { return new Store(); }\n",
            ),
        ),
        // The member moves to another class of the same hierarchy.
        (
            order,
            Some(
                "export interface Priced { price(): number }\nexport class Order implements Priced {\n  price(): number { return 1; }\n}\nexport class Rush extends Order {\n  price(): number { return 2; }\n}\n",
            ),
        ),
        // The base goes.
        (
            order,
            Some(
                "export interface Priced { price(): number }\nexport class Order {}\nexport class Rush {\n  price(): number { return 2; }\n}\n",
            ),
        ),
        // A name is passed on under another.
        (
            "packages/core/src/index.ts",
            Some("export * from './order';\nexport { open as start } from './store';\n"),
        ),
        (main, Some("import { start } from '@shop/core';\nstart().last().price();\n")),
        // Files go and come.
        (store, None),
        (store, Some("export function open() { return { last() { return 1; } }; }\n")),
    ];
    as_if_made_anew(&tree, edits);
}

/// Types of Go fulfil interfaces of files that they do not mention.
#[test]
fn after_an_edit_interfaces_are_fulfilled_as_if_made_anew() {
    let tree = Tree::new(&[
        ("go.mod", "module example.com/shop\n"),
        (
            "store/store.go",
            "package store\ntype Store struct{}\nfunc (s Store) Load() error { return nil }\n",
        ),
        ("store/more.go", "package store\n"),
        ("wants/wants.go", "package wants\ntype Loader interface { Load() error }\n"),
    ]);
    tree.ken(&["index"]);
    assert_eq!(edges(&tree, "implements").len(), 1);
    as_if_made_anew(
        &tree,
        &[
            // The interface asks for more.
            (
                "wants/wants.go",
                Some("package wants\ntype Loader interface { Load() error; Save(n int) }\n"),
            ),
            // The type gets it, in another file than its own.
            ("store/more.go", Some("package store\nfunc (s *Store) Save(count int) {}\n")),
            // An interface appears that asks for what another does.
            ("wants/more.go", Some("package wants\ntype Both interface { Loader }\n")),
            ("store/more.go", Some("package store\nfunc (s *Store) Save(count string) {}\n")),
            ("wants/wants.go", None),
        ],
    );
}

fn as_if_made_anew(tree: &Tree, edits: &[(&str, Option<&str>)]) {
    for (path, text) in edits {
        match text {
            Some(text) => tree.write(path, text),
            None => tree.remove(path),
        }
        tree.ken(&["index"]);
        let kept = ["calls", "implements"].map(|kind| edges(tree, kind));
        tree.ken(&["index", "--force"]);
        let fresh = ["calls", "implements"].map(|kind| edges(tree, kind));
        assert_eq!(kept, fresh, "after {path}: {text:?}");
    }
}

/// Edits that only move what is there resolve nothing, and such as look like them resolve the file.
#[test]
fn what_only_moved_keeps_its_edges() {
    let (tree, fresh) = (packages(), packages());
    tree.ken(&["index"]);
    let main = "packages/app/src/main.ts";
    let import = "import { openStore, Priced } from '@shop/core';\n";
    let edits = [
        // The beginning of what follows.
        (
            "export function run(it: Priced) {\n  const one = openStore();\n  one.last().price();\n}\n",
            1,
        ),
        // A comment, lines between, and what a text says.
        (
            "// a\n\nexport function run(it: Priced) {\n  // b\n  const one = openStore();\n\n  one.last().price();\n}\n",
            0,
        ),
        (
            "export function run(it: Priced) {\n  const one = openStore(); one.last().price();\n}\n",
            0,
        ),
        // The same names in the same order, and another scope around them.
        (
            "export function run(it: Priced) {\n  { const one = openStore(); }\n  one.last().price();\n}\n",
            1,
        ),
        (
            "export function run(it: Priced) {\n  { const one = openStore();\n  one.last().price(); }\n}\n",
            1,
        ),
        // The same mentions, of which one stands for something else.
        (
            "export function run(one: Priced) {\n  { const it = openStore();\n  one.last().price(); }\n}\n",
            1,
        ),
        // A name that is given before it is used, and after.
        ("export function run() {\n  let it = openStore();\n  it.last();\n  it = null;\n}\n", 1),
        ("export function run() {\n  it.last();\n  let it = openStore();\n  it = null;\n}\n", 1),
    ];
    for (text, resolved) in edits {
        let text = format!("{import}{text}");
        tree.write(main, &text);
        let report = tree.ken_json(&["index"]);
        assert_eq!(report["resolved"], resolved, "{text}");
        fresh.write(main, &text);
        fresh.ken(&["index", "--force"]);
        for kind in ["calls", "implements"] {
            assert_eq!(edges(&tree, kind), edges(&fresh, kind), "{text}");
        }
        let callers = ["callers", "open"];
        assert_eq!(tree.ken_json(&callers), fresh.ken_json(&callers), "{text}");
    }
}

#[test]
fn an_edit_resolves_only_what_rests_on_it() {
    let tree = packages();
    let first = tree.ken_json(&["index"]);
    assert!(first["resolved"].as_u64() >= Some(4), "{first}");
    assert_eq!(tree.ken_json(&["index"])["resolved"], 0);
    tree.write(
        "packages/app/src/main.ts",
        "import { openStore, Priced } from '@shop/core';\n\
         export function run(item: Priced) {\n  openStore();\n}\n",
    );
    assert_eq!(tree.ken_json(&["index"])["resolved"], 1);
}
