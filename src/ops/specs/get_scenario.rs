//! `get_scenario`: one scenario with its steps, and the text of its requirement. Requirements and
//! scenarios may share names; `occurrence` picks one of several.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::reply_parts::Steps;
use crate::ops::error::not_found_error;
use crate::ops::{
    Args, Call, ErrorDetails, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply,
    ReplyType,
};
use kenning_knowledge::specs::{find_requirements, find_scenarios, nearest};
use kenning_model::{Requirement, Spec};

/// Replies with a [`GetScenarioReply`]. Unknown names are errors in the words of the contract, with
/// similar names.
pub static OP: OpEntry = OpEntry {
    name: "get_scenario",
    family: Family::Specs,
    origin: Origin::Contract,
    summary: "One scenario of a requirement with its when and then clauses, and what the \
              requirement says. Without `scenario`, the requirement's first.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<GetScenarioReply>(),
    examples: &[
        "ken specs scenario auth 'Sign in'",
        "ken specs scenario auth 'Sign in' --scenario 'Wrong password'",
    ],
    run,
};

/// The schema of the contract, with `occurrence` added.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "spec_id": { "type": "string", "description": "The spec, by its id from list_specs" },
            "requirement": {
                "type": "string",
                "description": "The requirement's name, from get_spec_requirements"
            },
            "scenario": {
                "type": "string",
                "description": "The scenario's name; the requirement's first if left out"
            },
            "occurrence": {
                "type": "integer",
                "description": "The number of the occurrence, if several have that name: 1 for the first",
                "minimum": 1
            }
        },
        "required": ["spec_id", "requirement"]
    })
}

#[derive(Deserialize)]
struct GetScenarioArgs {
    spec_id: String,
    requirement: String,
    scenario: Option<String>,
    occurrence: Option<usize>,
}

/// The reply of `get_scenario`.
#[derive(Debug, Serialize, Deserialize)]
pub struct GetScenarioReply {
    /// The id of the spec.
    pub spec_id: String,
    /// The requirement, as the file spells it.
    pub requirement: String,
    /// The text of the requirement.
    pub requirement_description: String,
    /// The name of the scenario.
    pub name: String,
    /// The steps by keyword.
    #[serde(flatten)]
    pub steps: Steps,
    /// The file below the root.
    pub path: String,
    /// The line of the heading.
    pub line: u32,
    /// The number of scenarios with that name, if there is more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurrences: Option<usize>,
    /// The names of the requirement's further scenarios, so that they can be asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_scenarios: Vec<String>,
}

/// Finds the requirement and the scenario. Without a name, the first scenario of the first such
/// requirement is meant.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let GetScenarioArgs { spec_id, requirement, scenario, occurrence } = args.parse()?;
    let spec = call.engine.specs()?.get_spec_by_id(&spec_id)?.spec;
    let named = find_requirements(&spec, &requirement);
    let first = named.first();
    let first = *first.ok_or_else(|| unknown_requirement_error(&spec, &requirement))?;
    let found = find_scenarios(&named, scenario.as_deref());
    let number = occurrence.unwrap_or(1);
    let Some((requirement, found)) = found.get(number - 1).copied() else {
        return Err(match found.len() {
            0 => unknown_scenario_error(first, scenario.as_deref()),
            count => unknown_occurrence_error(number, count),
        });
    };
    // A caller that names no scenario does not care how many share a name.
    let occurrences = scenario.map(|_| find_scenarios(&named, Some(&found.name)).len());
    let others = requirement.scenarios.iter();
    let others = others.filter(|other| other.line != found.line);
    Ok(Reply::object(GetScenarioReply {
        spec_id: spec.id.clone(),
        requirement: requirement.name.clone(),
        requirement_description: requirement.description.clone(),
        name: found.name.clone(),
        steps: Steps::new(found),
        path: spec.path.to_string(),
        line: found.line,
        occurrences: occurrences.filter(|count| *count > 1),
        other_scenarios: others.map(|other| other.name.clone()).collect(),
    }))
}

/// The error for an unknown requirement, in the words of the contract.
pub fn unknown_requirement_error(spec: &Spec, name: &str) -> OpError {
    let known = spec.requirements.iter().map(|one| one.name.as_str());
    let nearest = nearest(name, known).into_iter().map(str::to_string);
    let message = format!("Requirement '{name}' not found in spec '{}'", spec.id);
    not_found_error(message, "get_spec_requirements", nearest.collect())
}

/// The error for an unknown scenario, or for a requirement without any.
pub fn unknown_scenario_error(requirement: &Requirement, name: Option<&str>) -> OpError {
    let Some(name) = name else {
        let message = format!("Scenario not found: requirement '{}' has none", requirement.name);
        return OpError::new(ErrorKind::NotFound, message)
            .hint("get_spec_requirements says how many each requirement has");
    };
    let known = requirement.scenarios.iter();
    let known: Vec<&str> = known.map(|one| one.name.as_str()).collect();
    let likely = nearest(name, known.iter().copied());
    let hint = match (likely.first(), known.as_slice()) {
        (Some(likely), _) => format!("did you mean {likely:?}?"),
        (None, []) => "it has no scenarios".to_string(),
        (None, known) => format!("its scenarios are {}", quote_names(known)),
    };
    let message = format!("Scenario '{name}' not found in requirement '{}'", requirement.name);
    OpError::new(ErrorKind::NotFound, message).hint(hint).details(ErrorDetails {
        scenarios: Some(known.into_iter().map(str::to_string).collect()),
        ..ErrorDetails::of_suggestions(likely)
    })
}

/// The error for a number beyond the last scenario of that name.
fn unknown_occurrence_error(number: usize, count: usize) -> OpError {
    let message = format!("Scenario not found: there is no occurrence {number}");
    OpError::new(ErrorKind::NotFound, message).hint(format!("the last is {count}"))
}

/// Quotes the first eight names and counts the rest.
fn quote_names(names: &[&str]) -> String {
    // More names would drown the message.
    const SHOWN: usize = 8;
    let shown = names.iter().take(SHOWN).map(|name| format!("{name:?}"));
    let shown: Vec<String> = shown.collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
