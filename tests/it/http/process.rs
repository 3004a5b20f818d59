//! The process: the scenarios of the collections contract that are about it, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Server, indexed, read};
use crate::support::{KEN, Tree, until};

/// An MCP client on the server's pipes.
struct Pipes {
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Pipes {
    fn request(&mut self, id: u64, method: &str, params: Value) -> Value {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(self.input, "{message}").unwrap();
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == id {
                return answer["result"].clone();
            }
        }
    }

    fn greet(&mut self) -> Value {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                           "clientInfo": {"name": "test", "version": "1"}});
        let server = self.request(1, "initialize", hello);
        let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        writeln!(self.input, "{told}").unwrap();
        server
    }

    fn tool_names(&mut self) -> Vec<String> {
        let listed = self.request(2, "tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap().iter();
        tools.map(|tool| tool["name"].as_str().unwrap().to_string()).collect()
    }
}

fn with_pipes(tree: &Tree, arguments: &[&str], variables: &[(&str, &str)]) -> (Server, Pipes) {
    let arguments = [&["http", "--port", "0"], arguments].concat();
    let mut command = tree.command(KEN, &arguments);
    command.stdin(Stdio::piped()).envs(variables.iter().copied());
    let mut server = Server::spawn(command);
    let pipes = Pipes {
        input: server.stdin(),
        output: BufReader::new(server.child.stdout.take().unwrap()),
    };
    // `finish` wants a pipe to read to its end; this one is read here.
    (server, pipes)
}

const THREE: [&str; 3] = ["search_code_semantic", "search_code_fulltext", "search_code_by_payload"];

// Requirement: MCP Server Initialization

#[test]
fn mcp_server_starts_successfully() {
    let tree = indexed();
    let (server, mut pipes) = with_pipes(&tree, &[], &[("MCP_ENABLED", "true")]);
    let greeting = pipes.greet();
    assert_eq!(greeting["serverInfo"]["name"], "code-indexer");
    assert_eq!(greeting["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(pipes.tool_names(), THREE);
    let call = json!({"name": "search_code_by_payload", "arguments":
        {"collectionName": "shop", "payload": {"symbol": "tokenize"}}});
    let result = pipes.request(3, "tools/call", call);
    assert_eq!(result["structuredContent"]["results"][0]["symbol"], "tokenize");
    assert_eq!(server.get("/healthz").status, 200);
    let question = json!({"collectionName": "shop", "payload": {"symbol": "tokenize"}});
    assert_eq!(server.post("/search/payload", &question).ok()[0]["symbol"], "tokenize");
}

#[test]
fn mcp_server_disabled() {
    let tree = indexed();
    for variables in [vec![("MCP_ENABLED", "false")], vec![]] {
        let mut command = tree.command(KEN, &["http", "--port", "0"]);
        command.stdin(Stdio::piped()).envs(variables);
        let mut server = Server::spawn(command);
        let mut input = server.stdin();
        let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        writeln!(input, "{hello}").unwrap();
        drop(input);
        assert_eq!(server.get("/healthz").status, 200);
        server.signal("TERM");
        let (status, stdout, said) = server.finish();
        assert!(status.success(), "{said}");
        assert_eq!(stdout, "", "nobody speaks MCP there");
    }
}

// Requirement: Configuration

#[test]
fn configure_mcp_server() {
    let tree = indexed();
    let named = [
        ("MCP_ENABLED", "true"),
        ("MCP_TRANSPORT", "stdio"),
        ("MCP_SERVER_NAME", "mine"),
        ("MCP_SERVER_VERSION", "9.9.9"),
    ];
    let (_server, mut pipes) = with_pipes(&tree, &[], &named);
    let server = pipes.greet()["serverInfo"].clone();
    assert_eq!((&server["name"], &server["version"]), (&json!("mine"), &json!("9.9.9")));

    let (_server, mut pipes) =
        with_pipes(&tree, &["--toolsets", "packages"], &[("MCP_ENABLED", "true")]);
    pipes.greet();
    assert!(pipes.tool_names().contains(&"get_package".to_string()));

    let at_mcp = [("MCP_ENABLED", "true"), ("MCP_TRANSPORT", "http")];
    let server = Server::start(&tree, &[], &at_mcp);
    server.signal("TERM");
    assert_eq!(server.finish().1, "");

    for (name, value, words) in [
        ("MCP_TRANSPORT", "sse", "stdio or http"),
        ("MCP_ENABLED", "perhaps", "true or false"),
        ("PORT", "http", "PORT"),
    ] {
        let mut command = tree.command(KEN, &["http"]);
        command.env("MCP_ENABLED", "true").env(name, value);
        let refused = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn the_port_of_code_indexers_users() {
    let tree = Tree::new(&[]);
    let probe = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = probe.local_addr().unwrap().port().to_string();
    drop(probe);
    let mut command = tree.command(KEN, &["http"]);
    command.env("PORT", &port).stdin(Stdio::null());
    let server = Server::spawn(command);
    assert_eq!(server.address.port().to_string(), port);
    assert!(server.address.ip().is_loopback());
}

#[test]
fn a_port_in_use_is_a_clear_error() {
    let tree = Tree::new(&[]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let refused = tree.run(KEN, &["http", "--port", &port]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("in use") && said.contains(&port), "{said}");
    assert!(said.contains("--port"), "{said}");
}

// Requirement: Graceful Shutdown

#[test]
fn application_shutdown() {
    let tree = indexed();
    for signal in ["TERM", "INT"] {
        let (server, mut pipes) = with_pipes(&tree, &[], &[("MCP_ENABLED", "true")]);
        pipes.greet();
        let body = json!({"query": "tokens", "collectionName": "shop"}).to_string();
        let (first, rest) = body.split_at(10);
        let json_type = [("content-type", "application/json")];
        let mut flying = server.begin("POST", "/search", &json_type, body.len());
        flying.write_all(first.as_bytes()).unwrap();
        server.wait_for_bodies(1);
        server.signal(signal);
        until("nobody new is let in", || TcpStream::connect(server.address).is_err());
        flying.write_all(rest.as_bytes()).unwrap();
        let answer = read(flying);
        assert_eq!(answer.ok()[0]["symbol"], "tokenize");
        let mut left = String::new();
        pipes.output.read_line(&mut left).unwrap();
        assert_eq!(left, "", "MCP is closed");
        ends_well(server);
    }
}

fn ends_well(mut server: Server) {
    let status = crate::support::wait_for(&mut server.child);
    let said: Vec<String> = server.said.iter().collect();
    assert!(status.success(), "{said:?}");
    assert!(said.last().unwrap().contains("shut down"), "{said:?}");
}

/// A request that never ends does not keep the server from ending.
#[test]
fn draining_has_an_end() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[("KEN_HTTP_DRAIN_MS", "100")]);
    let _stuck = server.begin("POST", "/search", &[], 1000);
    server.wait_for_bodies(1);
    server.signal("TERM");
    ends_well(server);
}

/// However long what is under way may take, nobody waits for what does not come.
#[test]
fn callers_who_say_nothing_do_not_hold_the_end() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[("KEN_HTTP_DRAIN_MS", "600000")]);
    let _silent = server.connect();
    let mut kept = server.connect();
    let question = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", server.address);
    kept.write_all(question.as_bytes()).unwrap();
    let mut first = [0; 12];
    kept.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    let mut stalled = server.begin("POST", "/search", &[], 500);
    stalled.write_all(b"{").unwrap();
    server.wait_for_bodies(1);
    server.signal("TERM");
    read(stalled).problem(503);
    ends_well(server);
}

#[test]
fn a_backend_that_cannot_be_is_refused_at_once() {
    let tree = Tree::new(&[]);
    for (backend, words) in
        [("foo", "qdrant"), ("qdrant", "QDRANT_URL"), ("postgres", "DATABASE_URL")]
    {
        let refused = tree.run(KEN, &["http", "--port", "0", "--backend", backend]);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn the_end_of_input_ends_a_server_that_a_client_started() {
    let tree = indexed();
    let (server, mut pipes) = with_pipes(&tree, &[], &[("MCP_ENABLED", "true")]);
    pipes.greet();
    drop(pipes);
    ends_well(server);
    // One that never had a client on its input stays.
    let server = Server::start(&tree, &["-v"], &[("MCP_ENABLED", "true")]);
    let mut told = server.before.iter().cloned().chain(server.said.iter());
    assert!(told.any(|line| line.contains("nobody speaks MCP")));
    drop(told);
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn a_broken_file_of_the_repository_is_told_and_passed_over() {
    let tree = indexed();
    tree.write("kenning.toml", "[index\n");
    let server = Server::start(&tree, &[], &[]);
    let found = server.post("/api/search_code", &json!({"query": "tokenize"}));
    assert!(found.text().contains("tokenize"), "{}", found.text());
    let refused = server.post("/api/index_codebase", &json!({"path": "."}));
    let problem = refused.problem(400);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("kenning.toml: line 1"), "{problem}");
    server.signal("TERM");
    let (status, _, stderr) = server.finish();
    assert!(status.success(), "{stderr}");
}
