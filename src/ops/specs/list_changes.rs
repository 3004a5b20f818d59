//! `list_changes`: the proposed changes of specs that are not archived yet, with the progress of
//! their tasks.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::reply_parts::problem_list;
use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};
use kenning_model::Change;

/// Replies with a [`ListChangesReply`]; an empty list if no change is under way.
pub static OP: OpEntry = OpEntry {
    name: "list_changes",
    family: Family::Specs,
    origin: Origin::Kenning,
    summary: "The changes of specs that are under way: id, title, how many tasks are done, and \
              which specs each changes. Then ask get_change for one.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(empty_schema),
    reply: ReplyType::of::<ListChangesReply>(),
    examples: &["ken specs changes"],
    run,
};

/// The reply of `list_changes`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListChangesReply {
    /// The changes, by id.
    pub changes: Vec<ChangeSummary>,
    /// Files that could not be read in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<String>>,
}

/// One change.
#[derive(Debug, Serialize, Deserialize)]
pub struct ChangeSummary {
    /// The id, which `get_change` takes.
    pub id: String,
    /// The title of the proposal.
    pub title: String,
    /// Completed and total tasks.
    pub task_progress: TaskProgress,
    /// The ids of the specs that it changes.
    pub specs: Vec<String>,
}

/// The progress of a change's tasks.
#[derive(Debug, Serialize, Deserialize)]
pub struct TaskProgress {
    /// The ticked tasks.
    pub completed: usize,
    /// All tasks.
    pub total: usize,
}

impl TaskProgress {
    /// Counts the tasks of a change.
    pub fn from_change(change: &Change) -> TaskProgress {
        TaskProgress {
            completed: change.tasks.iter().filter(|task| task.is_done).count(),
            total: change.tasks.len(),
        }
    }
}

/// Parses all changes. A change that cannot be parsed is a problem in the reply.
fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let (changes, failed) = call.engine.specs()?.parse_all_changes();
    let changes = changes.into_iter().map(|change| ChangeSummary {
        task_progress: TaskProgress::from_change(&change),
        specs: change.deltas.iter().map(|delta| delta.capability.clone()).collect(),
        id: change.id,
        title: change.title,
    });
    Ok(Reply::object(ListChangesReply {
        changes: changes.collect(),
        problems: problem_list(&failed),
    }))
}
