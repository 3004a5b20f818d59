//! The commands for people: the grouped help, short spellings, `ken grep`, and hooks that agents
//! run.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{KEN, Tree};

fn code(tree: &Tree, arguments: &[&str]) -> (i32, String, String) {
    let output = tree.run(KEN, arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn help_is_grouped_and_explains_each_command() {
    let tree = Tree::new(&[]);
    let page = tree.ken(&["--help"]);
    assert_eq!(page, tree.ken(&["help"]));
    assert!(page.contains("\nSearch\n  search ") && page.contains("\nUnderstand\n"), "{page}");
    assert!(!page.contains("search-code"), "{page}");
    assert_eq!(tree.ken(&["help", "grep"]), tree.ken(&["grep", "--help"]));
    let nested = tree.ken(&["help", "packages", "impact"]);
    assert!(nested.contains("Usage: ken packages impact"), "{nested}");
    assert!(nested.contains("Examples:\n  ken packages impact core"), "{nested}");
    let (exit, _, stderr) = code(&tree, &["help", "serch"]);
    assert_eq!(exit, 2);
    assert!(stderr.contains("'search'"), "{stderr}");
}

#[test]
fn short_spellings_are_the_same_commands() {
    let tree = Tree::monorepo();
    tree.ken(&["index"]);
    for (short, long) in [
        (&["packages", "show", "web"][..], &["get-package", "web"][..]),
        (&["packages", "list"], &["list-packages"]),
        (&["packages", "impact", "core"], &["package-impact", "core"]),
    ] {
        assert_eq!(tree.ken(short), tree.ken(long), "{short:?}");
    }
    let (_, _, stderr) = code(&tree, &["symbol", "nobody"]);
    assert!(stderr.contains("`ken symbols`") || !stderr.contains("search_symbols"), "{stderr}");
}

#[test]
fn grep_prints_lines_as_grep_does() {
    let tree = Tree::new(&[
        ("src/a.rs", "fn go() {\n    stop(1);\n}\n\nfn stop(n: u8) {}\n"),
        ("src/b.py", "def stop():\n\treturn 'STOP(1)'\n"),
        ("tests/c.rs", "#[test]\nfn stops() { stop(2); }\n"),
        ("bad\u{1b}.rs", "fn stop() {}\n"),
    ]);
    let check = |arguments: &[&str], expected: &[&str]| {
        let (exit, stdout, stderr) = code(&tree, &[&["grep"], arguments].concat());
        let lines: Vec<&str> = stdout.lines().collect();
        assert_eq!(lines, expected, "{arguments:?} {stderr}");
        assert_eq!(exit, i32::from(expected.is_empty()), "{arguments:?} {stderr}");
    };
    check(&["stop(1"], &["src/a.rs:2:     stop(1);"]);
    check(&["-i", "stop(1)"], &["src/a.rs:2:     stop(1);", "src/b.py:2:     return 'STOP(1)'"]);
    check(
        &["-w", "stop", "src/a.rs"],
        &["src/a.rs:2:     stop(1);", "src/a.rs:5: fn stop(n: u8) {}"],
    );
    check(&["-e", r"stop\(\d\)", "src"], &["src/a.rs:2:     stop(1);"]);
    check(&["-l", "stop", "*/*.rs"], &["src/a.rs", "tests/c.rs"]);
    check(&["-n", "stop(2"], &["tests/c.rs:2: fn stops() { stop(2); }"]);
    check(&["-t", "python", "stop"], &["src/b.py:1: def stop():"]);
    check(&["fn stop()"], &["bad .rs:1: fn stop() {}"]);
    check(&["nowhere"], &[]);
    check(&["a.b"], &[]);
    let rows = tree.ken_json(&["grep", "stop(1"]);
    assert_eq!(rows, json!([{"path": "src/a.rs", "line": 2, "text": "    stop(1);"}]));
    for (arguments, words) in [
        (&["grep"][..], "required"),
        (&["grep", "-e", "("], "not a regular expression"),
        (&["grep", ""], "must not be empty"),
    ] {
        let (exit, _, stderr) = code(&tree, arguments);
        assert_eq!(exit, 2, "{arguments:?} {stderr}");
        assert!(stderr.contains(words), "{arguments:?} {stderr}");
    }
}

#[test]
fn grep_finds_text_in_an_index_that_hides_tests() {
    let tree = Tree::new(&[("tests/c.rs", "#[test]\nfn stops() { stop(2); }\n")]);
    tree.ken(&["index", "--include-tests=false"]);
    assert_eq!(tree.ken(&["grep", "-l", "stop(2"]), "tests/c.rs\n");
}

/// Runs a hook as a client does: the event on standard input, from anywhere.
fn hook(tree: &Tree, event: &Value, settings: &[(&str, &str)]) -> (i32, String, String) {
    let mut command = tree.command(KEN, &["hook", "search"]);
    command.current_dir(tree.user().parent().unwrap()).envs(settings.iter().copied());
    let piped = Stdio::piped;
    let mut child = command.stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(event.to_string().as_bytes()).unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_search_hook_speaks_the_protocol_of_each_client() {
    let tree = Tree::new(&[
        ("src/a.rs", "pub fn parse_url(text: &str) {}\n"),
        ("src/b.rs", "use crate::a::parse_url;\nfn go() { parse_url(\"x\") }\n"),
        ("src/lib.rs", "mod a;\nmod b;\n"),
        ("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\n"),
    ]);
    let root = tree.root();
    let grep = |client: &str| match client {
        "claude" => {
            json!({"session_id": "s", "transcript_path": "/t", "cwd": root, "hook_event_name":
            "PostToolUse", "tool_name": "Grep", "tool_input": {"pattern": "parse_url", "output_mode":
            "content"}, "tool_response": {"numFiles": 1}})
        }
        "codex" => json!({"session_id": "s", "turn_id": "t", "cwd": root, "hook_event_name":
            "PostToolUse", "model": "m", "tool_name": "Bash", "tool_use_id": "u",
            "tool_input": {"command": "rg -n parse_url src"}, "tool_response": "x"}),
        "gemini" => json!({"session_id": "s", "cwd": root, "hook_event_name": "AfterTool",
            "timestamp": "2026-01-01T00:00:00Z", "tool_name": "search_file_content",
            "tool_input": {"pattern": "parse_url"}, "tool_response": {"llmContent": "x"}}),
        _ => json!({"conversation_id": "c", "hook_event_name": "postToolUse", "workspace_roots":
            [root], "tool_name": "Grep", "tool_input": {"pattern": "parse_url"}, "tool_output": "x"}),
    };
    let clients = [
        ("claude", "/hookSpecificOutput/additionalContext"),
        ("codex", "/hookSpecificOutput/additionalContext"),
        ("gemini", "/hookSpecificOutput/additionalContext"),
        ("cursor", "/additional_context"),
    ];
    let silent = (0, String::new(), String::new());
    // Nothing is indexed, and a hook is no request to index.
    for (client, _) in clients {
        assert_eq!(hook(&tree, &grep(client), &[]), silent, "{client}");
    }
    tree.ken(&["index"]);
    for (client, pointer) in clients {
        let (exit, stdout, stderr) = hook(&tree, &grep(client), &[]);
        assert_eq!((exit, stderr.as_str()), (0, ""), "{client}");
        let answer: Value = serde_json::from_str(&stdout).unwrap();
        let text = answer.pointer(pointer).unwrap().as_str().unwrap();
        assert!(text.contains("src/a.rs:1 parse_url (function)"), "{client}: {text}");
        assert!(text.contains("1 call"), "{client}: {text}");
        assert_eq!(hook(&tree, &grep(client), &[("KEN_HOOK_SEARCH", "off")]), silent);
    }
    let event = |tool: &str, input: Value| json!({"cwd": root, "hook_event_name": "PostToolUse", "tool_name": tool, "tool_input": input});
    let (_, stdout, _) =
        hook(&tree, &event("Read", json!({"file_path": root.join("src/a.rs")})), &[]);
    assert!(stdout.contains("parse_url (line 1, in 1 file)"), "{stdout}");
    // Nothing good to say, or not an event at all.
    for event in [
        event("Grep", json!({"pattern": "nothing_has_this_name"})),
        event("Grep", json!({"pattern": 7})),
        event("Read", json!({"file_path": "/etc/passwd"})),
        event("Bash", json!({"command": "cargo test"})),
        json!({"tool_name": "Grep"}),
        json!([]),
        json!("x"),
    ] {
        assert_eq!(hook(&tree, &event, &[]), silent, "{event}");
    }
    // Broken settings must not break an agent's search.
    tree.write("kenning.toml", "nonsense = 1\n");
    assert_eq!(hook(&tree, &grep("claude"), &[]).0, 0);
    assert_eq!(hook(&tree, &grep("claude"), &[]).1, "");
}

#[test]
fn hostile_names_do_not_reach_an_agent_unbounded() {
    let long = "x".repeat(5000);
    let text = format!("pub fn parse_url({long}: u8) {{}}\n");
    let tree = Tree::new(&[("src/a\n\u{7}b.rs", text.as_str())]);
    tree.ken(&["index"]);
    let event = json!({"cwd": tree.root(), "hook_event_name": "PostToolUse", "tool_name": "Grep",
        "tool_input": {"pattern": "parse_url"}});
    let (exit, stdout, _) = hook(&tree, &event, &[]);
    assert_eq!(exit, 0);
    assert!(stdout.len() < 1600 && !stdout.contains('\u{7}'), "{stdout}");
}
