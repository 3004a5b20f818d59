//! `ken http`: declares its flags and starts the HTTP server. `front::http` serves.

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::command_session::{CommandSession, skill_dir_flag};
use super::commands::chosen_profile;
use super::{CommandResult, Exit};
use crate::engine::Engine;
use crate::front::http::{self, Options};
use crate::front::mcp::Profile;
use crate::ops::{ErrorKind, OpError};

/// Flags that are short for a setting.
pub const FLAGS: [(&str, &str); 3] =
    [("host", "http.host"), ("port", "http.port"), ("token", "http.token")];

/// The flag of `http.roots`.
pub const ALLOW_ROOT: &str = "allow-root";

/// Declares `ken http`.
pub fn command() -> Command {
    let command = Command::new("http")
        .about("Serve HTTP: a web page at /, every operation, and MCP at /mcp")
        .after_help(
            "Examples:\n  ken http\n  ken http --port 8080\n  \
             KEN_HTTP_TOKEN=… ken http --host 0.0.0.0\n  MCP_ENABLED=true ken http\n\n\
             With MCP_ENABLED=true, MCP is also served on standard input and output, with the \
             three tools of code-indexer unless --profile or --toolsets says otherwise.",
        )
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("ADDRESS")
                .help("The address to listen on [default: 127.0.0.1]"),
        )
        .arg(
            Arg::new("port")
                .long("port")
                .value_name("N")
                .help("The port; 0 for any that is free [default: PORT, else 3000]"),
        )
        .arg(Arg::new("token").long("token").value_name("TOKEN").help(
            "The token that callers send; required beyond loopback. Other users of this machine \
                       can see a flag, but not KEN_HTTP_TOKEN",
        ));
    let command = command.arg(
        Arg::new(ALLOW_ROOT)
            .long(ALLOW_ROOT)
            .value_name("DIRECTORY")
            .action(ArgAction::Append)
            .help("Let callers index, watch and name this directory too; may be repeated"),
    );
    super::commands::profile_flags(command).arg(skill_dir_flag())
}

/// Refuses invalid settings of a remote backend at the start, so that requests do not fail later.
/// It does not connect.
fn check_backend(engine: &Engine) -> Result<(), OpError> {
    match engine.remote_backend() {
        Ok(_) => Ok(()),
        Err(error) => Err(OpError { kind: ErrorKind::BadArgument, ..OpError::from(error) }),
    }
}

/// Starts the server. It returns when the server has stopped.
pub fn serve(matches: &ArgMatches) -> CommandResult {
    let chosen = chosen_profile(matches)?;
    let stdio = match chosen {
        Some(profile) => profile,
        None => Profile::from_name("code-indexer").expect("it is in the list"),
    };
    let session = CommandSession::open_to_serve(matches, None)?;
    let options = Options::new(session.engine.config(), stdio)?;
    check_backend(&session.engine)?;
    http::serve(session.engine, options)?;
    Ok(Exit::Ok)
}
