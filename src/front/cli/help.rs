//! `ken --help` and `ken help`: the commands by subject, on one screen.
//!
//! The contracts' spellings (`ken search-code`) work and have help of their own, but are not
//! listed: each has a shorter spelling here.

use clap::{Arg, ArgMatches, Command};

use super::{CommandError, CommandResult, Exit, commands};

/// The commands that the help lists, by subject, each with a line that fits a narrow terminal.
pub const SECTIONS: &[HelpSection] = &[
    HelpSection {
        title: "Search",
        commands: &[
            ("search", "Search code by meaning or by name"),
            ("grep", "Find text or a regular expression"),
            ("symbols", "Find definitions by a part of their name"),
        ],
    },
    HelpSection {
        title: "Understand",
        commands: &[
            ("overview", "Show what is known of this repository"),
            ("research", "Answer a question about how the code works"),
            ("symbol", "Show a definition with its source"),
            ("outline", "List the definitions of a file"),
            ("callers", "List the callers of a function"),
            ("callees", "List what a function calls"),
            ("references", "List every place that uses a definition"),
            ("implementations", "List what implements or extends a type"),
            ("impact", "Show what a change can break, and the tests to run"),
            ("review", "Review a change: by definition, risk and tests"),
            ("history", "List the commits that changed a definition"),
            ("rename", "Propose a rename as a patch"),
            ("unused", "List definitions that nothing uses"),
            ("graph", "Draw packages, symbols or specs"),
        ],
    },
    HelpSection {
        title: "Packages, specs and skills",
        commands: &[
            ("packages", "search, show, dependencies, path, impact, cycles, health …"),
            ("specs", "list, show, search, trace, coverage, validate …"),
            ("skills", "list, show, suggest, validate"),
        ],
    },
    HelpSection {
        title: "Index",
        commands: &[
            ("index", "Index a repository, or bring its index up to date"),
            ("watch", "Keep the index up to date until interrupted"),
            ("status", "Show the state of the index"),
            ("collections", "List the repositories that are indexed"),
            ("forget", "Remove the index of a repository"),
            ("doctor", "Check settings, index, provider and clients"),
            ("config", "Show the settings in force and their origins"),
        ],
    },
    HelpSection {
        title: "Serve",
        commands: &[
            ("serve", "Serve MCP on standard input and output"),
            ("http", "Serve a web page, HTTP and MCP"),
            ("install", "Add Kenning to MCP clients, or remove it"),
        ],
    },
];

/// Commands that the help only names, because few people need them.
pub const RARE_COMMANDS: &[&str] = &[
    "call",
    "edges",
    "hint",
    "providers",
    "model",
    "refresh",
    "trust",
    "completions",
    "man",
    "help",
];

/// The commands of one subject.
pub struct HelpSection {
    /// The heading.
    pub title: &'static str,
    /// The names as they are typed, each with its line.
    pub commands: &'static [(&'static str, &'static str)],
}

/// Declares `ken help`.
pub fn command() -> Command {
    Command::new("help")
        .about("Show the help of a command, or this list")
        .after_help("Examples:\n  ken help\n  ken help search\n  ken help packages impact")
        .arg(Arg::new("command").value_name("COMMAND").num_args(0..).help("The command's words"))
}

/// Runs `ken help`. It prints what `--help` after these words prints, and fails where they name no
/// command.
pub fn help(matches: &ArgMatches) -> CommandResult {
    let named = matches.get_many::<String>("command").into_iter().flatten().cloned();
    let words = std::iter::once("ken".to_string()).chain(named).chain(["--help".to_string()]);
    let parsed = commands::ken_command().try_get_matches_from(words);
    let Err(error) = parsed.map_err(super::narrow_suggestions) else {
        return Ok(Exit::Ok);
    };
    if error.use_stderr() {
        let _ = error.print();
        return Ok(Exit::Usage);
    }
    error.print().map_err(CommandError::Io)?;
    Ok(Exit::Ok)
}

/// Replaces the flat list of commands by the list of [`SECTIONS`].
pub fn group_help(command: Command) -> Command {
    let page = help_page(&command);
    command.override_help(page)
}

/// Formats the whole page.
fn help_page(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut page = format!("{about}\n\nUsage: ken [OPTIONS] COMMAND [ARGUMENTS]\n");
    for section in SECTIONS {
        page += &format!("\n{}\n", section.title);
        for (name, about) in section.commands {
            page += &format!("  {name:16} {about}\n");
        }
    }
    page += &format!("\nAlso: {}\n\nOptions\n", RARE_COMMANDS.join(", "));
    for argument in command.get_arguments() {
        page += &option_line(argument);
    }
    page + "  -h, --help             Show help; -V, --version shows the version\n\n\
`ken help COMMAND` explains a command. `ken` alone shows what is known here."
}

/// Formats a global option.
fn option_line(argument: &Arg) -> String {
    let short = argument.get_short().map_or("    ".to_string(), |short| format!("-{short}, "));
    let value = argument.get_value_names().filter(|_| argument.get_action().takes_values());
    let value =
        value.and_then(|names| names.first()).map_or(String::new(), |name| format!(" {name}"));
    let name = format!("{short}--{}{value}", argument.get_long().unwrap_or_default());
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    format!("  {name:22} {help}\n")
}

/// Prints the page of `ken --help`.
#[cfg(test)]
fn page() -> String {
    help_page(&commands::ken_command())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{self, Origin};

    #[test]
    fn the_help_fits_a_screen_and_has_no_spelling_of_a_contract() {
        let page = page();
        assert!(page.lines().count() <= 55, "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 92), "{page}");
        for op in ops::ALL.iter().filter(|op| op.origin == Origin::Contract) {
            assert!(!page.contains(&format!("  {} ", op.command())), "{}", op.name);
        }
    }

    fn listed() -> Vec<&'static str> {
        let commands = SECTIONS.iter().flat_map(|section| section.commands);
        commands.map(|(name, _)| *name).chain(RARE_COMMANDS.iter().copied()).collect()
    }

    #[test]
    fn every_listed_command_exists_and_says_what_it_does() {
        let command = commands::ken_command();
        for name in listed() {
            let found = command.find_subcommand(name);
            let about = found.and_then(Command::get_about).map(ToString::to_string);
            assert!(about.is_some_and(|about| !about.is_empty()), "{name}");
        }
    }

    /// Users could not find a command that is in no list.
    #[test]
    fn every_command_is_listed_or_has_a_shorter_spelling() {
        for command in commands::ken_command().get_subcommands().filter(|one| !one.is_hide_set()) {
            let name = command.get_name();
            let is_respelled =
                ops::find(name).is_some_and(|op| op.command_line() != format!("ken {name}"));
            assert!(listed().contains(&name) || is_respelled, "{name}");
        }
    }
}
