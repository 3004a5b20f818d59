//! `ken edges`: the whole graph to standard output, one line for each edge. It pages through
//! `export_edges`, so memory is bounded by a page.

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;

use super::command_session::CommandSession;
use super::progress::ProgressBar;
use super::{CommandResult, Exit, printing, render};
use crate::ops::code::export_edges::{self, EdgeEnd, EdgeRow, EdgeSite, ExportEdgesReply};
use crate::ops::{Call, ReplyData};

/// Files on a page: large enough that the cost of a call does not matter, small enough for memory.
const FILES: usize = 500;

/// Declares `ken edges`.
pub fn command() -> Command {
    Command::new("edges")
        .about("Print the resolved code graph, one line per edge: calls, implements or imports")
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
                .help("The kind of edges"),
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

/// Prints all pages. A closed pipe ends it.
pub fn run(matches: &ArgMatches) -> CommandResult {
    let session = CommandSession::open_to_ask(matches)?;
    let bar = ProgressBar::new();
    let call = Call::new(&session.engine, &bar);
    let is_json = matches.get_flag("jsonl") || session.form == render::OutputForm::Json;
    let mut arguments = json!({
        "kind": matches.get_one::<String>("kind"),
        "files": FILES,
    });
    if let Some(path) = matches.get_one::<String>("path") {
        arguments["path"] = path.as_str().into();
    }
    loop {
        let page: ExportEdgesReply = export_edges::OP.fetch_object(&call, &arguments)?;
        for edge in &page.edges {
            printing::print_line(&if is_json {
                printing::json_line(&edge.to_json())
            } else {
                format_edge(edge)
            })?;
        }
        match page.next {
            Some(next) => arguments["after"] = next.into(),
            None => {
                if let Some(notice) = page.notice {
                    printing::print_message(&notice);
                }
                return Ok(Exit::Ok);
            }
        }
    }
}

/// Formats `a.rs:3 caller → b.rs:9 callee (high, import)`.
fn format_edge(edge: &EdgeRow) -> String {
    let resolved = |site: &EdgeSite, from: &str, to: &str, [confidence, reason]: [&str; 2]| {
        format!("{}:{} {from} → {to} ({confidence}, {reason})", site.path, site.line)
    };
    match edge {
        EdgeRow::Implements(edge) => {
            format!(
                "{} → {} ({})",
                format_end(&edge.subject),
                format_end(&edge.interface),
                edge.how
            )
        }
        EdgeRow::Import(edge) => {
            let why = [&edge.confidence, &edge.reason].map(|word| word.as_ref());
            resolved(&edge.site, &edge.site.name, &format_end(&edge.target), why)
        }
        EdgeRow::Call(edge) => {
            let why = [&edge.confidence, &edge.reason].map(|word| word.as_ref());
            let callees: Vec<String> = edge.callees.iter().map(format_end).collect();
            let caller = edge.caller.symbol.as_deref().unwrap_or_default();
            resolved(&edge.site, caller, &callees.join(", "), why)
        }
    }
}

/// Formats `b.rs:9 callee`.
fn format_end(end: &EdgeEnd) -> String {
    let line = end.line.map(|line| format!(":{line}")).unwrap_or_default();
    let symbol = end.symbol.as_deref().unwrap_or_default();
    format!("{}{line} {symbol}", end.path).trim_end().to_string()
}
