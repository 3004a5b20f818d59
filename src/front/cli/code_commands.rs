//! The commands for code that are more than one operation: `index`, `search` and `watch`. They add
//! a progress bar, a summary and output formats to the operations.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Value, json};

use super::background_update::continue_updates;
use super::command_session::CommandSession;
use super::commands::run_operation;
use super::pager::{self, Pager};
use super::{
    CommandResult, Exit, arguments, compact_format, printing, render, run_summary, search_output,
};
use crate::front::hit_view::AnswerView;
use crate::front::signals;
use crate::ops::code::index_codebase::{self, IndexCodebaseReply};
use crate::ops::code::search_code::{self, SearchCodeReply};
use crate::ops::{Call, OpEntry, Reply};

/// Declares `ken index`.
pub fn index_command() -> Command {
    Command::new("index")
        .about("Index a repository, or bring its index up to date")
        .after_help("Examples:\n  ken index\n  ken index ~/src/app --name app\n  ken index --force\n  ken index -v")
        .arg(path_argument())
        .arg(
            Arg::new("name")
                .long("name")
                .value_name("NAME")
                .help("The name of its collection (default: the directory's name)"),
        )
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Read every file again, not only changed ones"),
        )
        .arg(
            Arg::new("include-tests")
                .long("include-tests")
                .value_name("BOOL")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("true")
                .value_parser(value_parser!(bool))
                .help("Let searches find test code too, until --include-tests=false"),
        )
        .arg(
            Arg::new("provider")
                .long("provider")
                .value_name("NAME")
                .help("The embedding provider (`ken providers` lists all)"),
        )
        .arg(
            Arg::new("scip")
                .long("scip")
                .value_name("FILE")
                .action(ArgAction::Append)
                .value_parser(value_parser!(PathBuf))
                .help("Take exact edges from a compiler's SCIP index (default: index.scip there)"),
        )
}

/// Runs `ken index`. People get a summary of one line; `-v` and `--json` show the whole reply.
pub fn index(matches: &ArgMatches) -> CommandResult {
    let path = matches.get_one::<PathBuf>("path").cloned();
    let session = CommandSession::open(matches, path)?;
    session.confirm_root();
    let mut arguments = json!({
        "path": session.engine.config().root(),
        "rebuild": matches.get_flag("force"),
    });
    if let Some(included) = matches.get_one::<bool>("include-tests") {
        arguments["include_tests"] = Value::from(*included);
    }
    for name in ["name", "provider"] {
        if let Some(value) = matches.get_one::<String>(name) {
            arguments[name] = Value::from(value.as_str());
        }
    }
    if let Some(files) = matches.get_many::<PathBuf>("scip") {
        // As the shell means them, and not as seen from the root.
        let files = files.map(|file| std::path::absolute(file).unwrap_or_else(|_| file.clone()));
        arguments["scip"] = Value::from_iter(files.map(|file| file.display().to_string()));
    }
    let op = &index_codebase::OP;
    if session.form == render::OutputForm::Json || matches.get_count("verbose") > 0 {
        return run_operation(op, &arguments, &session);
    }
    let run: IndexCodebaseReply = call_with_bar(op, &arguments, &session)?.into_object()?;
    printing::print_line(&run_summary::summarize_run(&run))?;
    Ok(Exit::Ok)
}

/// Declares `ken search`: the arguments of `search_code`, and `--format`.
pub fn search_command() -> Command {
    let examples = "Examples:\n  ken search where are requests retried\n  \
                    ken search parseUrl --limit 3 --file-filter 'src/**'\n  \
                    ken search retries --format compact\n  ken search retries --offset 10";
    arguments::op_command(&search_code::OP)
        .name("search")
        .about("Search code by meaning or by name; indexes the repository first if need be")
        .long_about(None::<&str>)
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORM")
                .value_parser(["excerpt", "full", "compact"])
                .help(
                    "excerpt: the lines that matter (the default on a terminal); full: whole chunks \
                     (the default elsewhere); compact: the place and signature of each result; --json \
                     overrides it",
                ),
        )
        .arg(pager::flag())
        .after_help(examples)
}

/// Runs `ken search`. It indexes the repository first if it is not indexed yet.
pub fn search(matches: &ArgMatches) -> CommandResult {
    let session = CommandSession::open_to_ask(matches)?;
    let op = &search_code::OP;
    let mut arguments = arguments::to_json(op, matches);
    // A person reads few results; a script gets the operation's own default.
    if std::io::stdout().is_terminal() && arguments.get("limit").is_none() {
        arguments["limit"] = Value::from(TERMINAL_LIMIT);
    }
    // Without `path`, the search is about this root, not about the only indexed repository.
    if arguments.get("path").is_none() {
        index_if_needed(&session)?;
    }
    let reply = call_with_bar(op, &arguments, &session)?;
    continue_updates(&session);
    if session.form == render::OutputForm::Json {
        return render::print_reply(&reply, session.form);
    }
    show_hits(&reply.into_object()?, &arguments, matches, &session)
}

/// The number of results on a terminal.
const TERMINAL_LIMIT: u64 = 5;

/// Indexes the root if it is not indexed yet.
pub fn index_if_needed(session: &CommandSession) -> Result<(), super::CommandError> {
    let root = session.engine.config().root();
    if session.engine.is_indexed(root) {
        return Ok(());
    }
    session.confirm_root();
    let reply = call_with_bar(&index_codebase::OP, &json!({ "path": root }), session)?;
    let run: IndexCodebaseReply = reply.into_object()?;
    // Explains the wait to a person; a script gets no extra output.
    if std::io::stderr().is_terminal() {
        printing::print_message(&format!("{}\n", run_summary::summarize_run(&run)));
    }
    Ok(())
}

/// Prints the hits in the chosen format, and on a terminal a hint on how to see more.
///
/// If they do not fit on the screen, a pager shows them from the best on. Where there is no pager,
/// the best is printed last, because the end is what stays on the screen.
fn show_hits(
    answer: &SearchCodeReply,
    arguments: &Value,
    matches: &ArgMatches,
    session: &CommandSession,
) -> CommandResult {
    let mut look = search_output::OutputStyle::for_stdout();
    let format = matches.get_one::<String>("format").map(String::as_str);
    look.extent = match (format, look.extent) {
        (Some("full"), _) => search_output::OutputExtent::Whole,
        (Some("excerpt"), search_output::OutputExtent::Whole) => {
            search_output::OutputExtent::Excerpt { width: DEFAULT_WIDTH }
        }
        (_, extent) => extent,
    };
    let question = arguments["query"].as_str().unwrap_or_default();
    let mut shown = AnswerView::from(answer);
    let show = |shown: &AnswerView| match format {
        Some("compact") => compact_format::format_lines(shown),
        _ => search_output::format_hits(shown, question, &look),
    };
    let mut text = show(&shown);
    let number = |name: &str, default: u64| arguments[name].as_u64().unwrap_or(default) as usize;
    let more =
        search_output::more_hint(shown.hits.len(), number("limit", 10), number("offset", 0), &look);
    let more = more.filter(|_| std::io::stdout().is_terminal());
    let more = more.map_or(String::new(), |more| format!("\n\n{more}"));
    if let Some(pager) = Pager::for_output(matches, session, &text) {
        pager.show(&(text + &more))?;
        return Ok(Exit::Ok);
    }
    if std::io::stdout().is_terminal() && pager::is_longer_than_screen(&text) {
        shown.hits.reverse();
        text = show(&shown);
    }
    printing::print_line(&(text + &more))?;
    Ok(Exit::Ok)
}

/// The width of an excerpt's line where the terminal's width is unknown.
const DEFAULT_WIDTH: usize = 120;

/// Declares `ken watch`.
pub fn watch_command() -> Command {
    Command::new("watch")
        .about("Keep the index of a repository up to date until interrupted")
        .after_help("Examples:\n  ken watch\n  ken watch ~/src/app")
        .arg(path_argument())
}

/// Runs `ken watch` until a signal comes. It polls the counters, because a watch has no
/// subscribers.
pub fn watch(matches: &ArgMatches) -> CommandResult {
    let path = matches.get_one::<PathBuf>("path").cloned();
    let session = CommandSession::open(matches, path)?;
    let root = session.engine.config().root().to_path_buf();
    session.confirm_root();
    session.engine.watch(&root)?;
    printing::print_message(&format!("watching {}; Ctrl-C ends it", root.display()));
    let mut told = 0;
    // A tenth of a second is soon enough for a person, and costs nothing.
    while !signals::is_stopped() {
        std::thread::sleep(std::time::Duration::from_millis(100));
        told = report_runs(&session, &root, told)?;
    }
    session.engine.unwatch(&root)?;
    printing::print_message("stopped; the index is whole");
    Ok(Exit::Ok)
}

/// Prints a line if there were runs since the last report. Returns the number of runs.
fn report_runs(
    session: &CommandSession,
    root: &Path,
    told: usize,
) -> Result<usize, super::CommandError> {
    let Some(status) = session.engine.watch_status(root)? else {
        return Ok(told);
    };
    let state = status.state;
    if state.runs > told {
        let line = json!({
            "runs": state.runs, "added": state.added, "changed": state.changed,
            "removed": state.removed, "error": state.last_error,
        });
        match (&state.last_error, session.form) {
            (_, render::OutputForm::Json) => printing::print_line(&printing::json_line(&line))?,
            (Some(error), _) => printing::print_message(&format!("error: {error}")),
            (None, _) => printing::print_line(&format!(
                "up to date: {} added, {} changed, {} removed so far",
                state.added, state.changed, state.removed
            ))?,
        }
    }
    Ok(state.runs)
}

/// The optional path of a repository.
fn path_argument() -> Arg {
    Arg::new("path")
        .value_name("PATH")
        .value_parser(value_parser!(PathBuf))
        .help("The repository (default: --root, else the working directory)")
}

/// Returns the name of the root's collection, for the operations that take one.
pub fn collection_name(session: &CommandSession) -> Result<String, super::CommandError> {
    let index = session.engine.code(None)?;
    Ok(index.collection.name.clone())
}

/// Runs an operation with a progress bar and returns its reply without printing it.
pub fn call_with_bar(
    op: &'static OpEntry,
    arguments: &Value,
    session: &CommandSession,
) -> Result<Reply, super::CommandError> {
    let bar = super::progress::ProgressBar::new();
    let call = Call::new(&session.engine, &bar);
    Ok(op.call(&call, arguments)?)
}
