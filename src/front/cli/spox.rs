//! `spox mcp serve`, for those who come from it.

use clap::{ArgMatches, Command};

use super::commands::serve_profile;
use super::session::{Session, global_flags};
use super::{Exit, Outcome, exit};
use crate::front::mcp::Profile;

pub fn command() -> Command {
    let serve =
        Command::new("serve").about("Serve the specs over MCP on standard input and output");
    let command = Command::new("spox")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The specs of a repository (Kenning under spox's name)")
        .after_help(format!("Examples:\n  spox mcp serve\n\n{}", exit::TABLE))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("mcp")
                .about("Model Context Protocol")
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommand(serve),
        );
    global_flags(command)
}

pub fn dispatch(matches: &ArgMatches) -> Outcome {
    let Some(("mcp", mcp)) = matches.subcommand() else {
        return Ok(Exit::Usage);
    };
    let Some(("serve", matches)) = mcp.subcommand() else {
        return Ok(Exit::Usage);
    };
    let session = Session::open(matches, None)?;
    let profile = Profile::named("spox").expect("it is one of the originals");
    serve_profile(session.engine, profile)
}
