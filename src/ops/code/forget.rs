//! `forget`: removes the index of a repository, and nothing of the repository. `index_codebase`
//! makes the index again; only approvals and settings outside of the index survive.

use std::path::PathBuf;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ops::schema::derive_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a [`ForgetReply`]. It is an update, so it is never forwarded to a peer.
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
    /// The name of the removed collection.
    pub forgotten: String,
    /// The root, which is not touched.
    pub path: PathBuf,
}

/// Removes the index. An unknown collection is an error that lists the known ones.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let ForgetArgs { collection } = args.parse()?;
    let forgotten = call.engine.forget_collection(&collection, call.progress)?;
    Ok(Reply::object(ForgetReply { forgotten: forgotten.name, path: forgotten.root }))
}
