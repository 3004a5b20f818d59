//! Shows an answer that is longer than the screen in a pager. Without a terminal, with `--no-pager`
//! or `NO_PAGER`, and where no pager is found, the answer is printed as it is.
//!
//! The pager is `PAGER`, else `less -FRX`. Like every program that Kenning starts, it is never
//! taken from inside the checkout.

use std::io::{IsTerminal, Seek, Write};
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};

use clap::{Arg, ArgAction, ArgMatches};

use super::command_session::CommandSession;
use super::{CommandError, printing};
use crate::config::ProcessEnv;

/// A pager with its arguments.
#[derive(Debug, PartialEq, Eq)]
pub struct Pager {
    /// The absolute path, outside of the checkout.
    program: PathBuf,
    /// The arguments from `PAGER`, or those of the default.
    arguments: Vec<String>,
}

/// Declares `--no-pager`.
pub fn flag() -> Arg {
    Arg::new("no-pager")
        .long("no-pager")
        .action(ArgAction::SetTrue)
        .help("Print long answers as they are, without a pager")
}

impl Pager {
    /// Returns the pager for an answer of this many lines; `None` if it fits on the screen, if
    /// there is no terminal, or if the user wants no pager.
    pub fn for_output(matches: &ArgMatches, session: &CommandSession, text: &str) -> Option<Pager> {
        let is_terminal = std::io::stdout().is_terminal() && std::io::stdin().is_terminal();
        if !is_terminal || matches.get_flag("no-pager") || !is_longer_than_screen(text) {
            return None;
        }
        let config = session.engine.config();
        Pager::find(config.process_env(), config.root())
    }

    /// Finds the program that the environment names; `None` if it is `cat`, or not installed.
    fn find(process_env: &ProcessEnv, root: &std::path::Path) -> Option<Pager> {
        let variable = |name: &str| process_env.variables.get(name).filter(|text| !text.is_empty());
        if variable("NO_PAGER").is_some() {
            return None;
        }
        let command = variable("PAGER").map_or("less -FRX", String::as_str);
        let mut words = command.split_whitespace();
        let name = words.next().filter(|name| *name != "cat")?;
        let mut arguments: Vec<String> = words.map(str::to_string).collect();
        // `less` alone shows escape sequences instead of colours.
        if name == "less" && arguments.is_empty() && variable("LESS").is_none() {
            arguments.push("-FRX".to_string());
        }
        Some(Pager { program: process_env.program(name, root)?, arguments })
    }

    /// Shows a text. On Unix the pager replaces this process, so that Ctrl-C in the pager reaches
    /// only the pager. Falls back to printing.
    pub fn show(&self, text: &str) -> Result<(), CommandError> {
        let mut file = tempfile::tempfile().map_err(CommandError::Io)?;
        writeln!(file, "{}", printing::visible_text(text)).map_err(CommandError::Io)?;
        file.rewind().map_err(CommandError::Io)?;
        let mut process = Process::new(&self.program);
        process.args(&self.arguments).stdin(Stdio::from(file));
        if run(&mut process) { Ok(()) } else { printing::print_line(text) }
    }
}

/// Returns false if the program cannot be started. It does not return otherwise.
#[cfg(unix)]
fn run(process: &mut Process) -> bool {
    // `exec` returns only if it failed.
    let _ = std::os::unix::process::CommandExt::exec(process);
    false
}

/// Runs the program to its end; false if it cannot be started.
#[cfg(not(unix))]
fn run(process: &mut Process) -> bool {
    process.status().is_ok()
}

/// True if the text has more lines than the terminal on stdout. Lines are assumed to fit its width.
pub fn is_longer_than_screen(text: &str) -> bool {
    let size = terminal_size::terminal_size_of(std::io::stdout());
    size.is_some_and(|(_, height)| text.lines().count() >= usize::from(height.0))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_pager_is_the_users_and_never_the_checkouts() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path().canonicalize().unwrap();
        let (root, bin) = (place.join("repo"), place.join("bin"));
        for folder in [root.join(".git"), bin.clone()] {
            std::fs::create_dir_all(folder).unwrap();
        }
        for program in [bin.join("less"), bin.join("most"), root.join("planted")] {
            std::fs::write(&program, "").unwrap();
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let search_path = std::env::join_paths([&root, &bin]).unwrap();
        let check = |variables: &[(&str, &str)], expected: Option<&str>| {
            let owned = |(name, value): &(&str, &str)| (name.to_string(), value.to_string());
            let process_env = ProcessEnv {
                search_path: search_path.clone(),
                variables: variables.iter().map(owned).collect(),
                ..ProcessEnv::default()
            };
            let found = Pager::find(&process_env, &root).map(|pager| {
                let name = pager.program.strip_prefix(&bin).unwrap().display().to_string();
                [vec![name], pager.arguments].concat().join(" ")
            });
            assert_eq!(found.as_deref(), expected, "{variables:?}");
        };
        check(&[], Some("less -FRX"));
        check(&[("PAGER", "less")], Some("less -FRX"));
        check(&[("PAGER", "less"), ("LESS", "-R")], Some("less"));
        check(&[("PAGER", "most -s")], Some("most -s"));
        check(&[("PAGER", "cat")], None);
        check(&[("PAGER", "planted")], None);
        check(&[("PAGER", "missing")], None);
        check(&[("NO_PAGER", "1")], None);
        check(&[("NO_PAGER", "")], Some("less -FRX"));
    }
}
