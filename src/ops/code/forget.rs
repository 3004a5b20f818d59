//! `forget`: removes what is stored of a repository, and nothing of the repository.

use std::path::PathBuf;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::schema::derive_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

pub static OP: OpEntry = OpEntry {
    name: "forget",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Remove the index of a repository. The repository itself is not touched, and \
              index_codebase makes the index again.",
    effect: OpEffect::Updates,
    schema: LazyLock::new(derive_schema::<ForgetArgs>),
    reply: ReplyType::of::<ForgetReply>(),
    examples: &["ken forget app", "ken forget ~/src/app"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct ForgetArgs {
    /// The collection's name, or the path of its root
    collection: String,
}

/// The reply of `forget`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ForgetReply {
    pub forgotten: String,
    pub path: PathBuf,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let ForgetArgs { collection } = args.parse()?;
    let forgotten = call.engine.forget(&collection, call.progress)?;
    Ok(Reply::object(ForgetReply { forgotten: forgotten.name, path: forgotten.root }))
}
