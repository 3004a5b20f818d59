//! The MCP door over real pipes: both protocol generations, bad input, many calls at once. Every
//! trap of the MCP library that the design names has a test here or in `shutdown`.

use std::collections::HashMap;

use kenning::ops::Family;
use serde_json::{Value, json};

use crate::support::{Client, KEN, SHIRE, SPOX, Tree};

fn indexed() -> Tree {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    tree
}

fn serve(tree: &Tree, arguments: &[&str]) -> Client {
    Client::connect(tree.command(KEN, &[&["serve"], arguments].concat()))
}

/// The metadata of each request of the 2026-07-28 generation, in place of a handshake.
fn stateless_meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// The request that opens the lifecycle of the older generation.
fn hello() -> Value {
    json!({
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    })
}

#[test]
fn every_older_protocol_version_is_spoken() {
    let tree = indexed();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::connect_as(tree.command(KEN, &["serve"]), version);
        assert_eq!(client.server["protocolVersion"], version);
        assert_eq!(client.server["serverInfo"]["name"], "kenning");
        assert!(client.server["capabilities"]["tools"].is_object());
        assert!(client.server["instructions"].as_str().unwrap().len() < 2048);
        assert_eq!(client.answer("get_package", json!({"name": "web"}))["kind"], "npm");
    }
}

#[test]
fn the_stateless_generation_needs_no_handshake() {
    let tree = indexed();
    let mut client = Client::start(tree.command(KEN, &["serve"]));
    let found = client.request("server/discover", json!({"_meta": stateless_meta()})).unwrap();
    let versions = found["supportedVersions"].to_string();
    assert!(versions.contains("2026-07-28") && versions.contains("2025-06-18"), "{found}");
    let parameters = json!({
        "_meta": stateless_meta(), "name": "get_package", "arguments": {"name": "web"},
    });
    let result = client.request("tools/call", parameters).unwrap();
    assert_eq!(result["structuredContent"]["path"], "packages/web", "{result}");
    let listed = client.request("tools/list", json!({"_meta": stateless_meta()})).unwrap();
    assert_eq!(listed["tools"].as_array().unwrap().len(), 20);
}

/// A client that can do both asks first, and falls back to the handshake on the same pipe.
#[test]
fn a_probe_leaves_the_handshake_open() {
    let tree = indexed();
    let mut from_the_future = stateless_meta();
    from_the_future["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    for (meta, code) in
        [(stateless_meta(), None), (from_the_future, Some(-32022)), (json!({}), Some(-32602))]
    {
        let mut client = Client::start(tree.command(KEN, &["serve"]));
        let found = client.request("server/discover", json!({"_meta": meta}));
        assert_eq!(found.err().map(|error| error["code"].clone()), code.map(Value::from));
        // It may have given up waiting, and says so.
        let cancelled = json!({"requestId": 1, "reason": "timed out"});
        client.send(&json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled,
        }));
        client.request("initialize", hello()).unwrap();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        assert_eq!(client.answer("get_package", json!({"name": "web"}))["kind"], "npm");
    }
}

/// Trap: after a stateless request the library grants a handshake, and then refuses every request
/// that relies on it.
#[test]
fn a_handshake_after_stateless_requests_is_refused() {
    let tree = indexed();
    let mut client = Client::start(tree.command(KEN, &["serve"]));
    let list = json!({"_meta": stateless_meta()});
    client.request("tools/list", list.clone()).unwrap();
    let error = client.request("initialize", hello()).unwrap_err();
    assert_eq!(error["code"], -32022, "{error}");
    assert_eq!(error["data"]["supported"], json!(["2026-07-28"]));
    assert_eq!(error["data"]["requested"], "2025-06-18");
    assert!(client.request("tools/list", list).is_ok());
}

#[test]
fn profiles_and_toolsets_choose_tools_and_name() {
    let tree = indexed();
    tree.shire_build();
    let of = |family: Family| {
        let tools = kenning::ops::ALL.iter();
        tools.filter(|op| op.family == family).count()
    };
    for (arguments, name, tools) in [
        (&[][..], "kenning", 20),
        (&["--toolsets", "all"], "kenning", kenning::ops::ALL.len()),
        (&["--toolsets", "agent"], "kenning", 6),
        (&["--toolsets", "packages"], "kenning", of(Family::Packages)),
        (&["--profile", "shire"], "shire", 7),
        (&["--profile", "swiftindex"], "swiftindex", 4),
        (&["--profile", "code-indexer"], "code-indexer", 3),
        (&["--profile", "skills"], "skills", 1),
    ] {
        let mut client = serve(&tree, arguments);
        assert_eq!(client.server["serverInfo"]["name"], name);
        assert_eq!(client.tool_names().len(), tools, "{arguments:?}");
    }
    let client = Client::connect(tree.command(SPOX, &["mcp", "serve"]));
    assert_eq!(client.server["serverInfo"]["name"], "spox");
}

#[test]
fn the_profile_of_shire_serves_what_ken_index_built() {
    let tree = Tree::new(&[("package.json", "{\"name\": \"alone\", \"version\": \"1.0.0\"}")]);
    let refused = tree.run(KEN, &["serve", "--profile", "shire"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(refused.status.code() == Some(3) && said.contains("ken index"), "{said}");
    tree.ken(&["index"]);
    let mut client = serve(&tree, &["--profile", "shire"]);
    let answer = client.answer("list_packages", json!({}));
    assert!(answer.to_string().contains("\"alone\""), "{answer}");
    // The binary of that name keeps to what `shire build` made.
    let refused = tree.run(SHIRE, &["serve"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("shire build"), "{said}");
}

#[test]
fn tools_carry_annotations_and_short_descriptions() {
    let tree = indexed();
    let listed = serve(&tree, &[]).request("tools/list", json!({})).unwrap();
    for tool in listed["tools"].as_array().unwrap() {
        let changes = ["index_codebase", "watch_codebase", "forget"];
        let is_read_only = !changes.contains(&tool["name"].as_str().unwrap());
        assert_eq!(tool["annotations"]["readOnlyHint"], is_read_only, "{tool}");
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{tool}");
        assert!(tool["description"].as_str().unwrap().len() < 2048, "{tool}");
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
    }
}

/// Trap: the library turns a malformed `tools/call` into "method not found".
#[test]
fn a_malformed_call_is_invalid_params() {
    let tree = indexed();
    let mut client = serve(&tree, &[]);
    for parameters in [
        json!({}),
        json!({"name": 7}),
        json!({"name": "get_package", "arguments": ["web"]}),
        json!({"name": "get_package", "arguments": "web"}),
        json!([]),
    ] {
        let error = client.request("tools/call", parameters.clone()).unwrap_err();
        assert_eq!(error["code"], -32602, "{parameters}: {error}");
    }
    let error = client.request("tools/frobnicate", json!({})).unwrap_err();
    assert_eq!(error["code"], -32601, "{error}");
    let error = client.call("get_pakage", json!({})).unwrap_err();
    assert_eq!(error["code"], -32602, "{error}");
    assert!(error["message"].as_str().unwrap().contains("get_package"), "{error}");
}

#[test]
fn bad_lines_get_an_answer_and_the_server_lives_on() {
    let tree = indexed();
    let mut client = serve(&tree, &[]);
    for (line, code) in [
        ("{", -32700),
        ("nonsense", -32700),
        ("\u{feff}{]", -32700),
        ("[]", -32600),
        ("42", -32600),
        (r#"{"jsonrpc": "2.0", "id": 1}"#, -32600),
        (r#"{"jsonrpc": "1.0", "id": 1, "method": "ping"}"#, -32600),
    ] {
        client.send_raw(line);
        let answer = client.receive().unwrap();
        assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
    }
    client.send_raw("");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/of/nobody", "params": {}}));
    assert_eq!(client.answer("get_package", json!({"name": "web"}))["kind"], "npm");
}

/// Trap: a line over the library's limit is dropped without a word.
#[test]
fn an_endless_line_is_refused() {
    let tree = indexed();
    let mut client = serve(&tree, &[]);
    let padding = "x".repeat(17 * 1024 * 1024);
    client
        .send_raw(&json!({"jsonrpc": "2.0", "id": 9, "method": "ping", "p": padding}).to_string());
    let answer = client.receive().unwrap();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert_eq!(client.answer("get_package", json!({"name": "web"}))["kind"], "npm");
}

/// Trap: a connection is given up where anything but requests comes before the handshake.
#[test]
fn strays_before_the_handshake_do_no_harm() {
    let tree = indexed();
    let mut client = Client::start(tree.command(KEN, &["serve"]));
    let cancelled = json!({"requestId": 1});
    for _ in 0..2 {
        client.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}),
        );
        client.send(&json!({"jsonrpc": "2.0", "id": 9, "result": {}}));
        client.post("ping", json!({}));
        assert!(client.receive().unwrap().get("result").is_some());
    }
}

#[test]
fn two_thousand_pipelined_calls_are_all_answered_correctly() {
    let tree = indexed();
    let mut client = serve(&tree, &[]);
    let mut expected: HashMap<u64, Expected> = HashMap::new();
    for n in 0..2000 {
        let (tool, arguments, answer) = mixed_call(n);
        let meta = json!({"kenning/structuredContent": true});
        let parameters = json!({"name": tool, "arguments": arguments, "_meta": meta});
        expected.insert(client.post("tools/call", parameters), answer);
    }
    for (id, expected) in expected {
        let outcome = client.wait(id);
        match expected {
            Expected::Text(text) => assert_eq!(outcome.unwrap()["content"][0]["text"], text),
            Expected::Package(name) => {
                let structured = &outcome.unwrap()["structuredContent"];
                assert_eq!(structured["name"], name);
            }
            Expected::Rows(count) => {
                let results = outcome.unwrap()["structuredContent"]["results"].clone();
                assert_eq!(results.as_array().unwrap().len(), count);
            }
            Expected::Code(code) => assert_eq!(outcome.unwrap_err()["code"], code),
        }
    }
    assert_eq!(client.notifications, Vec::<Value>::new());
}

enum Expected {
    Text(String),
    Package(&'static str),
    Rows(usize),
    Code(i64),
}

fn mixed_call(n: usize) -> (&'static str, Value, Expected) {
    match n % 8 {
        0 => ("get_package", json!({"name": "web"}), Expected::Package("web")),
        1 => ("get_package", json!({"name": "ui"}), Expected::Package("ui")),
        2 => {
            let name = format!("missing-{n}");
            let text = format!("Package '{name}' not found");
            ("get_package", json!({"name": name}), Expected::Text(text))
        }
        3 => ("list_packages", json!({"kind": "npm"}), Expected::Rows(4)),
        4 => ("package_dependents", json!({"name": "core"}), Expected::Rows(2)),
        5 => ("dependency_graph", json!({"depth": 2}), Expected::Code(-32602)),
        6 => ("search_packages", json!({"query": "customer"}), Expected::Rows(1)),
        _ => ("package_cycles", json!({}), Expected::Rows(0)),
    }
}

#[test]
fn a_server_reads_the_state_that_a_build_publishes() {
    let tree = indexed();
    let mut client = serve(&tree, &[]);
    assert_eq!(client.answer("get_package", json!({"name": "web"}))["version"], "1.2.0");
    tree.write("packages/web/package.json", r#"{"name": "web", "version": "1.3.0"}"#);
    tree.ken(&["index"]);
    assert_eq!(client.answer("get_package", json!({"name": "web"}))["version"], "1.3.0");
}

#[test]
fn logs_go_to_stderr_and_only_when_asked() {
    let tree = indexed();
    let mut client = serve(&tree, &["-vv"]);
    client.answer("list_packages", json!({}));
    client.close_input();
    let (status, rest, stderr) = client.finish();
    assert!(status.success() && rest.is_empty());
    assert!(stderr.contains("DEBUG") || stderr.contains("INFO") || !stderr.is_empty());
    let mut client = serve(&tree, &[]);
    client.close_input();
    let (_, _, stderr) = client.finish();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}
