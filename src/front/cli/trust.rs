//! `ken trust`: approves values that a repository's own files set and that need the user's
//! permission. `config::trust` stores the approvals; this file shows them.

use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde::Serialize;
use serde_json::Value;

use super::command_session::CommandSession;
use super::{CommandResult, Exit, printing, render};
use crate::config::trust::{self, Approval};
use crate::config::{Config, Refusal};
use crate::engine::EngineError;
use crate::ops::{OpError, Reply};

/// Declares `ken trust`.
pub fn command() -> Command {
    Command::new("trust")
        .about("Approve settings of a repository's own files that need your permission")
        .after_help(
            "Approves exactly the values that are ignored now, and prints them. If a value changes, it \
             is ignored until you approve it again.\n\n\
             Examples:\n  ken trust --dry-run\n  ken trust\n  ken trust ~/src/app --revoke\n  \
             ken trust --list",
        )
        .arg(
            Arg::new("path")
                .value_name("DIR")
                .value_parser(value_parser!(PathBuf))
                .help("The repository (default: the one around the working directory)"),
        )
        .arg(flag("dry-run", "Show what would be approved, and approve nothing"))
        .arg(flag("revoke", "Withdraw every approval for the repository"))
        .arg(flag("list", "List the approvals for all repositories"))
}

/// A flag that excludes the other modes.
fn flag(name: &'static str, help: &'static str) -> Arg {
    let others = ["dry-run", "revoke", "list"].into_iter().filter(move |other| *other != name);
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help).conflicts_with_all(others)
}

/// Approves, lists or withdraws.
pub fn run(matches: &ArgMatches) -> CommandResult {
    let session =
        CommandSession::open_for_trust(matches, matches.get_one::<PathBuf>("path").cloned())?;
    let config = session.engine.config();
    let home = config.path("home").ok_or_else(|| OpError::from(EngineError::NoHome))?;
    let failed = |error| OpError::from(EngineError::Config(error));
    if matches.get_flag("list") {
        let rows = trust::load_all_approvals(&home).map_err(failed)?;
        return show_rows(rows.iter().map(approval_row).collect(), &session);
    }
    if matches.get_flag("revoke") {
        let withdrawn = trust::withdraw(&home, config.root()).map_err(failed)?;
        let outcome =
            if withdrawn.is_empty() { "There are no approvals" } else { "Withdrew the approvals" };
        printing::print_message(&format!("{outcome} for {}", config.root().display()));
        return show_rows(withdrawn.iter().map(approval_row).collect(), &session);
    }
    approve(matches, config, &home, &session)
}

/// Approves the values that can be approved, and warns of those that cannot.
fn approve(
    matches: &ArgMatches,
    config: &Config,
    home: &Path,
    session: &CommandSession,
) -> CommandResult {
    let is_approved = |refusal: &&Refusal| refusal.can_be_trusted();
    let (approved, refused): (Vec<&Refusal>, Vec<&Refusal>) =
        config.refusals().iter().partition(is_approved);
    for refusal in refused {
        printing::print_message(&format!("warning: {refusal}"));
    }
    if approved.is_empty() {
        printing::print_message(&format!(
            "There is nothing to approve in {}",
            config.root().display()
        ));
    }
    if !matches.get_flag("dry-run") && !approved.is_empty() {
        let approved: Vec<Refusal> = approved.iter().copied().cloned().collect();
        trust::approve(home, config.root(), &approved)
            .map_err(|error| OpError::from(EngineError::Config(error)))?;
        printing::print_message(&format!("Approved for {}:", config.root().display()));
    }
    show_rows(approved.into_iter().map(refusal_row).collect(), session)
}

/// A setting that a repository's file sets and that the user may approve.
#[derive(Serialize)]
struct RefusalRow {
    /// The setting.
    key: &'static str,
    /// The value; secrets are hidden.
    value: Value,
    /// The file that sets it.
    file: PathBuf,
    /// The line, if it is known.
    line: Option<usize>,
}

/// A setting that the user approved.
#[derive(Serialize)]
struct ApprovalRow {
    /// The repository.
    root: PathBuf,
    /// The setting.
    key: String,
    /// The approved value. Another value needs another approval.
    value: Value,
    /// The file that set it.
    file: PathBuf,
}

/// Prints the rows; people get nothing for an empty list, because a line on stderr says so.
fn show_rows<T: Serialize + Send + 'static>(
    rows: Vec<T>,
    session: &CommandSession,
) -> CommandResult {
    if rows.is_empty() && session.form == render::OutputForm::People {
        return Ok(Exit::Ok);
    }
    render::print_reply(&Reply::list(rows), session.form)
}

/// Converts a refused setting.
fn refusal_row(refusal: &Refusal) -> RefusalRow {
    RefusalRow {
        key: refusal.setting.key,
        value: json_value(&refusal.redacted_value()),
        file: refusal.file.clone(),
        line: refusal.line,
    }
}

/// Converts an approval.
fn approval_row(approval: &Approval) -> ApprovalRow {
    ApprovalRow {
        root: approval.root.clone(),
        key: approval.key.clone(),
        value: json_value(&approval.value),
        file: approval.file.clone(),
    }
}

/// Converts a TOML value to JSON.
fn json_value(value: &toml::Value) -> Value {
    serde_json::to_value(value).unwrap_or_else(|_| Value::from(value.to_string()))
}
