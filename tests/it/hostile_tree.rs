//! A tree of everything that a file system allows and nobody expects: names and texts full of
//! escape sequences, pipes, sockets, loops of links, deep folders, a sparse file of 2 GB. Every
//! operation must answer about it, and no control characters may be printed.
#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::{Command, Output};

use kenning::ops;
use serde_json::Value;

use crate::support::{KEN, SHIRE, SPOX, Tree};

/// Sets a window title, clears the screen, hides text, rings, turns the writing direction.
const EVIL: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[8m\u{9b}31m\u{202e}\u{2067}\u{200f}";

/// The deepest folder whose path the operating system still takes.
const DEPTH: usize = 900;

fn hostile_tree() -> Tree {
    let tree = Tree::new(&[]);
    // A skill's name and description may be of any length; in YAML, controls need escapes.
    let long = "very long ".repeat(8_000);
    tree.write(
        ".claude/skills/long/SKILL.md",
        &format!("---\nname: long\ndescription: {long}\n---\n{EVIL}\n"),
    );
    tree.write(
        ".claude/skills/evil/SKILL.md",
        "---\nname: \"evil\\e[2J\\u202e\"\ndescription: \"a\\e]0;b\\a \\u2066\"\n---\nText\u{1b}[2J\n",
    );
    for (number, text) in [
        "---\n---\n",
        "---\nname: [[[[[[\n---\n",
        "---\nname: &a [*a]\ndescription: *a\n---\n",
        "---\nname: \u{0}\ndescription: é\u{301}\n---\n",
        "---\nname: a\ndescription: \"\\ud800\"\n---\n",
    ]
    .iter()
    .enumerate()
    {
        tree.write(&format!(".claude/skills/broken{number}/SKILL.md"), text);
    }
    let spec = format!(
        "# Title {EVIL}\n\n## Purpose\n{EVIL} evil\n\n## Requirements\n### Requirement: Do {EVIL}\n\
         The system SHALL `evil` {EVIL}.\n\n#### Scenario: One {EVIL}\n- **WHEN** {EVIL}\n- **THEN** no\n"
    );
    tree.write("openspec/specs/evil/spec.md", &spec);
    tree.write("openspec/specs/open/spec.md", &"### Requirement: \n#### Scenario:\n- ".repeat(500));
    tree.write("openspec/specs/deep/spec.md", &"> - * ".repeat(2_000));
    tree.write(
        "openspec/changes/evil/proposal.md",
        &format!("# Change: {EVIL}\n\n## Why\n{EVIL}\n"),
    );
    tree.write(
        "openspec/changes/evil/specs/evil/spec.md",
        &spec.replace("## Requirements", "## ADDED Requirements"),
    );
    tree.write("openspec/changes/evil/tasks.md", &format!("- [ ] 1.1 {EVIL}\n"));
    let manifest = serde_json::json!({"name": format!("evil{EVIL}"), "description": EVIL,
        "dependencies": {(EVIL): "^1"}});
    tree.write("package.json", &manifest.to_string());
    tree.write("broken/package.json", &"{\"a\":[".repeat(5_000));
    tree.write("broken/Cargo.toml", &format!("[package]\nname = \"{EVIL}\n"));
    tree.write(
        &format!("src/evil{EVIL}.rs"),
        &format!("/// {EVIL}\npub fn evil() {{ other(); }} // {EVIL}\npub fn other() {{}}\n"),
    );
    tree.write("src/new\nline.rs", "pub fn newline() { crate::evil(); }\n");
    tree.write("src/a.py", &format!("def evil():\n    \"\"\"{EVIL}\"\"\"\n    return evil()\n"));
    let root = tree.root();
    let invalid = root.join(OsStr::from_bytes(b"src/invalid\xff\xfe.rs"));
    // Some file systems take no such name.
    let _ = std::fs::write(invalid, "pub fn invalid() {}\n");
    tree.write_bytes("src/utf16.rs", &[0xff, 0xfe, b'f', 0, b'n', 0]);
    tree.write_bytes("src/mixed.c", b"int a;\xff\xfe\xc3\x28\0int b;\n");
    tree.write_bytes("src/nul.py", &[0; 5_000]);
    let pipe = root.join("src/pipe.rs");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // The file stays when the listener is gone.
    let _ = UnixListener::bind(root.join("s.rs"));
    for (target, link) in [
        ("/dev/zero", "src/zero.rs"),
        ("/dev/tty", "openspec/specs/evil/tty.md"),
        (".", "src/loop"),
        ("loop2", "src/loop1"),
        ("loop1", "src/loop2"),
        ("/", ".claude/skills/root"),
        ("/dev/zero", "Cargo.toml"),
    ] {
        symlink(target, root.join(link)).unwrap();
    }
    let deep = root.join("d/".repeat(DEPTH));
    std::fs::create_dir_all(&deep).unwrap();
    std::fs::write(deep.join("deep.rs"), "pub fn deep() {}\n").unwrap();
    let sparse = std::fs::File::create(root.join("src/sparse.rs")).unwrap();
    sparse.set_len(2 << 30).unwrap();
    tree
}

/// True for control characters that a terminal interprets, and for direction marks.
fn is_obeyed(c: char) -> bool {
    let is_direction = matches!(c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_direction || c.is_control() && !matches!(c, '\n' | '\t')
}

/// The command ended by itself, without a panic, and printed nothing that a terminal obeys.
fn check_output(what: &str, output: &Output) {
    let code = output.status.code();
    assert!(code.is_some_and(|code| code < 100), "{what}: {output:?}");
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        let text = std::str::from_utf8(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        if let Some(at) = text.find(is_obeyed) {
            let around: String = text[at..].chars().take(60).collect();
            panic!("{what}: {name} has {around:?}");
        }
        assert!(!text.contains("panicked at"), "{what}: {text}");
    }
}

/// Values for the arguments that the schema requires, which the command line takes by position.
fn arguments(schema: &Value, name: &str) -> Vec<String> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let value = |field: &Value| match field.as_str().unwrap() {
        "path" => ".".to_string(),
        "file" => "src/a.py".to_string(),
        "action" => "status".to_string(),
        "requirement" => "Do".to_string(),
        "payload" => "{\"language\": \"rust\"}".to_string(),
        "name" if name == "skill" => "long".to_string(),
        _ => "evil".to_string(),
    };
    required.iter().map(value).collect()
}

#[test]
fn a_hostile_tree_is_indexed_and_every_answer_is_safe_to_print() {
    let tree = hostile_tree();
    let run = |binary: &str, arguments: &[&str]| {
        let output = tree.run(binary, arguments);
        check_output(&format!("{arguments:?}"), &output);
        output
    };
    let indexed = run(KEN, &["index", "--name", "evil"]);
    assert!(indexed.status.success(), "{indexed:?}");
    let mut answered = 0;
    for op in ops::ALL.iter().filter(|op| op.name != "forget") {
        let given = arguments(&op.schema, op.name);
        let command = op.command();
        for form in [&[][..], &["--json"]] {
            let mut line = vec![command.as_str()];
            line.extend(given.iter().map(String::as_str));
            line.extend(form);
            answered += usize::from(run(KEN, &line).status.success());
        }
    }
    assert!(answered > 20, "only {answered} commands answered");
    for line in [
        &["edges"][..],
        &["edges", "--jsonl"],
        &["status", "--skipped"],
        &["search", "evil"],
        &["search", "evil", "--format", "compact"],
        &["specs", "show", "evil"],
        &["skills", "show", "evil"],
        &["skills", "show", "long"],
        &["skills", "list"],
        &["overview"],
        &["doctor"],
        &["config"],
    ] {
        run(KEN, line);
    }
    run(SHIRE, &["build"]);
    run(SPOX, &["index"]);
    run(SPOX, &["list"]);
    assert!(run(KEN, &["list-skills"]).status.success());
}
