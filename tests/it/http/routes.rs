//! Every route, and what it says when it is asked wrongly.

use std::io::Write;

use serde_json::{Value, json};

use super::{Server, indexed, read};

#[test]
fn the_three_searches() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let semantic = json!({"query": "send a request again", "collectionName": "shop", "top_k": 1});
    let hits = server.post("/search", &semantic).ok();
    assert_eq!(hits[0]["filePath"], "src/retry.rs");
    assert!(hits[0]["score"].is_number());
    assert_eq!(hits.as_array().unwrap().len(), 1);
    let listed = json!({"query": "send a request again", "collectionName": ["shop"], "top_k": 1});
    assert_eq!(server.post("/search", &listed).ok(), hits);

    let text = json!({"textQuery": "split(' ')", "collectionName": "shop"});
    let hits = server.post("/search/fulltext", &text).ok();
    assert_eq!(hits[0]["symbol"], "tokenize");
    let payload = json!({"collectionName": "shop", "payload": {"filePath": "/src/search/*"}});
    let hits = server.post("/search/payload", &payload).ok();
    assert_eq!(hits[0]["file_path"], "src/search/tokens.rs");

    let nobody = json!({"query": "x", "collectionName": "nobody"});
    let problem = server.post("/search", &nobody).problem(404);
    assert_eq!(problem["data"]["collections"], json!(["shop"]));
    assert!(problem["hint"].as_str().unwrap().contains("shop"), "{problem}");
    server.post("/search", &json!({"query": "x"})).problem(400);
    let none = json!({"query": "x", "collectionName": []});
    server.post("/search", &none).problem(400);
    let mixed = json!({"query": "x", "collectionName": [1]});
    server.post("/search", &mixed).problem(400);
}

/// All entry points give the same answers.
#[test]
fn every_operation_has_a_route() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let document = server.get("/openapi.json").ok();
    let paths = document["paths"].as_object().unwrap();
    for op in kenning::ops::ALL {
        assert!(paths.contains_key(&format!("/api/{}", op.name)), "{}", op.name);
        // Nothing of what each wants is given; none may fail in a way that is not its caller's.
        if op.name == "forget" {
            continue;
        }
        let answer = server.ask("POST", &format!("/api/{}", op.name), &[], "");
        match answer.status {
            200 => {}
            400 | 404 => {
                answer.problem(answer.status);
            }
            status => panic!("{}: {status} {}", op.name, answer.text()),
        }
    }
    let from_shell = tree.ken_json(&["call", "search_code", r#"{"query": "tokenize"}"#]);
    let from_http = server.post("/api/search_code", &json!({"query": "tokenize"})).ok();
    assert_eq!(from_http, from_shell);
    let dashed = server.post("/api/search-code", &json!({"query": "tokenize"})).ok();
    assert_eq!(dashed, from_shell);
    let problem = server.post("/api/serch_code", &json!({})).problem(404);
    assert!(problem["hint"].as_str().unwrap().contains("search_code"), "{problem}");
}

#[test]
fn bad_bodies() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[("KEN_HTTP_MAX_BODY", "1000")]);
    let json_type = ("content-type", "application/json");
    let ask = |body: &str| server.ask("POST", "/search", &[json_type], body);
    assert!(ask("{").problem(400)["detail"].as_str().unwrap().contains("not JSON"));
    assert!(ask("[1]").problem(400)["detail"].as_str().unwrap().contains("JSON object"));
    ask("").problem(400);
    let form = ("content-type", "application/x-www-form-urlencoded");
    server.ask("POST", "/search", &[form], "query=x").problem(415);

    let packed = ("content-encoding", "gzip");
    let problem = server.ask("POST", "/search", &[json_type, packed], "{}").problem(415);
    assert!(problem["detail"].as_str().unwrap().contains("gzip"), "{problem}");

    let long = json!({"query": "x".repeat(2000), "collectionName": "shop"});
    server.post("/search", &long).problem(413);
    // The same without a word about its length before.
    let chunked = ("transfer-encoding", "chunked");
    let mut connection = server.begin("POST", "/search", &[json_type, chunked], 0);
    let piece = format!("400\r\n{}\r\n", " ".repeat(1024));
    connection.write_all(piece.as_bytes()).unwrap();
    read(connection).problem(413);
    // MCP has the same limit.
    let accept = ("accept", "application/json, text/event-stream");
    let answer = server.ask("POST", "/mcp", &[json_type, accept], &long.to_string());
    assert_eq!(answer.status, 413);
}

#[test]
fn what_is_not_there() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let problem = server.get("/nowhere").problem(404);
    assert!(problem["hint"].as_str().unwrap().contains("/openapi.json"));
    server.get("/search").problem(405);
    let problem = server.get("/api/search_code").problem(405);
    assert!(problem["hint"].as_str().unwrap().contains("send POST"));
    server.post("/healthz", &json!({})).problem(405);
    server.get("/indexer/jobs/none").problem(404);
    let nothing = json!({"name": "no such package"});
    let problem = server.post("/api/get_package", &nothing).problem(404);
    assert_eq!(problem["detail"], "Package 'no such package' not found");
}

#[test]
fn a_mistyped_argument_is_named() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    for (route, body, expected) in [
        ("/api/search_code", json!({"query": "x", "limt": 3}), "did you mean `limit`?"),
        (
            "/search",
            json!({"query": "x", "collectionName": "shop", "topk_": 3, "zzzz": 1}),
            "it takes query, collectionName",
        ),
        ("/api/model", json!({"x": 1}), "it takes none"),
    ] {
        let problem = server.post(route, &body).problem(400);
        let hint = problem["hint"].as_str().unwrap();
        assert!(hint.contains(expected), "{problem}");
    }
    // Both spellings are known.
    let body = json!({"query": "x", "collection_name": "shop", "topK": 1});
    server.post("/search", &body).ok();
}

#[test]
fn probes_and_metrics() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    assert_eq!(server.get("/healthz").ok(), json!({"status": "ok"}));
    let ready = json!({"status": "ready", "collections": 1});
    assert_eq!(server.get("/readyz").ok(), ready);
    let question = json!({"query": "x", "collectionName": "shop"});
    server.post("/search", &question).ok();
    server.get("/some/where").problem(404);
    server.ask("FOO1", "/some/where", &[], "").problem(404);
    let metrics = server.get("/metrics");
    assert!(metrics.header("content-type").starts_with("text/plain; version=0.0.4"));
    let text = metrics.text();
    for line in [
        "ken_http_requests_total{route=\"/search\",method=\"POST\",status=\"200\"} 1",
        "ken_http_requests_total{route=\"unmatched\",method=\"GET\",status=\"404\"} 1",
        "ken_http_requests_total{route=\"unmatched\",method=\"other\",status=\"404\"} 1",
        "ken_http_request_duration_seconds_count{route=\"/search\"} 1",
        "ken_http_requests_in_flight 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}

#[test]
fn the_document_is_tagged_and_packed() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let first = server.get("/openapi.json");
    assert_eq!(first.ok()["openapi"], "3.1.0");
    let tag = first.header("etag").to_string();
    let again = server.ask("GET", "/openapi.json", &[("if-none-match", &tag)], "");
    assert_eq!((again.status, again.body.len()), (304, 0));
    assert_eq!(again.header("etag"), tag);
    let changed = server.ask("GET", "/openapi.json", &[("if-none-match", "\"other\"")], "");
    assert_eq!(changed.status, 200);
    let packed = server.ask("GET", "/openapi.json", &[("accept-encoding", "gzip")], "");
    assert_eq!(packed.header("content-encoding"), "gzip");
    assert!(packed.body.len() * 3 < first.body.len());
}

#[test]
fn requests_have_names() {
    let tree = indexed();
    let server = Server::start(&tree, &["-v"], &[]);
    let given = server.ask("GET", "/healthz", &[("x-request-id", "abc-1")], "");
    assert_eq!(given.header("x-request-id"), "abc-1");
    let made = server.get("/healthz").header("x-request-id").to_string();
    assert!(!made.is_empty() && made != server.get("/healthz").header("x-request-id"));
    // An id with other characters does not get into the log.
    let odd = server.ask("GET", "/healthz", &[("x-request-id", "a b\tc")], "");
    assert_ne!(odd.header("x-request-id"), "a b\tc");
    server.signal("TERM");
    let (status, stdout, said) = server.finish();
    assert!(status.success());
    assert_eq!(stdout, "");
    assert!(said.contains("GET /healthz 200") && said.contains("abc-1"), "{said}");
}

/// A regular expression that would take too long, and a question that does.
#[test]
fn time_is_limited() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[("KEN_HTTP_TIMEOUT_MS", "0")]);
    let question = json!({"query": "x", "collectionName": "shop"});
    let problem = server.post("/search", &question).problem(503);
    assert!(problem["hint"].as_str().unwrap().contains("http.timeout_ms"), "{problem}");
    let huge = json!({"textQuery": r"\w{1000}{1000}", "collectionName": "shop", "mode": "regex"});
    let server = Server::start(&tree, &[], &[]);
    server.post("/search/fulltext", &huge).problem(400);
}

#[test]
fn documents_come_in_their_own_form() {
    let tree = crate::support::Tree::monorepo();
    tree.ken(&["index"]);
    let server = Server::start(&tree, &[], &[]);
    let svg = server.post("/api/package_graph", &json!({"format": "svg"}));
    assert_eq!((svg.status, svg.header("content-type")), (200, "image/svg+xml"));
    assert!(svg.text().starts_with("<svg"));
    let list: Value = server.post("/api/list_packages", &json!({})).ok();
    assert!(list.is_array());
}
