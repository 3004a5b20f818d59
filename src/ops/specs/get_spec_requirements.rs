//! `get_spec_requirements`: the requirements of one spec with the number of their scenarios. Bodies
//! are left out: the contract made it for agents that look for one scenario.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a [`GetSpecRequirementsReply`]. An unknown spec is an error with similar ids.
pub static OP: OpEntry = OpEntry {
    name: "get_spec_requirements",
    family: Family::Specs,
    origin: Origin::Contract,
    summary: "The requirements of one spec: their names and how many scenarios each has, without \
              the scenarios. Then ask get_scenario for one.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<GetSpecRequirementsReply>(),
    examples: &["ken specs requirements auth"],
    run,
};

/// The schema of the contract.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "spec_id": { "type": "string", "description": "The spec, by its id from list_specs" }
        },
        "required": ["spec_id"]
    })
}

#[derive(Deserialize)]
struct GetSpecRequirementsArgs {
    spec_id: String,
}

/// The reply of `get_spec_requirements`.
#[derive(Debug, Serialize, Deserialize)]
pub struct GetSpecRequirementsReply {
    /// The id of the spec.
    pub spec_id: String,
    /// The requirements in the order of the file.
    pub requirements: Vec<RequirementSummary>,
}

/// One requirement.
#[derive(Debug, Serialize, Deserialize)]
pub struct RequirementSummary {
    /// Its name.
    pub name: String,
    /// The number of its scenarios.
    pub scenario_count: usize,
    /// The operation of a change on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<Cow<'static, str>>,
}

/// Reads the spec and counts its scenarios.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let GetSpecRequirementsArgs { spec_id } = args.parse()?;
    let spec = call.engine.specs()?.get_spec_by_id(&spec_id)?.spec;
    let requirements = spec.requirements.into_iter().map(|requirement| RequirementSummary {
        name: requirement.name,
        scenario_count: requirement.scenarios.len(),
        operation: requirement.operation.map(|operation| operation.as_str().into()),
    });
    Ok(Reply::object(GetSpecRequirementsReply {
        spec_id: spec.id,
        requirements: requirements.collect(),
    }))
}
