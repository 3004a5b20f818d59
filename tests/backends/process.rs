//! The program itself with a server behind it: one process indexes, another, which has nothing on its
//! disk, answers as the embedded store does; one that is killed is made good by the next.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use kenning_store::StoreError;
use serde_json::{Value, json};

use crate::poll::until;
use crate::subject::{Subject, subjects};

const KEN: &str = env!("CARGO_BIN_EXE_ken");

/// A tree of real sources, and a home for each machine.
struct Ground {
    directory: tempfile::TempDir,
    name: String,
}

impl Ground {
    fn new(name: &str) -> Ground {
        let directory = tempfile::tempdir().unwrap();
        let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
        for folder in ["src/search", "crates/embed/src"] {
            copy(&sources.join(folder), &directory.path().join("tree").join(folder));
        }
        let manifest = "[package]\nname = \"ground\"\nversion = \"1.0.0\"\n";
        std::fs::write(directory.path().join("tree/Cargo.toml"), manifest).unwrap();
        let name = format!("ground-{name}-{}", std::process::id());
        Ground { directory, name }
    }

    fn tree(&self) -> PathBuf {
        self.directory.path().join("tree")
    }

    fn ken(&self, machine: &str, subject: Option<&Subject>, arguments: &[&str]) -> Command {
        let home = self.directory.path().join(machine);
        std::fs::create_dir_all(&home).unwrap();
        let mut command = Command::new(KEN);
        command
            .args(arguments)
            .current_dir(&home)
            .env("KEN_HOME", home.join("home"))
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env_remove("KEN_LOG")
            .stdin(Stdio::null());
        if let Some(subject) = subject {
            command.env("KEN_BACKEND", subject.name);
            let variable = match subject.name {
                "postgres" => "DATABASE_URL",
                _ => "QDRANT_URL",
            };
            command.env(variable, &subject.url);
            if let Ok(key) = std::env::var("QDRANT_TEST_API_KEY") {
                command.env("QDRANT_API_KEY", key);
            }
        }
        command
    }

    fn index(&self, machine: &str, subject: Option<&Subject>) -> Command {
        let tree = self.tree();
        let arguments = ["index", tree.to_str().unwrap(), "--name", &self.name];
        self.ken(machine, subject, &arguments)
    }

    /// Calls an operation and returns its answer.
    fn call(&self, machine: &str, subject: Option<&Subject>, op: &str, arguments: Value) -> Value {
        let output = self.run(machine, subject, op, arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{op}: {stderr}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn run(&self, machine: &str, subject: Option<&Subject>, op: &str, arguments: Value) -> Output {
        let arguments = arguments.to_string();
        let arguments = ["call", op, &arguments, "--json"];
        self.ken(machine, subject, &arguments).output().unwrap()
    }

    /// Returns one finding of `ken doctor`, as a line.
    fn doctor(&self, machine: &str, subject: Option<&Subject>, check: &str) -> String {
        let tree = self.tree();
        let arguments = ["doctor", "--json", "--root", tree.to_str().unwrap()];
        let output = self.ken(machine, subject, &arguments).output().unwrap();
        let findings: Value = serde_json::from_slice(&output.stdout).unwrap();
        let findings = findings.as_array().unwrap();
        let found = findings.iter().find(|one| one["check"] == check);
        found.map_or_else(String::new, |found| {
            let text = |name: &str| found[name].as_str().unwrap_or_default();
            format!("{}: {} ({})", text("verdict"), text("says"), text("remedy"))
        })
    }

    /// The questions that every collection must answer, and the places that are the answers.
    fn answers(&self, machine: &str, subject: Option<&Subject>) -> Vec<Vec<String>> {
        let name = self.name.as_str();
        let by_name = |mut arguments: Value| {
            arguments["collectionName"] = name.into();
            arguments
        };
        let fused = json!({ "path": name, "query": "how are two ranked lists fused" });
        let in_embed = json!({ "path": "crates/embed/src/**/*.rs", "kind": "struct" });
        let questions = [
            ("search_code", fused),
            ("search_code", json!({ "path": name, "query": "QueryIdf" })),
            ("search_code_semantic", by_name(json!({ "query": "wait before trying again" }))),
            ("search_code_fulltext", by_name(json!({ "textQuery": "fn backoff" }))),
            ("search_code_fulltext", by_name(json!({ "textQuery": "hashmap<word" }))),
            ("search_code_by_payload", by_name(json!({ "payload": { "kind": "enum" } }))),
            ("search_code_by_payload", by_name(json!({ "payload": in_embed }))),
        ];
        let answers = questions.into_iter();
        answers.map(|(op, question)| places(&self.call(machine, subject, op, question))).collect()
    }
}

/// How many of the questions are ranked by vectors, which servers round in ways of their own.
const RANKED: usize = 3;

fn places(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().or(answer.as_array()).unwrap();
    assert!(!results.is_empty(), "no answer");
    let place = |one: &Value| {
        let line = one.get("startLine").or(one.get("start_line"));
        let path = one.get("path").or(one.get("filePath"));
        format!("{}:{}", path.unwrap(), line.unwrap())
    };
    results.iter().map(place).collect()
}

/// Exact answers are the same; ranked ones begin alike, but for two that are nearly as good, and differ in one place
/// of ten at most.
fn assert_alike(found: &[Vec<String>], expected: &[Vec<String>], name: &str) {
    assert_eq!(found[RANKED..], expected[RANKED..], "{name}");
    for (found, expected) in found.iter().zip(expected).take(RANKED) {
        let best = &expected[..expected.len().min(2)];
        assert!(best.contains(&found[0]), "{name}: {found:?}, not {expected:?}");
        let shared = found.iter().filter(|one| expected.contains(one)).count();
        assert!(shared * 10 >= expected.len() * 9, "{name}: {found:?}, not {expected:?}");
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        match path.is_dir() {
            true => copy(&path, &target),
            false if path.extension().is_some_and(|ending| ending == "rs") => {
                std::fs::copy(&path, target).unwrap();
            }
            false => {}
        }
    }
}

fn servers() -> Vec<Subject> {
    let mut subjects = subjects();
    subjects.retain(|subject| subject.name != "embedded");
    subjects
}

fn succeed(mut command: Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_machine_without_state_answers_like_the_embedded_store() {
    let ground = Ground::new("replica");
    succeed(ground.index("alone", None));
    let expected = ground.answers("alone", None);
    for subject in servers() {
        let at = Some(&subject);
        succeed(ground.index("indexer", at));
        assert_alike(&ground.answers("replica", at), &expected, subject.name);
        let listed = ground.call("replica", at, "collections", json!({}));
        assert!(listed.to_string().contains(&ground.name), "{listed}");
        // The graph is with the indexer, and whoever has none of it says so.
        let graph = json!({ "path": ground.name, "symbol": "QueryIdf" });
        let refused = ground.run("replica", at, "find_references", graph.clone());
        let said = [&*refused.stdout, &*refused.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(!refused.status.success() && said.contains("not on this machine"), "{said}");
        let found = ground.call("indexer", at, "find_references", graph);
        assert!(found.to_string().contains("query_idf.rs"), "{found}");
        subject.backend.remove(&ground.name).unwrap();
    }
}

/// A `ken http` that ends with its test.
struct Door {
    child: Child,
    url: String,
}

impl Drop for Door {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ground {
    /// Opens the door of a machine, at an address that nobody else has.
    fn door(&self, machine: &str, subject: &Subject) -> Door {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port().to_string();
        drop(free);
        let tree = self.tree();
        let root = tree.to_str().unwrap();
        let arguments = ["http", "--port", &port, "--root", root];
        let mut command = self.ken(machine, Some(subject), &arguments);
        let url = format!("http://127.0.0.1:{port}");
        command.env("KEN_HTTP_ADVERTISE", &url);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null());
        let door = Door { child: child.spawn().unwrap(), url };
        let address = door.url.trim_start_matches("http://");
        until("it listens", || std::net::TcpStream::connect(address).is_ok());
        door
    }
}

#[test]
fn what_only_the_indexer_can_answer_is_passed_on_to_it() {
    let ground = Ground::new("passing");
    let tree = ground.tree();
    let spec = tree.join("openspec/specs/tea/spec.md");
    std::fs::create_dir_all(spec.parent().unwrap()).unwrap();
    let requirement = "# tea\n\n## Requirements\n\n### Requirement: Boil\nIt SHALL boil.\n\n\
                       #### Scenario: Hot\n- **WHEN** cold\n- **THEN** hot\n";
    std::fs::write(spec, requirement).unwrap();
    let root = tree.to_str().unwrap();
    let graph = json!({ "path": ground.name, "symbol": "QueryIdf" });
    for subject in servers() {
        let door = ground.door("indexer", &subject);
        let mut index = ground.index("indexer", Some(&subject));
        index.env("KEN_HTTP_ADVERTISE", &door.url);
        succeed(index);
        let asked = |machine: &str, op: &str, arguments: &Value| {
            let arguments = arguments.to_string();
            let arguments = ["call", op, &arguments, "--json", "--root", root];
            // A question on the indexer updates the index, and keeps the address that replicas find.
            let output = ground.ken(machine, Some(&subject), &arguments).output().unwrap();
            let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
            (stdout, String::from_utf8_lossy(&output.stderr).into_owned())
        };
        for (op, arguments, expected) in [
            ("find_references", &graph, "query_idf.rs"),
            ("list_packages", &json!({}), "ground"),
            ("get_package", &json!({ "name": "ground" }), "1.0.0"),
            ("get_package", &json!({ "name": "nowhere" }), "nowhere"),
            ("list_specs", &json!({}), "tea"),
        ] {
            let here = asked("indexer", op, arguments);
            let there = asked("replica", op, arguments);
            assert!(format!("{here:?}").contains(expected), "{op}: {here:?}");
            assert_eq!(there, here, "{}: {op}", subject.name);
        }
        // A door that is closed is told, and what to do.
        drop(door);
        let (said, _) = asked("replica", "find_references", &graph);
        assert!(said.contains("http.advertise"), "{said}");
        subject.backend.remove(&ground.name).unwrap();
    }
}

#[test]
fn what_a_killed_indexer_left_is_made_good() {
    let ground = Ground::new("killed");
    // More than one batch, so that there is a middle.
    for number in 0..600 {
        let text = format!("fn filler_{number}() {{}}\n");
        let folder = ground.tree().join("src/filler");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("f{number}.rs")), text).unwrap();
    }
    succeed(ground.index("alone", None));
    let expected = ground.answers("alone", None);
    for subject in servers() {
        let at = Some(&subject);
        // Killed when the collection came to be, and when its first files can be seen.
        for wanted in [0, 1] {
            let mut command = ground.index("indexer", at);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            until("it is in the middle, or over", || {
                let is_over = child.try_wait().unwrap().is_some();
                is_over || files(&subject, &ground.name) >= Some(wanted)
            });
            child.kill().unwrap();
            let ended = child.wait().unwrap();
            assert!(!ended.success(), "{}: it had ended before", subject.name);
        }
        succeed(ground.index("indexer", at));
        assert_alike(&ground.answers("replica", at), &expected, subject.name);
        // Another indexer with a disk of its own takes over, and nothing is there twice.
        succeed(ground.index("second", at));
        assert_alike(&ground.answers("replica", at), &expected, subject.name);
        // Files that are gone from the tree leave the server too, for every machine.
        std::fs::remove_file(ground.tree().join("crates/embed/src/vectors.rs")).unwrap();
        succeed(ground.index("indexer", at));
        let gone = json!({ "collectionName": ground.name, "payload": { "path": "crates/embed/src/vectors.rs" } });
        let found = ground.call("replica", at, "search_code_by_payload", gone);
        assert!(!found.to_string().contains("vectors.rs\""), "{found}");
        subject.backend.remove(&ground.name).unwrap();
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/embed/src"),
            &ground.tree().join("crates/embed/src"),
        );
    }
}

/// How many files can be seen; nothing if the collection cannot.
fn files(subject: &Subject, name: &str) -> Option<usize> {
    match subject.backend.open(name) {
        Ok(shelf) => Some(shelf.view().ok()?.files().ok()?.len()),
        Err(StoreError::Unknown { .. }) => None,
        Err(_) => None,
    }
}

#[test]
fn a_server_that_is_down_says_what_to_do() {
    let ground = Ground::new("down");
    for (backend, variable, url, remedy) in [
        ("postgres", "DATABASE_URL", "postgres://nobody@127.0.0.1:9/x", "PostgreSQL is up"),
        ("qdrant", "QDRANT_URL", "http://127.0.0.1:9", "Qdrant is up"),
    ] {
        let mut command = ground.index("machine", None);
        let output = command.env("KEN_BACKEND", backend).env(variable, url).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(remedy), "{said}");
    }
    let mut unknown = ground.ken("machine", None, &["search", "x", "--backend", "mongo"]);
    let output = unknown.current_dir(ground.tree()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("embedded, qdrant, postgres"), "{said}");
}

#[test]
fn the_doctor_looks_at_the_server() {
    let ground = Ground::new("doctor");
    let alone = ground.doctor("alone", None, "backend");
    assert!(alone.starts_with("good: embedded"), "{alone}");
    for subject in servers() {
        let at = Some(&subject);
        let on_server = |machine: &str| ground.doctor(machine, at, "collection on the server");
        let server = ground.doctor("indexer", at, "backend");
        assert!(server.starts_with("good: "), "{server}");
        let has_version = server.chars().any(|letter| letter.is_ascii_digit());
        assert!(has_version, "{server}");
        let none = on_server("indexer");
        assert!(none.starts_with("fair") && none.contains("ken index"), "{none}");
        succeed(ground.index("indexer", at));
        let same = on_server("indexer");
        assert!(same.starts_with("good") && same.contains("as here"), "{same}");
        let elsewhere = on_server("replica");
        assert!(elsewhere.starts_with("good") && elsewhere.contains("elsewhere"), "{elsewhere}");
        // Another machine goes on where this one does not.
        let added = ground.tree().join("src/added.rs");
        std::fs::write(&added, "fn added() {}\n").unwrap();
        succeed(ground.index("second", at));
        let behind = on_server("indexer");
        assert!(behind.starts_with("fair") && behind.contains("1 only there"), "{behind}");
        std::fs::remove_file(added).unwrap();
        subject.backend.remove(&ground.name).unwrap();
    }
}

#[test]
fn the_doctor_says_why_a_server_cannot_be_asked() {
    let ground = Ground::new("sick");
    for (backend, variable, url, expected) in [
        ("postgres", "DATABASE_URL", "postgres://nobody@127.0.0.1:9/x", "PostgreSQL is up"),
        ("qdrant", "QDRANT_URL", "http://127.0.0.1:9", "Qdrant is up"),
        ("qdrant", "QDRANT_URL", "localhost", "http://localhost:6333"),
        ("postgres", "NOTHING", "", "set DATABASE_URL"),
        ("mongo", "NOTHING", "", "embedded, qdrant, postgres"),
    ] {
        let tree = ground.tree();
        let arguments = ["doctor", "--json", "--root", tree.to_str().unwrap()];
        let mut command = ground.ken("machine", None, &arguments);
        command.env("KEN_BACKEND", backend).env(variable, url);
        let output = command.output().unwrap();
        let findings: Value = serde_json::from_slice(&output.stdout).unwrap();
        let found = findings.as_array().unwrap().iter();
        let found: Vec<_> = found.filter(|one| one["check"] == "backend").collect();
        assert_eq!(found[0]["verdict"], "bad", "{found:?}");
        let remedy = found[0]["remedy"].as_str().unwrap();
        assert!(remedy.contains(expected), "{found:?}");
    }
}
