//! Every question is answered for the tree as it is now: each operation, on each entry point, after
//! each kind of change, answers as a fresh index does.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use kenning::ops::OpEffect;

use crate::http::Server;
use crate::support::{Client, KEN, Tree, until};

/// Operations with the arguments of one question each. The names below occur in some of the states.
fn questions() -> Vec<(&'static str, Value)> {
    vec![
        ("search_code", json!({"query": "where is the price of a cart computed"})),
        ("search_code", json!({"query": "added_function"})),
        ("code_research", json!({"query": "what calls total_price"})),
        ("callers", json!({"symbol": "total_price"})),
        ("callees", json!({"symbol": "checkout"})),
        ("find_references", json!({"symbol": "total_price"})),
        ("implementations", json!({"symbol": "Discount"})),
        ("search_symbols", json!({"query": "added"})),
        ("get_symbol", json!({"symbol": "total_price"})),
        ("get_file_symbols", json!({"file": "src/cart.rs"})),
        ("get_package_symbols", json!({"package": "shop"})),
        ("impact", json!({"symbol": "total_price"})),
        ("impact", json!({})),
        ("unused", json!({})),
        ("export_edges", json!({})),
        ("graph", json!({"of": "symbols", "name": "total_price", "format": "json"})),
        ("graph", json!({"of": "packages", "format": "json"})),
        ("search_code_semantic", json!({"query": "price", "collectionName": "repo"})),
        ("search_code_fulltext", json!({"textQuery": "price", "collectionName": "repo"})),
        (
            "search_code_by_payload",
            json!({"collectionName": "repo", "payload": {"language": "rust"}}),
        ),
        ("search_packages", json!({"query": "shop"})),
        ("get_package", json!({"name": "shop"})),
        ("package_dependencies", json!({"name": "shop"})),
        ("package_dependents", json!({"name": "money"})),
        ("dependency_graph", json!({"name": "shop"})),
        ("list_packages", json!({})),
        ("package_path", json!({"from": "shop", "to": "money"})),
        ("package_impact", json!({"name": "money"})),
        ("package_cycles", json!({})),
        ("package_health", json!({})),
        ("package_graph", json!({"format": "json"})),
        ("list_specs", json!({})),
        ("get_spec", json!({"spec_id": "prices"})),
        ("search_specs", json!({"query": "round the price"})),
        ("trace", json!({"spec_id": "prices", "requirement": "Round prices"})),
        ("specs_coverage", json!({})),
        ("get_spec_requirements", json!({"spec_id": "prices"})),
        (
            "get_scenario",
            json!({"spec_id": "prices", "requirement": "Round prices", "scenario": "Half a coin"}),
        ),
        ("validate_spec", json!({"spec_id": "prices"})),
        ("list_changes", json!({})),
        ("get_change", json!({"change_id": "add-tax"})),
        ("validate_change", json!({"change_id": "add-tax"})),
        ("list_skills", json!({})),
        ("skill", json!({"name": "sell"})),
        ("validate_skills", json!({})),
        ("suggest_skills", json!({"task": "sell things"})),
        ("search_code", json!({"query": "frobnicate the quux"})),
        ("code_research", json!({"query": "where are prices rounded down"})),
        ("get_symbol", json!({"symbol": "Whole"})),
        ("callers", json!({"symbol": "gift"})),
        ("overview", json!({})),
        ("review", json!({})),
        ("history", json!({"symbol": "total_price"})),
        ("rename", json!({"symbol": "total_price", "new_name": "sum_up"})),
        ("hint", json!({"text": "total_price"})),
    ]
}

/// Operations that only read, and whose answers do not depend on the tree, or depend on the time
/// and the path of the index.
const NOT_ABOUT_THE_TREE: &[&str] =
    &["collections", "doctor", "index_status", "model", "providers", "status"];

#[test]
fn every_operation_that_reads_is_asked() {
    let asked: Vec<&str> = questions().into_iter().map(|(op, _)| op).collect();
    for op in kenning::ops::ALL.iter().filter(|op| op.effect == OpEffect::Reads) {
        let is_exempt = NOT_ABOUT_THE_TREE.contains(&op.name);
        assert!(asked.contains(&op.name) != is_exempt, "{}", op.name);
    }
}

const CART: &str = "use crate::discount::Discount;

/// Computes the price of a cart.
pub fn total_price(items: &[u32], discount: &dyn Discount) -> u32 {
    discount.apply(items.iter().sum())
}
";

const DISCOUNT: &str = "/// Lowers a price.
pub trait Discount {
    fn apply(&self, price: u32) -> u32;
}

pub struct Half;

impl Discount for Half {
    fn apply(&self, price: u32) -> u32 {
        price / 2
    }
}
";

const CHECKOUT: &str = "use crate::cart::total_price;
use crate::discount::Half;

/// Takes the money.
pub fn checkout(items: &[u32]) -> u32 {
    total_price(items, &Half)
}
";

fn shop() -> Tree {
    let tree = Tree::new(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"money\"]\n[package]\nname = \"shop\"\nversion = \"1.0.0\"\n[dependencies]\nmoney = { path = \"money\" }\n",
        ),
        ("money/Cargo.toml", "[package]\nname = \"money\"\nversion = \"1.0.0\"\n"),
        (
            "money/src/lib.rs",
            "/// Rounds a price to full coins.\npub fn round_price(price: u32) -> u32 {\n    price\n}\n",
        ),
        ("src/lib.rs", "pub mod cart;\npub mod checkout;\npub mod discount;\n"),
        ("src/cart.rs", CART),
        ("src/discount.rs", DISCOUNT),
        ("src/checkout.rs", CHECKOUT),
        (
            "specs/prices/spec.md",
            "# Prices\n\n### Requirement: Round prices\nThe shop SHALL round the price of a cart to full coins.\n\n#### Scenario: Half a coin\n- **WHEN** a price has half a coin\n- **THEN** it is rounded up\n",
        ),
        (
            ".claude/skills/sell/SKILL.md",
            "---\nname: sell\ndescription: Sells things to people\n---\nSell.\n",
        ),
    ]);
    git(&tree, &["init", "-q", "-b", "main"]);
    commit(&tree, "first");
    // Another branch, and one whose commits a rebase moves.
    git(&tree, &["checkout", "-q", "-b", "side"]);
    tree.write(
        "src/gift.rs",
        "pub fn gift() -> u32 {\n    crate::cart::total_price(&[], &crate::discount::Half)\n}\n",
    );
    tree.write(
        "src/lib.rs",
        "pub mod cart;\npub mod checkout;\npub mod discount;\npub mod gift;\n",
    );
    commit(&tree, "gift");
    git(&tree, &["checkout", "-q", "main"]);
    tree
}

fn git(tree: &Tree, arguments: &[&str]) {
    let author = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
    let output = tree.command("git", &author).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn commit(tree: &Tree, message: &str) {
    git(tree, &["add", "-A"]);
    git(tree, &["commit", "-q", "-m", message]);
}

/// A change of the tree, with its name.
type Change = (&'static str, fn(&Tree));

/// The changes, in order. Each leads from the state that the one before left.
const CHANGES: &[Change] = &[
    ("edit", |tree| {
        tree.write(
            "src/checkout.rs",
            &format!(
                "{CHECKOUT}\npub fn added_function() -> u32 {{\n    total_price(&[1], &Half)\n}}\n"
            ),
        );
    }),
    ("stash", |tree| git(tree, &["stash", "-q"])),
    ("unstash", |tree| git(tree, &["stash", "pop", "-q"])),
    ("commit", |tree| commit(tree, "added function")),
    ("add", |tree| {
        tree.write("src/whole.rs", "use crate::discount::Discount;\n\npub struct Whole;\n\nimpl Discount for Whole {\n    fn apply(&self, price: u32) -> u32 {\n        price\n    }\n}\n");
        tree.write("tax/Cargo.toml", "[package]\nname = \"tax\"\nversion = \"1.0.0\"\n[dependencies]\nmoney = { path = \"../money\" }\n");
        tree.write(
            "tax/src/lib.rs",
            "pub fn tax_price(price: u32) -> u32 {\n    money::round_price(price)\n}\n",
        );
        tree.write(
            "specs/taxes/spec.md",
            "# Taxes\n\n### Requirement: Add taxes\nThe shop SHALL add a tax to the price.\n",
        );
        tree.write("specs/_changes/add-tax/proposal.md", "# Add a tax\n\nThe state wants one.\n");
        tree.write("specs/_changes/add-tax/tasks.md", "- [ ] Compute it\n");
        tree.write(
            ".claude/skills/sell/SKILL.md",
            "---\nname: sell\ndescription: Sells things to people, with taxes\n---\nSell all.\n",
        );
    }),
    ("rename", |tree| {
        std::fs::rename(tree.root().join("src/checkout.rs"), tree.root().join("src/pay.rs"))
            .unwrap();
    }),
    ("delete", |tree| tree.remove("src/whole.rs")),
    ("switch the branch", |tree| {
        commit(tree, "more");
        git(tree, &["checkout", "-q", "side"]);
    }),
    ("rebase", |tree| git(tree, &["rebase", "-q", "main"])),
    ("edit within a line", |tree| {
        let text = CART.replace("items.iter().sum()", "items.iter().max()");
        tree.write("src/cart.rs", &text);
    }),
];

/// Answers without what two indexes of one tree may differ in: times, sizes and ages.
fn comparable(text: &str) -> String {
    let Ok(mut value) = serde_json::from_str::<Value>(text) else {
        return text.trim_end().to_string();
    };
    // The command line wraps a document, other entry points send it as it is.
    let is_only_text = value.as_object().is_some_and(|fields| fields.len() == 1);
    let is_document = value["format"].is_string() || is_only_text;
    if let (true, Some(document)) = (is_document, value["text"].as_str()) {
        return comparable(document);
    }
    // Each entry point words errors in its own way.
    if value.get("error").is_some() {
        return String::new();
    }
    // MCP wraps a list.
    if let (true, Some(Value::Array(rows))) =
        (value.as_object().is_some_and(|fields| fields.len() == 1), value.get("results"))
    {
        value = Value::Array(rows.clone());
    }
    strip(&mut value);
    value.to_string()
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for time in ["indexedAt", "indexed_at", "total_duration_ms", "indexBytes"] {
                fields.remove(time);
            }
            // The age of the index is part of this sentence.
            if let Some(Value::String(code)) = fields.get_mut("code") {
                *code = code.split("; indexed").next().unwrap_or_default().to_string();
            }
            fields.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

/// The answers of a fresh index, by question.
fn fresh_answers(tree: &Tree) -> BTreeMap<String, String> {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = tree.command(KEN, arguments);
        let output = command.env("KEN_HOME", home.path()).output().unwrap();
        // A failed check, such as that of a spec, is an answer too. Errors go to stderr.
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["index", "--name", "repo"]);
    let all = questions().into_iter().map(|(op, arguments)| {
        let answer = run(&["call", op, &arguments.to_string(), "--json"]);
        (format!("{op} {arguments}"), comparable(&answer))
    });
    all.collect()
}

/// The structured content of an answer, else its text; nothing if it is an error.
fn ask_by_mcp(client: &mut Client, op: &str, arguments: &Value) -> String {
    let meta = json!({"kenning/structuredContent": true});
    let parameters = json!({"name": op, "arguments": arguments, "_meta": meta});
    match client.request("tools/call", parameters) {
        Ok(answer) if answer["isError"] != true => match answer.get("structuredContent") {
            Some(content) => content.to_string(),
            None => answer["content"][0]["text"].as_str().unwrap_or_default().to_string(),
        },
        _ => String::new(),
    }
}

#[test]
fn every_operation_answers_for_the_tree_as_it_is_on_every_entry_point() {
    let tree = shop();
    tree.ken(&["index", "--name", "repo"]);
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let server = Server::start(&tree, &[], &[]);
    let mut differences = Vec::new();
    for (change, apply) in CHANGES {
        apply(&tree);
        let expected = fresh_answers(&tree);
        for (op, arguments) in questions() {
            let question = format!("{op} {arguments}");
            let expected = &expected[&question];
            let by_mcp = ask_by_mcp(&mut client, op, &arguments);
            let by_http = server.post(&format!("/api/{op}"), &arguments);
            let by_http = if by_http.status == 200 { by_http.text() } else { String::new() };
            let output = tree.run(KEN, &["call", op, &arguments.to_string(), "--json"]);
            let by_command = String::from_utf8(output.stdout).unwrap();
            for (entry, answer) in [("mcp", by_mcp), ("http", by_http), ("cli", by_command)] {
                let answer = comparable(&answer);
                if answer != *expected {
                    differences.push(format!(
                        "after {change}, {question} by {entry}:\n  {answer}\n  fresh: {expected}"
                    ));
                }
            }
        }
        let page = server.ask("GET", "/?q=added_function", &[("accept", "text/html")], "");
        let shown = page.text().contains("added_function</mark>");
        let defined = ["src/checkout.rs", "src/pay.rs"].iter().any(|path| {
            std::fs::read_to_string(tree.root().join(path))
                .is_ok_and(|text| text.contains("fn added_function"))
        });
        if shown != defined {
            differences.push(format!("after {change}, the page: {shown}, the tree: {defined}"));
        }
    }
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), differences.join("\n"));
}

#[test]
fn an_update_that_takes_too_long_is_reported_and_goes_on() {
    let files: Vec<(String, String)> =
        (0..600).map(|n| (format!("f{n}.rs"), format!("pub fn thing{n}() {{}}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&files);
    tree.ken(&["index"]);
    for (path, _) in &files {
        tree.write(path, "pub fn rewritten() {}\n");
    }
    let answer = tree.ken_json(&["search", "thing7", "--set", "index.refresh_ms=1"]);
    let notice = answer["notice"].as_str().unwrap_or_default();
    assert!(notice.contains("behind the files"), "{answer}");
    until("the update ends in the background", || tree.ken_json(&["status"])["changedFiles"] == 0);
}

#[test]
fn a_first_question_indexes_a_repository_on_demand() {
    let tree = shop();
    let text = tree.ken(&["callers", "total_price"]);
    assert!(text.contains("checkout"), "{text}");
    // A server does so only if the user wants it.
    let tree = shop();
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let refused = client.call("search_code", json!({"query": "price"})).unwrap_err();
    assert_eq!(refused["code"], -32000, "{refused}");
    let wanted = ["serve", "--set", "index.on_demand=on"];
    let mut client = Client::connect(tree.command(KEN, &wanted));
    let found = client.text("search_code", json!({"query": "price"}));
    assert!(found.contains("total_price"), "{found}");
}

#[test]
fn a_server_watches_its_repository_unless_told_not_to() {
    let tree = shop();
    tree.ken(&["index"]);
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let mut is_watched = || client.answer("status", json!({}))["watched"] == true;
    until("the server watches", &mut is_watched);
    let mut client = Client::connect(tree.command(KEN, &["serve", "--set", "index.watch=off"]));
    client.text("search_code", json!({"query": "price"}));
    assert_eq!(client.answer("status", json!({})).get("watched"), None);
}
