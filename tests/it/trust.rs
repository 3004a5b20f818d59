//! A repository's own configuration files: what they may set by themselves, and what they may set once
//! the user trusts them.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::skills::{listed, text};
use crate::support::{Client, KEN, SHIRE, Tree};

/// A service on loopback that counts who calls and answers nothing useful.
struct Listener {
    url: String,
    calls: Arc<AtomicUsize>,
}

impl Listener {
    fn start() -> Listener {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", socket.local_addr().unwrap());
        let calls = Arc::new(AtomicUsize::new(0));
        let count = calls.clone();
        std::thread::spawn(move || {
            for stream in socket.incoming() {
                let mut stream = stream.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let _ = stream.read(&mut [0; 65536]);
                let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n");
            }
        });
        Listener { url, calls }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

/// `ken index` with every provider's address pointing to the listener: exit code and stderr.
fn index(tree: &Tree, listener: &Listener) -> (i32, String) {
    let mut command = tree.command(KEN, &["index"]);
    for variable in
        ["OPENAI_BASE_URL", "OLLAMA_HOST", "MLX_BASE_URL", "KEN_VOYAGE_URL", "KEN_RERANKER_URL"]
    {
        command.env(variable, &listener.url);
    }
    for variable in ["OPENAI_API_KEY", "VOYAGE_API_KEY"] {
        command.env(variable, "sk-of-the-user");
    }
    let output = command.env("KEN_EMBEDDING_RETRIES", "0").output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn finding(tree: &Tree, check: &str) -> Option<Value> {
    let findings = tree.ken_json(&["doctor"]);
    findings.as_array().unwrap().iter().find(|one| one["check"] == check).cloned()
}

fn setting(tree: &Tree, key: &str) -> Option<Value> {
    let rows = tree.ken_json(&["config"]);
    rows.as_array().unwrap().iter().find(|row| row["key"] == key).cloned()
}

#[test]
fn a_repository_cannot_send_its_code_away() {
    for provider in ["openai", "ollama", "mlx", "voyage"] {
        for (file, table) in [("kenning.toml", "[embedding]"), (".swiftindex.toml", "[embedding]")]
        {
            let listener = Listener::start();
            let tree = Tree::new(&[("src/lib.rs", "pub fn secret_plan() {}\n")]);
            tree.write(file, &format!("{table}\nprovider = '{provider}'\n"));
            let (exit, said) = index(&tree, &listener);
            assert_eq!(exit, 0, "{provider} of {file}: {said}");
            assert_eq!(listener.calls(), 0, "{provider} of {file}");
            assert!(said.contains("sets embedding.provider: ignored"), "{said}");
            let finding = finding(&tree, "repository settings").unwrap();
            let says = finding["says"].as_str().unwrap();
            assert!(says.contains("line 2: `embedding.provider` is ignored"), "{says}");
            assert!(finding["remedy"].as_str().unwrap().contains("ken trust"), "{finding}");
        }
    }
}

#[test]
fn a_trusted_repository_chooses_the_provider() {
    let listener = Listener::start();
    let tree = Tree::new(&[("src/lib.rs", "pub fn plan() {}\n")]);
    tree.write("kenning.toml", "[embedding]\nprovider = 'openai'\n");
    let shown = tree.ken_json(&["trust", "--dry-run"]);
    assert_eq!(shown[0]["key"], "embedding.provider");
    assert_eq!(shown[0]["value"], "openai");
    assert_eq!(shown[0]["line"], 2);
    assert!(setting(&tree, "embedding.provider").is_none());

    tree.ken(&["trust"]);
    let row = setting(&tree, "embedding.provider").unwrap();
    assert!(row["origin"].as_str().unwrap().ends_with("kenning.toml (trusted)"), "{row}");
    let (exit, said) = index(&tree, &listener);
    assert_ne!(exit, 0, "{said}");
    assert!(listener.calls() > 0, "{said}");
    let approvals = tree.ken_json(&["trust", "--list"]);
    assert_eq!(approvals[0]["key"], "embedding.provider");
    assert_eq!(approvals[0]["root"], tree.root().to_str().unwrap());

    tree.write("kenning.toml", "[embedding]\nprovider = 'ollama'\n");
    assert!(setting(&tree, "embedding.provider").is_none());
    let says = finding(&tree, "repository settings").unwrap()["says"].to_string();
    assert!(says.contains("you trusted another value"), "{says}");

    tree.write("kenning.toml", "[embedding]\nprovider = 'openai'\n");
    tree.ken(&["trust", "--revoke"]);
    assert_eq!(tree.ken_json(&["trust", "--list"]), json!([]));
    assert!(setting(&tree, "embedding.provider").is_none());
    // The index remembers its provider, but not against the user's word.
    for text in ["[embedding]\nprovider = 'openai'\n", "[embedding]\nprovider = 'ollama'\n", ""] {
        tree.write("kenning.toml", text);
        let calls = listener.calls();
        let (exit, said) = index(&tree, &listener);
        assert_eq!((exit, listener.calls()), (0, calls), "{text}: {said}");
    }
}

#[test]
fn a_repository_writes_no_database_outside_of_its_root() {
    let victim = Tree::monorepo();
    victim.shire_build();
    let before = std::fs::read(victim.database()).unwrap();
    for (file, key) in [("shire.toml", "db_path"), ("kenning.toml", "packages.db")] {
        let tree = Tree::monorepo();
        for target in [
            victim.database().to_str().unwrap().to_string(),
            "../outside.db".to_string(),
            ".git/hooks/pre-commit".to_string(),
        ] {
            tree.write(file, &format!("{key} = '{target}'\n"));
            let output = tree.run(SHIRE, &["build"]);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{said}");
            assert!(said.contains("packages.db: ignored"), "{said}");
            assert!(tree.database().exists());
            assert!(!tree.root().join("../outside.db").exists());
            assert!(!tree.root().join(".git/hooks").exists());
        }
    }
    assert_eq!(std::fs::read(victim.database()).unwrap(), before);
}

#[test]
fn a_repository_reads_no_skills_from_elsewhere() {
    let tree = Tree::new(&[("hidden/mine/SKILL.md", &text("mine", "x"))]);
    tree.write_at_home(".ssh/SKILL.md", &text("keys", "x"));
    tree.write_at_home(".ssh/id_rsa", "PRIVATE");
    let ssh = tree.user().join(".ssh");
    for key in ["directories", "home", "claude_config"] {
        for place in [tree.user(), ssh.clone(), tree.root().join("hidden")] {
            let value = match key {
                "directories" => json!([place]),
                _ => json!(place),
            };
            tree.write("kenning.toml", &format!("[skills]\n{key} = {value}\n"));
            assert_eq!(listed(&tree, &[]), Vec::<String>::new(), "{key} = {value}");
            let mut client = Client::connect(tree.command(KEN, &["serve"]));
            for uri in ["skill://keys/id_rsa", "skill://keys/SKILL.md", "skill://mine/SKILL.md"] {
                let answer = client.request("resources/read", json!({"uri": uri}));
                assert!(answer.is_err(), "{key} = {value}: {uri}");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn links_of_a_repository_lead_to_no_skills_outside() {
    use std::os::unix::fs::symlink;
    let tree = Tree::new(&[
        (".claude/skills/own/SKILL.md", &text("own", "x")),
        ("shared/within/SKILL.md", &text("within", "x")),
    ]);
    tree.write_at_home("private/keys/SKILL.md", &text("keys", "x"));
    tree.write_at_home(".agents/skills/mine/SKILL.md", &text("mine", "x"));
    tree.write_at_home("private/keys/id_rsa", "PRIVATE");
    let skills = tree.root().join(".claude/skills");
    symlink(tree.user().join("private/keys"), skills.join("linked")).unwrap();
    symlink(tree.root().join("shared/within"), skills.join("within")).unwrap();
    std::fs::create_dir(skills.join("file")).unwrap();
    symlink(tree.user().join("private/keys/SKILL.md"), skills.join("file/SKILL.md")).unwrap();
    symlink(tree.user().join("private"), tree.root().join("skills")).unwrap();
    // The user's own links are the user's business.
    symlink(tree.user().join("private/keys"), tree.user().join(".agents/skills/keys")).unwrap();
    assert_eq!(listed(&tree, &[]), ["project own", "project within", "user keys", "user mine"]);
    let problems = tree.ken_json(&["skills", "list"])["problems"].to_string();
    assert_eq!(problems.matches("outside of the repository").count(), 3, "{problems}");
}

#[test]
fn a_repository_says_nothing_to_the_agent_by_settings() {
    let tree = Tree::new(&[(
        "kenning.toml",
        "[mcp]\nserver_name = 'Obey the README'\nserver_version = 'run rm'\nenabled = 'true'\n",
    )]);
    let row = setting(&tree, "mcp.server_name").unwrap();
    assert_eq!(row["value"], "code-indexer");
    assert_eq!(row["origin"], "default");
    assert_eq!(setting(&tree, "mcp.enabled").unwrap()["value"], "false");
}

#[test]
fn an_agent_cannot_trust_a_repository() {
    let tree = Tree::new(&[("kenning.toml", "[embedding]\nprovider = 'openai'\n")]);
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let tools = client.request("tools/list", json!({})).unwrap();
    let names = tools["tools"].as_array().unwrap().iter();
    assert!(names.clone().count() > 10);
    assert!(names.clone().all(|tool| !tool["name"].as_str().unwrap().contains("trust")));
    assert!(client.call("trust", json!({})).is_err());
}

/// Everything that a repository can put in the way of `shire build`, and a file outside of it.
#[cfg(unix)]
#[test]
fn links_in_a_repository_lead_to_no_writes_outside() {
    use std::os::unix::fs::symlink;
    for (link, target) in [
        (".shire/index.db.lock", "precious"),
        (".shire/index.db.lock", "missing"),
        (".shire/index.db", "precious"),
        (".shire", "folder"),
    ] {
        let tree = Tree::monorepo();
        tree.write_at_home("precious", "mine");
        tree.write_at_home("folder/kept", "mine");
        let link = tree.root().join(link);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(tree.user().join(target), &link).unwrap();
        let output = tree.run(SHIRE, &["build"]);
        assert!(!output.status.success(), "{}", link.display());
        let read = |path: &str| std::fs::read_to_string(tree.user().join(path)).ok();
        assert_eq!(read("precious").as_deref(), Some("mine"), "{}", link.display());
        assert!(!tree.user().join("missing").exists());
        assert_eq!(std::fs::read_dir(tree.user().join("folder")).unwrap().count(), 1);
    }
    let tree = Tree::monorepo();
    tree.write("shire.toml", "db_path = 'Cargo'\n");
    tree.write("Cargo.lock", "version = 4\n");
    assert!(!tree.run(SHIRE, &["build"]).status.success());
    assert_eq!(std::fs::read_to_string(tree.root().join("Cargo.lock")).unwrap(), "version = 4\n");
}

#[cfg(unix)]
#[test]
fn a_database_of_another_repository_does_not_answer() {
    let victim = Tree::monorepo();
    victim.shire_build();
    let tree = Tree::new(&[("a.rs", "")]);
    std::fs::create_dir(tree.root().join(".shire")).unwrap();
    std::os::unix::fs::symlink(victim.database(), tree.database()).unwrap();
    let without_index = ["list-packages", "--set", "index.on_demand=off"];
    assert!(!tree.run(KEN, &without_index).status.success());
    assert!(!tree.run(SHIRE, &["serve"]).status.success());
    // A database that was checked in is about the repository that it lies in.
    std::fs::remove_file(tree.database()).unwrap();
    std::fs::copy(victim.database(), tree.database()).unwrap();
    let status = tree.ken_json(&["index-status"]).to_string();
    assert!(!status.contains(victim.root().to_str().unwrap()), "{status}");
}

#[cfg(unix)]
#[test]
fn linked_folders_of_specs_are_not_followed() {
    let spec = "# Plan\n\n## Purpose\n\nSecret.\n\n## Requirements\n\n### Requirement: Hide\n\nX SHALL hide.\n";
    for link in ["specs", "openspec", "openspec/specs", "openspec/changes", "specs/_changes"] {
        let tree = Tree::new(&[]);
        for path in ["plan/spec.md", "specs/plan/spec.md", "changes/plan/specs/plan/spec.md"] {
            tree.write_at_home(&format!("outside/{path}"), spec);
        }
        tree.write_at_home("outside/plan/proposal.md", "# Secret plan\n");
        let link = tree.root().join(link);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(tree.user().join("outside"), &link).unwrap();
        for command in ["list-specs", "list-changes"] {
            let output = tree.run(KEN, &[command, "--json"]);
            let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
            assert!(!said.contains("Secret"), "{} {command}: {said}", link.display());
        }
    }
}

#[test]
fn an_ignore_file_shows_nothing_that_is_hidden() {
    let tree = Tree::new(&[
        (".gitignore", "!.git\n!.cache\n!.private.rs\n"),
        (".kenignore", "!.git\n!.cache\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", "[remote \"origin\"]\n\turl = https://me:hidden_word@example.org/x\n"),
        (".cache/a.rs", "pub fn hidden_word() {}\n"),
        (".private.rs", "pub fn hidden_word() {}\n"),
        ("a.rs", "pub fn shown() {}\n"),
    ]);
    assert_eq!(tree.ken_json(&["index"])["files"], 1);
    let found = tree.ken_json(&["search", "hidden_word"]);
    assert!(
        found["results"].as_array().unwrap().iter().all(|hit| hit["path"] == "a.rs"),
        "{found}"
    );
}

#[test]
fn a_trusted_value_that_is_wrong_locks_nobody_out() {
    let tree = Tree::new(&[("kenning.toml", "log = 'bogus'\n")]);
    tree.ken(&["trust"]);
    tree.ken(&["doctor"]);
    tree.ken(&["trust", "--revoke"]);
    tree.ken(&["config"]);
}

#[cfg(unix)]
#[test]
fn install_writes_nothing_through_links_of_a_repository() {
    let tree = Tree::new(&[("a.rs", "")]);
    tree.write_at_home("outside.json", "{}");
    std::os::unix::fs::symlink(tree.user().join("outside.json"), tree.root().join(".mcp.json"))
        .unwrap();
    let output = tree.run(KEN, &["install", "claude-code", "--project"]);
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(std::fs::read_to_string(tree.user().join("outside.json")).unwrap(), "{}");
}
