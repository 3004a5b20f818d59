//! `validate_spec`: the breaches of one spec or of all, line by line. It reads the files as they
//! are now and needs no index.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;

use super::reply_parts::{SpecVerdict, Strictness};
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_knowledge::specs;
use kenning_model::{Problem, Spec};

/// Replies with a [`SpecVerdict`]. Breaches are a success over MCP and a failure in a shell.
pub static OP: OpEntry = OpEntry {
    name: "validate_spec",
    family: Family::Specs,
    origin: Origin::Kenning,
    summary: "Find mistakes in a spec, or in all: missing purpose, requirements without text \
              or scenario, scenarios without WHEN or THEN, names that occur twice. Each with file \
              and line.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<ValidateSpecArgs>),
    reply: ReplyType::of::<SpecVerdict>(),
    examples: &["ken specs validate", "ken specs validate auth --strict"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct ValidateSpecArgs {
    /// Only this spec, by its id from list_specs
    spec_id: Option<String>,
    /// Let warnings fail too
    strict: Option<bool>,
}

/// Validates one spec or all. Names that occur twice are found within a spec, not between specs.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let ValidateSpecArgs { spec_id, strict } = args.parse()?;
    let all = call.engine.specs()?;
    let tree = all.parse_all_specs();
    let meant: Vec<&Spec> = match &spec_id {
        None => tree.specs.iter().map(|stamped| &stamped.spec).collect(),
        Some(id) => {
            let path = all.get_spec_by_id(id)?.spec.path;
            let specs = tree.specs.iter().map(|stamped| &stamped.spec);
            specs.filter(|spec| spec.path == path).collect()
        }
    };
    let findings = meant.iter().flat_map(|spec| specs::validate_spec(spec));
    let is_meant = |problem: &&Problem| {
        spec_id.is_none() || meant.iter().any(|spec| spec.path == problem.path)
    };
    let problems: Vec<Problem> = tree.problems.iter().filter(is_meant).cloned().collect();
    Ok(Reply::object(SpecVerdict::new(
        &count_noun(meant.len(), "spec"),
        &findings.collect::<Vec<_>>(),
        &problems,
        Strictness::from_flag(strict),
    )))
}
