//! `shire build` and `shire serve`, for users of the original program. They build and serve its own
//! database file.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use super::command_session::{CommandSession, global_flags};
use super::commands::{
    build_mode, build_packages, packages_json, packages_summary, serve_profile as serve_over,
};
use super::render::OutputForm;
use super::{CommandResult, Exit, exit_code, printing};
use crate::engine::EngineError;
use crate::front::mcp::Profile;
use crate::ops::{ErrorKind, OpError};

/// Declares `shire`.
pub fn command() -> Command {
    let database = || {
        Arg::new("db")
            .long("db")
            .value_name("FILE")
            .value_parser(value_parser!(PathBuf))
            .help("The database (default: .shire/index.db under the root)")
    };
    let build = Command::new("build")
        .about("Build the package index of a repository, or bring it up to date")
        .after_help("Examples:\n  shire build\n  shire build --root ~/src/app --db /tmp/app.db")
        .arg(database())
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Read every manifest again, not only changed ones"),
        );
    let serve = Command::new("serve")
        .about("Serve the package index over MCP on standard input and output")
        .after_help("Examples:\n  shire serve\n  shire serve --db /tmp/app.db")
        .arg(database());
    let command = Command::new("shire")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The package graph of a repository (Kenning under shire's name)")
        .after_help(exit_code::TABLE)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(build)
        .subcommand(serve);
    global_flags(command)
}

/// Runs the subcommand.
pub fn dispatch(matches: &ArgMatches) -> CommandResult {
    match matches.subcommand() {
        Some(("build", matches)) => run_build(matches),
        Some(("serve", matches)) => {
            let profile = Profile::from_name("shire").expect("it is one of the originals");
            let database = matches.get_one::<PathBuf>("db").cloned();
            serve_profile(matches, database, profile)
        }
        _ => Ok(Exit::Usage),
    }
}

/// Runs `shire build`.
fn run_build(matches: &ArgMatches) -> CommandResult {
    let session = CommandSession::open(matches, None)?;
    session.confirm_root();
    let database = matches
        .get_one::<PathBuf>("db")
        .cloned()
        .unwrap_or_else(|| session.engine.shire_database());
    let report = build_packages(&session.engine, &database, build_mode(matches))?;
    if session.form == OutputForm::Json {
        printing::print_line(&printing::json_text(&packages_json(&report)))?;
    } else {
        printing::print_line(&format!(
            "{} into {}",
            packages_summary(&report),
            database.display()
        ))?;
    }
    Ok(Exit::Ok)
}

/// Serves a package database. It starts only if the database exists, as the contract says.
pub fn serve_profile(
    matches: &ArgMatches,
    database: Option<PathBuf>,
    profile: Profile,
) -> CommandResult {
    let session = CommandSession::open(matches, None)?;
    let database = database.unwrap_or_else(|| session.engine.shire_database());
    let session = CommandSession::open_with_database(matches, None, Some(database.clone()))?;
    session.engine.packages().map_err(|error| match error {
        EngineError::NoPackageIndex { .. } => {
            let message = format!("Index not found at {}", database.display());
            OpError::new(ErrorKind::NoIndex, message).hint("run `shire build` first")
        }
        other => OpError::from(other).hint("run `shire build` to rebuild it"),
    })?;
    serve_over(session.engine, profile)
}
