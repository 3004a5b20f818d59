//! `ken hook search`, the command that the search hook of `ken install --hook` runs after an agent
//! searches or reads. It reads the client's event, asks `hint`, and prints the lines in the
//! client's form. It prints nothing if it has no reliable fact, and never fails, because an agent's
//! search must not fail.

use clap::{ArgMatches, Command};
use serde_json::{Value, json};

use super::command_session::CommandSession;
use super::progress::HiddenProgress;
use super::refresh::{edited_folder, read_event};
use super::{CommandResult, Exit, printing};
use crate::config::ProcessEnv;
use crate::ops::Call;
use crate::ops::code::hint::{self, HintReply};

/// Declares `ken hook`.
pub fn command() -> Command {
    let search = Command::new("search")
        .about("Add facts to an agent's search; for the hooks of agents")
        .after_help(
            "Examples:\n  echo '{\"hook_event_name\": \"PostToolUse\", \"tool_name\": \"Grep\", \
             \"tool_input\": {\"pattern\": \"parseUrl\"}}' | ken hook search",
        );
    Command::new("hook")
        .about("Commands that `ken install --hook` adds to agents")
        .hide(true)
        .subcommand_required(true)
        .disable_help_subcommand(true)
        .after_help("Examples:\n  ken hook search")
        .subcommand(search)
}

/// Runs `ken hook search`. Every failure is silent and ends with 0, so that the client goes on.
pub fn hook(matches: &ArgMatches) -> CommandResult {
    let matches = matches.subcommand().map_or(matches, |(_, below)| below);
    if let Some(answer) = answer_event(matches) {
        let _ = printing::print_line(&printing::json_line(&answer));
    }
    Ok(Exit::Ok)
}

/// Returns the output for the event on standard input; `None` if there is nothing to say.
fn answer_event(matches: &ArgMatches) -> Option<Value> {
    let event = read_event()?;
    let subject = subject(&event)?;
    let here = ProcessEnv::from_process().working_directory;
    let folder = edited_folder(&event, &here).unwrap_or(here);
    let session = CommandSession::open_around(matches, folder).ok()?;
    if session.engine.config().text("hook.search") == Some("off") {
        return None;
    }
    let call = Call::new(&session.engine, &HiddenProgress);
    let arguments = match subject {
        Subject::Text(text) => json!({ "text": text }),
        Subject::File(file) => json!({ "file": file }),
    };
    let reply: HintReply = hint::OP.fetch_object(&call, &arguments).ok()?;
    if reply.lines.is_empty() {
        return None;
    }
    let text = format!("Kenning knows about this:\n{}", reply.lines.join("\n"));
    Some(format_output(&event, &text))
}

/// The subject of a search or read.
#[derive(Debug, PartialEq, Eq)]
enum Subject {
    /// A text or regular expression.
    Text(String),
    /// A file.
    File(String),
}

/// Wraps the text in the form of the client. Cursor names its events with a small letter.
fn format_output(event: &Value, text: &str) -> Value {
    let name = event["hook_event_name"].as_str().unwrap_or("PostToolUse");
    if name.starts_with(|c: char| c.is_ascii_lowercase()) {
        json!({ "additional_context": text })
    } else {
        json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": text } })
    }
}

/// Returns what the agent searched for or read; `None` for any other tool.
fn subject(event: &Value) -> Option<Subject> {
    let input = &event["tool_input"];
    let field = |names: &[&str]| {
        let found = names.iter().find_map(|name| input[*name].as_str());
        found.filter(|text| !text.trim().is_empty()).map(str::to_string)
    };
    match event["tool_name"].as_str()?.to_lowercase().as_str() {
        "grep" | "grep_search" | "search_file_content" => {
            field(&["pattern", "query"]).map(Subject::Text)
        }
        "read" | "read_file" => {
            field(&["file_path", "absolute_path", "path", "target_file"]).map(Subject::File)
        }
        "bash" | "shell" | "run_shell_command" | "local_shell" => {
            searched_text(&field(&["command"])?).map(Subject::Text)
        }
        _ => None,
    }
}

/// Programs that search texts.
const SEARCHERS: &[&str] = &["rg", "grep", "egrep", "fgrep", "ag", "ack"];

/// Returns the text that a shell command searches for: the value of `-e`, else the first argument.
fn searched_text(command: &str) -> Option<String> {
    let words = shell_words(command);
    let start = words.iter().position(|word| {
        let name = word.rsplit('/').next().unwrap_or(word);
        SEARCHERS.contains(&name)
    })?;
    // `echo grep` and `man rg` search nothing. `git grep` and the end of a pipe do.
    let before = start.checked_sub(1).map(|place| words[place].as_str());
    let is_command = before.is_none_or(|word| {
        matches!(word, "|" | "||" | "&&" | ";" | "git" | "xargs" | "sudo" | "time")
            || word.ends_with(';')
    });
    let mut arguments = words[start + 1..].iter().take_while(|word| !is_separator(word));
    let mut found = None;
    while let Some(word) = arguments.next().filter(|_| is_command) {
        if matches!(word.as_str(), "-e" | "--regexp") {
            return arguments.next().cloned();
        }
        // Flags with a value of their own, the common ones.
        if matches!(word.as_str(), "-g" | "--glob" | "-t" | "--type" | "-A" | "-B" | "-C" | "-m") {
            arguments.next();
        } else if !word.starts_with('-') && found.is_none() {
            found = Some(word.clone());
        }
    }
    found
}

/// True for a word that ends a command.
fn is_separator(word: &str) -> bool {
    matches!(word, "|" | "||" | "&&" | ";" | "&")
}

/// Splits a command into words, with the quotes of a shell. The rest of the shell's grammar is not
/// needed.
fn shell_words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('"') | None, '\\') => {
                let escaped = letters.next().unwrap_or('\\');
                let word = word.get_or_insert_default();
                // In double quotes a backslash stays before other letters.
                if quote.is_some() && !matches!(escaped, '"' | '\\' | '$' | '`') {
                    word.push('\\');
                }
                word.push(escaped);
            }
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_subject_of_every_client_is_found() {
        let text = |text: &str| Some(Subject::Text(text.to_string()));
        let file = |file: &str| Some(Subject::File(file.to_string()));
        for (tool, input, expected) in [
            ("Grep", json!({"pattern": "parseUrl"}), text("parseUrl")),
            ("grep_search", json!({"query": "parseUrl"}), text("parseUrl")),
            ("search_file_content", json!({"pattern": "parseUrl"}), text("parseUrl")),
            ("Read", json!({"file_path": "/r/a.rs"}), file("/r/a.rs")),
            ("read_file", json!({"absolute_path": "/r/a.rs"}), file("/r/a.rs")),
            ("Bash", json!({"command": "rg -n 'parse url' src"}), text("parse url")),
            ("Bash", json!({"command": "cargo test"}), None),
            ("Edit", json!({"file_path": "/r/a.rs"}), None),
            ("Grep", json!({"pattern": " "}), None),
            ("Grep", json!({}), None),
        ] {
            let event = json!({"tool_name": tool, "tool_input": input});
            assert_eq!(subject(&event), expected, "{event}");
        }
        assert_eq!(subject(&json!({})), None);
    }

    #[test]
    fn the_text_of_a_shell_search_is_found() {
        for (command, expected) in [
            ("rg parseUrl", Some("parseUrl")),
            ("grep -rn \"parse\\w+\" .", Some("parse\\w+")),
            ("cd src && grep -A 3 -e parseUrl lib.rs", Some("parseUrl")),
            ("/usr/bin/rg --type rust parseUrl", Some("parseUrl")),
            ("git grep parseUrl", Some("parseUrl")),
            ("cat a.rs | grep parseUrl | head", Some("parseUrl")),
            ("echo grep parseUrl", None),
            ("rg", None),
            ("", None),
            ("grep 'unclosed", Some("unclosed")),
        ] {
            assert_eq!(searched_text(command).as_deref(), expected, "{command}");
        }
    }

    #[test]
    fn each_client_gets_its_form() {
        for (name, pointer) in [
            ("PostToolUse", "/hookSpecificOutput/additionalContext"),
            ("AfterTool", "/hookSpecificOutput/additionalContext"),
            ("postToolUse", "/additional_context"),
        ] {
            let output = format_output(&json!({"hook_event_name": name}), "x");
            assert_eq!(output.pointer(pointer), Some(&json!("x")), "{output}");
        }
    }
}
