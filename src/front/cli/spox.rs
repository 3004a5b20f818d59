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
use crate::ops::{self, Call, OpError, Reply};

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
        ("spec", "list") => list(&session, &SPECS),
        ("change", "list") => list(&session, &CHANGES),
        ("spec", "show") => ask(&session, "get_spec", named("spec_id", matches)),
        ("change", "show") => {
            let mut arguments = named("change_id", matches);
            if matches.get_flag("deltas-only") {
                arguments["section"] = json!("deltas");
            }
            ask(&session, "get_change", arguments)
        }
        ("spec", _) => check(&session, "validate_spec", "spec_id", matches),
        ("change", _) => check(&session, "validate_change", "change_id", matches),
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
    let report = index_specs(&session.engine.specs_here()?, mode(matches))?;
    let shown = match session.form {
        Form::Json => render::json_text(&specs_json(&report)),
        Form::People => specs_summary(&report),
    };
    render::print(&shown)?;
    Ok(Exit::Ok)
}

/// How one kind of thing is listed.
struct Listing {
    operation: &'static str,
    field: &'static str,
    heading: &'static str,
    nothing: &'static str,
    line: fn(&Value) -> String,
}

const SPECS: Listing = Listing {
    operation: "list_specs",
    field: "specs",
    heading: "Specs:",
    nothing: "No specs found.",
    line: |spec| {
        let count = &spec["requirement_count"];
        format!("- {}  {count} requirements", text(&spec["id"]))
    },
};

const CHANGES: Listing = Listing {
    operation: "list_changes",
    field: "changes",
    heading: "Changes:",
    nothing: "No active changes.",
    line: |change| {
        let progress = &change["task_progress"];
        let (done, total) = (&progress["completed"], &progress["total"]);
        format!("- {}  {done}/{total} tasks", text(&change["id"]))
    },
};

fn list(session: &Session, listing: &Listing) -> CommandResult {
    let reply = run(session, listing.operation, json!({}))?;
    let Reply::Object(answer) = &reply else {
        return render::reply(&reply, session.form);
    };
    let answer = answer.to_json();
    if session.form == Form::Json {
        return render::reply(&reply, session.form);
    }
    let problems = answer["problems"].as_array().into_iter().flatten();
    for problem in problems {
        eprintln!("warning: {}", text(problem));
    }
    let items = answer[listing.field].as_array();
    let lines: Vec<String> = items.into_iter().flatten().map(listing.line).collect();
    if lines.is_empty() {
        render::print(listing.nothing)?
    } else {
        render::print(&format!("{}\n{}", listing.heading, lines.join("\n")))?
    }
    Ok(Exit::Ok)
}

/// One line for each thing that is wrong, as a compiler has it.
fn check(session: &Session, operation: &str, id: &str, matches: &ArgMatches) -> CommandResult {
    let mut arguments = named(id, matches);
    arguments["strict"] = json!(matches.get_flag("strict"));
    let reply = run(session, operation, arguments)?;
    let Reply::Object(verdict) = &reply else {
        return render::reply(&reply, session.form);
    };
    let verdict = verdict.to_json();
    if session.form == Form::Json {
        return render::reply(&reply, session.form);
    }
    for (field, severity) in [("errors", "error"), ("warnings", "warning")] {
        for remark in verdict[field].as_array().into_iter().flatten() {
            let line = match remark["line"].as_u64() {
                Some(line) => format!(":{line}"),
                None => String::new(),
            };
            let (file, what) = (text(&remark["file"]), text(&remark["description"]));
            render::print(&format!("{file}{line}: {severity}: {what}"))?;
        }
    }
    render::print(&text(&verdict["summary"]))?;
    Ok(if verdict["valid"] == true { Exit::Ok } else { Exit::Failed })
}

fn ask(session: &Session, operation: &str, arguments: Value) -> CommandResult {
    render::reply(&run(session, operation, arguments)?, session.form)
}

fn run(session: &Session, operation: &str, arguments: Value) -> Result<Reply, OpError> {
    let op = ops::find(operation).expect("it is one of ours");
    let call = Call { engine: &session.engine, progress: &Unseen };
    op.call(&call, &arguments)
}

fn named(key: &str, matches: &ArgMatches) -> Value {
    let id = matches.get_one::<String>("id");
    let id = id.map(|id| (key.to_string(), Value::from(id.as_str())));
    Value::Object(id.into_iter().collect::<Map<_, _>>())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}
