//! Real answers for the tool reference: a small repository in which the examples of the
//! declarations mean something, asked through the real binary. What differs from machine to machine
//! is made alike.

use kenning::ops::OpEntry;
use regex::Regex;
use serde_json::Value;

use crate::support::{KEN, Tree};

const SESSION: &str = "\
//! Who is signed in.

/// Somebody who can prove who they are.
pub trait Authenticatable {
    fn authenticate(&self, password: &str) -> bool;
}

/// One signed-in user.
pub struct Session {
    name: String,
    expired: bool,
}

impl Authenticatable for Session {
    fn authenticate(&self, password: &str) -> bool {
        !self.expired && !password.is_empty()
    }
}

impl Session {
    /// Signs in, or refuses a wrong password.
    pub fn login(&mut self, password: &str) -> Result<(), String> {
        if !self.authenticate(password) {
            return Err(format!(\"wrong password for {}\", self.name));
        }
        Ok(())
    }
}

/// Signs everybody in again after a restart.
pub fn restore(sessions: &mut [Session]) {
    for session in sessions {
        let _ = session.login(\"remembered\");
    }
}
";

const RETRY: &str = "\
/// Requests are retried three times, with a longer pause before each.
pub fn send_with_retries(request: &str) -> Result<(), String> {
    if request.is_empty() {
        return Err(\"nothing to send\".to_string());
    }
    Ok(())
}
";

const QUERY: &str = "\
/// Cuts a query into words.
pub fn parse_query(text: &str) -> Vec<&str> {
    text.split(' ').collect()
}

fn nobody_calls_this() {}
";

const SPEC: &str = "\
# Auth

## Purpose
How users sign in and out, and how long a session lasts.

## Requirements

### Requirement: Sign in
A user SHALL sign in with a name and a password.

#### Scenario: Right password
- **WHEN** the password is right
- **THEN** a session begins

#### Scenario: Wrong password
- **WHEN** the password is wrong
- **THEN** the login is refused
- **AND** the attempt is counted

### Requirement: Session expiry
A session SHALL expire after an hour without a request.

#### Scenario: An hour passes
- **WHEN** a session expires
- **THEN** the user is asked to sign in again
";

const DELTA: &str = "\
## ADDED Requirements

### Requirement: Sign out
A user SHALL be able to sign out everywhere at once.

#### Scenario: Everywhere
- **WHEN** the user signs out everywhere
- **THEN** every session of theirs ends
";

const PROPOSAL: &str = "\
# Sign out everywhere

## Why
People lose their phones and then want to be signed out on all of their devices at once.

## What Changes
A command that ends every session of a user, wherever it was begun.
";

const SKILL: &str = "\
---
name: pdf
description: Read, fill in and make PDF files. Use for forms, contracts and other documents in PDF.
---

# PDF

Ask for the fields first, then fill them in.
";

const COMMITS: &str = "\
---
name: commits
description: How commit messages are written here. Use before every commit.
---

Area, colon, what changes for the reader.
";

const APP: &[(&str, &str)] = &[
    ("src/session.rs", SESSION),
    ("src/net/retry.rs", RETRY),
    ("src/search/query.rs", QUERY),
    ("openspec/specs/auth/spec.md", SPEC),
    ("openspec/changes/add-login/proposal.md", PROPOSAL),
    (
        "openspec/changes/add-login/tasks.md",
        "## 1. Sessions\n- [x] 1.1 List them\n- [ ] 1.2 End them\n",
    ),
    ("openspec/changes/add-login/specs/auth/spec.md", DELTA),
    (".claude/skills/commits/SKILL.md", COMMITS),
    (".claude/skills/pdf/SKILL.md", SKILL),
    ("package.json", r#"{"name": "shop", "private": true, "workspaces": ["packages/*"]}"#),
    (
        "packages/web/package.json",
        r#"{"name": "web", "version": "1.2.0", "description": "The customers' site, with auth",
            "dependencies": {"core": "workspace:*", "react": "^19.0.0"}}"#,
    ),
    (
        "packages/core/package.json",
        r#"{"name": "core", "version": "2.0.0", "description": "Money, dates and the cart",
            "dependencies": {"logger": "workspace:*"}}"#,
    ),
    (
        "packages/core/index.ts",
        "export function total(prices: number[]): number {\n  return prices.reduce((sum, price) => sum + price, 0);\n}\n",
    ),
    (
        "packages/logger/package.json",
        r#"{"name": "logger", "version": "0.3.1", "description": "One line for each event"}"#,
    ),
];

/// The repository, indexed.
pub fn app() -> Tree {
    let tree = Tree::new(APP);
    tree.ken(&["index", "--name", "app"]);
    tree
}

/// The repository with a commit and an uncommitted change. Name and times are fixed, so that the
/// commit is the same everywhere.
fn edited_app() -> Tree {
    let tree = app();
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let time = "2026-01-31T12:00:00Z";
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "first"]] {
        let mut git = tree.command("git", &[&identity, arguments].concat());
        git.env("GIT_AUTHOR_DATE", time).env("GIT_COMMITTER_DATE", time);
        assert!(git.output().unwrap().status.success(), "{arguments:?}");
    }
    tree.write(
        "src/session.rs",
        &SESSION.replace("password: &str) -> Result", "secret: &str) -> Result"),
    );
    tree
}

/// Returns the answer to the first example that has one here, as a part of the page.
pub fn answered(tree: &Tree, op: &OpEntry) -> String {
    // It would leave nothing for the others.
    if op.name == "forget" {
        return String::new();
    }
    let edited = ["review", "history"].contains(&op.name).then(edited_app);
    let tree = edited.as_ref().unwrap_or(tree);
    for example in op.examples {
        let words = crate::cli::shell_words(example.strip_prefix("ken ").unwrap());
        let words: Vec<&str> = words.into_iter().filter(|word| *word != "--json").collect();
        let output = tree.run(KEN, &[&words[..], &["--json"]].concat());
        if output.status.success() {
            let answer = serde_json::from_slice(&output.stdout).unwrap();
            let said = alike(tree, &written(op, &answer));
            return format!("\n`{example}` is answered\n\n{said}\n");
        }
    }
    panic!("no example of {} has an answer: {:?}", op.name, op.examples);
}

/// A document is shown as it is, everything else as JSON.
fn written(op: &OpEntry, answer: &Value) -> String {
    let text = answer["text"].as_str().filter(|_| is_text(answer));
    let (kind, text) = match text {
        Some(text) => {
            let lines: Vec<&str> = text.lines().collect();
            let more = lines.len().saturating_sub(LINES);
            let mut shown: Vec<String> = lines.iter().take(LINES).map(|line| cut(line)).collect();
            if more > 0 {
                shown.push(format!("… {more} more lines"));
            }
            ("text", shown.join("\n"))
        }
        None => ("json", json(answer, 0)),
    };
    assert!(!text.is_empty(), "{}", op.name);
    format!("```{kind}\n{text}\n```")
}

/// The form in which the command line puts a text or a document.
fn is_text(answer: &Value) -> bool {
    let fields = answer.as_object().map_or(0, |fields| fields.len());
    fields == 1 || fields == 2 && answer["format"].is_string()
}

const LINES: usize = 12;
const WIDTH: usize = 100;
const ITEMS: usize = 2;
const LETTERS: usize = 160;

fn cut(text: &str) -> String {
    if text.chars().count() > LETTERS {
        text.chars().take(LETTERS).chain("…".chars()).collect()
    } else {
        text.to_string()
    }
}

/// On one line what fits on it.
fn json(value: &Value, indent: usize) -> String {
    let pad = " ".repeat(indent + 2);
    let end = " ".repeat(indent);
    let (open, mut parts, close) = match value {
        Value::Array(items) => {
            let shown = items.iter().take(ITEMS).map(|item| json(item, indent + 2));
            ("[", shown.collect::<Vec<_>>(), "]")
        }
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields =
                fields.map(|(name, value)| format!("\"{name}\": {}", json(value, indent + 2)));
            ("{", fields.collect(), "}")
        }
        Value::String(text) => return Value::from(cut(text)).to_string(),
        other => return other.to_string(),
    };
    let more = value.as_array().map_or(0, |items| items.len().saturating_sub(ITEMS));
    if more > 0 {
        parts.push(format!("… {more} more"));
    }
    let line = format!("{open}{}{close}", parts.join(", "));
    if line.contains('\n') || line.chars().count() + indent > WIDTH {
        format!("{open}\n{pad}{}\n{end}{close}", parts.join(&format!(",\n{pad}")))
    } else {
        line
    }
}

/// Replaces all that depends on the machine, the moment or the build.
fn alike(tree: &Tree, text: &str) -> String {
    let root = tree.root().display().to_string();
    let user = tree.user().display().to_string();
    let home = tree.home().display().to_string();
    let text = text.replace(&root, "/home/you/app");
    let text = text.replace(&user, "/home/you").replace(&home, "/home/you/.local/share/kenning");
    let patterns = [
        (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-01-31T12:00:00Z"),
        (r#"("(?:\w+Ms|\w*duration_ms)": )"?\d+"?"#, "${1}12"),
        (r#"("indexBytes": )\d+"#, "${1}98304"),
        (r"kenning-static-[0-9a-f]{8}", "kenning-static-01234567"),
    ];
    let same = |text: String, (pattern, plain): &(&str, &str)| {
        let pattern = Regex::new(pattern).unwrap();
        pattern.replace_all(&text, *plain).into_owned()
    };
    patterns.iter().fold(text, same)
}
