//! `providers`: the embedding providers, their availability, and the remedy for those that are not
//! available.
//!
//! Settings decide for most of them. A local service such as Ollama is probed, so the call may wait
//! for its timeout. Nothing is embedded and no key is sent.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::engine::{ProviderInfo, State};
use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`ProviderRow`]. It needs no repository.
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

/// One provider.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProviderRow {
    /// The name that `--provider` takes.
    pub name: Cow<'static, str>,
    /// `available` or `unavailable`.
    pub state: Cow<'static, str>,
    /// `yes` for the one that is used if none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Cow<'static, str>>,
    /// The model, if it is available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The reason for the state.
    pub why: String,
    /// The next step, if it is unavailable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// Lists all providers, in the order in which one is chosen.
fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let providers = call.engine.providers().into_iter();
    Ok(Reply::list(providers.map(provider_row)))
}

/// Converts a provider's state.
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
