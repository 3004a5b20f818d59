//! How a server ends: every signal and the end of input, at every moment of a connection, with and
//! without work in flight. Always exit code 0, every answer delivered, a word on stderr. And how a
//! command does.
#![cfg(unix)]

use std::process::Stdio;

use serde_json::json;

use crate::support::{Client, KEN, Tree, wait_for, wait_until_signals_are_caught};

/// The ways to end the server.
const ENDINGS: [&str; 4] = ["EOF", "TERM", "INT", "TERM twice"];

/// The state of the server at that moment.
const MOMENTS: [&str; 11] = [
    "not spoken to",
    "after a ping",
    "after discover",
    "after initialize, before initialized",
    "idle",
    "after a call",
    "with a call in flight",
    "with a hundred calls in flight",
    "with a call in flight that reports progress",
    "in the middle of a line",
    "with an open subscription",
];

fn meta() -> serde_json::Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// Brings a server to that moment; the ids whose answers must still come.
fn bring_to(tree: &Tree, moment: &str) -> (Client, Vec<u64>) {
    let mut command = tree.command(KEN, &["serve"]);
    command.env("KEN_LOG", "rmcp=warn");
    match moment {
        "not spoken to" => (Client::start(command), Vec::new()),
        "after a ping" => {
            let mut client = Client::start(command);
            client.request("ping", json!({})).unwrap();
            (client, Vec::new())
        }
        "after discover" => {
            let mut client = Client::start(command);
            client.request("server/discover", json!({"_meta": meta()})).unwrap();
            (client, Vec::new())
        }
        "after initialize, before initialized" => {
            let mut client = Client::start(command);
            let parameters = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "test", "version": "1"}});
            client.request("initialize", parameters).unwrap();
            (client, Vec::new())
        }
        "with an open subscription" => {
            let mut client = Client::start(command);
            let notifications = json!({"toolsListChanged": true});
            let parameters = json!({"_meta": meta(), "notifications": notifications});
            client.post("subscriptions/listen", parameters);
            let acknowledged = client.receive().unwrap();
            assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
            (client, Vec::new())
        }
        _ => {
            let mut client = Client::connect(command);
            let pending = occupy(&mut client, moment);
            (client, pending)
        }
    }
}

fn occupy(client: &mut Client, moment: &str) -> Vec<u64> {
    let call = |meta: serde_json::Value| {
        let arguments = json!({"name": "web"});
        json!({"name": "dependency_graph", "arguments": arguments, "_meta": meta})
    };
    match moment {
        "idle" => Vec::new(),
        "after a call" => {
            client.answer("list_packages", json!({}));
            Vec::new()
        }
        "with a call in flight" => vec![client.post("tools/call", call(json!({})))],
        "with a hundred calls in flight" => {
            (0..100).map(|_| client.post("tools/call", call(json!({})))).collect()
        }
        "with a call in flight that reports progress" => {
            vec![client.post("tools/call", call(json!({"progressToken": 1})))]
        }
        "in the middle of a line" => {
            client.send_part(r#"{"jsonrpc": "2.0", "id": 5, "#);
            Vec::new()
        }
        other => panic!("{other}"),
    }
}

fn end(client: &mut Client, ending: &str) {
    match ending {
        "EOF" => client.close_input(),
        "TERM twice" => {
            client.signal("TERM");
            client.signal("TERM");
        }
        name => client.signal(name),
    }
}

#[test]
fn every_ending_at_every_moment() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    for moment in MOMENTS {
        for ending in ENDINGS {
            let (mut client, pending) = bring_to(&tree, moment);
            if moment == "not spoken to" {
                client.wait_until_signals_are_caught();
            }
            end(&mut client, ending);
            let (status, rest, stderr) = client.finish();
            let place = format!("{ending} {moment}: {stderr}");
            assert_eq!(status.code(), Some(0), "{place}");
            assert!(stderr.contains("shut down"), "{place}");
            // The library warns when it gives up on handlers that hold up the exit.
            assert!(!stderr.contains("timed out draining"), "{place}");
            // A signal may come before the server has read what stands in the pipe; what it
            // read, and with the end of input everything, it answers.
            if ending == "EOF" {
                for id in pending {
                    let answered = rest.iter().any(|message| message["id"] == id);
                    assert!(answered, "{place}: no answer to {id}");
                }
            }
        }
    }
}

/// Everything in one write, then the end: as `printf … | ken serve` does it.
#[test]
fn a_whole_conversation_in_one_pipe() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    let mut client = Client::start(tree.command(KEN, &["serve"]));
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "get_package", "arguments": {"name": "web"}}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/list"}),
    ];
    client.send_raw(&lines.map(|line| line.to_string()).join("\n"));
    client.close_input();
    let (status, rest, _) = client.finish();
    assert!(status.success());
    let ids: Vec<_> = rest.iter().map(|message| message["id"].as_u64().unwrap()).collect();
    assert!([1, 2, 3].iter().all(|id| ids.contains(id)), "{ids:?}");
}

/// A command that is told to stop ends by itself, whichever signal says so, and says that it did not
/// finish.
#[cfg(target_os = "linux")]
#[test]
fn a_command_ends_as_it_is_told() {
    let tree = Tree::new(&[]);
    for number in 0..600 {
        let body = format!("pub fn function_{number}() -> u32 {{ {number} }}\n").repeat(40);
        tree.write(&format!("src/file_{number}.rs"), &body);
    }
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let mut command = tree.command(KEN, &["index", "--force"]);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        wait_until_signals_are_caught(child.id());
        let id = child.id().to_string();
        let sent = std::process::Command::new("kill").args([&format!("-{signal}"), &id]).status();
        assert!(sent.unwrap().success());
        let status = wait_for(&mut child);
        let mut said = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
        // Not by the signal, which would leave no code; but with the code that a shell gives it.
        assert_eq!(status.code(), Some(code), "{signal}: {status} {said}");
        assert!(said.contains("cancelled"), "{signal}: {said}");
    }
}
