//! The scenarios of the code contract, under their own names, over a real `ken serve`. Those of
//! `code_research` are in `contract_research`.

use serde_json::{Value, json};

use crate::support::{Client, KEN, PATIENCE, Tree, poll};

const LOGIN: &str = "\
/// Checks a user's password and opens a session.
public func authenticate(user: String, password: String) -> Session {
    let stored = passwordStore.hash(of: user)
    guard verify(password, against: stored) else { return .rejected }
    return Session(user: user, expires: clock.now + lifetime)
}
";

const DRAWING: &str = "\
/// Draws the outline of a shape onto the canvas.
public func strokeOutline(of shape: Shape, on canvas: Canvas) {
    for segment in shape.segments {
        canvas.line(from: segment.start, to: segment.end)
    }
}
";

const TESTS: &str = "\
import XCTest

final class LoginTests: XCTestCase {
    func testAuthenticateRejectsWrongPassword() {
        let session = authenticate(user: \"ann\", password: \"wrong\")
        XCTAssertEqual(session, .rejected)
    }
}
";

fn tree() -> Tree {
    Tree::new(&[
        ("Sources/Auth/Login.swift", LOGIN),
        ("Sources/Canvas/Drawing.swift", DRAWING),
        ("Tests/AuthTests/LoginTests.swift", TESTS),
    ])
}

fn serve(tree: &Tree) -> Client {
    let root = tree.root();
    let root = root.to_str().unwrap();
    Client::connect(tree.command(KEN, &["serve", "--profile", "swiftindex", "--root", root]))
}

fn index(client: &mut Client, tree: &Tree, more: Value) -> Value {
    let mut arguments = json!({ "path": tree.root() });
    for (name, value) in more.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    client.answer("index_codebase", arguments)
}

fn search(client: &mut Client, arguments: Value) -> Vec<Value> {
    let answer = client.answer("search_code", arguments);
    answer["results"].as_array().unwrap().clone()
}

fn paths(results: &[Value]) -> Vec<&str> {
    results.iter().map(|hit| hit["path"].as_str().unwrap()).collect()
}

// Requirement: MCP Server Protocol

#[test]
fn server_starts() {
    let tree = tree();
    let mut client = serve(&tree);
    assert_eq!(client.server["serverInfo"]["name"], "swiftindex");
    assert!(client.server["capabilities"]["tools"].is_object());
    assert!(!client.tool_names().is_empty());
}

#[test]
fn tool_discovery() {
    let tree = tree();
    let mut client = serve(&tree);
    let listed = client.request("tools/list", json!({})).unwrap();
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let all = ["index_codebase", "search_code", "code_research", "watch_codebase"];
    assert_eq!(names, all);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
    let property = |tool: usize, name: &str| tools[tool]["inputSchema"]["properties"][name].clone();
    let required = |tool: usize| tools[tool]["inputSchema"]["required"].clone();
    assert_eq!(property(0, "path")["type"], "string");
    let providers = json!(["mlx", "ollama", "swift-embeddings", "voyage", "openai", "static"]);
    assert_eq!(property(0, "provider")["enum"], providers);
    assert_eq!(property(0, "include_tests")["default"], false);
    assert_eq!(property(0, "rebuild")["default"], false);
    assert_eq!(required(0), json!(["path"]));
    assert_eq!(property(1, "limit")["default"], 10);
    assert_eq!(property(1, "semantic_weight")["default"], 0.7);
    assert_eq!(property(1, "file_filter")["type"], "string");
    assert_eq!(required(1), json!(["query"]));
    let depth = property(2, "depth");
    assert_eq!(depth["type"], "integer");
    assert_eq!(depth["default"], 2);
    assert_eq!((&depth["minimum"], &depth["maximum"]), (&json!(1), &json!(3)));
    assert_eq!(property(2, "query")["type"], "string");
    assert_eq!(required(2), json!(["query"]));
    assert_eq!(property(3, "action")["enum"], json!(["start", "stop", "status"]));
    assert_eq!(required(3), json!(["path", "action"]));
}

// Requirement: index_codebase Tool

#[test]
fn index_new_project() {
    let tree = tree();
    let statistics = index(&mut serve(&tree), &tree, json!({}));
    assert_eq!(statistics["files"], 3, "{statistics}");
    assert!(statistics["chunks"].as_u64().unwrap() >= 3, "{statistics}");
    assert!(statistics["durationMs"].is_u64(), "{statistics}");
}

#[test]
fn incremental_index() {
    let tree = tree();
    let mut client = serve(&tree);
    index(&mut client, &tree, json!({}));
    tree.write("Sources/Canvas/Drawing.swift", &DRAWING.replace("outline", "border"));
    tree.write("Sources/Auth/Logout.swift", "func endSession() {}\n");
    tree.remove("Tests/AuthTests/LoginTests.swift");
    let statistics = index(&mut client, &tree, json!({}));
    let counts = ["added", "changed", "removed", "unchanged"].map(|name| statistics[name].clone());
    assert_eq!(counts, [1, 1, 1, 1].map(Value::from), "{statistics}");
    let found = search(&mut client, json!({"query": "endSession"}));
    assert_eq!(paths(&found)[0], "Sources/Auth/Logout.swift");
}

#[test]
fn index_with_specific_provider() {
    // A service that nobody runs: what is asked for is used, and its failure is told.
    let tree = tree();
    let root = tree.root();
    let arguments = ["serve", "--root", root.to_str().unwrap()];
    let mut command = tree.command(KEN, &arguments);
    command.env("OLLAMA_HOST", "127.0.0.1:9");
    let mut client = Client::connect(command);
    let arguments = json!({"path": root, "provider": "ollama"});
    let error = client.call("index_codebase", arguments).unwrap_err();
    assert!(error["message"].as_str().unwrap().contains("ollama"), "{error}");
    // Nothing was indexed with another in its place.
    let error = client.call("search_code", json!({"query": "x"})).unwrap_err();
    assert!(error["message"].as_str().unwrap().starts_with("Index not found"), "{error}");
}

#[test]
fn include_test_files() {
    let tree = tree();
    let mut client = serve(&tree);
    let question = json!({"query": "authenticate rejects a wrong password"});
    index(&mut client, &tree, json!({}));
    let hidden = search(&mut client, question.clone());
    assert!(!paths(&hidden).contains(&"Tests/AuthTests/LoginTests.swift"), "{hidden:?}");
    index(&mut client, &tree, json!({"include_tests": true}));
    let shown = search(&mut client, question);
    assert!(paths(&shown).contains(&"Tests/AuthTests/LoginTests.swift"), "{shown:?}");
    assert!(paths(&shown).contains(&"Sources/Auth/Login.swift"), "{shown:?}");
}

// Requirement: search_code Tool

#[test]
fn simple_search() {
    let tree = tree();
    let mut client = serve(&tree);
    index(&mut client, &tree, json!({}));
    let found = search(&mut client, json!({"query": "authentication"}));
    assert_eq!(found[0]["path"], "Sources/Auth/Login.swift", "{found:?}");
    assert_eq!((&found[0]["startLine"], &found[0]["endLine"]), (&json!(1), &json!(6)));
}

#[test]
fn search_with_limit() {
    let files: Vec<(String, String)> =
        (0..9).map(|n| (format!("a{n}.swift"), format!("func parseHeader{n}() {{}}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&files);
    let mut client = serve(&tree);
    index(&mut client, &tree, json!({}));
    let question = |limit: i64| json!({"query": "parse the header", "limit": limit});
    assert_eq!(search(&mut client, question(5)).len(), 5);
    assert_eq!(search(&mut client, question(100_000)).len(), 9);
    let error = client.call("search_code", question(0)).unwrap_err();
    assert_eq!(error["code"], -32602, "{error}");
}

#[test]
fn search_with_file_filter() {
    let tree = tree();
    let mut client = serve(&tree);
    index(&mut client, &tree, json!({}));
    for filter in ["Sources/Auth/**", "/Sources/Auth/*", "Sources/Auth"] {
        let question = json!({"query": "shape outline canvas", "file_filter": filter});
        let found = search(&mut client, question);
        assert_eq!(paths(&found), ["Sources/Auth/Login.swift"], "{filter}");
    }
    let broken = json!({"query": "x", "file_filter": "src/[a"});
    let error = client.call("search_code", broken).unwrap_err();
    assert_eq!(error["code"], -32602, "{error}");
}

#[test]
fn search_result_format() {
    let tree = tree();
    let mut client = serve(&tree);
    index(&mut client, &tree, json!({}));
    let found = search(&mut client, json!({"query": "authenticate"}));
    let first = &found[0];
    assert_eq!(first["content"], LOGIN.trim_end());
    assert_eq!(first["path"], "Sources/Auth/Login.swift");
    assert_eq!(first["startLine"], 1);
    assert_eq!(first["endLine"], 6);
    assert_eq!(first["kind"], "function");
    assert!(first["score"].as_f64().unwrap() > 0.0);
    let scores: Vec<f64> = found.iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
}

// Requirement: watch_codebase Tool

fn watch(client: &mut Client, tree: &Tree, action: &str) -> Value {
    client.answer("watch_codebase", json!({"path": tree.root(), "action": action}))
}

/// Asks until the watch says that it is so.
fn wait_until(client: &mut Client, tree: &Tree, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    let found = poll(PATIENCE, || {
        last = watch(client, tree, "status");
        is_so(&last).then(|| last.clone())
    });
    found.unwrap_or_else(|| panic!("never: {last}"))
}

fn has_run(status: &Value, times: u64) -> bool {
    status["state"] == "idle" && status["stats"]["runs"].as_u64() >= Some(times)
}

#[test]
fn start_watching() {
    let tree = tree();
    let mut client = serve(&tree);
    let confirmation = watch(&mut client, &tree, "start");
    assert_eq!(confirmation["watching"], true, "{confirmation}");
    let again = watch(&mut client, &tree, "start");
    assert_eq!(again["message"], "already watching");
    // It catches up by itself …
    wait_until(&mut client, &tree, |status| has_run(status, 1));
    // … and then follows: an edit by rename, as editors save, and a new folder.
    tree.write("Sources/Auth/.Login.swift.new", &LOGIN.replace("authenticate", "signIn"));
    let (from, to) = ("Sources/Auth/.Login.swift.new", "Sources/Auth/Login.swift");
    std::fs::rename(tree.root().join(from), tree.root().join(to)).unwrap();
    tree.write("Sources/Billing/Deep/Invoice.swift", "func sendInvoice() {}\n");
    wait_until(&mut client, &tree, |status| {
        let stats = &status["stats"];
        stats["filesChanged"].as_u64() >= Some(1) && stats["filesAdded"].as_u64() >= Some(4)
    });
    let found = search(&mut client, json!({"query": "signIn", "limit": 1}));
    assert_eq!(found[0]["symbol"], "signIn", "{found:?}");
    // The new folder is watched too, and so is one that is still empty.
    std::fs::create_dir(tree.root().join("Sources/Empty")).unwrap();
    tree.write("Sources/Billing/Deep/Refund.swift", "func sendRefund() {}\n");
    wait_until(&mut client, &tree, |status| status["stats"]["filesAdded"].as_u64() >= Some(5));
    tree.write("Sources/Empty/Later.swift", "func later() {}\n");
    wait_until(&mut client, &tree, |status| status["stats"]["filesAdded"].as_u64() >= Some(6));
}

#[test]
fn a_watch_is_stopped_while_it_indexes() {
    let tree = tree();
    let mut client = serve(&tree);
    for round in 0..5 {
        watch(&mut client, &tree, "start");
        wait_until(&mut client, &tree, |status| has_run(status, 1));
        for n in 0..300 {
            tree.write(&format!("g{round}/f{n}.swift"), &format!("func f{n}() {{}}\n"));
        }
        wait_until(&mut client, &tree, |status| {
            status["state"] == "indexing" || has_run(status, 2)
        });
        watch(&mut client, &tree, "stop");
    }
    client.close_input();
    let (status, _, stderr) = client.finish();
    assert!(status.success() && !stderr.contains("panicked"), "{stderr}");
}

#[test]
fn stop_watching() {
    let tree = tree();
    let mut client = serve(&tree);
    watch(&mut client, &tree, "start");
    wait_until(&mut client, &tree, |status| has_run(status, 1));
    let confirmation = watch(&mut client, &tree, "stop");
    assert_eq!(confirmation["watching"], false, "{confirmation}");
    assert_eq!(confirmation["sessionStats"]["filesAdded"], 3, "{confirmation}");
    assert_eq!(watch(&mut client, &tree, "status")["watching"], false);
    assert_eq!(watch(&mut client, &tree, "stop")["message"], "was not watching");
}

#[test]
fn watch_status() {
    let tree = tree();
    let mut client = serve(&tree);
    watch(&mut client, &tree, "start");
    let status = wait_until(&mut client, &tree, |status| has_run(status, 1));
    assert_eq!(status["watching"], true);
    assert_eq!(status["fileCount"], 3, "{status}");
    assert_eq!(status["files"][0], "Sources/Auth/Login.swift");
    assert!(status["mode"] == "events" || status["mode"] == "polling", "{status}");
}

#[test]
fn a_watched_path_is_shown_without_detours() {
    let tree = tree();
    let mut client = serve(&tree);
    for (path, action) in [(".", "start"), ("Sources/..", "status"), ("./", "stop")] {
        let answer = client.answer("watch_codebase", json!({"path": path, "action": action}));
        let root = tree.root().canonicalize().unwrap();
        assert_eq!(answer["path"], json!(root), "{action} {path}");
    }
}

// Requirement: Error Handling

#[test]
fn search_without_index() {
    let tree = tree();
    let error = serve(&tree).call("search_code", json!({"query": "x"})).unwrap_err();
    assert_eq!(error["code"], -32000);
    assert!(error["message"].as_str().unwrap().starts_with("Index not found"), "{error}");
    assert_eq!(error["data"]["path"], json!(tree.root()));
    assert_eq!(error["data"]["suggestion"], "Run index_codebase first");
}

#[test]
fn invalid_path() {
    let tree = tree();
    let mut client = serve(&tree);
    for (tool, arguments) in [
        ("index_codebase", json!({"path": "/no/such/place"})),
        ("watch_codebase", json!({"path": "/no/such/place", "action": "start"})),
    ] {
        let error = client.call(tool, arguments).unwrap_err();
        assert_eq!(error["code"], -32000, "{error}");
        assert_eq!(error["data"]["path"], "/no/such/place", "{error}");
    }
    let error = client.call("index_codebase", json!({})).unwrap_err();
    assert_eq!(error["code"], -32602, "{error}");
}

#[test]
fn provider_unavailable() {
    let tree = tree();
    let mut command = tree.command(KEN, &["serve"]);
    command.env_remove("VOYAGE_API_KEY");
    command.env("OLLAMA_HOST", "127.0.0.1:9");
    let mut client = Client::connect(command);
    let arguments = json!({"path": tree.root(), "provider": "voyage"});
    let error = client.call("index_codebase", arguments).unwrap_err();
    assert_eq!(error["code"], -32000);
    let available = error["data"]["available_providers"].as_array().unwrap();
    assert!(available.contains(&json!("static")), "{error}");
    assert!(!available.contains(&json!("voyage")), "{error}");
}

// Requirement: Progress Reporting

#[test]
fn index_progress() {
    let files: Vec<(String, String)> =
        (0..600).map(|n| (format!("a{n}.rs"), format!("fn f{n}() {{}}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    let tree = Tree::new(&files);
    let mut client = serve(&tree);
    let parameters = json!({
        "name": "index_codebase",
        "arguments": {"path": tree.root()},
        "_meta": {"progressToken": "p"},
    });
    client.request("tools/call", parameters).unwrap();
    let told = client.notifications.iter().filter(|message| {
        message["method"] == "notifications/progress"
            && message["params"]["progressToken"] == "p"
            && message["params"]["total"].as_f64() == Some(600.0)
    });
    assert!(told.count() >= 1, "{:?}", client.notifications);
}
