//! Access control. A unit test covers the table of names and origins; these tests check that it
//! guards every route.

use serde_json::json;

use super::{Server, indexed};
use crate::support::{KEN, Tree};

const ROUTES: [(&str, &str); 8] = [
    ("POST", "/search"),
    ("POST", "/api/status"),
    ("POST", "/indexer/index"),
    ("GET", "/indexer/jobs/x"),
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
];

#[test]
fn strangers_names_and_origins_are_refused_everywhere() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    for (method, path) in ROUTES.into_iter().chain([("GET", "/healthz"), ("GET", "/nowhere")]) {
        let by_name = server.ask(method, path, &[("host", "evil.example")], "");
        by_name.problem(403);
        let origin = [("origin", "https://evil.example")];
        let by_origin = server.ask(method, path, &origin, "");
        by_origin.problem(403);
        assert_eq!(by_origin.header("access-control-allow-origin"), "");
    }
    let local = server.ask("GET", "/healthz", &[("origin", "http://localhost:6274")], "");
    assert_eq!(local.status, 200);
    assert_eq!(local.header("access-control-allow-origin"), "http://localhost:6274");
}

#[test]
fn browsers_ask_before_they_send() {
    let tree = indexed();
    let server = Server::start(&tree, &["--set", "http.origins=https://app.example"], &[]);
    let ask = |origin: &str| {
        let headers = [("origin", origin), ("access-control-request-method", "POST")];
        server.ask("OPTIONS", "/mcp", &headers, "")
    };
    let admitted = ask("https://app.example");
    assert_eq!(admitted.status, 204);
    assert_eq!(admitted.header("access-control-allow-origin"), "https://app.example");
    assert!(admitted.header("access-control-allow-headers").contains("mcp-session-id"));
    ask("https://evil.example").problem(403);
}

#[test]
fn a_token_guards_everything_but_the_probes() {
    let tree = indexed();
    let server = Server::start(&tree, &["--token", "s3cret"], &[]);
    for (method, path) in ROUTES {
        server.ask(method, path, &[], "").problem(401);
        let wrong = [("authorization", "Bearer s3cre")];
        let refused = server.ask(method, path, &wrong, "");
        refused.problem(401);
        assert_eq!(refused.header("www-authenticate"), "Bearer");
    }
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.get("/readyz").status, 200);
    let right = [("authorization", "Bearer s3cret")];
    assert_eq!(server.ask("GET", "/metrics", &right, "").status, 200);
}

#[test]
fn beyond_loopback_a_token_is_wanted() {
    let tree = Tree::new(&[]);
    let refused = tree.run(KEN, &["http", "--port", "0", "--host", "0.0.0.0"]);
    assert_eq!(refused.status.code(), Some(2));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(said.contains("--token"), "{said}");
    let server = Server::start(&tree, &["--host", "0.0.0.0"], &[("KEN_HTTP_TOKEN", "s3cret")]);
    server.post("/search", &json!({})).problem(401);
}

/// A repository is other people's work; it does not admit callers.
#[test]
fn a_repository_does_not_say_who_may_call() {
    let tree = Tree::new(&[("kenning.toml", "[http]\norigins = [\"https://evil.example\"]\n")]);
    let server = Server::start(&tree, &[], &[]);
    let warned = server.before.join("\n");
    assert!(warned.contains("http.origins: ignored"), "{warned}");
    let evil = [("origin", "https://evil.example")];
    server.ask("GET", "/metrics", &evil, "").problem(403);
}
