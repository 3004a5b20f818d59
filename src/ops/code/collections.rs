//! `collections`: the indexed roots of this user.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::engine::EngineError;
use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

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

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CollectionRow {
    pub name: String,
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Cow<'static, str>>,
}

fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let all = match call.engine.known_collections() {
        Err(EngineError::NoHome) => Vec::new(),
        all => all?,
    };
    // What a server holds was indexed elsewhere.
    let is_local = matches!(call.engine.remote(), Ok(None));
    let lines = all.into_iter().map(|collection| {
        let brief = call.engine.code(Some(&collection.name));
        let brief = brief.and_then(|index| index.brief()).ok();
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
