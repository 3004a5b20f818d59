//! The report of `ken install`: the change of each file, made or planned. `install` makes them.

use serde::Serialize;

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
        let rows: Vec<DoneRow> = done.iter().map(|done| row(done, run)).collect();
        let text = serde_json::to_string_pretty(&rows).unwrap_or_default();
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

/// An outcome in the JSON form of the report.
#[derive(Serialize)]
struct DoneRow<'d> {
    client: &'d str,
    place: &'d str,
    difference: Option<&'d str>,
    failure: Option<&'d str>,
    dry_run: bool,
    change: &'static str,
    #[serde(flatten)]
    file: Option<FileChange>,
}

/// The fields of a changed file.
#[derive(Serialize)]
struct FileChange {
    removed: bool,
    /// The copy of the file as it was, or `git`.
    backup: Option<String>,
}

fn row(done: &Done, run: Run) -> DoneRow<'_> {
    let (change, difference, file) = match &done.change {
        Change::None => ("none", None, None),
        Change::Command => ("command", None, None),
        Change::Impossible(_) => ("impossible", None, None),
        Change::File { difference, end, kept } => {
            let backup = match kept {
                Kept::Nothing => None,
                Kept::Beside(backup) | Kept::Before(backup) => Some(backup.display().to_string()),
                Kept::ByGit => Some("git".to_string()),
            };
            let file = FileChange { removed: *end == End::Gone, backup };
            ("file", Some(difference.as_str()), Some(file))
        }
    };
    DoneRow {
        client: &done.what,
        place: &done.place,
        difference,
        failure: done.failure.as_deref(),
        dry_run: run == Run::Dry,
        change,
        file,
    }
}
