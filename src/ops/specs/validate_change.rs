//! `validate_change`: the breaches of one change or of all, line by line. A delta is checked
//! against the spec that it changes, so all specs are read as well.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;

use super::reply_parts::{SpecVerdict, Strictness};
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_knowledge::specs;
use kenning_model::{Change, Problem, Spec};

/// Replies with a [`SpecVerdict`]. Breaches are a success over MCP and a failure in a shell.
pub static OP: OpEntry = OpEntry {
    name: "validate_change",
    family: Family::Specs,
    origin: Origin::Kenning,
    summary: "Find mistakes in a change of specs, or in all: missing proposal, tasks or \
              deltas, and deltas that do not fit the spec they change. Each with file and line.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<ValidateChangeArgs>),
    reply: ReplyType::of::<SpecVerdict>(),
    examples: &["ken specs validate-change", "ken specs validate-change add-login --strict"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct ValidateChangeArgs {
    /// Only this change, by its id from list_changes
    change_id: Option<String>,
    /// Let warnings fail too
    strict: Option<bool>,
}

/// Validates one change or all. Problems of other changes are left out if one is named.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let ValidateChangeArgs { change_id, strict } = args.parse()?;
    let all = call.engine.specs()?;
    let (changes, problems) = all.parse_all_changes();
    let meant: Vec<Change> = match &change_id {
        None => changes,
        Some(id) => vec![all.get_change_by_id(id)?],
    };
    let tree = all.parse_all_specs();
    let specs: Vec<&Spec> = tree.specs.iter().map(|stamped| &stamped.spec).collect();
    let findings = meant.iter().flat_map(|change| specs::validate_change(change, &specs));
    let is_meant = |problem: &&Problem| {
        let mut meant = meant.iter();
        meant.any(|change| problem.path.is_within(&change.path))
    };
    let problems: Vec<Problem> = problems.iter().filter(is_meant).cloned().collect();
    Ok(Reply::object(SpecVerdict::new(
        &count_noun(meant.len(), "change"),
        &findings.collect::<Vec<_>>(),
        &problems,
        Strictness::from_flag(strict),
    )))
}
