//! Many at once.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use super::{Answer, Server, indexed, read};
use crate::support::{Tree, until};

#[test]
fn many_callers_get_the_same_answers() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let questions: [(&str, Value); 4] = [
        ("/search", json!({"query": "send again", "collectionName": "shop"})),
        ("/search/fulltext", json!({"textQuery": "query", "collectionName": "shop"})),
        ("/search/payload", json!({"payload": {"language": "rust"}, "collectionName": "shop"})),
        ("/api/search_code", json!({"query": "tokenize"})),
    ];
    let alone = questions.clone().map(|(path, body)| server.post(path, &body).ok());
    std::thread::scope(|scope| {
        for caller in 0..32 {
            let (server, questions, alone) = (*server, &questions, &alone);
            scope.spawn(move || {
                for round in 0..10 {
                    let at = (caller + round) % questions.len();
                    let (path, body) = &questions[at];
                    assert_eq!(server.post(path, body).ok(), alone[at]);
                }
            });
        }
    });
    // An answer is counted until its last byte has left, a moment after it was read.
    server.wait_for_requests(0);
}

#[test]
fn more_than_there_is_room_for_are_told_to_come_back() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[("KEN_HTTP_CONCURRENCY", "2")]);
    let held = super::jobs::hold(&tree, "shop");
    let body = json!({"path": tree.root()}).to_string();
    let begin = || {
        let mut caller = server.begin("POST", "/api/index_codebase", &[], body.len());
        caller.write_all(body.as_bytes()).unwrap();
        caller
    };
    let (first, second) = (begin(), begin());
    server.wait_for_requests(2);
    let refused = server.get("/openapi.json");
    refused.problem(429);
    assert_eq!(refused.header("retry-after"), "1");
    // A busy server is not a dead one: whoever looks after it would start it anew.
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
    drop((first, second));
    until("there is room again", || server.get("/openapi.json").status == 200);
    drop(held);
}

/// A slow request keeps no other one waiting.
#[test]
fn bodies_that_do_not_come_take_no_room() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[("KEN_HTTP_CONCURRENCY", "1")]);
    let begin = |_| {
        let mut caller = server.begin("POST", "/search", &[], 500);
        caller.write_all(b"{").unwrap();
        caller
    };
    let _stalled: Vec<TcpStream> = (0..3).map(begin).collect();
    server.wait_for_bodies(3);
    let question = json!({"query": "tokens", "collectionName": "shop"});
    server.post("/search", &question).ok();
}

#[test]
fn who_does_not_send_what_was_announced_is_told_so() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[("KEN_HTTP_TIMEOUT_MS", "300")]);
    for path in ["/search", "/api/status", "/indexer/index", "/mcp"] {
        let mut caller = server.begin("POST", path, &[], 500);
        caller.write_all(b"{").unwrap();
        let answer = read(caller);
        let problem = answer.problem(408);
        assert!(problem["hint"].is_string(), "{problem}");
        assert_eq!(answer.header("connection"), "close");
    }
    // Half a head, and nothing at all.
    for start in ["POST /search HTTP/1.1\r\nhost: local", ""] {
        let mut caller = server.connect();
        caller.write_all(start.as_bytes()).unwrap();
        let mut left = Vec::new();
        caller.read_to_end(&mut left).unwrap();
        assert_eq!(String::from_utf8_lossy(&left), "", "{start:?}");
    }
    server.wait_for_requests(0);
}

/// Indexing takes long, and may wait for another process; more of it than there are places.
#[test]
fn many_jobs_do_not_stop_a_question() {
    let names: Vec<String> = (0..9).map(|number| format!("part{number}")).collect();
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let mut held = Vec::new();
    for name in &names {
        tree.write(&format!("{name}/a.rs"), "pub fn first() {}\n");
        let body = json!({"path": tree.root().join(name), "name": name});
        server.post("/api/index_codebase", &body).ok();
        held.push(super::jobs::hold(&tree, name));
    }
    let begin = |name: &String| server.post("/indexer/index", &json!({"collectionName": name}));
    let begun: Vec<Answer> = names.iter().map(begin).collect();
    assert_eq!(server.gauge("ken_jobs_running"), 9);
    let question = json!({"query": "tokens", "collectionName": "shop"});
    server.post("/search", &question).ok();
    server.post("/api/search_code", &json!({"query": "tokenize"})).ok();
    assert_eq!(server.gauge("ken_jobs_running"), 9);
    drop(held);
    for job in begun {
        let job = super::jobs::wait(&server, job.header("location"));
        assert_eq!(job["status"], "done", "{job}");
    }
}

/// A server of collections that takes connections and says nothing.
#[test]
fn readiness_does_not_wait_for_a_server_that_hangs() {
    let tree = Tree::new(&[]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let variables = [("KEN_BACKEND", "qdrant"), ("QDRANT_URL", &*url)];
    let server = Server::start(&tree, &[], &variables);
    for _ in 0..2 {
        let problem = server.get("/readyz").problem(503);
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("did not answer within 2 s"), "{problem}");
    }
    assert_eq!(server.get("/healthz").status, 200);
}
