//! `ken refresh`, the command that the hook of `ken install --hook` runs after an edit. It reads
//! the client's event from standard input and updates the index of that repository. It prints
//! nothing on success. It never creates an index: an edit is no request to index a repository.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Command};
use serde_json::Value;

use super::command_session::CommandSession;
use super::progress::HiddenProgress;
use super::{CommandError, CommandResult, Exit, printing};
use crate::config::ProcessEnv;
use crate::ops::ErrorKind;

/// Declares `ken refresh`.
pub fn command() -> Command {
    Command::new("refresh")
        .about("Bring an index that exists up to date, silently; for the hooks of editors and agents")
        .long_about(
            "Bring an index that exists up to date, silently; for the hooks of editors and agents.\n\nReads the \
             client's event from standard input (`cwd`, `workspace_roots`, `file_path`, `tool_input.file_path`) to \
             learn which repository is meant, else takes the working directory. Where nothing is indexed it does \
             nothing.",
        )
        .after_help(
            "Examples:\n  ken refresh\n  echo '{\"tool_input\": {\"file_path\": \"/src/app/main.go\"}}' | ken refresh",
        )
}

/// Runs `ken refresh`. A failure exits with 1 and never with 2, which clients take for a refused
/// edit.
pub fn refresh(matches: &ArgMatches) -> CommandResult {
    match bring_up_to_date(matches) {
        Ok(()) => Ok(Exit::Ok),
        Err(CommandError::Op(error)) if error.kind == ErrorKind::Cancelled => {
            Err(CommandError::Op(error))
        }
        Err(failure) => {
            // To a client, 2 means that the edit is to be refused.
            match failure {
                CommandError::Op(error) => {
                    super::render::print_error(&error, super::render::OutputForm::People)
                }
                CommandError::Io(error) => printing::print_message(&format!("error: {error}")),
            }
            Ok(Exit::Failed)
        }
    }
}

/// Updates the index of the edited repository, if it has one.
fn bring_up_to_date(matches: &ArgMatches) -> Result<(), CommandError> {
    let here = ProcessEnv::from_process().working_directory;
    let edited = read_event().and_then(|event| edited_folder(&event, &here));
    let session = CommandSession::open_around(matches, edited.unwrap_or(here))?;
    // The hook is installed for all repositories, but only some are indexed.
    session.engine.update_existing_index(&HiddenProgress)?;
    Ok(())
}

/// The most bytes of an event, which holds the text of one edit.
const MAX_EVENT: u64 = 64 << 20;

/// Reads the client's event from standard input; `None` on a terminal or if it is not JSON.
pub fn read_event() -> Option<Value> {
    let input = std::io::stdin();
    if input.is_terminal() {
        return None;
    }
    let mut text = String::new();
    input.lock().take(MAX_EVENT).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

/// Returns the nearest existing folder of the edited file, else the folder of the event. The keys
/// are those of several clients.
pub fn edited_folder(event: &Value, here: &Path) -> Option<PathBuf> {
    let folder = event["cwd"]
        .as_str()
        .or_else(|| event["workspace_roots"][0].as_str())
        .map_or(here.to_path_buf(), |folder| here.join(folder));
    let file = ["file_path", "notebook_path", "path"].iter();
    let mut files = file.filter_map(|name| {
        let of_tool = event["tool_input"][name].as_str();
        of_tool.or_else(|| event[name].as_str())
    });
    let edited = files.next().map(|file| folder.join(file));
    let mut nearest =
        edited.iter().flat_map(|file| file.ancestors().skip(1)).chain([folder.as_path()]);
    nearest.find(|folder| folder.is_dir()).map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_folder_is_that_of_the_edited_file() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("src");
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("a.rs");
        for (event, expected) in [
            (json!({"tool_input": {"file_path": file}}), &folder),
            (json!({"cwd": home.path(), "tool_input": {"file_path": "src/a.rs"}}), &folder),
            (json!({"file_path": file, "workspace_roots": ["/nowhere"]}), &folder),
            (json!({"file_path": folder.join("gone/b.rs")}), &folder),
            (json!({"cwd": folder}), &folder),
            (json!({"workspace_roots": [folder]}), &folder),
        ] {
            let found = edited_folder(&event, Path::new("/nowhere"));
            assert_eq!(found.as_ref(), Some(expected), "{event}");
        }
        assert_eq!(edited_folder(&json!({"cwd": "/no/such/folder"}), Path::new("/nowhere")), None);
    }
}
