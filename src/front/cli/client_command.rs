//! Runs the command of an MCP client that adds or removes a server. `config::clients` says which
//! clients have one. The program is never taken from inside of a checkout.

use std::path::Path;
use std::process::{Command as Process, Stdio};

use crate::config::clients::ServerEntry;

/// Phrases in a client's output that mean that the server is already listed.
pub const ALREADY_LISTED: &[&str] = &["already exists"];
/// Phrases in a client's output that mean that the server is not listed.
pub const NOT_LISTED: &[&str] = &["not found", "No MCP server"];

/// The outcome of a client's own command.
pub enum ClientOutcome {
    /// The client made the change.
    Done,
    /// The client reports that there was nothing to change.
    Already,
    /// The client failed; the text is its output.
    Failed(String),
}

/// Runs a client's command without input. `already` are the phrases that mean that nothing had to
/// change.
pub fn run_client(program: &Path, arguments: &[String], already: &[&str]) -> ClientOutcome {
    let outcome = Process::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = match outcome {
        Ok(output) => output,
        Err(error) => return ClientOutcome::Failed(error.to_string()),
    };
    let bytes = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&bytes).trim().to_string();
    // Some clients exit with 0 when there is nothing to do, and only print it.
    match already.iter().any(|phrase| said.contains(phrase)) {
        true => ClientOutcome::Already,
        false if output.status.success() => ClientOutcome::Done,
        false => ClientOutcome::Failed(said),
    }
}

/// Replaces `NAME` and `COMMAND` in the words of a command. `COMMAND` becomes the program and its
/// arguments.
pub fn fill_template(template: &[&str], server: &ServerEntry) -> Vec<String> {
    let mut filled = Vec::new();
    for word in template {
        match *word {
            "NAME" => filled.push(server.name.clone()),
            "COMMAND" => {
                filled.push(server.command.clone());
                filled.extend(server.arguments.iter().cloned());
            }
            word => filled.push(word.to_string()),
        }
    }
    filled
}
