//! `ken install` in a home of its own: files are merged and never overwritten, clients' own
//! commands are preferred, and nothing happens twice.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::{KEN, Tree};

struct Home {
    tree: Tree,
}

impl Home {
    fn new() -> Home {
        Home { tree: Tree::new(&[("src/a.rs", "fn a() {}\n")]) }
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

    #[cfg(unix)]
    fn program(&self, name: &str, script: &str) {
        use std::os::unix::fs::PermissionsExt;
        let path = format!("bin/{name}");
        self.write(&path, &format!("#!/bin/sh\n{script}\n"));
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.file(&path), executable).unwrap();
    }

    /// The names of the files in a folder of the home.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.file(folder)).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
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
    assert!(!is_good && text.contains("no MCP client was found"), "{text}");
    home.write(".cursor/mcp.json", "{\n  \"mcpServers\": {\"x\": {\"command\": \"y\"}}\n}\n");
    let (text, is_good) = home.install(&[]);
    assert!(is_good && text.contains("Cursor: changed"), "{text}");
    let list: Value = serde_json::from_str(&home.read(".cursor/mcp.json")).unwrap();
    assert_eq!(list["mcpServers"]["x"], json!({"command": "y"}));
    let ours = &list["mcpServers"]["kenning"];
    assert_eq!(
        ours["args"],
        json!(["serve", "--toolsets", "agent", "--root", "${workspaceFolder}"])
    );
    assert!(ours["command"].as_str().unwrap().ends_with("ken"), "{ours}");
    assert!(home.read(".cursor/mcp.json.kenning.bak").contains("\"x\""));
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
    assert!(home.read(".codex/config.toml").contains("[mcp_servers.kenning]"));
    assert!(home.install(&["codex", "--uninstall"]).1);
    assert_eq!(home.read(".codex/config.toml"), before);
    let (text, _) = home.install(&["codex", "--uninstall"]);
    assert!(text.contains("nothing to change"), "{text}");
}

#[test]
fn a_dry_run_shows_and_changes_nothing() {
    let home = Home::new();
    let (text, is_good) = home.install(&["gemini", "--dry-run"]);
    assert!(is_good && text.contains("+ ") && text.contains("kenning"), "{text}");
    assert!(text.contains("Gemini CLI: would change"), "{text}");
    assert!(!home.file(".gemini").exists());
}

#[test]
fn a_file_that_cannot_be_read_is_left_alone() {
    let home = Home::new();
    home.write(".gemini/settings.json", "{ \"theme\": ");
    home.write(".cursor/mcp.json", "{}");
    let (text, is_good) = home.install(&[]);
    assert!(!is_good && text.contains("was not changed"), "{text}");
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
    let standard =
        json!({"type": "stdio", "command": "ken", "args": ["serve", "--toolsets", "agent"]});
    assert_eq!(read(".mcp.json")["mcpServers"]["kenning"], standard);
    assert_eq!(read(".vscode/mcp.json")["servers"]["kenning"]["command"], "ken");
    assert_eq!(
        read("opencode.json")["mcp"]["kenning"]["command"],
        json!(["ken", "serve", "--toolsets", "agent"])
    );
    let note = std::fs::read_to_string(home.tree.root().join("AGENTS.md")).unwrap();
    assert!(note.contains("search_code"), "{note}");
}

#[cfg(unix)]
#[test]
fn a_clients_own_command_is_preferred() {
    let home = Home::new();
    home.program("claude", "echo \"$@\" > \"$HOME/called\"");
    let (text, is_good) = home.install(&["claude-code"]);
    assert!(is_good && text.contains("by its own command"), "{text}");
    let called = home.read("called");
    assert!(called.starts_with("mcp add --scope user kenning -- "), "{called}");
    assert!(called.trim_end().ends_with("ken serve --toolsets agent"), "{called}");
    assert!(!home.file(".claude.json").exists());
}

#[cfg(unix)]
#[test]
fn an_entry_with_an_old_place_is_mended_where_a_client_would_refuse() {
    let home = Home::new();
    home.program("claude", "echo \"MCP server kenning already exists in user config\"; exit 1");
    let before = json!({"mcpServers": {"kenning":
        {"type": "stdio", "command": "/old/ken", "args": ["serve"], "env": {"A": "1"}}}});
    home.write(".claude.json", &before.to_string());
    let (text, is_good) = home.install(&["claude-code"]);
    assert!(is_good && text.contains("Claude Code: changed"), "{text}");
    let after: Value = serde_json::from_str(&home.read(".claude.json")).unwrap();
    let ours = &after["mcpServers"]["kenning"];
    assert!(
        ours["command"].as_str().unwrap() != "/old/ken" && ours["env"] == json!({"A": "1"}),
        "{ours}"
    );
    let (text, is_good) = home.install(&["claude-code"]);
    assert!(is_good && text.contains("nothing to change"), "{text}");
}

#[cfg(unix)]
#[test]
fn an_entry_in_an_unknown_list_is_removed_and_added_by_the_client() {
    let home = Home::new();
    let script = "echo \"$2\" >> \"$HOME/called\"\n\
                  if [ \"$2\" = remove ]; then : > \"$HOME/removed\"; exit 0; fi\n\
                  if [ ! -e \"$HOME/removed\" ]; then echo 'already exists' >&2; exit 1; fi";
    home.program("codex", script);
    let (text, is_good) = home.install(&["codex"]);
    assert!(is_good && text.contains("by its own command"), "{text}");
    assert_eq!(home.read("called"), "add\nremove\nadd\n");
}

#[cfg(unix)]
#[test]
fn a_client_that_ends_well_with_nothing_to_do_is_understood() {
    let home = Home::new();
    let script = "echo \"$@\" > \"$HOME/called\"\n\
                  if [ \"$2\" = remove ]; then echo 'Server \"kenning\" not found in user settings.'; fi";
    home.program("gemini", script);
    let (text, is_good) = home.install(&["gemini"]);
    assert!(is_good && text.contains("by its own command"), "{text}");
    let called = home.read("called");
    assert!(called.starts_with("mcp add --scope user kenning /"), "{called}");
    let (text, is_good) = home.install(&["gemini", "--uninstall"]);
    assert!(is_good && text.contains("nothing to change"), "{text}");
}

#[test]
fn no_backup_is_overwritten() {
    let home = Home::new();
    let before = "{\n  \"theme\": 1\n}\n";
    home.write(".gemini/settings.json", before);
    home.write(".gemini/settings.json.bak", "the user's own");
    home.write(".gemini/settings.json.kenning.bak", "another");
    for arguments in [&["gemini"][..], &["gemini", "--uninstall"]].repeat(2) {
        let (text, is_good) = home.install(arguments);
        assert!(is_good && text.contains("as it was before: "), "{text}");
    }
    assert_eq!(home.read(".gemini/settings.json"), before);
    assert_eq!(home.read(".gemini/settings.json.bak"), "the user's own");
    assert_eq!(home.read(".gemini/settings.json.kenning.bak"), "another");
    assert_eq!(home.read(".gemini/settings.json.kenning.2.bak"), before);
    let installed = home.read(".gemini/settings.json.kenning.3.bak");
    assert!(installed.contains("\"kenning\""), "{installed}");
    // The same text is kept once.
    assert_eq!(home.names(".gemini").len(), 5);
}

/// `git` as the machine has it, in a repository with what is there committed.
#[cfg(unix)]
fn commit_all(home: &Home) {
    let path = std::env::var_os("PATH").unwrap();
    let mut folders = std::env::split_paths(&path).map(|folder| folder.join("git"));
    let git = folders.find(|git| git.is_file()).expect("git is installed");
    home.program("git", &format!("exec '{}' \"$@\"", git.display()));
    for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "x"]] {
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let mut command = home.tree.command("git", &[&identity, arguments].concat());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_git_has_is_not_kept_beside_it() {
    let home = Home::new();
    home.tree.write("CLAUDE.md", "# Rules\n");
    home.tree.write(".mcp.json", "{}\n");
    commit_all(&home);
    home.tree.write(".mcp.json", "{\"mcpServers\": {}}\n");
    let (text, is_good) = home.install(&["claude-code", "--project", "--note"]);
    assert!(is_good && text.contains("in git's last commit"), "{text}");
    assert!(!home.tree.root().join("CLAUDE.md.kenning.bak").exists());
    // This one differs from what was committed.
    let kept = std::fs::read_to_string(home.tree.root().join(".mcp.json.kenning.bak"));
    assert_eq!(kept.unwrap(), "{\"mcpServers\": {}}\n");
}

#[test]
fn the_file_with_comments_is_taken_where_opencode_has_one() {
    let home = Home::new();
    let before = "{\n  // mine\n  \"theme\": \"x\"\n}\n";
    home.write("../config/opencode/opencode.jsonc", before);
    home.tree.write("opencode.jsonc", before);
    for arguments in [&["opencode"][..], &["opencode", "--project"]] {
        let (text, is_good) = home.install(arguments);
        assert!(is_good && text.contains("opencode.jsonc"), "{text}");
    }
    let user = home.read("../config/opencode/opencode.jsonc");
    let project = std::fs::read_to_string(home.tree.root().join("opencode.jsonc")).unwrap();
    for text in [user, project] {
        assert!(text.contains("// mine") && text.contains("\"kenning\""), "{text}");
    }
    assert!(!home.file("../config/opencode/opencode.json").exists());
    assert!(!home.tree.root().join("opencode.json").exists());
    // One that an older Kenning wrote beside it is found again.
    home.write("../config/opencode/opencode.jsonc", before);
    home.write(
        "../config/opencode/opencode.json",
        "{\"mcp\": {\"kenning\": {\"type\": \"local\"}}}",
    );
    assert!(home.install(&["opencode", "--uninstall"]).1);
    assert!(!home.file("../config/opencode/opencode.json").exists());
    assert_eq!(home.read("../config/opencode/opencode.jsonc"), before);
}

#[test]
fn a_file_that_begins_with_a_mark_is_read() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "\u{feff}{}\n");
    let (text, is_good) = home.install(&["cursor"]);
    assert!(is_good && text.contains("Cursor: changed"), "{text}");
    assert!(home.read(".cursor/mcp.json").starts_with("\u{feff}{"));
}

#[test]
fn uninstall_leaves_nothing_of_what_install_made() {
    let home = Home::new();
    let clients = ["cursor", "vscode", "gemini", "opencode", "codex", "claude-code"];
    let install = [&clients[..], &["--project", "--note", "--hook"]].concat();
    assert!(home.install(&install).1);
    assert!(home.tree.root().join("AGENTS.md").exists());
    let uninstall = [&clients[..], &["--project", "--uninstall"]].concat();
    let (text, _) = home.install(&[&uninstall[..], &["--dry-run"]].concat());
    assert!(text.contains("Cursor: would be removed"), "{text}");
    assert!(home.tree.root().join("AGENTS.md").exists());
    let (text, is_good) = home.install(&uninstall);
    assert!(is_good && text.contains("Cursor: removed"), "{text}");
    let left = std::fs::read_dir(home.tree.root()).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["src"], "{text}");
}

#[test]
fn uninstall_leaves_files_that_others_made() {
    let home = Home::new();
    for name in [".vscode/mcp.json", "opencode.json"] {
        home.tree.write(name, "{}\n");
    }
    assert!(home.install(&["vscode", "opencode", "--project"]).1);
    let (text, is_good) = home.install(&["vscode", "opencode", "--project", "--uninstall"]);
    assert!(is_good, "{text}");
    for name in [".vscode/mcp.json", "opencode.json"] {
        assert!(home.tree.root().join(name).is_file(), "{name}: {text}");
    }
}

#[test]
fn claude_code_is_told_where_it_reads() {
    let home = Home::new();
    let has_note = |name: &str| {
        let text = std::fs::read_to_string(home.tree.root().join(name)).unwrap_or_default();
        text.contains("search_code")
    };
    assert!(home.install(&["claude-code", "--project", "--note"]).1);
    assert!(has_note("CLAUDE.md") && !has_note("AGENTS.md"));
    assert!(home.install(&["cursor", "--project", "--note"]).1);
    assert!(has_note("AGENTS.md"));
    let both = ["cursor", "claude-code", "--project", "--note", "--uninstall"];
    assert!(home.install(&both).1);
    home.tree.write("CLAUDE.md", "See @AGENTS.md\n");
    assert!(home.install(&["claude-code", "--project", "--note"]).1);
    assert!(has_note("AGENTS.md") && !has_note("CLAUDE.md"));
}

#[test]
fn a_note_stays_as_long_as_another_client_lists_kenning() {
    let home = Home::new();
    let note = home.tree.root().join("AGENTS.md");
    home.tree.write("AGENTS.md", "# Rules\n");
    assert!(home.install(&["cursor", "gemini", "--note"]).1);
    assert!(home.install(&["cursor", "--uninstall"]).1);
    assert!(std::fs::read_to_string(&note).unwrap().contains("search_code"));
    assert!(home.install(&["gemini", "--uninstall"]).1);
    assert_eq!(std::fs::read_to_string(&note).unwrap(), "# Rules\n");
    assert!(!home.file(".gemini").exists());
}

#[test]
fn what_agents_read_is_added_shown_and_removed() {
    let home = Home::new();
    let at = |path: &str| home.tree.root().join(path);
    let skill = ".claude/skills/ask-kenning/SKILL.md";
    let files = [skill, ".agents/skills/ask-kenning/SKILL.md", ".claude/agents/code-finder.md"];
    let arguments = ["claude-code", "codex", "--notes"];
    let (text, is_good) = home.install(&[&arguments[..], &["--dry-run"]].concat());
    assert!(is_good && text.contains("subagent: would change"), "{text}");
    assert!(files.iter().all(|file| !at(file).exists()));
    assert!(home.install(&arguments).1);
    for file in files {
        let text = std::fs::read_to_string(at(file)).unwrap();
        assert!(text.starts_with("---\nname: ") && text.contains("code_research"), "{text}");
    }
    // Text of somebody else is neither overwritten nor deleted.
    std::fs::write(at(skill), "mine").unwrap();
    let (text, is_good) = home.install(&arguments);
    assert!(!is_good && text.contains("Kenning did not write this file"), "{text}");
    assert!(home.install(&["--uninstall", "claude-code", "codex"]).1);
    assert_eq!(std::fs::read_to_string(at(skill)).unwrap(), "mine");
    assert!(files[1..].iter().all(|file| !at(file).exists()));
    assert!(!at("AGENTS.md").exists() && !at("CLAUDE.md").exists());
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
    assert_eq!(home.read(".claude/settings.json.kenning.bak"), before);
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
    assert_eq!(settings["hooks"]["AfterTool"].as_array().unwrap().len(), 2);
    let hook = &settings["hooks"]["AfterTool"][0];
    assert_eq!(hook["matcher"], "write_file|replace");
    let command = hook["hooks"][0]["command"].as_str().unwrap();
    assert!(command.ends_with("ken refresh"), "{command}");
    assert!(settings["mcpServers"]["kenning"].is_object());
    assert_eq!(home.read(".gemini/settings.json.kenning.bak"), before);
}

#[test]
fn a_project_s_hook_names_the_program_and_clients_without_hooks_are_told_so() {
    let home = Home::new();
    let (text, is_good) = home.install(&["cursor", "codex", "--project", "--hook"]);
    assert!(is_good && text.contains("Codex, hook: it has no hooks"), "{text}");
    assert!(text.contains("Codex, search hook: changed"), "{text}");
    let file = home.tree.root().join(".cursor/hooks.json");
    let hooks: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let search = json!({"command": "ken hook search", "matcher": "Grep|Read|Shell"});
    let expected = json!({"version": 1, "hooks": {
        "afterFileEdit": [{"command": "ken refresh"}], "postToolUse": [search]}});
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
    let status = home.tree.command(KEN, &["status", "--json"]).output().unwrap();
    assert_eq!(status.status.code(), Some(3));
    let indexed = home.tree.command(KEN, &["index", "--include-tests"]).output();
    assert!(indexed.unwrap().status.success());
    home.tree.write("src/b.rs", "pub fn written_once_more() {}\n");
    assert!(is_silent(&refresh(&home, &event)));
    let found = home.tree.command(KEN, &["search", "written_once_more", "--json"]);
    let mut found = found;
    let found = String::from_utf8(found.output().unwrap().stdout).unwrap();
    assert!(found.contains("fn written_once_more"), "{found}");
    // A client would take 2 for a refusal of the edit.
    home.tree.write("kenning.toml", "nonsense = 1\n");
    let failed = refresh(&home, &event);
    assert_eq!(failed.status.code(), Some(1));
    assert!(!failed.stderr.is_empty() && failed.stdout.is_empty());
}
