//! The command line: `ken`, and the thin `shire` and `spox`. The only module that prints to
//! standard output.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod agent_files;
mod arguments;
mod argv0;
mod atomic_edit;
mod background_update;
mod client_command;
mod code_blocks;
mod code_commands;
mod command_session;
mod command_wording;
mod commands;
mod compact_format;
mod completions_and_man;
mod edges;
mod excerpt;
mod exit_code;
mod grep;
mod help;
mod hit_adapter;
mod hook;
mod http;
mod install;
mod install_report;
mod log;
mod pager;
mod printing;
mod progress;
mod reference_docs;
mod refresh;
mod render;
mod run_summary;
mod sanitize;
mod search_output;
mod shire;
mod spox;
mod table;
mod trust;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;

use crate::front::signals;
use crate::ops::{self, ErrorKind, OpError};

pub use exit_code::Exit;
pub use reference_docs::{cli_reference, settings_reference, tool_reference};

/// Runs `ken`, or `shire` or `spox` under their names. Returns the exit code.
pub fn ken(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    match argv0::split_called_as(&arguments) {
        Some(("shire", arguments)) => run_command(shire::command(), arguments, shire::dispatch),
        Some(("spox", arguments)) => run_command(spox::command(), arguments, spox::dispatch),
        _ => run_command(commands::ken_command(), arguments, commands::dispatch),
    }
}

/// The result of a command: an exit code, or a failure to print.
type CommandResult = Result<Exit, CommandError>;

/// The reason why a command failed, as it is printed.
#[derive(Debug)]
enum CommandError {
    /// An error of an operation.
    Op(OpError),
    /// Output could not be written.
    Io(std::io::Error),
}

// Lets commands use `?` on errors of the engine, the store and the operations alike.
impl<E: Into<OpError>> From<E> for CommandError {
    fn from(error: E) -> CommandError {
        CommandError::Op(error.into())
    }
}

/// Shortens clap's list of similar commands to those that were probably meant.
fn narrow_suggestions(mut error: clap::Error) -> clap::Error {
    use clap::error::{ContextKind, ContextValue};
    let word = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => word.clone(),
        _ => return error,
    };
    if let Some(ContextValue::Strings(names)) = error.remove(ContextKind::SuggestedSubcommand) {
        let likely: Vec<String> = ops::nearest(&word, names.iter().map(String::as_str))
            .into_iter()
            .map(str::to_string)
            .collect();
        if !likely.is_empty() {
            error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(likely));
        }
    }
    error
}

/// True for a command that serves until it is stopped.
fn is_server(matches: &ArgMatches) -> bool {
    match matches.subcommand() {
        Some(("serve" | "http" | "watch", _)) => true,
        Some((_, below)) => is_server(below),
        None => false,
    }
}

/// Parses the arguments, runs a command, prints its error, and returns the exit code.
fn run_command(
    command: clap::Command,
    arguments: Vec<OsString>,
    dispatch: fn(&ArgMatches) -> CommandResult,
) -> ExitCode {
    // Before anything is parsed or a thread begins.
    kenning_lang::code::count_parser_memory();
    // clap has not parsed anything yet, so the flag is looked for by its text.
    let wants_json = arguments.iter().any(|argument| argument == "--json");
    let matches = match command.try_get_matches_from(arguments).map_err(narrow_suggestions) {
        Ok(matches) => matches,
        Err(error) if error.use_stderr() && wants_json => {
            let message = error.render().to_string();
            render::print_error(&OpError::bad_argument(message.trim()), render::OutputForm::Json);
            return Exit::Usage.into();
        }
        Err(error) => {
            // clap prints help and version to stdout, complaints to stderr.
            let _ = error.print();
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Ok };
            return code.into();
        }
    };
    let form = command_session::output_form(&matches);
    progress::set_error_form(form);
    // Before signals are caught: one that comes early must not end a server as a command.
    if is_server(&matches) {
        signals::mark_as_server();
    }
    signals::install_handlers(progress::print_last_words);
    match dispatch(&matches) {
        Ok(exit) => exit.into(),
        Err(CommandError::Op(error)) => {
            let stopped_by =
                signals::stop_exit_code().filter(|_| error.kind == ErrorKind::Cancelled);
            match stopped_by {
                Some(code) => {
                    render::print_error(&progress::add_stop_reason(error), form);
                    Exit::Stopped(code).into()
                }
                None => {
                    render::print_error(&error, form);
                    Exit::from_error_kind(error.kind).into()
                }
            }
        }
        // The reader closed the pipe, as in `ken list-packages | head`: not an error.
        Err(CommandError::Io(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            Exit::Ok.into()
        }
        Err(CommandError::Io(error)) => {
            printing::print_message(&format!("error: {error}"));
            Exit::Failed.into()
        }
    }
}
