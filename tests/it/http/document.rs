//! Compares the answers of the server with the OpenAPI document: every answer below has a
//! status and a media type that the document lists for its route, and fits the schema there. A field that the
//! document does not name fails the test too.

use std::io::Write;

use serde_json::{Value, json};

use super::jobs::{hold, wait};
use super::{Answer, Server, indexed};
use crate::support::Tree;

struct Document(Value);

impl Document {
    fn of(server: &Server) -> Document {
        Document(server.get("/openapi.json").ok())
    }

    fn followed<'v>(&'v self, value: &'v Value) -> &'v Value {
        match value["$ref"].as_str() {
            Some(reference) => {
                let found = self.0.pointer(reference.trim_start_matches('#'));
                found.unwrap_or_else(|| panic!("nothing at {reference}"))
            }
            None => value,
        }
    }

    /// The route as it is declared, of a path as it is asked for.
    fn route(&self, method: &str, path: &str) -> &Value {
        let declared = if path.starts_with("/indexer/jobs/") { "/indexer/jobs/{id}" } else { path };
        let operation = &self.0["paths"][declared][method.to_lowercase()];
        assert!(operation.is_object(), "{method} {path} is not declared");
        operation
    }

    fn check(&self, method: &str, path: &str, answer: &Answer) {
        let context = format!("{method} {path} {}: {}", answer.status, answer.text());
        let route = self.route(method, path);
        let response = self.followed(&route["responses"][answer.status.to_string()]);
        assert!(response.is_object(), "no such status: {context}");
        let media_type = answer.header("content-type").split(';').next().unwrap();
        let schema = &response["content"][media_type]["schema"];
        assert!(schema.is_object(), "no {media_type}: {context}");
        if media_type.ends_with("json") {
            let wrong = self.misfit(schema, &answer.json(), "");
            assert_eq!(wrong, None, "{context}");
        }
        let headers = response["headers"].as_object().into_iter().flatten();
        for (name, _) in headers {
            assert_ne!(answer.header(&name.to_lowercase()), "", "{name}: {context}");
        }
    }

    /// Where and why the value does not fit.
    fn misfit(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        let schema = self.followed(schema);
        let types = match &schema["type"] {
            Value::Array(types) => types.clone(),
            one => vec![one.clone()],
        };
        let found = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        let is_of_type = |one: &Value| one == found || (one == "number" && found == "integer");
        if !types.iter().any(is_of_type) {
            return Some(format!("{at} is {found}, not {}", schema["type"]));
        }
        if let Some(allowed) = schema["enum"].as_array()
            && !allowed.contains(value)
        {
            return Some(format!("{at} may not be {value}"));
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if value.get(name).is_none() {
                return Some(format!("{at}/{name} is missing"));
            }
        }
        let items = value.as_array().into_iter().flatten().enumerate();
        let items = items.map(|(number, item)| (number.to_string(), item, schema.get("items")));
        let fields = value.as_object().into_iter().flatten();
        let fields = fields.map(|(name, field)| {
            // An object of which nothing is said may have any.
            let known = schema.get("properties");
            (name.clone(), field, known.map(|known| &known[name]))
        });
        let mut parts = items.chain(fields);
        parts.find_map(|(name, part, schema)| match schema {
            Some(Value::Null) => Some(format!("{at}/{name} is not declared")),
            Some(schema) => self.misfit(schema, part, &format!("{at}/{name}")),
            None => None,
        })
    }
}

/// A server and what its document says.
struct Held {
    server: Server,
    document: Document,
}

impl Held {
    fn new(tree: &Tree, arguments: &[&str], variables: &[(&str, &str)]) -> Held {
        let server = Server::start(tree, arguments, variables);
        let document = Document::of(&server);
        Held { server, document }
    }

    fn get(&self, path: &str, status: u16) -> Answer {
        self.ask("GET", path, &[], "", status)
    }

    fn post(&self, path: &str, body: &Value, status: u16) -> Answer {
        let json_type = [("content-type", "application/json")];
        self.ask("POST", path, &json_type, &body.to_string(), status)
    }

    fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
        status: u16,
    ) -> Answer {
        let answer = self.server.ask(method, path, headers, body);
        assert_eq!(answer.status, status, "{method} {path}: {}", answer.text());
        self.document.check(method, path, &answer);
        answer
    }
}

/// A type whose text is shortened to its beginning, with an outline of the rest.
fn long_type() -> String {
    let methods = (0..60).map(|number| {
        format!("    /** Number {number}. */\n    method{number}(): number {{\n        return {number};\n    }}\n")
    });
    let methods: String = methods.collect();
    format!("export class Ledger {{\n{methods}}}\n")
}

fn tree() -> Tree {
    let tree = indexed();
    tree.write("web/ledger.ts", &long_type());
    tree.write("web/package.json", r#"{"name": "web", "version": "1.0.0"}"#);
    tree.write("tests/retry_test.rs", "#[test]\nfn sends_again() {\n    assert!(true);\n}\n");
    tree.write(
        ".claude/skills/greet/SKILL.md",
        "---\nname: greet\ndescription: Says hello to people\n---\nSay hello.\n",
    );
    tree.write(
        "openspec/specs/auth/spec.md",
        "# auth\n\n## Purpose\nWho may come in.\n\n## Requirements\n\n### Requirement: Login\n\
         The system SHALL let people in.\n\n#### Scenario: Well\n- **WHEN** asked\n- **THEN** in\n",
    );
    tree.ken(&["index", "--include-tests"]);
    tree
}

#[test]
fn what_is_found() {
    let tree = tree();
    let unchecked = [("KEN_INDEX_REFRESH_MS", "0"), ("KEN_INDEX_WATCH", "off")];
    let held = Held::new(&tree, &[], &unchecked);
    // It has changed since.
    tree.write("src/retry.rs", "pub fn send_with_retries() {}\n");
    let mut seen: Vec<String> = Vec::new();
    let mut see = |answer: Answer| {
        for piece in answer.json().as_array().unwrap() {
            seen.extend(piece.as_object().unwrap().keys().cloned());
        }
    };
    for query in ["send a request again", "ledger of numbers", "tokens"] {
        let body = json!({"query": query, "collectionName": ["shop"], "prompt": "tests"});
        see(held.post("/search", &body, 200));
    }
    for (text, mode) in [("query", "text"), ("fn \\w+", "regex"), ("QUERY", "text")] {
        let body = json!({"textQuery": text, "collectionName": "shop", "mode": mode});
        see(held.post("/search/fulltext", &body, 200));
    }
    for payload in [json!({"isTest": true}), json!({"filePath": "**"}), json!({"symbol": "Ledger"})]
    {
        let body = json!({"collectionName": "shop", "payload": payload, "top_k": 1000});
        see(held.post("/search/payload", &body, 200));
    }
    // None of the fields was left out by chance.
    let properties = &held.document.0["components"]["schemas"]["Piece"]["properties"];
    for name in properties.as_object().unwrap().keys() {
        assert!(seen.contains(name), "no piece had {name}");
    }
}

#[test]
fn what_operations_say() {
    let tree = tree();
    let held = Held::new(&tree, &[], &[]);
    for op in kenning::ops::ALL {
        if op.name == "forget" {
            continue;
        }
        let path = format!("/api/{}", op.name);
        let answer = held.server.ask("POST", &path, &[], "");
        held.document.check("POST", &path, &answer);
    }
    for (operation, body, media_type) in [
        ("package_graph", json!({"format": "svg"}), "image/svg+xml"),
        ("package_graph", json!({"format": "dot"}), "text/vnd.graphviz; charset=utf-8"),
        ("package_graph", json!({"format": "json"}), "application/json"),
        ("package_graph", json!({}), "text/plain; charset=utf-8"),
        ("graph", json!({"of": "packages", "format": "svg"}), "image/svg+xml"),
        ("get_spec", json!({"spec_id": "auth"}), "text/plain; charset=utf-8"),
        ("skill", json!({"name": "greet"}), "text/plain; charset=utf-8"),
        ("list_packages", json!({}), "application/json"),
        ("search_code", json!({"query": "x"}), "application/json"),
        ("watch_codebase", json!({"path": ".", "action": "status"}), "application/json"),
        ("forget", json!({"collection": "shop"}), "application/json"),
    ] {
        let answer = held.post(&format!("/api/{operation}"), &body, 200);
        assert_eq!(answer.header("content-type"), media_type, "{operation}");
    }
}

#[test]
fn what_jobs_say() {
    let tree = tree();
    let held = Held::new(&tree, &[], &[]);
    let lock = hold(&tree, "shop");
    let body = json!({"projectId": tree.root(), "excludePatterns": []});
    let begun = held.post("/indexer/index", &body, 201);
    held.post("/indexer/index", &json!({"collectionName": "shop"}), 409);
    let url = begun.header("location").to_string();
    held.get(&url, 200);
    drop(lock);
    wait(&held.server, &url);
    held.get(&url, 200);
    held.post("/indexer/index", &json!({}), 400);
    held.post("/indexer/index", &json!({"collectionName": "nobody"}), 404);
    held.ask("POST", "/indexer/index", &[("content-type", "x/y")], "", 415);
    held.get("/indexer/jobs/none", 404);
    // The route accepts exactly the declared properties.
    let schema = &held.document.route("POST", "/indexer/index")["requestBody"]["content"]["application/json"]
        ["schema"]["properties"];
    for name in schema.as_object().unwrap().keys() {
        let problem = held.post("/indexer/index", &json!({name: 1.5}), 400);
        let detail = problem.json()["detail"].to_string();
        assert!(detail.contains(&format!("`{name}` must be")), "{detail}");
    }
}

#[test]
fn what_probes_and_refusals_say() {
    let tree = indexed();
    let held = Held::new(&tree, &[], &[("KEN_HTTP_MAX_BODY", "1000")]);
    let routes = [
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
        ("GET", "/openapi.json"),
        ("GET", "/indexer/jobs/none"),
        ("POST", "/search"),
        ("POST", "/search/fulltext"),
        ("POST", "/search/payload"),
        ("POST", "/indexer/index"),
        ("POST", "/api/status"),
        ("POST", "/api/index_codebase"),
    ];
    for (method, path) in routes {
        held.ask(method, path, &[("host", "evil.example")], "", 403);
        held.ask(method, path, &[("host", "a b")], "", 400);
        if method == "POST" {
            held.ask(method, path, &[("content-type", "x/y")], "{}", 415);
            let long = json!({"query": "x".repeat(2000)});
            held.post(path, &long, 413);
        }
    }
    for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
        held.get(path, 200);
    }
    let guarded = Server::start(&tree, &["--token", "s3cret"], &[]);
    for (method, path) in routes {
        let answer = guarded.ask(method, path, &[], "");
        let is_open = !held.document.route(method, path)["security"].is_null();
        assert_eq!(answer.status == 401, !is_open, "{method} {path}");
        held.document.check(method, path, &answer);
    }
    let full = Server::start(&tree, &[], &[("KEN_HTTP_CONCURRENCY", "1")]);
    let _held = hold(&tree, "shop");
    let body = json!({"path": tree.root()}).to_string();
    let mut stuck = full.begin("POST", "/api/index_codebase", &[], body.len());
    stuck.write_all(body.as_bytes()).unwrap();
    full.wait_for_requests(1);
    for (method, path) in routes {
        let answer = full.ask(method, path, &[], "");
        let uncounted = ["/healthz", "/readyz", "/metrics"].contains(&path);
        assert_eq!(answer.status == 429, !uncounted, "{method} {path}");
        held.document.check(method, path, &answer);
    }
}
