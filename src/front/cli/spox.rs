//! `spox index`, `spox mcp serve`, `spox spec …` and `spox change …`, for those who come from it.
//! Each asks an operation and words the answer as spox does.

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value, json};

use super::commands::{index_specs, mode, serve_profile, specs_json, specs_summary};
use super::context::{Session, global_flags};
use super::progress::Unseen;
use super::render::Form;
use super::{CommandResult, Exit, exit, render};
use crate::front::mcp::Profile;
use crate::ops::specs::dto::{Remark, SpecVerdict};
use crate::ops::specs::list_changes::{self, ListChangesReply, TaskProgress};
use crate::ops::specs::list_specs::{self, ListSpecsReply, SpecSummary};
use crate::ops::specs::{get_change, get_spec, validate_change, validate_spec};
use crate::ops::{Call, OpEntry, OpError, Reply};

pub fn command() -> Command {
    let command = Command::new("spox")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The specs of a repository (Kenning under spox's name)")
        .after_help(format!(
            "Examples:\n  spox index\n  spox mcp serve\n  spox spec validate --strict\n\n{}",
            exit::TABLE
        ))
        .subcommand(index_command())
        .subcommand(parent("mcp", "Model Context Protocol").subcommand(
            Command::new("serve").about("Serve the specs over MCP on standard input and output"),
        ))
        .subcommand(
            parent("spec", "The specs as they are")
                .subcommand(Command::new("list").about("List every spec"))
                .subcommand(show("Print a spec"))
                .subcommand(validate("Say what is wrong with a spec, or with all")),
        )
        .subcommand(
            parent("change", "The changes under way")
                .subcommand(Command::new("list").about("List every change that is not archived"))
                .subcommand(
                    show("Print a change")
                        .arg(flag("deltas-only", "Only what it does to which spec")),
                )
                .subcommand(validate("Say what is wrong with a change, or with all")),
        );
    global_flags(command.subcommand_required(true).arg_required_else_help(true))
}

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
    let session = Session::open(matches, None)?;
    match (group, command) {
        ("spec", "list") => list_specs(&session),
        ("change", "list") => list_changes(&session),
        ("spec", "show") => ask(&session, &get_spec::OP, named("spec_id", matches)),
        ("change", "show") => {
            let mut arguments = named("change_id", matches);
            if matches.get_flag("deltas-only") {
                arguments["section"] = json!("deltas");
            }
            ask(&session, &get_change::OP, arguments)
        }
        ("spec", _) => check(&session, &validate_spec::OP, "spec_id", matches),
        ("change", _) => check(&session, &validate_change::OP, "change_id", matches),
        _ => {
            let profile = Profile::named("spox").expect("it is one of the originals");
            serve_profile(session.engine, profile)
        }
    }
}

fn parent(name: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).subcommand_required(true).arg_required_else_help(true)
}

fn index_command() -> Command {
    Command::new("index")
        .about("Build the search index of the specs, or bring it up to date")
        .arg(flag("force", "Embed everything again instead of only what changed"))
}

fn show(about: &'static str) -> Command {
    let id = Arg::new("id").value_name("ID").required(true);
    Command::new("show").about(about).arg(id.help("Its id, as `list` shows it"))
}

fn validate(about: &'static str) -> Command {
    let id = Arg::new("id").value_name("ID");
    Command::new("validate")
        .about(about)
        .arg(id.help("Only this one"))
        .arg(flag("strict", "Let warnings fail too"))
}

fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

fn index(matches: &ArgMatches) -> CommandResult {
    let session = Session::open(matches, None)?;
    let report = index_specs(&session.engine.own_specs()?, mode(matches))?;
    let shown = match session.form {
        Form::Json => render::json_text(&specs_json(&report)),
        Form::People => specs_summary(&report),
    };
    render::print(&shown)?;
    Ok(Exit::Ok)
}

fn list_specs(session: &Session) -> CommandResult {
    let reply = run(session, &list_specs::OP, json!({}))?;
    if session.form == Form::Json {
        return render::reply(&reply, session.form);
    }
    let ListSpecsReply { specs, problems } = reply.into_object()?;
    let lines = specs.iter().map(|spec| {
        let SpecSummary { id, requirement_count, .. } = spec;
        format!("- {id}  {requirement_count} requirements")
    });
    list("Specs:", lines.collect(), "No specs found.", problems)
}

fn list_changes(session: &Session) -> CommandResult {
    let reply = run(session, &list_changes::OP, json!({}))?;
    if session.form == Form::Json {
        return render::reply(&reply, session.form);
    }
    let ListChangesReply { changes, problems } = reply.into_object()?;
    let lines = changes.iter().map(|change| {
        let TaskProgress { completed, total } = &change.task_progress;
        format!("- {}  {completed}/{total} tasks", change.id)
    });
    list("Changes:", lines.collect(), "No active changes.", problems)
}

/// Prints the lines below a heading, and the problems as warnings.
fn list(
    heading: &str,
    lines: Vec<String>,
    nothing: &str,
    problems: Option<Vec<String>>,
) -> CommandResult {
    for problem in problems.into_iter().flatten() {
        eprintln!("warning: {problem}");
    }
    if lines.is_empty() {
        render::print(nothing)?
    } else {
        render::print(&format!("{heading}\n{}", lines.join("\n")))?
    }
    Ok(Exit::Ok)
}

/// Prints one line for each error and warning, as a compiler does.
fn check(session: &Session, op: &OpEntry, id: &str, matches: &ArgMatches) -> CommandResult {
    let mut arguments = named(id, matches);
    arguments["strict"] = json!(matches.get_flag("strict"));
    let reply = run(session, op, arguments)?;
    if session.form == Form::Json {
        return render::reply(&reply, session.form);
    }
    let verdict: SpecVerdict = reply.into_object()?;
    for (remarks, severity) in [(&verdict.errors, "error"), (&verdict.warnings, "warning")] {
        for Remark { file, line, description } in remarks {
            let line = line.map(|line| format!(":{line}")).unwrap_or_default();
            render::print(&format!("{file}{line}: {severity}: {description}"))?;
        }
    }
    render::print(&verdict.summary)?;
    Ok(if verdict.valid { Exit::Ok } else { Exit::Failed })
}

fn ask(session: &Session, op: &OpEntry, arguments: Value) -> CommandResult {
    render::reply(&run(session, op, arguments)?, session.form)
}

fn run(session: &Session, op: &OpEntry, arguments: Value) -> Result<Reply, OpError> {
    let call = Call { engine: &session.engine, progress: &Unseen };
    op.call(&call, &arguments)
}

fn named(key: &str, matches: &ArgMatches) -> Value {
    let id = matches.get_one::<String>("id");
    let id = id.map(|id| (key.to_string(), Value::from(id.as_str())));
    Value::Object(id.into_iter().collect::<Map<_, _>>())
}
