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
