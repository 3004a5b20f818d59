//! Files that look like secrets: not indexed, not served, but listed; and the setting that admits them.

use serde_json::{Value, json};

use crate::http::Server;
use crate::support::{Client, KEN, Tree, holds, settle};

/// Occurs in every secret file. It opens nothing.
const CANARY: &str = "cq7Zk2Vx9Wp4Lm8Rt3Yb6Nh1";

fn key() -> String {
    let kind = "PRIVATE KEY";
    format!("-----BEGIN {kind}-----\n{CANARY}{CANARY}\n-----END {kind}-----\n")
}

fn tree() -> Tree {
    let key = key();
    let tree = Tree::new(&[
        (
            "src/credentials.rs",
            "/// Reads the private key and the aws secret access key.\npub fn load() {}\n",
        ),
        ("src/settings.yml", "retries: 3\nprivate_key_path: /etc/key\n"),
        ("ca.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"),
        ("deploy/server.pem", &key),
        ("deploy/id_deploy", &key),
        ("deploy/notes.txt", &key),
        ("credentials.yml", &format!("aws:\n  secret_access_key: {CANARY}\n")),
        ("config/app.toml", &format!("[db]\npassword = \"{CANARY}\"\n")),
        ("config/example.toml", "[db]\npassword = \"changeme\"\n"),
        (".env", &format!("TOKEN={CANARY}\n")),
        ("web/.env.local", &format!("TOKEN={CANARY}\n")),
        ("web/.env.example", "TOKEN=your-token\n"),
        ("release.p12", "not even a key store"),
    ]);
    settle(&tree.root());
    tree
}

const SKIPPED: [(&str, &str); 8] = [
    (".env", "environment file"),
    ("config/app.toml", "password or key in a setting"),
    ("credentials.yml", "credentials"),
    ("deploy/id_deploy", "private key"),
    ("deploy/notes.txt", "private key"),
    ("deploy/server.pem", "private key"),
    ("release.p12", "key store"),
    ("web/.env.local", "environment file"),
];

fn skipped(tree: &Tree) -> Vec<(String, String)> {
    let status = tree.ken_json(&["status", "--skipped"]);
    let files = status["skippedFiles"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_string();
    files.iter().map(|file| (text(&file["path"]), text(&file["reason"]))).collect()
}

fn expected() -> Vec<(String, String)> {
    let reason = |kind: &str| format!("looks like a secret: {kind}");
    SKIPPED.iter().map(|(path, kind)| (path.to_string(), reason(kind))).collect()
}

/// The paths of what a search finds, whatever it ranks how.
/// A question must not apply settings that only the last index run had.
const UNCHECKED: [&str; 2] = ["--set", "index.refresh_ms=0"];

fn found(tree: &Tree, question: &str) -> Vec<String> {
    let answer = tree.ken_json(&["search", question, "--limit", "50", UNCHECKED[0], UNCHECKED[1]]);
    let answer = answer.to_string();
    let all = SKIPPED.iter().map(|(path, _)| path.to_string());
    let all = all.chain(["src/credentials.rs", "ca.pem", "config/example.toml"].map(String::from));
    all.filter(|path| answer.contains(&format!("\"{path}\""))).collect()
}

#[test]
fn secrets_are_not_indexed_but_listed() {
    let tree = tree();
    let statistics = tree.ken_json(&["index"]);
    let by_reason = &statistics["skippedByReason"];
    assert_eq!(by_reason["looks like a secret: private key"], 3, "{statistics}");
    assert_eq!(skipped(&tree), expected());
    for question in ["private key", "aws secret access key", "password", CANARY] {
        let found = found(&tree, question);
        assert!(found.iter().all(|path| !SKIPPED.iter().any(|(one, _)| one == path)), "{found:?}");
    }
    assert_eq!(found(&tree, "private key and aws secret access key")[0], "src/credentials.rs");
    let text = tree.ken(&["status", "--skipped"]);
    assert!(text.contains("deploy/server.pem"), "{text}");
    assert!(text.contains("looks like a secret: private key"), "{text}");
    assert!(!text.contains(CANARY));
    assert!(!holds(&tree.stored_bytes(), CANARY));
}

#[test]
fn the_page_lists_them_and_shows_none() {
    let tree = tree();
    tree.ken(&["index"]);
    let server = Server::start(&tree, &[], &[]);
    let page = |path: &str| server.ask("GET", path, &[("accept", "text/html")], "");
    let status = page("/status").text();
    assert!(status.contains("looks like a secret: private key"), "{status}");
    assert!(status.contains("deploy/server.pem") && !status.contains(CANARY), "{status}");
    for (path, _) in SKIPPED {
        let answer = page(&format!("/file?path={path}"));
        assert_eq!(answer.status, 404, "{path}");
        assert!(!answer.text().contains(CANARY), "{path}");
    }
}

#[test]
fn the_user_admits_them_and_takes_it_back() {
    let tree = tree();
    let index = |admitted: &str| {
        let mut command = tree.command(KEN, &["index", "--json"]);
        let output = command.env("KEN_INDEX_SECRETS", admitted).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let statistics: Value = serde_json::from_slice(&output.stdout).unwrap();
        (statistics["added"].as_u64().unwrap(), statistics["removed"].as_u64().unwrap())
    };
    index("");
    assert_eq!(index("*.pem,/config"), (2, 0));
    assert!(found(&tree, "private key").contains(&"deploy/server.pem".to_string()));
    assert_eq!(skipped(&tree).len(), SKIPPED.len() - 2);
    // All but the key store, which is no text.
    assert_eq!(index("**"), (5, 0));
    assert_eq!(skipped(&tree), [("release.p12".to_string(), "binary".to_string())]);
    assert_eq!(index("**"), (0, 0));
    // A file that is no longer admitted is removed, though no file has changed.
    assert_eq!(index(""), (0, 7));
    assert_eq!(skipped(&tree), expected());
    assert!(!found(&tree, "private key").contains(&"deploy/server.pem".to_string()));
    assert!(!holds(&tree.stored_bytes(), CANARY));
    assert_eq!(index(""), (0, 0));
}

#[test]
fn a_repository_cannot_admit_its_own_secrets() {
    let tree = tree();
    tree.write("kenning.toml", "[index]\nsecrets = [\"**\"]\n");
    let output = tree.run(KEN, &["index"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("sets index.secrets: ignored"), "{said}");
    let skipped = tree.ken(&["status", "--skipped"]);
    assert!(skipped.contains("looks like a secret"), "{skipped}");
}

#[test]
fn a_pattern_that_is_none_is_reported() {
    let tree = tree();
    let mut command = tree.command(KEN, &["index", "--json"]);
    let output = command.env("KEN_INDEX_SECRETS", "a{").output().unwrap();
    let statistics: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(statistics.to_string().contains("index.secrets, \\\"a{\\\""), "{statistics}");
}

#[test]
fn skills_serve_no_secrets() {
    let skill = "---\nname: deploy\ndescription: Deploys the site\n---\nRun it.\n";
    let key = key();
    let tree = Tree::new(&[
        (".claude/skills/deploy/SKILL.md", skill),
        (".claude/skills/deploy/scripts/run.sh", "echo run\n"),
        (".claude/skills/deploy/scripts/.env", &format!("TOKEN={CANARY}\n")),
        (".claude/skills/deploy/key.pem", &key),
        (".claude/skills/deploy/notes.txt", &format!("api_key: {CANARY}\n")),
        (
            ".claude/skills/leak/SKILL.md",
            &format!("---\nname: leak\ndescription: x\n---\nghp_{CANARY}Ab1Cd2Ef3Gh4\n"),
        ),
    ]);
    let mut client = Client::connect(tree.command(KEN, &["serve"]));
    let read = |client: &mut Client, file: &str| {
        client.request("resources/read", json!({"uri": format!("skill://deploy/{file}")}))
    };
    assert!(read(&mut client, "SKILL.md").is_ok());
    assert!(read(&mut client, "scripts/run.sh").is_ok());
    for file in ["scripts/.env", "key.pem", "notes.txt"] {
        let error = read(&mut client, file).unwrap_err().to_string();
        assert!(error.contains("looks like a secret"), "{error}");
        assert!(!error.contains(CANARY), "{error}");
    }
    let listed = client.request("skills/list", json!({})).unwrap().to_string();
    assert!(listed.contains("skill://deploy/scripts/run.sh"), "{listed}");
    for file in ["scripts/.env", "key.pem", "notes.txt", CANARY, "skill://leak"] {
        assert!(!listed.contains(file), "{file}: {listed}");
    }
    let answer = client.call("skill", json!({"name": "leak"}));
    let answer = format!("{answer:?}");
    assert!(answer.contains("looks like a secret") && !answer.contains(CANARY), "{answer}");
}

#[test]
fn specs_and_packages_show_no_secrets() {
    let spec = format!(
        "# Auth\n\n### Requirement: Login\n\nIt SHALL send ghp_{CANARY}Ab1Cd2Ef3Gh4.\n\n\
         #### Scenario: One\n- **WHEN** x\n- **THEN** y\n"
    );
    let tree = Tree::new(&[
        ("specs/auth/spec.md", &spec),
        (
            "package.json",
            &format!(
                "{{\"name\": \"app\", \"dependencies\": {{\"lib\": \
                 \"git+https://me:{CANARY}@host.example/lib.git#v1\"}}}}"
            ),
        ),
    ]);
    tree.ken(&["index"]);
    let package = tree.ken(&["get-package", "app", "--json"]);
    let dependencies = tree.ken(&["package-dependencies", "app", "--json"]);
    let specs = tree.ken(&["specs", "list", "--json"]);
    let one = tree.run(KEN, &["specs", "show", "auth"]);
    let said = [one.stdout, one.stderr].concat();
    for said in [package, dependencies.clone(), specs, String::from_utf8(said).unwrap()] {
        assert!(!said.contains(CANARY), "{said}");
    }
    assert!(dependencies.contains("host.example/lib.git"), "{dependencies}");
    assert!(!holds(&tree.stored_bytes(), CANARY));
}

#[test]
fn tokens_in_manifests_are_masked() {
    let token = format!("ghp_{}", "Zk3vQ9xL2mB8tR5wY7nC4pD6sF1gH0jK2aEu");
    let tree = Tree::new(&[(
        "package.json",
        &format!(r#"{{"name": "a", "version": "1.0.0", "description": "uses {token}"}}"#),
    )]);
    tree.ken(&["index"]);
    let package = tree.ken(&["get-package", "a", "--json"]);
    assert!(package.contains("uses [hidden]"), "{package}");
    assert!(!holds(&tree.stored_bytes(), &token));
}
