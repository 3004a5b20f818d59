//! `providers`: who can make vectors here, and what the others lack.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::engine::{ProviderInfo, State};
use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

pub static OP: OpEntry = OpEntry {
    name: "providers",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The embedding providers: which are available, with which model, which one is used \
              when none is named, and what the others lack.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(empty_schema),
    reply: ReplyType::of::<ProviderRow>(),
    examples: &["ken providers", "ken providers --json"],
    run,
};

#[derive(Debug, Serialize, Deserialize)]
pub struct ProviderRow {
    pub name: Cow<'static, str>,
    pub state: Cow<'static, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Cow<'static, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub why: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let providers = call.engine.providers().into_iter();
    Ok(Reply::list(providers.map(provider_row)))
}

fn provider_row(provider: ProviderInfo) -> ProviderRow {
    let (state, model, why, remedy) = match provider.state {
        State::Available { model, why } => ("available", Some(model), why, None),
        State::Unavailable { why, remedy } => ("unavailable", None, why, Some(remedy)),
    };
    ProviderRow {
        name: provider.name.into(),
        state: state.into(),
        default: provider.is_chosen.then_some("yes".into()),
        model,
        why,
        remedy,
    }
}
