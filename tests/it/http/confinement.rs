//! Nothing of a folder outside of the allowed directories comes out of any tool, resource, page or
//! error, whichever way a caller spells it.
//!
//! Each text argument of each operation gets each spelling. An answer may repeat what it was asked.
//! The contents of the folder are in no question, so an answer with them is a leak.

use std::path::Path;

use kenning::ops::{ALL, OpEffect, OpEntry};
use serde_json::{Map, Value, json};

use super::{RETRY, Server};
use crate::support::Tree;

/// Stands in each file of the folder outside.
const CONTENT: &str = "content_of_the_outside";
/// Arguments that name a folder, a file or a collection.
const PLACES: [&str; 7] =
    ["path", "collectionName", "file", "file_filter", "pathPattern", "spec_id", "document"];
/// The name of a file in it.
const NAME: &str = "unnamed_4712";

/// A root with links to a folder beside it. Both are indexed.
fn place() -> Tree {
    let tree = Tree::new(&[
        ("src/retry.rs", RETRY),
        ("package.json", r#"{"name": "core", "version": "1.0.0"}"#),
        ("openspec/specs/tea/spec.md", "# tea\n\n### Requirement: Boil\n\nIt SHALL boil.\n"),
    ]);
    let outside = tree.root().with_file_name("outside");
    let spec = format!("# {CONTENT}\n\n### Requirement: {CONTENT}\n\nIt SHALL {CONTENT}.\n");
    let skill = format!("---\nname: evil\ndescription: {CONTENT}\n---\n{CONTENT}\n");
    for (path, text) in [
        (format!("{NAME}.rs"), format!("pub fn {CONTENT}() {{}}\n")),
        ("package.json".to_string(), format!(r#"{{"name": "{CONTENT}", "version": "1.0.0"}}"#)),
        ("openspec/specs/x/spec.md".to_string(), spec),
        ("skills/evil/SKILL.md".to_string(), skill),
    ] {
        let path = outside.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::create_dir_all(tree.root().join(".claude/skills")).unwrap();
    #[cfg(unix)]
    for (to, link) in [
        ("", "link"),
        ("skills/evil", ".claude/skills/evil"),
        ("openspec/specs/x", "openspec/specs/x"),
    ] {
        std::os::unix::fs::symlink(outside.join(to), tree.root().join(link)).unwrap();
    }
    tree.ken(&["index", "--name", "shop"]);
    let mut other = tree.command(crate::support::KEN, &["index", "--name", "outside"]);
    assert!(other.current_dir(&outside).output().unwrap().status.success());
    tree
}

/// The ways to name the folder and what is in it.
fn spellings(outside: &Path) -> Vec<String> {
    let absolute = outside.to_str().unwrap();
    let mut all: Vec<String> = [
        "../outside",
        "src/../../outside",
        "link",
        "link/",
        "LINK",
        "src/../link",
        "..%2foutside",
        "%2e%2e/outside",
        "%252e%252e%252foutside",
        "..\\outside",
        "outside",
        "OUTSIDE",
        "outside,shop",
        "*",
        "**",
        "../**",
        "shop/../outside",
        "．．/outside",
        "..\0/outside",
        "....//outside",
        "spec://x",
        "spec://../outside",
        "skill://evil/SKILL.md",
        "evil",
        "x",
        "~",
        "/",
        "/etc/passwd",
        ".",
        "..",
    ]
    .map(str::to_string)
    .to_vec();
    all.extend([
        absolute.to_string(),
        format!("{absolute}/."),
        format!("/{absolute}"),
        format!("/proc/self/root{absolute}"),
        format!("file://{absolute}"),
        format!("{absolute}/**"),
        absolute.to_uppercase(),
    ]);
    all
}

/// Fails if an answer has something that only the folder outside or the user's folders have.
fn check(tree: &Tree, question: &str, answer: &[u8]) {
    let said = String::from_utf8_lossy(answer);
    let (home, user) = (tree.home(), tree.user());
    for secret in [CONTENT, NAME, "root:x:0", home.to_str().unwrap(), user.to_str().unwrap()] {
        assert!(!said.contains(secret), "{question} tells {secret}: {said}");
    }
}

/// The arguments that an operation needs, with harmless values.
fn needed(op: &OpEntry) -> Map<String, Value> {
    let names = op.schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let value = |name: &str| {
        let property = &op.schema["properties"][name];
        match (property["enum"].get(0), property["type"].as_str()) {
            (Some(first), _) => first.clone(),
            (None, Some("integer" | "number")) => json!(1),
            (None, Some("array")) => json!(["retry"]),
            (None, Some("object")) => json!({}),
            _ => json!("retry"),
        }
    };
    names.map(|name| (name.to_string(), value(name))).collect()
}

/// The skills of the user are listed with their paths, as the contract of ccski demands.
fn tells_paths_of_skills(op: &OpEntry) -> bool {
    op.family == kenning::ops::Family::Skills
}

#[test]
fn no_operation_tells_of_the_outside() {
    let tree = place();
    let server = Server::start(&tree, &[], &[]);
    let spellings = spellings(&tree.root().with_file_name("outside"));
    for op in ALL.iter().filter(|op| !tells_paths_of_skills(op)) {
        let route = format!("/api/{}", op.name);
        let plain = Value::from(needed(op));
        check(&tree, op.name, &server.post(&route, &plain).body);
        for (name, property) in op.schema["properties"].as_object().unwrap() {
            let is_list = property["type"] == "array";
            if property["enum"].is_array() || !(is_list || property["type"] == "string") {
                continue;
            }
            // Arguments that name places get every spelling, the others every fifth.
            let step = if PLACES.contains(&name.as_str()) { 1 } else { 5 };
            for spelling in spellings.iter().skip(name.len() % step).step_by(step) {
                let mut arguments = needed(op);
                let value = if is_list { json!([spelling]) } else { json!(spelling) };
                arguments.insert(name.clone(), value);
                let question = format!("{} {name}={spelling:?}", op.name);
                check(&tree, &question, &server.post(&route, &arguments.into()).body);
            }
        }
    }
    // No update reached it either: it is indexed as before.
    assert!(ALL.iter().any(|op| op.effect == OpEffect::Updates));
    let kept = tree.ken(&["collections", "--json"]);
    assert!(kept.contains("\"outside\""), "{kept}");
}

#[test]
fn no_page_and_no_resource_tells_of_the_outside() {
    let tree = place();
    let server = Server::start(&tree, &[], &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let read = |uri: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read",
                          "params": {"uri": uri, "_meta": meta}});
        let name = format!("=?base64?{}?=", base64(uri.as_bytes()));
        let headers = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2026-07-28"),
            ("mcp-method", "resources/read"),
            ("mcp-name", name.as_str()),
        ];
        server.ask("POST", "/mcp", &headers, &body.to_string())
    };
    assert!(read("spec://tea").text().contains("It SHALL boil."), "what is inside can be read");
    for spelling in spellings(&tree.root().with_file_name("outside")) {
        let encoded: String = spelling.bytes().map(|byte| format!("%{byte:02x}")).collect();
        for page in ["/", "/file", "/symbol", "/package", "/packages", "/spec", "/specs", "/status"]
        {
            for name in ["q", "path", "name", "id", "file", "collection", "root"] {
                let address = format!("{page}?{name}={encoded}");
                check(&tree, &address, &server.get(&address).body);
            }
        }
        check(&tree, &spelling, &server.get(&format!("/{encoded}")).body);
        for uri in [spelling.clone(), format!("spec://{spelling}"), format!("skill://{encoded}")] {
            check(&tree, &uri, &read(&uri).body);
        }
    }
}

/// Standard base64 with padding.
fn base64(bytes: &[u8]) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(bytes)
}
