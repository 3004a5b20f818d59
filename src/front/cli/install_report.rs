//! The report of `ken install`: the change of each file, made or planned. `install` makes the
//! changes.

use serde::Serialize;

use super::CommandError;
use super::atomic_edit::Backup;
use super::printing;
use super::render::OutputForm;

/// The outcome for one file or command.
pub struct InstallOutcome {
    /// The client, hook or note.
    pub what: String,
    /// The file or the command line.
    pub place: String,
    /// The change.
    pub change: InstallChange,
    /// The reason why it failed, if it did.
    pub failure: Option<String>,
}

/// The kind of a change.
pub enum InstallChange {
    /// Nothing had to change.
    None,
    /// A changed file, with its removed and added lines.
    File { difference: String, end: FileOutcome, kept: Backup },
    /// The client's own command made the change.
    Command,
    /// The client does not support the request; the text says why.
    Impossible(&'static str),
}

/// The state of a file after the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileOutcome {
    /// It exists, with another text.
    Changed,
    /// Deleted, because nothing else was in it.
    Gone,
}

/// The mode of a run: it changes files, or only shows the changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunMode {
    /// Changes files.
    Real,
    /// Only shows the changes.
    Dry,
}

impl InstallOutcome {
    /// An outcome without a failure.
    pub fn new(what: &str, place: String, change: InstallChange) -> InstallOutcome {
        InstallOutcome { what: what.to_string(), place, change, failure: None }
    }

    /// An outcome that changed nothing because of a failure.
    pub fn failure(what: &str, place: String, failure: String) -> InstallOutcome {
        InstallOutcome {
            failure: Some(failure),
            ..InstallOutcome::new(what, place, InstallChange::None)
        }
    }

    /// True if nothing changed and nothing failed.
    pub fn is_unchanged(&self) -> bool {
        matches!(self.change, InstallChange::None) && self.failure.is_none()
    }
}

/// Prints the outcomes, as text with diffs or as JSON.
pub fn show_report(
    done: &[InstallOutcome],
    run: RunMode,
    form: OutputForm,
) -> Result<(), CommandError> {
    if form == OutputForm::Json {
        let rows: Vec<OutcomeRow> = done.iter().map(|done| outcome_row(done, run)).collect();
        let text = serde_json::to_string_pretty(&rows).unwrap_or_default();
        return printing::print_line(&text);
    }
    for done in done {
        let outcome = describe_outcome(done, run);
        printing::print_line(&format!("{}: {outcome}\n  {}", done.what, done.place))?;
        if let InstallChange::File { difference, kept, .. } = &done.change {
            let indented = difference.lines().map(|line| format!("    {line}"));
            printing::print_line(&indented.collect::<Vec<_>>().join("\n"))?;
            if let Some(text) = describe_backup(kept) {
                printing::print_line(&format!("  {text}"))?;
            }
        }
    }
    Ok(())
}

/// The outcome in words.
fn describe_outcome(done: &InstallOutcome, run: RunMode) -> String {
    let text = match (&done.failure, &done.change, run) {
        (Some(problem), _, _) => return format!("failed: {problem}"),
        (None, InstallChange::None, _) => "nothing to change",
        (None, InstallChange::Impossible(why), _) => why,
        (None, InstallChange::Command, RunMode::Real) => "by its own command",
        (None, InstallChange::Command, RunMode::Dry) => "would be done by its own command",
        (None, InstallChange::File { end, .. }, run) => match (end, run) {
            (FileOutcome::Changed, RunMode::Real) => "changed",
            (FileOutcome::Changed, RunMode::Dry) => "would change",
            (FileOutcome::Gone, RunMode::Real) => "removed, nothing else was in it",
            (FileOutcome::Gone, RunMode::Dry) => "would be removed, nothing else is in it",
        },
    };
    text.to_string()
}

/// Says where the old text is, if there was one.
fn describe_backup(kept: &Backup) -> Option<String> {
    match kept {
        Backup::NotNeeded => None,
        Backup::Created(backup) | Backup::Existing(backup) => {
            Some(format!("as it was before: {}", backup.display()))
        }
        Backup::InGit => {
            Some("as it was before: in git's last commit, so no copy was made".to_string())
        }
    }
}

/// An outcome in the JSON form of the report.
#[derive(Serialize)]
struct OutcomeRow<'d> {
    /// The client, hook or note.
    client: &'d str,
    /// The file or the command line.
    place: &'d str,
    /// The removed and added lines, if a file changed.
    difference: Option<&'d str>,
    /// The failure, if there was one.
    failure: Option<&'d str>,
    /// True if nothing was changed.
    dry_run: bool,
    /// `none`, `command`, `impossible` or `file`.
    change: &'static str,
    /// Present if a file changed.
    #[serde(flatten)]
    file: Option<FileChange>,
}

/// The fields of a changed file.
#[derive(Serialize)]
struct FileChange {
    /// True if the file was deleted.
    removed: bool,
    /// The copy of the file as it was, or `git`.
    backup: Option<String>,
}

/// Converts an outcome to JSON.
fn outcome_row(done: &InstallOutcome, run: RunMode) -> OutcomeRow<'_> {
    let (change, difference, file) = match &done.change {
        InstallChange::None => ("none", None, None),
        InstallChange::Command => ("command", None, None),
        InstallChange::Impossible(_) => ("impossible", None, None),
        InstallChange::File { difference, end, kept } => {
            let backup = match kept {
                Backup::NotNeeded => None,
                Backup::Created(backup) | Backup::Existing(backup) => {
                    Some(backup.display().to_string())
                }
                Backup::InGit => Some("git".to_string()),
            };
            let file = FileChange { removed: *end == FileOutcome::Gone, backup };
            ("file", Some(difference.as_str()), Some(file))
        }
    };
    OutcomeRow {
        client: &done.what,
        place: &done.place,
        difference,
        failure: done.failure.as_deref(),
        dry_run: run == RunMode::Dry,
        change,
        file,
    }
}
