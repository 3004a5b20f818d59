//! MCP at `/mcp`, in both generations. Real clients try it in `tests/clients`.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use super::{Answer, Server, indexed};

const ACCEPTS: [(&str, &str); 2] =
    [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];

/// The message of an answer, whichever form it has.
fn message(answer: &Answer) -> Value {
    let text = answer.text();
    if answer.header("content-type").starts_with("application/json") {
        return answer.json();
    }
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let messages = data.filter_map(|data| serde_json::from_str::<Value>(data.trim()).ok());
    let mut answers = messages.filter(|message| message.get("id").is_some());
    answers.next().unwrap_or_else(|| panic!("{}: {text}", answer.status))
}

fn post(server: &Server, more: &[(&str, &str)], body: Value) -> Answer {
    let headers = [&ACCEPTS, more].concat();
    server.ask("POST", "/mcp", &headers, &body.to_string())
}

#[test]
fn with_a_session() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[("MCP_SERVER_NAME", "mine")]);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let answer = post(&server, &[], hello);
    assert_eq!(message(&answer)["result"]["serverInfo"]["name"], "mine");
    let session = answer.header("mcp-session-id").to_string();
    assert!(!session.is_empty());
    let of_session = [("mcp-session-id", session.as_str()), ("mcp-protocol-version", "2025-06-18")];
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&server, &of_session, told).status, 202);
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"});
    let tools = message(&post(&server, &of_session, list));
    let tools = tools["result"]["tools"].as_array().unwrap().len();
    assert_eq!(tools, kenning::ops::ALL.len());
    let call = json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {
        "name": "search_code_semantic", "arguments": {"query": "x", "collectionName": "nobody"}}});
    let error = message(&post(&server, &of_session, call));
    assert_eq!(error["error"]["code"], -32001, "{error}");
    let malformed = json!({"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"x": 1}});
    let error = message(&post(&server, &of_session, malformed));
    assert_eq!(error["error"]["code"], -32602, "{error}");
    let unknown = post(
        &server,
        &[("mcp-session-id", "none")],
        json!({
        "jsonrpc": "2.0", "id": 5, "method": "tools/list"}),
    );
    assert_eq!(unknown.status, 404);
    let ended = server.ask("DELETE", "/mcp", &of_session, "");
    assert_eq!(ended.status, 204);
}

#[test]
fn without_a_session() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "search_code_fulltext", "_meta": meta,
        "arguments": {"textQuery": "tokenize", "collectionName": "shop"}}});
    let headers = [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "search_code_fulltext"),
    ];
    let answer = post(&server, &headers, call);
    let result = &message(&answer)["result"];
    assert_eq!(result["structuredContent"]["results"][0]["symbol"], "tokenize");
    assert_eq!(answer.header("mcp-session-id"), "");
}

/// Streams that only listen end with the server, and do not hold it up.
#[test]
fn open_streams_end_with_the_server() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}});
    let answer = post(&server, &[], hello);
    let session = answer.header("mcp-session-id").to_string();
    let of_session = [("mcp-session-id", session.as_str()), ("accept", "text/event-stream")];
    let stream = server.begin("GET", "/mcp", &of_session, 0);
    let mut lines = BufReader::new(stream).lines();
    let head = lines.next().unwrap().unwrap();
    assert!(head.contains("200"), "{head}");
    assert_eq!(server.gauge("ken_http_listeners"), 1);
    server.signal("TERM");
    let (status, _, said) = server.finish();
    assert!(status.success(), "{said}");
    // The stream is at its end, however it got there.
    for line in lines {
        if line.is_err() {
            break;
        }
    }
}

#[test]
fn a_refusal_of_the_transport_says_what_to_do() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let json_type = ("content-type", "application/json");
    let problem = server.ask("POST", "/mcp", &[json_type], "{}").problem(406);
    assert!(problem["hint"].as_str().unwrap().contains("text/event-stream"), "{problem}");
    server.ask("POST", "/mcp", &ACCEPTS, "no json").problem(400);
    let gone = [&ACCEPTS[..], &[("mcp-session-id", "gone")]].concat();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let problem = server.ask("POST", "/mcp", &gone, &list).problem(404);
    assert!(problem["hint"].as_str().unwrap().contains("initialize"), "{problem}");
    let refused = server.ask("PUT", "/mcp", &ACCEPTS, "{}");
    assert_eq!(refused.header("allow"), "GET, POST, DELETE");
    refused.problem(405);
}
