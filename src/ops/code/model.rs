//! `model`: what the model inside of this program is, and what it was made of.

use serde_json::{Value, json};

use crate::ops::schema::no_arguments;
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};

pub const OP: OpEntry = OpEntry {
    name: "model",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The embedded model: name, version, size, hash of its file, and what it was trained \
              on.",
    effect: Effect::Reads,
    schema: no_arguments,
    examples: &["ken model", "ken model --json"],
    run,
};

fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let model = call.engine.embedded_model();
    let mut reply = json!({
        "tokens": model.tokens,
        "dimension": model.dimension,
        "bytes": model.bytes,
        "blake3": model.hash,
    });
    let card: Value = serde_json::from_str(model.card).unwrap_or_default();
    if let (Some(reply), Value::Object(card)) = (reply.as_object_mut(), card) {
        reply.extend(card);
    }
    Ok(Reply::Object(reply))
}
