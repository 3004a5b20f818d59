//! `get_change`: the proposal, tasks, design and deltas of one change. It is read from the files at
//! each call, so it is never stale.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list_changes::TaskProgress;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::{Change, Delta, Document, Requirement, Section};

/// Replies with a [`GetChangeReply`]. An unknown change is an error with similar ids.
pub static OP: OpEntry = OpEntry {
    name: "get_change",
    family: Family::Specs,
    origin: Origin::Kenning,
    summary: "One change of specs: its proposal, tasks, design, and what it adds, modifies, \
              removes or renames in which spec. `section` picks one of them.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<GetChangeArgs>),
    reply: ReplyType::of::<GetChangeReply>(),
    examples: &["ken specs change add-login", "ken specs change add-login --section deltas"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct GetChangeArgs {
    /// The change, by its id from list_changes
    change_id: String,
    /// Only this part: proposal, tasks, design or deltas
    section: Option<ChangePart>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum ChangePart {
    Proposal,
    Tasks,
    Design,
    Deltas,
}

/// The reply of `get_change`.
#[derive(Debug, Serialize, Deserialize)]
pub struct GetChangeReply {
    /// The id, which is the name of its folder.
    pub change_id: String,
    /// The title of the proposal.
    pub title: String,
    /// The proposal, if it exists and is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<Proposal>,
    /// The tasks, if they are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TaskList>,
    /// The design document, if it exists and is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub design: Option<String>,
    /// The changes of each spec, if they are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deltas: Option<Vec<SpecDelta>>,
}

/// The proposal by sections.
#[derive(Debug, Serialize, Deserialize)]
pub struct Proposal {
    /// The text before the sections.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preamble: String,
    /// The section "Why".
    pub why: String,
    /// The section "What Changes".
    pub what_changes: String,
    /// All other sections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_sections: Vec<NamedSection>,
}

/// A section of a document.
#[derive(Debug, Serialize, Deserialize)]
pub struct NamedSection {
    /// The heading without its marks.
    pub heading: String,
    /// The text below it.
    pub text: String,
}

/// The tasks of a change.
#[derive(Debug, Serialize, Deserialize)]
pub struct TaskList {
    /// Completed and total.
    #[serde(flatten)]
    pub progress: TaskProgress,
    /// The tasks in the order of the file.
    pub tasks: Vec<TaskRow>,
    /// The text of the file without its tasks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub notes: String,
}

/// One task.
#[derive(Debug, Serialize, Deserialize)]
pub struct TaskRow {
    /// The number as written, such as `1.2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The task.
    pub text: String,
    /// True if it is ticked.
    pub done: bool,
    /// The heading above it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
}

/// The changes of one spec.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpecDelta {
    /// The id of the spec.
    pub capability: String,
    /// The changed requirements.
    pub items: Vec<DeltaItem>,
    /// Further sections of the delta.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_sections: Vec<NamedSection>,
}

/// One changed requirement.
#[derive(Debug, Serialize, Deserialize)]
pub struct DeltaItem {
    /// `ADDED`, `MODIFIED`, `REMOVED` or `RENAMED`.
    pub operation: Cow<'static, str>,
    /// The requirement.
    pub name: String,
    /// Its earlier name, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub renamed_from: Option<String>,
    /// The names of its scenarios.
    pub scenarios: Vec<String>,
    /// Everything below its heading as written, with its scenarios.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// Reads the change and returns the wanted parts.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let GetChangeArgs { change_id, section } = args.parse()?;
    let change = call.engine.specs()?.get_change_by_id(&change_id)?;
    let wants = |part: ChangePart| section.is_none_or(|section| section == part);
    let proposal = change.proposal.as_ref().filter(|_| wants(ChangePart::Proposal));
    let design = change.design.as_ref().filter(|_| wants(ChangePart::Design));
    Ok(Reply::object(GetChangeReply {
        proposal: proposal.map(read_proposal),
        tasks: wants(ChangePart::Tasks).then(|| task_list(&change)),
        design: design.map(|design| design.text.clone()),
        deltas: wants(ChangePart::Deltas).then(|| change.deltas.iter().map(spec_delta).collect()),
        change_id: change.id,
        title: change.title,
    }))
}

/// Splits a proposal into its known and other sections. Headings match in any case of letters.
fn read_proposal(proposal: &Document) -> Proposal {
    let text = |heading: &str| {
        let section = proposal.section(heading);
        section.map_or_else(String::new, |section| section.text.clone())
    };
    let is_known = |heading: &str| {
        let known = ["Why", "What Changes"];
        known.iter().any(|known| known.eq_ignore_ascii_case(heading))
    };
    let others = proposal.sections.iter();
    let others = others.filter(|section| !is_known(&section.heading));
    Proposal {
        preamble: proposal.preamble.clone(),
        why: text("Why"),
        what_changes: text("What Changes"),
        other_sections: others.map(named_section).collect(),
    }
}

/// Converts a section.
fn named_section(section: &Section) -> NamedSection {
    NamedSection { heading: section.heading.clone(), text: section.text.clone() }
}

/// Converts the tasks of a change.
fn task_list(change: &Change) -> TaskList {
    let tasks = change.tasks.iter().map(|task| TaskRow {
        number: task.number.clone(),
        text: task.text.clone(),
        done: task.is_done,
        group: task.group.clone(),
    });
    TaskList {
        progress: TaskProgress::from_change(change),
        tasks: tasks.collect(),
        notes: change.task_notes.clone(),
    }
}

/// Converts the delta of one spec.
fn spec_delta(delta: &Delta) -> SpecDelta {
    let items = delta.spec.requirements.iter().map(|requirement| DeltaItem {
        // A requirement that stands below no operation is as good as added.
        operation: requirement.operation.map_or("ADDED", |one| one.as_str()).into(),
        name: requirement.name.clone(),
        renamed_from: requirement.renamed_from.clone(),
        text: below_heading(&delta.text, requirement),
        scenarios: requirement.scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
    });
    SpecDelta {
        capability: delta.capability.clone(),
        items: items.collect(),
        other_sections: delta.spec.sections.iter().map(named_section).collect(),
    }
}

/// Returns the lines of a requirement without its heading.
fn below_heading(file: &str, requirement: &Requirement) -> String {
    let mut lines = file.lines().skip(requirement.line.saturating_sub(1) as usize);
    // One that only a bullet names has nothing below it.
    if !lines.next().is_some_and(|line| line.trim_start().starts_with('#')) {
        return String::new();
    }
    let count = requirement.last_line.saturating_sub(requirement.line);
    let lines: Vec<&str> = lines.take(count as usize).collect();
    lines.join("\n").trim_matches('\n').to_string()
}
