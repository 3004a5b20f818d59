//! `spox index`, `spox mcp serve`, `spox spec …` and `spox change …`, for users of the original
//! program. Each calls an operation and words the answer as spox does.

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value, json};

use super::command_session::{CommandSession, global_flags};
use super::commands::{build_mode, index_specs, serve_profile, specs_json, specs_summary};
use super::progress::HiddenProgress;
use super::render::OutputForm;
use super::{CommandResult, Exit, exit_code, printing, render};
use crate::front::mcp::Profile;
use crate::ops::specs::list_changes::{self, ListChangesReply, TaskProgress};
use crate::ops::specs::list_specs::{self, ListSpecsReply, SpecSummary};
use crate::ops::specs::reply_parts::{Remark, SpecVerdict};
use crate::ops::specs::{get_change, get_spec, validate_change, validate_spec};
use crate::ops::{Call, OpEntry, OpError, Reply};

/// Declares `spox`.
pub fn command() -> Command {
    let command = Command::new("spox")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The specs of a repository (Kenning under spox's name)")
        .after_help(format!(
            "Examples:\n  spox index\n  spox mcp serve\n  spox spec validate --strict\n\n{}",
            exit_code::TABLE
        ))
        .subcommand(index_command())
        .subcommand(parent_command("mcp", "Model Context Protocol").subcommand(
            Command::new("serve").about("Serve the specs over MCP on standard input and output"),
        ))
        .subcommand(
            parent_command("spec", "The specs as they are")
                .subcommand(Command::new("list").about("List every spec"))
                .subcommand(show_command("Print a spec"))
                .subcommand(validate_command("Say what is wrong with a spec, or with all")),
        )
        .subcommand(
            parent_command("change", "The changes under way")
                .subcommand(Command::new("list").about("List every change that is not archived"))
                .subcommand(
                    show_command("Print a change")
                        .arg(flag("deltas-only", "Only the deltas: what changes in each spec")),
                )
                .subcommand(validate_command("Say what is wrong with a change, or with all")),
        );
    global_flags(command.subcommand_required(true).arg_required_else_help(true))
}

/// Runs the subcommand. Each pair of group and command is one operation, and the rest serves MCP.
pub fn dispatch(matches: &ArgMatches) -> CommandResult {
    let Some((group, below)) = matches.subcommand() else {
        return Ok(Exit::Usage);
    };
    if group == "index" {
        return index(below);
    }
    let Some((command, matches)) = below.subcommand() else {
        return Ok(Exit::Usage);
    };
    // Settings are read once for all subcommands below.
    let session = CommandSession::open(matches, None)?;
    match (group, command) {
        ("spec", "list") => list_specs(&session),
        ("change", "list") => list_changes(&session),
        ("spec", "show") => {
            print_operation(&session, &get_spec::OP, id_argument("spec_id", matches))
        }
        ("change", "show") => {
            let mut arguments = id_argument("change_id", matches);
            if matches.get_flag("deltas-only") {
                arguments["section"] = json!("deltas");
            }
            print_operation(&session, &get_change::OP, arguments)
        }
        ("spec", _) => print_verdict(&session, &validate_spec::OP, "spec_id", matches),
        ("change", _) => print_verdict(&session, &validate_change::OP, "change_id", matches),
        _ => {
            let profile = Profile::from_name("spox").expect("it is one of the originals");
            serve_profile(session.engine, profile)
        }
    }
}

/// A command that only has subcommands.
fn parent_command(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).subcommand_required(true).arg_required_else_help(true)
}

/// Declares `spox index`.
fn index_command() -> Command {
    Command::new("index")
        .about("Build the search index of the specs, or bring it up to date")
        .arg(flag("force", "Embed everything again instead of only what changed"))
}

/// Declares a `show`.
fn show_command(about: &'static str) -> Command {
    let id = Arg::new("id").value_name("ID").required(true);
    Command::new("show").about(about).arg(id.help("Its id, as `list` shows it"))
}

/// Declares a `validate`.
fn validate_command(about: &'static str) -> Command {
    let id = Arg::new("id").value_name("ID");
    Command::new("validate")
        .about(about)
        .arg(id.help("Only this one"))
        .arg(flag("strict", "Let warnings fail too"))
}

/// A flag without a value.
fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// Runs `spox index`.
fn index(matches: &ArgMatches) -> CommandResult {
    let session = CommandSession::open(matches, None)?;
    let report = index_specs(&session.engine.own_specs()?, build_mode(matches))?;
    let shown = match session.form {
        OutputForm::Json => printing::json_text(&specs_json(&report)),
        OutputForm::People => specs_summary(&report),
    };
    printing::print_line(&shown)?;
    Ok(Exit::Ok)
}

/// Runs `spox spec list`.
fn list_specs(session: &CommandSession) -> CommandResult {
    let reply = call_operation(session, &list_specs::OP, json!({}))?;
    if session.form == OutputForm::Json {
        return render::print_reply(&reply, session.form);
    }
    let ListSpecsReply { specs, problems } = reply.into_object()?;
    let lines = specs.iter().map(|spec| {
        let SpecSummary { id, requirement_count, .. } = spec;
        format!("- {id}  {requirement_count} requirements")
    });
    print_list("Specs:", lines.collect(), "No specs found.", problems)
}

/// Runs `spox change list`.
fn list_changes(session: &CommandSession) -> CommandResult {
    let reply = call_operation(session, &list_changes::OP, json!({}))?;
    if session.form == OutputForm::Json {
        return render::print_reply(&reply, session.form);
    }
    let ListChangesReply { changes, problems } = reply.into_object()?;
    let lines = changes.iter().map(|change| {
        let TaskProgress { completed, total } = &change.task_progress;
        format!("- {}  {completed}/{total} tasks", change.id)
    });
    print_list("Changes:", lines.collect(), "No active changes.", problems)
}

/// Prints the lines below a heading, and the problems as warnings.
fn print_list(
    heading: &str,
    lines: Vec<String>,
    nothing: &str,
    problems: Option<Vec<String>>,
) -> CommandResult {
    for problem in problems.into_iter().flatten() {
        printing::print_message(&format!("warning: {problem}"));
    }
    if lines.is_empty() {
        printing::print_line(nothing)?
    } else {
        printing::print_line(&format!("{heading}\n{}", lines.join("\n")))?
    }
    Ok(Exit::Ok)
}

/// Prints one line for each error and warning, as a compiler does.
fn print_verdict(
    session: &CommandSession,
    op: &OpEntry,
    id: &str,
    matches: &ArgMatches,
) -> CommandResult {
    let mut arguments = id_argument(id, matches);
    arguments["strict"] = json!(matches.get_flag("strict"));
    let reply = call_operation(session, op, arguments)?;
    if session.form == OutputForm::Json {
        return render::print_reply(&reply, session.form);
    }
    let verdict: SpecVerdict = reply.into_object()?;
    for (remarks, severity) in [(&verdict.errors, "error"), (&verdict.warnings, "warning")] {
        for Remark { file, line, description } in remarks {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            printing::print_line(&format!("{file}{line}: {severity}: {description}"))?;
        }
    }
    printing::print_line(&verdict.summary)?;
    Ok(if verdict.valid { Exit::Ok } else { Exit::Failed })
}

/// Runs an operation and prints its reply.
fn print_operation(session: &CommandSession, op: &OpEntry, arguments: Value) -> CommandResult {
    render::print_reply(&call_operation(session, op, arguments)?, session.form)
}

/// Runs an operation without a bar.
fn call_operation(
    session: &CommandSession,
    op: &OpEntry,
    arguments: Value,
) -> Result<Reply, OpError> {
    let call = Call::new(&session.engine, &HiddenProgress);
    op.call(&call, &arguments)
}

/// The argument object with the id, if one was given.
fn id_argument(key: &str, matches: &ArgMatches) -> Value {
    let id = matches.get_one::<String>("id").map(|id| (key.to_string(), Value::from(id.as_str())));
    Value::Object(id.into_iter().collect::<Map<_, _>>())
}
