//! `list_specs`: all specs with title and purpose, for an agent that looks for one. A broken file
//! is a problem in the reply and hides no other.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::reply_parts::problem_list;
use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a [`ListSpecsReply`]. A repository without specs has an empty list, which is no
/// error.
pub static OP: OpEntry = OpEntry {
    name: "list_specs",
    family: Family::Specs,
    origin: Origin::Contract,
    summary: "All specs of this repository: id, title and purpose. Start here, then ask \
              get_spec_requirements for one of them.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(empty_schema),
    reply: ReplyType::of::<ListSpecsReply>(),
    examples: &["ken specs list", "ken specs list --json"],
    run,
};

/// The reply of `list_specs`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListSpecsReply {
    /// The specs, by id.
    pub specs: Vec<SpecSummary>,
    /// Files that could not be read, or that only look like specs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<String>>,
}

/// One spec.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpecSummary {
    /// The id, which other operations take.
    pub id: String,
    /// The title.
    pub title: String,
    /// The text of its purpose.
    pub purpose: String,
    /// The number of requirements.
    pub requirement_count: usize,
}

/// Parses all specs. The cost is one read of each file; nothing is cached.
fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let tree = call.engine.specs()?.parse_all_specs();
    let specs = tree.specs.into_iter().map(|stamped| SpecSummary {
        id: stamped.spec.id,
        title: stamped.spec.title,
        purpose: stamped.spec.purpose,
        requirement_count: stamped.spec.requirements.len(),
    });
    Ok(Reply::object(ListSpecsReply {
        specs: specs.collect(),
        problems: problem_list(&tree.problems),
    }))
}
