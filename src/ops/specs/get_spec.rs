//! `get_spec`: one spec file as it was written. It is a Markdown document, so it is not wrapped
//! into JSON.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a document in the format `markdown`. An unknown spec is an error with similar ids.
pub static OP: OpEntry = OpEntry {
    name: "get_spec",
    family: Family::Specs,
    origin: Origin::Kenning,
    summary: "One spec, whole and as it was written. Long ones cost many tokens: \
              get_spec_requirements and get_scenario give parts.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(crate::ops::schema::derive_schema::<GetSpecArgs>),
    reply: ReplyType::TEXT,
    examples: &["ken specs show auth"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct GetSpecArgs {
    /// The spec, by its id from list_specs
    spec_id: String,
}

/// Reads the file of the spec.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let GetSpecArgs { spec_id } = args.parse()?;
    let spec = call.engine.specs()?.get_spec_by_id(&spec_id)?;
    Ok(Reply::Document { text: spec.text, format: "markdown" })
}
