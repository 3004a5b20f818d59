//! Indexing in the background.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;

use serde_json::{Value, json};

use super::{Server, indexed};
use crate::support::{Tree, until};

/// Keeps builds of a collection waiting until it is dropped.
pub fn hold(tree: &Tree, name: &str) -> File {
    let path = format!("collections/{name}/packages.db.lock");
    let path = tree.home().join(path);
    let file = File::options().create(true).truncate(false).write(true).open(path).unwrap();
    file.lock().unwrap();
    file
}

pub fn wait(server: &Server, url: &str) -> Value {
    let mut last = Value::Null;
    until("the job ends", || {
        last = server.get(url).ok();
        last["status"] != "running"
    });
    last
}

#[test]
fn a_job_from_beginning_to_end() {
    let tree = Tree::new(&[("src/a.rs", "pub fn first() {}\n")]);
    // A watch would read the new file before the job does.
    let server = Server::start(&tree, &[], &[("KEN_INDEX_WATCH", "off")]);
    let body = json!({"projectId": tree.root(), "collectionName": "mine"});
    let begun = server.post("/indexer/index", &body);
    assert_eq!(begun.status, 201, "{}", begun.text());
    let answer = begun.json();
    assert_eq!(answer["message"], "Indexing started");
    let url = begun.header("location").to_string();
    assert_eq!(answer["url"], url);
    let job = wait(&server, &url);
    assert_eq!(job["status"], "done", "{job}");
    assert_eq!(job["result"]["collection"], "mine");
    assert_eq!(job["result"]["files"], 1);
    let question = json!({"textQuery": "first", "collectionName": "mine"});
    assert_eq!(server.post("/search/fulltext", &question).ok()[0]["symbol"], "first");
    // By its name alone it is brought up to date.
    tree.write("src/b.rs", "pub fn second() {}\n");
    let begun = server.post("/indexer/index", &json!({"collectionName": "mine"}));
    let job = wait(&server, begun.header("location"));
    assert_eq!(job["result"]["added"], 1, "{job}");
}

/// An update changes no stored choice.
#[test]
fn tests_stay_shown_until_somebody_hides_them() {
    let tree = Tree::new(&[("src/a.rs", "pub fn first() {}\n")]);
    let server = Server::start(&tree, &[], &[]);
    let shows_tests = |more: Value| {
        let mut body = json!({"path": tree.root(), "collectionName": "mine"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let begun = server.post("/indexer/index", &body);
        let job = wait(&server, begun.header("location"));
        assert_eq!(job["status"], "done", "{job}");
        let status = server.post("/api/status", &json!({"path": tree.root()}));
        status.ok()["includeTests"].as_bool().unwrap()
    };
    assert!(!shows_tests(json!({})));
    assert!(shows_tests(json!({"include_tests": true})));
    assert!(shows_tests(json!({"path": null})));
    assert!(shows_tests(json!({"rebuild": true})));
    assert!(!shows_tests(json!({"include_tests": false})));
    tree.ken(&["index", "--include-tests"]);
    tree.ken(&["index"]);
    assert!(shows_tests(json!({})));
    tree.ken(&["index", "--include-tests=false"]);
    assert!(!shows_tests(json!({})));
}

#[test]
fn jobs_that_cannot_be() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    server.post("/indexer/index", &json!({})).problem(400);
    let nobody = json!({"collectionName": "nobody"});
    server.post("/indexer/index", &nobody).problem(404);
    let excluding = json!({"path": ".", "excludePatterns": ["*.md"]});
    let problem = server.post("/indexer/index", &excluding).problem(400);
    assert!(problem["hint"].as_str().unwrap().contains("index.exclude"), "{problem}");
    for (body, words) in [
        (json!({"path": ".", "rebuildd": true}), "did you mean `rebuild`"),
        (json!({"path": ".", "rebuild": "yes"}), "`rebuild` must be"),
        (json!({"path": 3}), "`path` must be a string"),
        (json!({"projectId": 3}), "`projectId` must be a string"),
        (json!({"path": ".", "provider": "nobody"}), "`provider` must be one of"),
        (json!({"path": ".", "scip": [1]}), "`scip[]` must be"),
        (json!({"path": "", "collectionName": ""}), "is required"),
    ] {
        let problem = server.post("/indexer/index", &body).problem(400);
        assert!(problem.to_string().contains(words), "{problem}");
    }
    assert_eq!(server.gauge("ken_jobs_running"), 0);
    let outside = json!({"path": "/no/such/directory"});
    let problem = server.post("/indexer/index", &outside).problem(400);
    assert!(problem["hint"].as_str().unwrap().contains("--allow-root"), "{problem}");
    let missing = json!({"path": tree.root().join("no/such/directory")});
    let problem = server.post("/indexer/index", &missing).problem(404);
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("no/such/directory"), "{problem}");
    let hint = problem["hint"].as_str().unwrap();
    assert!(hint.contains("a directory"), "{problem}");
    let keyless = json!({"path": tree.root(), "provider": "voyage"});
    let begun = server.post("/indexer/index", &keyless);
    let job = wait(&server, begun.header("location"));
    assert_eq!(job["status"], "failed");
    assert!(job["error"].as_str().unwrap().contains("voyage"), "{job}");
}

/// Asking a server for its collections blocks, and PostgreSQL's library panics where that is not
/// allowed.
#[test]
fn a_server_of_collections_that_is_not_there() {
    let tree = Tree::new(&[]);
    let probe = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = probe.local_addr().unwrap();
    drop(probe);
    let postgres = format!("postgres://nobody@{address}/none");
    let qdrant = format!("http://{address}");
    for variables in [
        [("KEN_BACKEND", "postgres"), ("DATABASE_URL", &*postgres)],
        [("KEN_BACKEND", "qdrant"), ("QDRANT_URL", &*qdrant)],
    ] {
        let server = Server::start(&tree, &[], &variables);
        let named = json!({"collectionName": "ax"});
        let problem = server.post("/indexer/index", &named).problem(503);
        assert!(problem["hint"].is_string(), "{problem}");
        let question = json!({"query": "x", "collectionName": "ax"});
        server.post("/search", &question).problem(503);
        server.get("/readyz").problem(503);
        server.signal("TERM");
        let (status, _, said) = server.finish();
        assert!(status.success() && !said.contains("panicked"), "{said}");
    }
}

#[test]
fn one_at_a_time_for_a_repository() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let held = hold(&tree, "shop");
    let first = server.post("/indexer/index", &json!({"collectionName": "shop"}));
    let job = first.json()["jobId"].clone();
    assert_eq!(server.gauge("ken_jobs_running"), 1);
    let problem = server.post("/indexer/index", &json!({"collectionName": "shop"})).problem(409);
    assert_eq!(problem["data"]["jobId"], job);
    // Whatever it is called.
    let root = tree.root().display().to_string();
    std::os::unix::fs::symlink(&root, tree.user().with_file_name("link")).unwrap();
    let link = tree.user().with_file_name("link").display().to_string();
    for path in [".".to_string(), format!("{root}/"), format!("{root}/./src/.."), link] {
        let again = server.post("/indexer/index", &json!({"path": path}));
        assert_eq!(again.problem(409)["data"]["jobId"], job, "{path}");
    }
    // Questions do not wait for it.
    let question = json!({"query": "tokens", "collectionName": "shop"});
    server.post("/search", &question).ok();
    drop(held);
    assert_eq!(wait(&server, first.header("location"))["status"], "done");
}

#[test]
fn a_job_can_be_listened_to() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let held = hold(&tree, "shop");
    let begun = server.post("/indexer/index", &json!({"collectionName": "shop"}));
    let url = begun.header("location").to_string();
    let events = [("accept", "text/event-stream")];
    let connection = server.begin("GET", &url, &events, 0);
    let mut lines = BufReader::new(connection).lines().map(Result::unwrap);
    let head = lines.next().unwrap();
    assert!(head.contains("200"), "{head}");
    let mut names = Vec::new();
    for line in lines.by_ref() {
        if let Some(name) = line.strip_prefix("event: ") {
            names.push(name.to_string());
            break;
        }
    }
    drop(held);
    for line in lines {
        if let Some(name) = line.strip_prefix("event: ") {
            names.push(name.to_string());
        }
    }
    assert_eq!(names.first().unwrap(), "progress");
    assert_eq!(names.last().unwrap(), "done");
}

/// A server that is stopped does not wait for a long job; what was stored stays.
#[test]
fn a_job_ends_with_the_server() {
    let tree = indexed();
    let server = Server::start(&tree, &[], &[]);
    let _held = hold(&tree, "shop");
    let begun = server.post("/indexer/index", &json!({"collectionName": "shop"}));
    assert_eq!(begun.status, 201);
    server.signal("TERM");
    let (status, _, said) = server.finish();
    assert!(status.success(), "{said}");
}
