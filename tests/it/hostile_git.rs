//! A repository that names programs wherever git would run one. Each program leaves a marker; every
//! operation and every front end must answer without leaving one.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kenning::ops::{self, OpEntry};
use serde_json::{Value, json};

use crate::http::Server;
use crate::support::{Client, KEN, SHIRE, SPOX, Tree, until};

const LIB: &str = "\
pub fn helper(number: u32) -> u32 {
    number + 1
}

pub fn caller() -> u32 {
    helper(1)
}
";

const SPEC: &str = "\
# Signing in

## Purpose
Who may come in.

## Requirements
### Requirement: Login
The system SHALL check who logs in with `helper`.

#### Scenario: Wrong password
- **WHEN** the password is wrong
- **THEN** login says no
";

const CHANGE: &str = "\
## ADDED Requirements
### Requirement: Logout
The system SHALL let people go.

#### Scenario: Done
- **WHEN** somebody is done
- **THEN** they are signed out
";

const SKILL: &str = "---\nname: sign-in\ndescription: Signs people in\n---\n\n# Sign in\n";

/// Commands of git, to be aliases. Git refuses to replace its own, and this must not depend on it.
const COMMANDS: [&str; 8] =
    ["diff", "rev-parse", "check-attr", "cat-file", "hash-object", "status", "log", "st"];

const HOOKS: [&str; 9] = [
    "pre-commit",
    "post-checkout",
    "post-index-change",
    "reference-transaction",
    "fsmonitor-watchman",
    "query-watchman",
    "pre-auto-gc",
    "post-merge",
    "sendemail-validate",
];

struct Hostile {
    tree: Tree,
}

impl Hostile {
    /// An indexed repository with an uncommitted change of `helper`, then made hostile.
    fn new() -> Hostile {
        let tree = Tree::new(&[
            ("Cargo.toml", "[package]\nname = \"hostile\"\nversion = \"0.1.0\"\n"),
            ("src/lib.rs", LIB),
            ("src/lost.rs", "pub fn lost() {}\n"),
            ("src/process.py", "def process():\n    pass\n"),
            ("src/text.js", "export function text() {}\n"),
            ("src/large.ts", "export function large() {}\n"),
            ("notes.txt", "one\n"),
            ("openspec/specs/sign-in/spec.md", SPEC),
            ("openspec/changes/leave/proposal.md", "# Leave\n\n## Why\nPeople go.\n"),
            ("openspec/changes/leave/specs/sign-in/spec.md", CHANGE),
            (".claude/skills/sign-in/SKILL.md", SKILL),
            ("sub/inner.rs", "pub fn inner() {}\n"),
        ]);
        let hostile = Hostile { tree };
        for folder in ["markers", "programs"] {
            std::fs::create_dir(hostile.beside(folder)).unwrap();
        }
        hostile.commit_everything();
        hostile.tree.ken(&["index", "--name", "hostile"]);
        hostile.sign_the_commit();
        hostile.lose_an_object();
        hostile.arm();
        hostile.change();
        hostile
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.tree.root().parent().unwrap().join(name)
    }

    fn commit_everything(&self) {
        for directory in ["sub", "."] {
            self.git(&["-C", directory, "init", "-q", "-b", "main"]);
            self.git(&["-C", directory, "add", "."]);
            self.git(&["-C", directory, "commit", "-qm", "first"]);
        }
    }

    /// Runs git as the author of the repository, before it is hostile.
    fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let mut command = self.tree.command("git", &[&identity, arguments].concat());
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// `log.showSignature` runs a program only for a commit that has a signature.
    fn sign_the_commit(&self) {
        let commit = self.git(&["cat-file", "commit", "HEAD"]);
        let signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----";
        let signed = commit.replacen("\n\n", &format!("\n{signature}\n\n"), 1);
        let file = self.beside("signed");
        std::fs::write(&file, signed).unwrap();
        let id = self.git(&["hash-object", "-t", "commit", "-w", file.to_str().unwrap()]);
        self.git(&["update-ref", "HEAD", id.trim()]);
    }

    /// As in a partial clone, where git fetches what it lacks.
    fn lose_an_object(&self) {
        let id = self.git(&["rev-parse", "HEAD:src/lost.rs"]);
        let (folder, name) = id.trim().split_at(2);
        self.tree.remove(&format!(".git/objects/{folder}/{name}"));
    }

    /// A program that leaves a marker of that name.
    fn program(&self, name: &str) -> String {
        let path = self.beside("programs").join(name);
        let marker = self.beside("markers").join(name);
        write_program(&path, &marker);
        path.to_str().unwrap().to_string()
    }

    fn arm(&self) {
        let of_config = self.config("config");
        let old = std::fs::read_to_string(self.tree.root().join(".git/config")).unwrap();
        let include = format!(
            "[include]\n\tpath = included\n[includeIf \"gitdir:**\"]\n\tpath = {}\n",
            self.tree.root().join("included-too").display()
        );
        self.tree.write(".git/config", &format!("{old}{of_config}{include}"));
        self.tree.write(".git/included", &self.config("included"));
        self.tree.write("included-too", &self.config("included-if"));
        self.tree.write(".git/config.worktree", &self.config("config-worktree"));
        let sub = std::fs::read_to_string(self.tree.root().join("sub/.git/config")).unwrap();
        self.tree.write("sub/.git/config", &format!("{sub}{}", self.config("submodule")));
        // The user's own filters and helpers are not run either.
        self.tree.write_at_home(".gitconfig", &self.config("user"));
        let attributes = "*.rs filter=clean diff=text\n*.py filter=process\n*.js diff=command\n\
                          *.ts filter=lfs\n*.toml merge=driver\n";
        self.tree.write(".gitattributes", attributes);
        self.tree.write(".git/info/attributes", attributes);
        self.tree.write("sub/.gitattributes", attributes);
        let url = self.program("gitmodules-url");
        let modules = format!("[submodule \"sub\"]\n\tpath = sub\n\turl = ext::{url}\n");
        self.tree.write(".gitmodules", &modules);
        for hook in HOOKS {
            for (folder, name) in [(".git/hooks", "hook"), ("hooks", "configured-hook")] {
                let marker = self.beside("markers").join(format!("{name}-{hook}"));
                write_program(&self.tree.root().join(folder).join(hook), &marker);
            }
        }
        // In the way of whoever looks for git where the repository is.
        for folder in ["", "node_modules/.bin"] {
            for name in ["git", "git-diff", "gpg", "ssh", "less"] {
                let marker = self.beside("markers").join(format!("planted-{name}"));
                write_program(&self.tree.root().join(folder).join(name), &marker);
            }
        }
    }

    /// Everything that names a program, with markers that begin with `place`.
    fn config(&self, place: &str) -> String {
        let program = |name: &str| self.program(&format!("{place}-{name}"));
        let hooks = self.tree.root().join("hooks");
        let hooks = hooks.display();
        let mut text = format!(
            "[core]\n\trepositoryFormatVersion = 1\n\thooksPath = {hooks}\n[protocol]\n\tallow = always\n\
             [protocol \"ext\"]\n\tallow = always\n[log]\n\tshowSignature = true\n[fetch]\n\
             \trecurseSubmodules = true\n[status]\n\tsubmoduleSummary = true\n[diff]\n\tsubmodule = log\n\
             [extensions]\n\tpartialClone = origin\n\tworktreeConfig = true\n[filter \"clean\"]\n\
             \trequired = true\n[filter \"process\"]\n\trequired = true\n[filter \"lfs\"]\n\
             \trequired = true\n[remote \"origin\"]\n\tpromisor = true\n\tpartialCloneFilter = blob:none\n\
             \turl = ext::{}\n",
            program("transport")
        );
        for (section, key) in [
            ("core", "fsmonitor"),
            ("core", "pager"),
            ("core", "editor"),
            ("core", "askPass"),
            ("core", "sshCommand"),
            ("core", "gitProxy"),
            ("core", "alternateRefsCommand"),
            ("sequence", "editor"),
            ("pager", "diff"),
            ("pager", "log"),
            ("pager", "status"),
            ("diff", "external"),
            ("diff \"command\"", "command"),
            ("diff \"text\"", "textconv"),
            ("merge \"driver\"", "driver"),
            ("filter \"clean\"", "clean"),
            ("filter \"clean\"", "smudge"),
            ("filter \"process\"", "process"),
            ("filter \"lfs\"", "clean"),
            ("filter \"lfs\"", "process"),
            ("credential", "helper"),
            ("gpg", "program"),
            ("gpg \"ssh\"", "program"),
            ("gpg \"x509\"", "program"),
            ("remote \"origin\"", "uploadpack"),
            ("remote \"origin\"", "receivepack"),
            ("remote \"origin\"", "proxy"),
            ("submodule \"sub\"", "update"),
            ("interactive", "diffFilter"),
            ("uploadpack", "packObjectsHook"),
            ("difftool \"x\"", "cmd"),
            ("mergetool \"x\"", "cmd"),
        ] {
            let name = format!("{section}-{key}").replace(['"', ' '], "");
            let is_shell = matches!(key, "helper" | "update");
            let start = if is_shell { "!" } else { "" };
            text += &format!("[{section}]\n\t{key} = {start}{}\n", program(&name));
        }
        for command in COMMANDS {
            let program = program(&format!("alias-{command}"));
            text += &format!("[alias]\n\t{command} = !{program}\n");
        }
        text
    }

    /// An edit of the same size: only the contents tell.
    fn change(&self) {
        self.tree.write("src/lib.rs", &LIB.replace("number + 1", "number + 2"));
        self.tree.write("src/process.py", "def process():\n    return 1\n");
        self.tree.write("src/text.js", "export function text() { return 1 }\n");
        self.tree.write("src/large.ts", "export function large() { return 1 }\n");
        self.tree.write("notes.txt", "two\n");
        self.tree.write("sub/inner.rs", "pub fn inner() -> u8 { 1 }\n");
    }

    /// One of ours, started in the repository as somebody would whose shell leads there.
    fn command(&self, binary: &str, arguments: &[&str]) -> Command {
        let mut command = self.tree.command(binary, arguments);
        let root = self.tree.root();
        let planted = [PathBuf::from("."), root.join("node_modules/.bin"), root];
        let own = std::env::var_os("PATH").unwrap();
        let path = std::env::join_paths(planted.into_iter().chain(std::env::split_paths(&own)));
        command
            .env("PATH", path.unwrap())
            .env("GIT_EXTERNAL_DIFF", self.program("environment-diff"))
            .env("GIT_PAGER", self.program("environment-pager"))
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "core.fsmonitor")
            .env("GIT_CONFIG_VALUE_0", self.program("environment-fsmonitor"))
            .stdin(Stdio::null());
        command
    }

    fn run(&self, binary: &str, arguments: &[&str]) -> (bool, String) {
        let output = self.command(binary, arguments).output().unwrap();
        self.check(&format!("{binary} {arguments:?}"));
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn markers(&self) -> Vec<String> {
        let markers = std::fs::read_dir(self.beside("markers")).unwrap().flatten();
        let mut names: Vec<String> =
            markers.map(|entry| entry.file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn check(&self, after: &str) {
        assert_eq!(self.markers(), [""; 0], "after {after}");
    }
}

fn write_program(path: &Path, marker: &Path) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    // A filter that passes text on lets git go on to the next program; a transport that did so
    // would keep git waiting for an answer.
    let marker_name = marker.to_string_lossy();
    let is_filter = ["-clean", "-smudge"].iter().any(|end| marker_name.ends_with(end));
    let end = if is_filter { "exec /bin/cat" } else { "exit 1" };
    let text = format!("#!/bin/sh\n: > '{}'\n{end}\n", marker.display());
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Arguments that the schema requires, with values that the repository has.
fn arguments(op: &OpEntry, root: &Path) -> Value {
    let schema = op.schema.clone();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let values = required.iter().map(|name| {
        let name = name.as_str().unwrap();
        let value = match name {
            "spec_id" => json!("sign-in"),
            "change_id" => json!("leave"),
            "requirement" => json!("Login"),
            "path" => json!(root),
            "action" => json!("status"),
            "file" => json!("src/lib.rs"),
            "collection" | "collectionName" | "package" | "from" | "to" => json!("hostile"),
            "payload" => json!({"language": "rust"}),
            "name" if op.family == ops::Family::Skills => json!("sign-in"),
            "name" => json!("hostile"),
            _ => json!("helper"),
        };
        (name.to_string(), value)
    });
    Value::Object(values.collect())
}

/// Every operation; the one that removes the index comes last.
fn operations() -> impl Iterator<Item = &'static OpEntry> {
    let (last, others): (Vec<&OpEntry>, Vec<&OpEntry>) =
        ops::ALL.iter().copied().partition(|op| op.name == "forget");
    assert_eq!(last.len(), 1);
    others.into_iter().chain(last)
}

/// The uncommitted change is found, and what it can break.
fn check_impact(answer: &Value) {
    let changed = answer["changed"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let names: Vec<&str> = changed.iter().filter_map(|row| row["symbol"].as_str()).collect();
    for name in ["helper", "process", "text", "large"] {
        assert!(names.contains(&name), "{name}: {answer}");
    }
    assert!(answer["affected"].to_string().contains("caller"), "{answer}");
}

/// Without it the other tests would pass in a repository that harms nobody.
#[test]
fn git_itself_runs_what_this_repository_names() {
    let hostile = Hostile::new();
    for arguments in [
        &["diff", "HEAD", "--", "src/lib.rs"][..],
        &["diff", "HEAD", "--no-ext-diff", "--", "src/lib.rs"],
        &["diff", "HEAD", "--", "src/process.py"],
        &["diff", "HEAD", "--", "src/text.js"],
        &["diff", "HEAD", "--", "src/large.ts"],
        &["diff", "HEAD", "--", "notes.txt"],
        &["diff", "HEAD", "--no-ext-diff", "--", "sub"],
        &["update-index", "--refresh", "notes.txt"],
        &["status"],
        &["log", "-1"],
        &["log", "-p", "-1", "--", "src/lib.rs"],
        &["st"],
        &["cat-file", "-p", "HEAD:src/lost.rs"],
    ] {
        // How each ends is no matter.
        let mut command = hostile.tree.command("git", arguments);
        command.stdin(Stdio::null()).output().unwrap();
    }
    let mut planted = hostile.command("/bin/sh", &["-c", "git"]);
    planted.output().unwrap();
    let markers = hostile.markers();
    let has = |part: &str| markers.iter().any(|marker| marker.contains(part));
    for part in [
        "core-fsmonitor",
        "diff-external",
        "difftext-textconv",
        "diffcommand-command",
        "filterclean-clean",
        "filterprocess-process",
        "filterlfs-process",
        "gpg-program",
        "alias-st",
        "transport",
        "configured-hook-",
        "config-worktree-",
        "included-if-",
        "submodule-",
        "user-",
        "planted-git",
    ] {
        assert!(has(part), "{part}: {markers:?}");
    }
}

#[test]
fn the_command_line_runs_nothing_that_a_repository_names() {
    let hostile = Hostile::new();
    for arguments in [
        &["index"][..],
        &["index", "--full"],
        &["status"],
        &["doctor"],
        &["overview"],
        &["config"],
        &["search", "helper"],
        &["install", "claude-code", "--project", "--note"],
        &["install", "claude-code", "--project", "--uninstall"],
    ] {
        hostile.run(KEN, arguments);
    }
    hostile.run(SHIRE, &["build"]);
    hostile.run(SPOX, &["index"]);
    hostile.run(SPOX, &["list"]);
    let (is_good, text) = hostile.run(KEN, &["impact", "--json"]);
    assert!(is_good, "{text}");
    check_impact(&serde_json::from_str(&text).unwrap());
    let root = hostile.tree.root();
    for op in operations() {
        let arguments = arguments(op, &root).to_string();
        let (_, text) = hostile.run(KEN, &["call", op.name, &arguments, "--json"]);
        // Also what finds fault with something answers.
        assert!(!text.is_empty(), "{} {arguments}", op.name);
    }
}

#[test]
fn a_watch_runs_nothing_that_a_repository_names() {
    let hostile = Hostile::new();
    let mut child = hostile
        .command(KEN, &["watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut lines = std::io::BufRead::lines(stdout);
    assert!(lines.next().unwrap().unwrap().contains("up to date"));
    hostile.tree.write("src/new.rs", "pub fn new() {}\n");
    assert!(lines.next().unwrap().unwrap().contains("up to date"));
    let _ = child.kill();
    let _ = child.wait();
    hostile.check("ken watch");
}

#[test]
fn mcp_runs_nothing_that_a_repository_names() {
    let hostile = Hostile::new();
    let mut client = Client::connect(hostile.command(KEN, &["serve"]));
    check_impact(&client.answer("impact", json!({})));
    for action in ["start", "status", "stop"] {
        let watch = json!({"path": hostile.tree.root(), "action": action});
        client.call("watch_codebase", watch).unwrap();
        hostile.check(action);
    }
    for op in operations() {
        let _ = client.call(op.name, arguments(op, &hostile.tree.root()));
        hostile.check(&format!("{} over MCP", op.name));
    }
    for method in ["resources/list", "prompts/list", "tools/list"] {
        let _ = client.request(method, json!({}));
        hostile.check(method);
    }
    hostile.tree.shire_build();
    let mut shire = Client::connect(hostile.command(SHIRE, &["serve"]));
    let _ = shire.call("index_status", json!({}));
    let mut spox = Client::connect(hostile.command(SPOX, &["mcp", "serve"]));
    let _ = spox.call("list_specs", json!({}));
    hostile.check("shire and spox");
}

#[test]
fn http_runs_nothing_that_a_repository_names() {
    let hostile = Hostile::new();
    let server = Server::spawn(hostile.command(KEN, &["http", "--port", "0"]));
    check_impact(&server.post("/api/impact", &json!({})).ok());
    for page in [
        "/",
        "/?part=about",
        "/?q=helper",
        "/file?path=src/lib.rs",
        "/symbol?at=helper",
        "/packages",
        "/package?name=hostile",
        "/specs",
        "/specs?part=coverage",
        "/spec?id=sign-in",
        "/skills",
        "/skill?name=sign-in",
        "/status",
    ] {
        let answer = server.ask("GET", page, &[("accept", "text/html")], "");
        assert_eq!(answer.status, 200, "{page}: {}", answer.text());
        hostile.check(page);
    }
    for op in operations() {
        server.post(&format!("/api/{}", op.name), &arguments(op, &hostile.tree.root()));
        hostile.check(&format!("{} over HTTP", op.name));
    }
    for path in ["/openapi.json", "/metrics", "/health", "/ready", "/collections"] {
        server.get(path);
    }
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "impact", "arguments": {}}});
    let accepts =
        [("content-type", "application/json"), ("accept", "application/json, text/event-stream")];
    server.ask("POST", "/mcp", &accepts, &call.to_string());
    hostile.check("everything");
}

/// Git would fetch the text that the lost file is compared with.
#[test]
fn a_lost_object_is_not_fetched() {
    let hostile = Hostile::new();
    hostile.tree.write("src/lost.rs", "pub fn lost() -> u8 { 1 }\n");
    let output = hostile.command(KEN, &["impact"]).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("git cannot list"), "{stderr}");
    hostile.check("ken impact");
    hostile.tree.write("CLAUDE.md", "# Rules\n");
    hostile.run(KEN, &["install", "claude-code", "--project", "--note"]);
    until("the note is there", || {
        let note = std::fs::read_to_string(hostile.tree.root().join("CLAUDE.md"));
        note.is_ok_and(|note| note.contains("Kenning"))
    });
}
