//! `model`: identity and origin of the embedded static model. The hash is of the bytes in this
//! binary, so two machines can compare their models.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a [`ModelReply`]. It needs no repository.
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
    /// The size of the vocabulary.
    pub tokens: usize,
    /// The length of a vector.
    pub dimension: usize,
    /// The size of the model in bytes.
    pub bytes: usize,
    /// The BLAKE3 hash of the model, in hex.
    pub blake3: String,
    /// The model's card, as its file has it.
    #[serde(flatten)]
    pub card: Map<String, Value>,
}

/// Describes the model. A card that is not JSON is left out, because the other fields identify the
/// model.
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
