//! `get_scenario`: one scenario, whole.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::wire::Steps;
use crate::model::{Requirement, Spec};
use crate::ops::error::not_found;
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};
use crate::query::specs::{find_requirements, find_scenario, nearest};

pub const OP: OpEntry = OpEntry {
    name: "get_scenario",
    family: Family::Specs,
    origin: Origin::Contract,
    summary: "One scenario of a requirement with its when and then clauses, and what the \
              requirement says. Without `scenario`, the requirement's first.",
    effect: Effect::Reads,
    schema,
    examples: &[
        "ken get-scenario auth 'Sign in'",
        "ken get-scenario auth 'Sign in' --scenario 'Wrong password'",
    ],
    run,
};

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
            }
        },
        "required": ["spec_id", "requirement"]
    })
}

#[derive(Deserialize)]
struct Arguments {
    spec_id: String,
    requirement: String,
    scenario: Option<String>,
}

#[derive(Serialize)]
struct Whole<'a> {
    spec_id: &'a str,
    requirement: &'a str,
    requirement_description: &'a str,
    name: &'a str,
    #[serde(flatten)]
    steps: Steps,
    path: String,
    line: u32,
    /// The names of the requirement's further scenarios, so that they can be asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    other_scenarios: Vec<&'a str>,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let Arguments {
        spec_id,
        requirement,
        scenario,
    } = args.parse()?;
    let spec = call.engine.specs()?.get_spec_by_id(&spec_id)?.spec;
    let named = find_requirements(&spec, &requirement);
    let first = named.first();
    let first = first.ok_or_else(|| no_requirement(&spec, &requirement))?;
    let found = named.iter().find_map(|requirement| {
        let scenario = match &scenario {
            Some(name) => find_scenario(requirement, name),
            None => requirement.scenarios.first(),
        };
        Some((*requirement, scenario?))
    });
    let (requirement, found) = found.ok_or_else(|| no_scenario(first, scenario.as_deref()))?;
    let others = requirement.scenarios.iter();
    let others = others.filter(|other| other.line != found.line);
    Ok(Reply::object(Whole {
        spec_id: &spec.id,
        requirement: &requirement.name,
        requirement_description: &requirement.description,
        name: &found.name,
        steps: Steps::new(found),
        path: spec.path.to_string(),
        line: found.line,
        other_scenarios: others.map(|other| other.name.as_str()).collect(),
    }))
}

pub fn no_requirement(spec: &Spec, name: &str) -> OpError {
    let known = spec.requirements.iter().map(|one| one.name.as_str());
    let nearest = nearest(name, known).into_iter().map(str::to_string);
    let message = format!("Requirement '{name}' not found in spec '{}'", spec.id);
    not_found(message, "get_spec_requirements", nearest.collect())
}

pub fn no_scenario(requirement: &Requirement, name: Option<&str>) -> OpError {
    let Some(name) = name else {
        let message = format!(
            "Scenario not found: requirement '{}' has none",
            requirement.name
        );
        return not_found(message, "get_spec_requirements", Vec::new());
    };
    let known: Vec<&str> = requirement
        .scenarios
        .iter()
        .map(|one| one.name.as_str())
        .collect();
    let likely = nearest(name, known.iter().copied());
    let message = format!(
        "Scenario '{name}' not found in requirement '{}'",
        requirement.name
    );
    let suggestions = if likely.is_empty() { known } else { likely };
    let suggestions = suggestions.into_iter().map(str::to_string);
    not_found(message, "get_spec_requirements", suggestions.collect())
}
