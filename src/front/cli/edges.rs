//! `ken edges`: the whole graph to standard output, a line an edge, a page at a time.

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Value, json};

use super::context::Session;
use super::progress::Bar;
use super::{CommandResult, Exit, render};
use crate::ops::{self, Call, Reply};

/// Files on a page.
const FILES: usize = 500;

pub fn command() -> Command {
    Command::new("edges")
        .about("The resolved code graph, one line an edge: calls, implements or imports")
        .after_help(
            "Examples:\n  ken edges --kind calls --jsonl > calls.jsonl\n  \
             ken edges --kind implements",
        )
        .arg(
            Arg::new("kind")
                .long("kind")
                .value_name("KIND")
                .value_parser(["calls", "implements", "imports"])
                .default_value("calls")
                .help("Which edges"),
        )
        .arg(
            Arg::new("jsonl")
                .long("jsonl")
                .action(ArgAction::SetTrue)
                .help("A JSON object on each line"),
        )
        .arg(
            Arg::new("path")
                .long("path")
                .value_name("PATH")
                .help("Another indexed root: its path or collection name"),
        )
}

pub fn run(matches: &ArgMatches) -> CommandResult {
    let session = Session::open(matches, None)?;
    let op = ops::find("export_edges").expect("the registry has it");
    let bar = Bar::new();
    let call = Call { engine: &session.engine, progress: &bar };
    let is_json = matches.get_flag("jsonl") || session.form == render::Form::Json;
    let mut arguments = json!({
        "kind": matches.get_one::<String>("kind"),
        "files": FILES,
    });
    if let Some(path) = matches.get_one::<String>("path") {
        arguments["path"] = path.as_str().into();
    }
    loop {
        let Reply::Object(page) = op.call(&call, &arguments)? else {
            return Ok(Exit::Ok);
        };
        let page = page.to_json();
        for edge in page["edges"].as_array().into_iter().flatten() {
            if is_json { render::print(&edge.to_string())? } else { render::print(&plain(edge))? }
        }
        match page.get("next") {
            Some(next) => arguments["after"] = next.clone(),
            None => return Ok(Exit::Ok),
        }
    }
}

/// `a.rs:3 caller → b.rs:9 callee (high, import)`.
fn plain(edge: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let place = |value: &Value| {
        let line = value["line"].as_u64();
        let line = line.map(|line| format!(":{line}")).unwrap_or_default();
        let whole = format!("{}{line} {}", text(&value["path"]), text(&value["symbol"]));
        whole.trim_end().to_string()
    };
    if edge.get("interface").is_some() {
        let (subject, interface) = (place(&edge["type"]), place(&edge["interface"]));
        return format!("{subject} → {interface} ({})", text(&edge["how"]));
    }
    let site = format!("{}:{}", text(&edge["site"]["path"]), edge["site"]["line"]);
    let (from, to) = match edge.get("target") {
        Some(target) => (text(&edge["site"]["name"]), place(target)),
        None => {
            let callees = edge["callees"].as_array().into_iter().flatten();
            let callees: Vec<String> = callees.map(place).collect();
            (text(&edge["caller"]["symbol"]), callees.join(", "))
        }
    };
    let (confidence, reason) = (text(&edge["confidence"]), text(&edge["reason"]));
    format!("{site} {from} → {to} ({confidence}, {reason})")
}
