//! `model`: what the model inside of this program is, and what it was made of.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

pub static OP: OpEntry = OpEntry {
    name: "model",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The embedded model: name, version, size, hash of its file, and what it was trained \
              on.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(empty_schema),
    reply: ReplyType::of::<ModelReply>(),
    examples: &["ken model", "ken model --json"],
    run,
};

/// The reply of `model`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ModelReply {
    pub tokens: usize,
    pub dimension: usize,
    pub bytes: usize,
    pub blake3: String,
    /// The model's card, as its file has it.
    #[serde(flatten)]
    pub card: Map<String, Value>,
}

fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let model = call.engine.embedded_model();
    Ok(Reply::object(ModelReply {
        tokens: model.tokens,
        dimension: model.dimension,
        bytes: model.bytes,
        blake3: model.hash,
        card: serde_json::from_str(model.card).unwrap_or_default(),
    }))
}
