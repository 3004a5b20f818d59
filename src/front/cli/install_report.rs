//! The report of `ken install`: the change of each file, made or planned. `install` makes them.

use serde_json::{Value, json};

use super::Failure;
use super::atomic_edit::Kept;
use super::render::{self, Form};

/// The outcome for one file or command.
pub struct Done {
    pub what: String,
    pub place: String,
    pub change: Change,
    pub failure: Option<String>,
}

pub enum Change {
    None,
    /// A changed file, with its removed and added lines.
    File {
        difference: String,
        end: End,
        kept: Kept,
    },
    Command,
    /// The client does not support the request; the text says why.
    Impossible(&'static str),
}

/// The state of a file after the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Changed,
    /// Deleted, because nothing else was in it.
    Gone,
}

/// The mode of a run: it changes files, or only shows the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    Real,
    Dry,
}

impl Done {
    pub fn new(what: &str, place: String, change: Change) -> Done {
        Done { what: what.to_string(), place, change, failure: None }
    }

    pub fn failed(what: &str, place: String, failure: String) -> Done {
        Done { failure: Some(failure), ..Done::new(what, place, Change::None) }
    }

    pub fn is_nothing(&self) -> bool {
        matches!(self.change, Change::None) && self.failure.is_none()
    }
}

pub fn show(done: &[Done], run: Run, form: Form) -> Result<(), Failure> {
    if form == Form::Json {
        let lines: Vec<Value> = done.iter().map(|done| json_line(done, run)).collect();
        let text = serde_json::to_string_pretty(&lines).unwrap_or_default();
        return render::print(&text);
    }
    for done in done {
        let outcome = outcome(done, run);
        render::print(&format!("{}: {outcome}\n  {}", done.what, done.place))?;
        if let Change::File { difference, kept, .. } = &done.change {
            let indented = difference.lines().map(|line| format!("    {line}"));
            render::print(&indented.collect::<Vec<_>>().join("\n"))?;
            if let Some(text) = told(kept) {
                render::print(&format!("  {text}"))?;
            }
        }
    }
    Ok(())
}

fn outcome(done: &Done, run: Run) -> String {
    let text = match (&done.failure, &done.change, run) {
        (Some(problem), _, _) => return format!("failed: {problem}"),
        (None, Change::None, _) => "nothing to change",
        (None, Change::Impossible(why), _) => why,
        (None, Change::Command, Run::Real) => "by its own command",
        (None, Change::Command, Run::Dry) => "would be done by its own command",
        (None, Change::File { end, .. }, run) => match (end, run) {
            (End::Changed, Run::Real) => "changed",
            (End::Changed, Run::Dry) => "would change",
            (End::Gone, Run::Real) => "removed, nothing else was in it",
            (End::Gone, Run::Dry) => "would be removed, nothing else is in it",
        },
    };
    text.to_string()
}

fn told(kept: &Kept) -> Option<String> {
    match kept {
        Kept::Nothing => None,
        Kept::Beside(backup) | Kept::Before(backup) => {
            Some(format!("as it was before: {}", backup.display()))
        }
        Kept::ByGit => {
            Some("as it was before: in git's last commit, so no copy was made".to_string())
        }
    }
}

fn json_line(done: &Done, run: Run) -> Value {
    let mut line = json!({
        "client": done.what, "place": done.place, "difference": null, "failure": done.failure,
        "dry_run": run == Run::Dry,
    });
    line["change"] = Value::from(match &done.change {
        Change::None => "none",
        Change::Command => "command",
        Change::Impossible(_) => "impossible",
        Change::File { .. } => "file",
    });
    if let Change::File { difference, end, kept } = &done.change {
        line["difference"] = Value::from(difference.as_str());
        line["removed"] = Value::from(*end == End::Gone);
        line["backup"] = match kept {
            Kept::Nothing => Value::Null,
            Kept::Beside(backup) | Kept::Before(backup) => {
                Value::from(backup.display().to_string())
            }
            Kept::ByGit => Value::from("git"),
        };
    }
    line
}
