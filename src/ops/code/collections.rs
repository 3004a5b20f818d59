//! `collections`: the indexed roots of this user, or of a remote backend. It opens each index for
//! its counts, so the cost grows with the number of collections, not with their size.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::engine::EngineError;
use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`CollectionRow`]; an empty list if nothing is indexed yet.
pub static OP: OpEntry = OpEntry {
    name: "collections",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The repositories that are indexed on this machine: collection name, root, and how \
              much is known of each.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(empty_schema),
    reply: ReplyType::of::<CollectionRow>(),
    examples: &["ken collections", "ken collections --json"],
    run,
};

/// One indexed root.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionRow {
    /// The name by which other operations take it.
    pub name: String,
    /// The root on the machine that indexed it.
    pub path: String,
    /// The number of files; absent if the index cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    /// The number of chunks; absent if the index cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u64>,
    /// The time of the last run, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_at: Option<String>,
    /// Says that the root no longer exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Cow<'static, str>>,
}

/// Lists the collections of the backend. Without a home directory there are none, which is no
/// error. A collection that cannot be opened has no counts.
fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let all = match call.engine.known_collections() {
        Err(EngineError::NoHome) => Vec::new(),
        all => all?,
    };
    // Roots on a remote backend belong to other machines, so a missing directory means nothing.
    let is_local = matches!(call.engine.remote_backend(), Ok(None));
    let lines = all.into_iter().map(|collection| {
        let brief = call.engine.code(Some(&collection.name));
        let brief = brief.and_then(|index| index.summary()).ok();
        CollectionRow {
            note: (is_local && !collection.has_root()).then_some("the directory is gone".into()),
            path: collection.root.display().to_string(),
            files: brief.as_ref().map(|brief| brief.files),
            chunks: brief.as_ref().map(|brief| brief.chunks),
            indexed_at: brief.and_then(|brief| brief.indexed_at),
            name: collection.name,
        }
    });
    Ok(Reply::list(lines))
}
