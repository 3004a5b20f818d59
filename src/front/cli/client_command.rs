//! A client's own command that lists a server, or takes it off the list. Which clients have one is in
//! `config::clients`.

use std::path::Path;
use std::process::{Command as Process, Stdio};

use crate::config::clients::ServerEntry;

/// What clients say of a server that is listed already.
pub const LISTED: &[&str] = &["already exists"];
/// What clients say of a server that is not listed.
pub const GONE: &[&str] = &["not found", "No MCP server"];

/// What became of it.
pub enum Ran {
    Done,
    /// The client says that it was so before.
    Already,
    Failed(String),
}

pub fn run(program: &Path, arguments: &[String], already: &[&str]) -> Ran {
    let output = Process::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = match output {
        Ok(output) => output,
        Err(error) => return Ran::Failed(error.to_string()),
    };
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).trim().to_string();
    // Some clients end well when there was nothing to do, and only say so.
    match already.iter().any(|phrase| said.contains(phrase)) {
        true => Ran::Already,
        false if output.status.success() => Ran::Done,
        false => Ran::Failed(said),
    }
}

pub fn fill(template: &[&str], server: &ServerEntry) -> Vec<String> {
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
