//! `list_changes`: the proposed changes of specs that are not archived yet.

use serde::Serialize;

use super::dto::problems;
use crate::model::Change;
use crate::ops::schema::no_arguments;
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};

pub const OP: OpEntry = OpEntry {
    name: "list_changes",
    family: Family::Specs,
    origin: Origin::Kenning,
    summary: "The changes of specs that are under way: id, title, how many tasks are done, and \
              which specs each changes. Then ask get_change for one.",
    effect: Effect::Reads,
    schema: no_arguments,
    examples: &["ken list-changes"],
    run,
};

#[derive(Serialize)]
struct ChangeList {
    changes: Vec<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problems: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Summary {
    id: String,
    title: String,
    task_progress: TaskProgress,
    specs: Vec<String>,
}

#[derive(Serialize)]
pub struct TaskProgress {
    completed: usize,
    total: usize,
}

impl TaskProgress {
    pub fn of(change: &Change) -> TaskProgress {
        TaskProgress {
            completed: change.tasks.iter().filter(|task| task.is_done).count(),
            total: change.tasks.len(),
        }
    }
}

fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let (changes, failed) = call.engine.specs()?.parse_all_changes();
    let changes = changes.into_iter().map(|change| Summary {
        task_progress: TaskProgress::of(&change),
        specs: change.deltas.iter().map(|delta| delta.capability.clone()).collect(),
        id: change.id,
        title: change.title,
    });
    Ok(Reply::object(ChangeList { changes: changes.collect(), problems: problems(&failed) }))
}
