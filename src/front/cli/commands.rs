//! The commands of `ken`: every operation, the groups, and what a process needs beside them.
//! Commands with more than a few lines have a file of their own.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Arg, ArgMatches, Command, value_parser};
use serde::Serialize;
use serde_json::{Value, json};

use super::background_update::continue_updates;
use super::command_session::{CommandSession, global_flags, skill_dir_flag};
use super::progress::ProgressBar;
use super::{
    CommandError, CommandResult, Exit, arguments, code_commands, completions_and_man, edges,
    exit_code, grep, help, hit_adapter, hook, http, install, printing, refresh, render, trust,
};
use crate::engine::specs::{SpecReport, Specs};
use crate::engine::{BuildMode, Engine, PackageReport};
use crate::front::mcp::{self, Profile};
use crate::ops::number_format::count_noun;
use crate::ops::{self, Call, Group, OpEntry, OpError, Origin};

/// The whole command line, from which help, completions, manual and reference are made.
pub fn ken_command() -> Command {
    let base = Command::new("ken")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Knows a repository and tells coding agents and people what it knows")
        .after_help(format!(
            "Examples:\n  ken index\n  ken search where are requests retried\n  ken serve --profile shire\n\n{}",
            exit_code::TABLE
        ))
        .disable_help_subcommand(true)
        .subcommand(code_commands::index_command())
        .subcommand(code_commands::search_command())
        .subcommand(grep::command())
        .subcommand(code_commands::watch_command())
        .subcommand(edges::command())
        .subcommand(serve_command())
        .subcommand(install::command())
        .subcommand(refresh::command())
        .subcommand(hook::command())
        .subcommand(http::command())
        .subcommand(call_command())
        .subcommand(config_command())
        .subcommand(trust::command())
        .subcommand(completions_and_man::completions_command())
        .subcommand(completions_and_man::man_command())
        .subcommand(help::command());
    let is_own = |name: &str| base.find_subcommand(name).is_some();
    let entries = ops::SHORT_COMMANDS.iter().filter(|(name, _)| !is_own(name));
    let short: Vec<Command> = entries.map(|(name, op)| short_command(name, op)).collect();
    let operations = ops::ALL.iter().map(|op| {
        let is_respelled = op.command_line() != format!("ken {}", op.command());
        arguments::deferred_command(op).hide(is_respelled || op.origin == Origin::Contract)
    });
    let groups = ops::GROUPS.iter().map(group_command);
    let command = global_flags(base).subcommands(short).subcommands(operations);
    help::group_help(command.subcommands(groups))
}

/// Declares the short spelling of an operation. Its arguments are built only if it is called.
fn short_command(name: &'static str, op: &'static OpEntry) -> Command {
    let about = arguments::deferred_command(op).get_about().cloned().unwrap_or_default();
    Command::new(name).about(about).defer(|command| {
        let name = command.get_name().to_string();
        let op = find_short(&name).expect("short commands are in the table");
        // The command already has the global flags, so it is completed and not replaced.
        arguments::add_renamed_arguments(op, command, &format!("ken {name}"))
    })
}

/// Returns the operation of a short command.
fn find_short(name: &str) -> Option<&'static OpEntry> {
    let mut commands = ops::SHORT_COMMANDS.iter();
    commands.find(|(short, _)| *short == name).map(|(_, op)| *op)
}

/// Runs the command that was typed.
pub fn dispatch(matches: &ArgMatches) -> CommandResult {
    let Some((name, matches)) = matches.subcommand() else {
        return show_overview(matches);
    };
    match name {
        "index" => code_commands::index(matches),
        "search" => code_commands::search(matches),
        "grep" => grep::grep(matches),
        "watch" => code_commands::watch(matches),
        "edges" => edges::run(matches),
        "serve" => serve(matches),
        "install" => install::install(matches),
        "refresh" => refresh::refresh(matches),
        "hook" => hook::hook(matches),
        // It must also start with broken settings, which it is there to explain.
        "doctor" => {
            let op = ops::find("doctor").expect("it is one of them");
            run_operation(op, &json!({}), &CommandSession::open_anyway(matches)?)
        }
        "http" => http::serve(matches),
        "call" => call_tool(matches),
        "config" => show_config(matches),
        "trust" => trust::run(matches),
        "completions" => completions_and_man::completions(matches),
        "man" => completions_and_man::man(matches),
        "help" => help::help(matches),
        other => {
            let (op, matches) = find_operation(other, matches);
            let session = CommandSession::open_to_ask(matches)?;
            run_operation(op, &arguments::to_json(op, matches), &session)
        }
    }
}

/// `ken` alone: what is known here, and how to go on.
fn show_overview(matches: &ArgMatches) -> CommandResult {
    let session = CommandSession::open_anyway(matches)?;
    session.warn_of_problems();
    let op = ops::find("overview").expect("it is one of them");
    let exit = run_operation(op, &json!({}), &session)?;
    if session.form == render::OutputForm::People {
        printing::print_line("\n`ken --help` lists all commands")?;
    }
    Ok(exit)
}

/// Returns the operation of a command: its own, or one of a group.
fn find_operation<'a>(name: &str, matches: &'a ArgMatches) -> (&'static OpEntry, &'a ArgMatches) {
    let group = ops::GROUPS.iter().find(|group| group.name == name);
    let (Some(group), Some((name, below))) = (group, matches.subcommand()) else {
        let op = find_short(name).or_else(|| ops::find(name));
        return (op.expect("clap knows no other command"), matches);
    };
    let mut commands = group.commands.iter();
    let found = commands.find(|(command, _)| *command == name);
    let (_, op) = found.expect("clap knows no other command");
    (op, below)
}

/// Declares a group. Its commands are built only if it is called.
fn group_command(group: &'static Group) -> Command {
    Command::new(group.name).about(group.about).defer(|command| {
        let mut groups = ops::GROUPS.iter();
        let group = groups.find(|group| group.name == command.get_name());
        add_group_commands(group.expect("commands are named after groups"), command)
    })
}

/// Adds the commands of a group, with the operations' examples under their group names.
fn add_group_commands(group: &'static Group, command: Command) -> Command {
    let entries = group.commands.iter();
    let commands = entries
        .map(|(name, op)| arguments::renamed_command(op, &format!("ken {} {name}", group.name)));
    // `ken list-specs --json` becomes `ken specs list --json`.
    let examples = group.commands.iter().filter_map(|(name, op)| {
        let arguments = op.example_arguments().next()?;
        Some(format!("  ken {} {name}{arguments}\n", group.name))
    });
    command
        .after_help(format!("Examples:\n{}", examples.collect::<String>()))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommands(commands)
}

/// Runs an operation with a progress bar and prints its reply.
pub fn run_operation(
    op: &'static OpEntry,
    arguments: &Value,
    session: &CommandSession,
) -> CommandResult {
    let bar = ProgressBar::new();
    let call = Call::new(&session.engine, &bar);
    let reply = op.call(&call, arguments)?;
    // The line of the bar must be gone before the reply is printed.
    drop(bar);
    continue_updates(session);
    match hit_adapter::format_hits(arguments, &reply)
        .filter(|_| session.form == render::OutputForm::People)
    {
        Some(text) => printing::print_line(&text).map(|()| Exit::Ok),
        None => render::print_reply(&reply, session.form),
    }
}

/// Builds the search index of the specs with a bar, and prints what could not be read.
pub fn index_specs(specs: &Specs, mode: BuildMode) -> Result<SpecReport, CommandError> {
    let bar = ProgressBar::new();
    let report = specs.build_index(mode, &bar)?;
    drop(bar);
    for problem in &report.problems {
        printing::print_message(&format!("warning: {problem}"));
    }
    Ok(report)
}

/// One line about an index of specs, as spox words it.
pub fn specs_summary(report: &SpecReport) -> String {
    format!(
        "Indexed {} ({}, {}; {} embedded) in {} ms",
        count_noun(report.specs, "spec"),
        count_noun(report.requirements, "requirement"),
        count_noun(report.scenarios, "scenario"),
        report.embedded,
        report.duration.as_millis(),
    )
}

/// The same report as JSON.
pub fn specs_json(report: &SpecReport) -> Value {
    let problems = report.problems.iter().map(ToString::to_string);
    json!({
        "specs": report.specs,
        "requirements": report.requirements,
        "scenarios": report.scenarios,
        "embedded": report.embedded,
        "problems": problems.collect::<Vec<_>>(),
        "duration_ms": report.duration.as_millis() as u64,
    })
}

/// Builds the package index with a bar, and prints what could not be read.
pub fn build_packages(
    engine: &Engine,
    database: &std::path::Path,
    mode: BuildMode,
) -> Result<PackageReport, CommandError> {
    let bar = ProgressBar::new();
    let report = engine.build_packages(database, mode, &bar)?;
    drop(bar);
    for problem in &report.problems {
        printing::print_message(&format!("warning: {problem}"));
    }
    Ok(report)
}

/// The mode that `--force` chooses.
pub fn build_mode(matches: &ArgMatches) -> BuildMode {
    if matches.get_flag("force") { BuildMode::Fresh } else { BuildMode::Incremental }
}

/// One line about a package index, as shire words it.
pub fn packages_summary(report: &PackageReport) -> String {
    let difference = report.difference;
    format!(
        "Indexed {} ({} added, {} updated, {} removed; {} read, {} unchanged) \
         in {} ms",
        count_noun(report.packages, "package"),
        difference.added,
        difference.updated,
        difference.removed,
        count_noun(report.parsed, "manifest"),
        report.unchanged,
        report.duration.as_millis(),
    )
}

/// The same report as JSON.
pub fn packages_json(report: &PackageReport) -> Value {
    let problems = report.problems.iter().map(ToString::to_string);
    json!({
        "packages": report.packages,
        "added": report.difference.added,
        "updated": report.difference.updated,
        "removed": report.difference.removed,
        "manifests_read": report.parsed,
        "manifests_unchanged": report.unchanged,
        "problems": problems.collect::<Vec<_>>(),
        "duration_ms": report.duration.as_millis() as u64,
    })
}

/// Declares `ken serve`.
fn serve_command() -> Command {
    let command = Command::new("serve").about("Serve MCP on standard input and output").after_help(
        "Examples:\n  ken serve\n  ken serve --root ~/src/app --toolsets packages\n  \
             ken serve --profile shire",
    );
    profile_flags(command)
        .arg(
            Arg::new("db")
                .long("db")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("The package database to serve, in place of the repository's own"),
        )
        .arg(skill_dir_flag())
}

/// Adds the flags that choose the served tools.
pub fn profile_flags(command: Command) -> Command {
    command
        .arg(
            Arg::new("profile")
                .long("profile")
                .value_name("NAME")
                .conflicts_with("toolsets")
                .help("Serve exactly what an original serves: spox, swiftindex, code-indexer, skills, shire"),
        )
        .arg(Arg::new("toolsets").long("toolsets").value_name("A,B").help(
            "Only these tools: agent (six, for an agent's context), all, or families with \
                     commas: specs, code, collections, skills, packages",
        ))
}

/// Returns the profile that the flags choose, if any.
pub fn chosen_profile(matches: &ArgMatches) -> Result<Option<Profile>, OpError> {
    let text = |name: &str| matches.get_one::<String>(name);
    let found = match (text("profile"), text("toolsets")) {
        (Some(name), _) => Profile::from_name(name),
        (None, Some(list)) => Profile::from_toolsets(list),
        (None, None) => return Ok(None),
    };
    found.map(Some).map_err(|error| OpError::bad_argument(error.to_string()))
}

/// Runs `ken serve`: MCP on standard input and output.
fn serve(matches: &ArgMatches) -> CommandResult {
    let profile = chosen_profile(matches)?.unwrap_or_else(Profile::contracts_and_gateway);
    let database = matches.get_one::<PathBuf>("db").cloned();
    let is_shire = profile.server_name == "shire";
    if is_shire && database.is_some() {
        return super::shire::serve_profile(matches, database, profile);
    }
    let mut session = CommandSession::open_to_serve(matches, database)?;
    if profile.is_for_agents()
        && let Some(engine) = Arc::get_mut(&mut session.engine)
    {
        engine.index_on_demand_by_default();
    }
    if is_shire {
        // As shire, it starts only if there is something to serve; what `ken index` built does.
        session.engine.packages()?;
    }
    serve_profile(session.engine, profile)
}

/// Serves a profile until the input ends or a signal comes.
pub fn serve_profile(engine: Arc<Engine>, profile: Profile) -> CommandResult {
    mcp::serve(engine, profile).map_err(CommandError::Io)?;
    Ok(Exit::Ok)
}

/// Declares `ken call`.
fn call_command() -> Command {
    Command::new("call")
        .about("Call any tool with JSON arguments, as an MCP client would")
        .after_help("Examples:\n  ken call search_packages '{\"query\": \"auth\"}'")
        .arg(Arg::new("tool").value_name("TOOL").required(true).help("The tool's name"))
        .arg(
            Arg::new("arguments")
                .value_name("JSON")
                .default_value("{}")
                .help("Its arguments, as a JSON object"),
        )
}

/// Runs `ken call`: any operation with JSON arguments, as an MCP client would call it.
fn call_tool(matches: &ArgMatches) -> CommandResult {
    let name = matches.get_one::<String>("tool").expect("required");
    let op = ops::find(name).ok_or_else(|| {
        OpError::bad_argument(format!("unknown tool {name:?}")).hint(ops::suggest_name(name))
    })?;
    let text = matches.get_one::<String>("arguments").expect("has a default");
    let arguments = serde_json::from_str(text).map_err(|error| {
        OpError::bad_argument(format!("the arguments are not JSON: {error}"))
            .hint("quote them for the shell: '{\"name\": \"web\"}'")
    })?;
    let session = CommandSession::open_to_ask(matches)?;
    run_operation(op, &arguments, &session)
}

/// Declares `ken config`; its help lists all settings.
fn config_command() -> Command {
    let settings = crate::config::SETTINGS.iter().map(|setting| {
        let others =
            crate::config::FOREIGN_VARIABLES.iter().rev().filter(|(_, key)| *key == setting.key);
        let own = crate::config::variable_name(setting);
        let names = others.fold(own, |names, (name, _)| format!("{names}, {name}"));
        format!("  {:24} {}\n  {:24} variable {names}\n", setting.key, setting.summary, "")
    });
    Command::new("config").about("Show the settings in force and where each came from").after_help(
        format!(
            "Settings, for kenning.toml, the user's config.toml, --set or the environment:\n{}\n\
             Examples:\n  ken config\n  ken config --json",
            settings.collect::<String>()
        ),
    )
}

/// A setting in force and its origin.
#[derive(Serialize)]
struct SettingRow {
    /// The key.
    key: &'static str,
    /// The value; secrets are hidden.
    value: Value,
    /// The layer or file that set it.
    origin: String,
}

/// Runs `ken config`. It shows the valid settings; if one is invalid, it says so and fails.
fn show_config(matches: &ArgMatches) -> CommandResult {
    let session = CommandSession::open_anyway(matches)?;
    session.warn_of_problems();
    for refusal in session.engine.config().refusals() {
        printing::print_message(&format!("warning: {refusal}"));
    }
    let config = session.engine.config();
    // A list setting may have several origins: the user's file and the repository's additions.
    let rows = config.entries().map(|(setting, value, origin)| {
        let value = serde_json::to_value(&value).unwrap_or_else(|_| Value::from(value.to_string()));
        let added = config.files_adding_to(setting.key).into_iter();
        let origins =
            [origin.to_string()].into_iter().chain(added.map(|file| file.display().to_string()));
        SettingRow { key: setting.key, value, origin: origins.collect::<Vec<_>>().join(" + ") }
    });
    let shown = render::print_reply(&ops::Reply::list(rows), session.form)?;
    Ok(if session.engine.config().problems().is_empty() { shown } else { Exit::Usage })
}
