//! Shell completions and manual pages, made from the same declarations as the commands.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::{CommandError, CommandResult, Exit, commands};

/// Declares `ken completions`.
pub fn completions_command() -> Command {
    Command::new("completions")
        .about("Print completions for a shell")
        .after_help(
            "Examples:\n  ken completions bash > ~/.local/share/bash-completion/completions/ken\n  \
             ken completions fish > ~/.config/fish/completions/ken.fish",
        )
        .arg(Arg::new("shell").required(true).value_parser(value_parser!(Shell)))
}

/// Prints the completion script of a shell.
pub fn completions(matches: &ArgMatches) -> CommandResult {
    let shell = *matches.get_one::<Shell>("shell").expect("required");
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut commands::ken_command(), "ken", &mut script);
    write_stdout(&script)
}

/// Declares `ken man`.
pub fn man_command() -> Command {
    Command::new("man")
        .about("Print the manual page, or write one for each command into a folder")
        .after_help("Examples:\n  ken man | man -l -\n  ken man --dir ~/.local/share/man/man1")
        .arg(
            Arg::new("dir")
                .long("dir")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("The folder for the pages"),
        )
}

/// Prints the manual page, or writes a page for each command into a folder.
pub fn man(matches: &ArgMatches) -> CommandResult {
    if let Some(directory) = matches.get_one::<PathBuf>("dir") {
        std::fs::create_dir_all(directory).map_err(CommandError::Io)?;
        clap_mangen::generate_to(commands::ken_command(), directory).map_err(CommandError::Io)?;
        return Ok(Exit::Ok);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(commands::ken_command()).render(&mut page).map_err(CommandError::Io)?;
    write_stdout(&page)
}

/// Writes bytes to standard output. A closed pipe is reported to the caller, which ignores it.
fn write_stdout(bytes: &[u8]) -> CommandResult {
    use std::io::Write;

    std::io::stdout().lock().write_all(bytes).map_err(CommandError::Io)?;
    Ok(Exit::Ok)
}
