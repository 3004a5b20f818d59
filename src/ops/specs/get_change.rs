//! `get_change`: why a change is proposed, what is to be done, and what it does to which spec.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list_changes::TaskProgress;
use crate::model::{Change, Delta, Document, Requirement, Section};
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply, schema};

pub const OP: OpEntry = OpEntry {
    name: "get_change",
    family: Family::Specs,
    origin: Origin::Kenning,
    summary: "One change of specs: its proposal, tasks, design, and what it adds, modifies, \
              removes or renames in which spec. `section` picks one of them.",
    effect: Effect::Reads,
    schema: schema::derived::<GetChangeArgs>,
    examples: &["ken get-change add-login", "ken get-change add-login --section deltas"],
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

#[derive(Serialize)]
struct Whole {
    change_id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<Proposal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tasks: Option<Tasks>,
    #[serde(skip_serializing_if = "Option::is_none")]
    design: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deltas: Option<Vec<Group>>,
}

#[derive(Serialize)]
struct Proposal {
    /// What stands before the sections.
    #[serde(skip_serializing_if = "String::is_empty")]
    preamble: String,
    why: String,
    what_changes: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_sections: Vec<Named>,
}

#[derive(Serialize)]
struct Named {
    heading: String,
    text: String,
}

#[derive(Serialize)]
struct Tasks {
    #[serde(flatten)]
    progress: TaskProgress,
    tasks: Vec<TaskRow>,
    /// What the file says beside its tasks.
    #[serde(skip_serializing_if = "String::is_empty")]
    notes: String,
}

#[derive(Serialize)]
struct TaskRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<String>,
    text: String,
    done: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    group: String,
}

#[derive(Serialize)]
struct Group {
    capability: String,
    items: Vec<Item>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_sections: Vec<Named>,
}

#[derive(Serialize)]
struct Item {
    operation: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<String>,
    /// The names of its scenarios.
    scenarios: Vec<String>,
    /// All that stands below its heading, scenarios and all, as it was written.
    #[serde(skip_serializing_if = "String::is_empty")]
    text: String,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let GetChangeArgs { change_id, section } = args.parse()?;
    let change = call.engine.specs()?.get_change_by_id(&change_id)?;
    let wants = |part: ChangePart| section.is_none_or(|section| section == part);
    let proposal = change.proposal.as_ref().filter(|_| wants(ChangePart::Proposal));
    let design = change.design.as_ref().filter(|_| wants(ChangePart::Design));
    Ok(Reply::object(Whole {
        proposal: proposal.map(proposal_of),
        tasks: wants(ChangePart::Tasks).then(|| tasks(&change)),
        design: design.map(|design| design.text.clone()),
        deltas: wants(ChangePart::Deltas).then(|| change.deltas.iter().map(group).collect()),
        change_id: change.id,
        title: change.title,
    }))
}

fn proposal_of(proposal: &Document) -> Proposal {
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
        other_sections: others.map(named).collect(),
    }
}

fn named(section: &Section) -> Named {
    Named { heading: section.heading.clone(), text: section.text.clone() }
}

fn tasks(change: &Change) -> Tasks {
    let tasks = change.tasks.iter().map(|task| TaskRow {
        number: task.number.clone(),
        text: task.text.clone(),
        done: task.is_done,
        group: task.group.clone(),
    });
    Tasks {
        progress: TaskProgress::of(change),
        tasks: tasks.collect(),
        notes: change.task_notes.clone(),
    }
}

fn group(delta: &Delta) -> Group {
    let items = delta.spec.requirements.iter().map(|requirement| Item {
        // A requirement that stands below no operation is as good as added.
        operation: requirement.operation.map_or("ADDED", |one| one.as_str()),
        name: requirement.name.clone(),
        renamed_from: requirement.renamed_from.clone(),
        text: below_heading(&delta.text, requirement),
        scenarios: requirement.scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
    });
    Group {
        capability: delta.capability.clone(),
        items: items.collect(),
        other_sections: delta.spec.sections.iter().map(named).collect(),
    }
}

/// The lines of a requirement without its heading.
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
