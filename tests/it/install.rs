//! `ken install` in a home of its own: files are merged and never overwritten, clients' own commands
//! are preferred, and nothing happens twice.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{KEN, Tree};

struct Home {
    tree: Tree,
}

impl Home {
    fn new() -> Home {
        Home {
            tree: Tree::new(&[("src/a.rs", "fn a() {}\n")]),
        }
    }

    fn file(&self, path: &str) -> PathBuf {
        self.tree.user().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.file(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.file(path)).unwrap()
    }

    /// With programs of the home's `bin` and no others. Standard output, and whether all went well.
    fn install(&self, arguments: &[&str]) -> (String, bool) {
        let arguments = [&["install"], arguments].concat();
        let mut command = self.tree.command(KEN, &arguments);
        let output = command.env("PATH", self.file("bin")).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (String::from_utf8(text).unwrap(), output.status.success())
    }
}

#[test]
fn only_the_clients_that_are_there_are_changed() {
    let home = Home::new();
    let (text, is_good) = home.install(&[]);
    assert!(
        !is_good && text.contains("no MCP client was found"),
        "{text}"
    );
    home.write(
        ".cursor/mcp.json",
        "{\n  \"mcpServers\": {\"x\": {\"command\": \"y\"}}\n}\n",
    );
    let (text, is_good) = home.install(&[]);
    assert!(is_good && text.contains("Cursor: changed"), "{text}");
    let list: Value = serde_json::from_str(&home.read(".cursor/mcp.json")).unwrap();
    assert_eq!(list["mcpServers"]["x"], json!({"command": "y"}));
    let ours = &list["mcpServers"]["kenning"];
    assert_eq!(
        ours["args"],
        json!(["serve", "--root", "${workspaceFolder}"])
    );
    assert!(ours["command"].as_str().unwrap().ends_with("ken"), "{ours}");
    assert!(home.read(".cursor/mcp.json.bak").contains("\"x\""));
    assert!(!home.file(".gemini").exists());
}

#[test]
fn twice_is_once_and_uninstall_leaves_what_was_there() {
    let home = Home::new();
    let before = "# mine\nmodel = \"o\"\n";
    home.write(".codex/config.toml", before);
    for expected in ["Codex: changed", "Codex: nothing to change"] {
        let (text, is_good) = home.install(&["codex"]);
        assert!(is_good && text.contains(expected), "{text}");
    }
    assert!(
        home.read(".codex/config.toml")
            .contains("[mcp_servers.kenning]")
    );
    assert!(home.install(&["codex", "--uninstall"]).1);
    assert_eq!(home.read(".codex/config.toml"), before);
    let (text, _) = home.install(&["codex", "--uninstall"]);
    assert!(text.contains("nothing to change"), "{text}");
}

#[test]
fn a_dry_run_shows_and_changes_nothing() {
    let home = Home::new();
    let (text, is_good) = home.install(&["gemini", "--dry-run"]);
    assert!(
        is_good && text.contains("+ ") && text.contains("kenning"),
        "{text}"
    );
    assert!(!home.file(".gemini").exists());
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let home = Home::new();
    home.write(".gemini/settings.json", "{ \"theme\": ");
    home.write(".cursor/mcp.json", "{}");
    let (text, is_good) = home.install(&[]);
    assert!(!is_good && text.contains("it was left as it is"), "{text}");
    assert!(text.contains("Cursor: changed"), "{text}");
    assert_eq!(home.read(".gemini/settings.json"), "{ \"theme\": ");
}

#[test]
fn a_project_lists_the_program_and_not_its_place() {
    let home = Home::new();
    let (text, is_good) =
        home.install(&["claude-code", "vscode", "opencode", "--project", "--note"]);
    assert!(is_good, "{text}");
    let read = |path: &str| -> Value {
        let text = std::fs::read_to_string(home.tree.root().join(path)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let standard = json!({"type": "stdio", "command": "ken", "args": ["serve"]});
    assert_eq!(read(".mcp.json")["mcpServers"]["kenning"], standard);
    assert_eq!(
        read(".vscode/mcp.json")["servers"]["kenning"]["command"],
        "ken"
    );
    assert_eq!(
        read("opencode.json")["mcp"]["kenning"]["command"],
        json!(["ken", "serve"])
    );
    let note = std::fs::read_to_string(home.tree.root().join("AGENTS.md")).unwrap();
    assert!(note.contains("search_code"), "{note}");
}

#[cfg(unix)]
#[test]
fn a_clients_own_command_is_preferred() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    let script = "#!/bin/sh\necho \"$@\" > \"$HOME/called\"\n";
    home.write("bin/claude", script);
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(home.file("bin/claude"), executable).unwrap();
    let (text, is_good) = home.install(&["claude-code"]);
    assert!(is_good && text.contains("by its own command"), "{text}");
    let called = home.read("called");
    assert!(
        called.starts_with("mcp add --scope user kenning -- "),
        "{called}"
    );
    assert!(called.trim_end().ends_with("ken serve"), "{called}");
    assert!(!home.file(".claude.json").exists());
}

#[test]
fn a_hook_is_merged_shown_and_taken_away() {
    let home = Home::new();
    let before = "{\n  // mine\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Write\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }]\n      }\n    ]\n  }\n}\n";
    home.write(".claude/settings.json", before);
    let arguments = ["claude-code", "--hook"];
    let (text, is_good) = home.install(&[&arguments[..], &["--dry-run"]].concat());
    assert!(is_good && text.contains("ken refresh"), "{text}");
    assert_eq!(home.read(".claude/settings.json"), before);
    for expected in ["hook: changed", "hook: nothing to change"] {
        let (text, is_good) = home.install(&arguments);
        assert!(is_good && text.contains(expected), "{text}");
    }
    let added = home.read(".claude/settings.json");
    for kept in ["// mine", "\"command\": \"fmt\"", "Edit|MultiEdit|Write"] {
        assert!(added.contains(kept), "{added}");
    }
    assert_eq!(added.matches("refresh").count(), 1, "{added}");
    assert_eq!(home.read(".claude/settings.json.bak"), before);
    let (text, is_good) = home.install(&["claude-code", "--uninstall"]);
    assert!(is_good && text.contains("hook: changed"), "{text}");
    assert_eq!(home.read(".claude/settings.json"), before);
}

#[test]
fn a_hook_beside_the_servers_keeps_the_first_backup() {
    let home = Home::new();
    let before = "{\n  \"theme\": 1\n}\n";
    home.write(".gemini/settings.json", before);
    assert!(home.install(&["gemini", "--hook"]).1);
    let settings: Value = serde_json::from_str(&home.read(".gemini/settings.json")).unwrap();
    let hook = &settings["hooks"]["AfterTool"][0];
    assert_eq!(hook["matcher"], "write_file|replace");
    let command = hook["hooks"][0]["command"].as_str().unwrap();
    assert!(command.ends_with("ken refresh"), "{command}");
    assert!(settings["mcpServers"]["kenning"].is_object());
    assert_eq!(home.read(".gemini/settings.json.bak"), before);
}

#[test]
fn a_project_s_hook_names_the_program_and_clients_without_hooks_are_told_so() {
    let home = Home::new();
    let (text, is_good) = home.install(&["cursor", "codex", "--project", "--hook"]);
    assert!(
        is_good && text.contains("Codex, hook: it has no hooks"),
        "{text}"
    );
    let file = home.tree.root().join(".cursor/hooks.json");
    let hooks: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let expected = json!({"version": 1, "hooks": {"afterFileEdit": [{"command": "ken refresh"}]}});
    assert_eq!(hooks, expected);
}

/// As a client calls it: from anywhere, with the event on standard input.
fn refresh(home: &Home, event: &Value) -> std::process::Output {
    use std::io::Write;
    let mut command = home.tree.command(KEN, &["refresh"]);
    let piped = || std::process::Stdio::piped();
    command.current_dir(home.tree.user().parent().unwrap());
    let command = command.stdin(piped()).stdout(piped()).stderr(piped());
    let mut child = command.spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(event.to_string().as_bytes()).unwrap();
    drop(input);
    child.wait_with_output().unwrap()
}

#[test]
fn the_hook_refreshes_an_index_that_exists_and_makes_none() {
    let home = Home::new();
    home.tree.write("src/b.rs", "pub fn freshly_written() {}\n");
    let file = home.tree.root().join("src/b.rs");
    let event = json!({"tool_input": {"file_path": file}});
    let is_silent = |output: &std::process::Output| {
        output.status.success() && output.stdout.is_empty() && output.stderr.is_empty()
    };
    assert!(is_silent(&refresh(&home, &event)));
    let status = home
        .tree
        .command(KEN, &["status", "--json"])
        .output()
        .unwrap();
    assert_eq!(status.status.code(), Some(3));
    let indexed = home
        .tree
        .command(KEN, &["index", "--include-tests"])
        .output();
    assert!(indexed.unwrap().status.success());
    home.tree
        .write("src/b.rs", "pub fn written_once_more() {}\n");
    assert!(is_silent(&refresh(&home, &event)));
    let found = home
        .tree
        .command(KEN, &["search", "written_once_more", "--json"]);
    let mut found = found;
    let found = String::from_utf8(found.output().unwrap().stdout).unwrap();
    assert!(found.contains("fn written_once_more"), "{found}");
    // A client would take 2 for a refusal of the edit.
    home.tree.write("kenning.toml", "nonsense = 1\n");
    let failed = refresh(&home, &event);
    assert_eq!(failed.status.code(), Some(1));
    assert!(!failed.stderr.is_empty() && failed.stdout.is_empty());
}
