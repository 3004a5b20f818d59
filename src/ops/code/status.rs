//! `status`: what is known of a repository's code, how fresh it is, what was passed over.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::CodeStatus;
use crate::ops::ordered_map::OrderedMap;
use crate::ops::schema::derive_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

pub static OP: OpEntry = OpEntry {
    name: "status",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The state of a code index: files, chunks, model, indexed and current commit, files \
              changed since, and how many files were skipped and why.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(derive_schema::<StatusArgs>),
    reply: ReplyType::of::<StatusReply>(),
    examples: &["ken status", "ken status --skipped"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct StatusArgs {
    /// Another indexed root: its path or collection name
    path: Option<String>,
    /// List every skipped file with the reason, and every problem
    #[serde(default)]
    skipped: bool,
}

/// The reply of `status`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusReply {
    pub collection: String,
    pub path: String,
    pub files: u64,
    pub chunks: u64,
    pub symbols: u64,
    pub index_bytes: u64,
    pub provider: String,
    pub model: String,
    pub dimension: u32,
    pub include_tests: bool,
    pub languages: OrderedMap<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_commit: Option<String>,
    pub changed_files: usize,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    pub skipped: BTreeMap<String, usize>,
    pub problems: usize,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<SkippedFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problem_list: Vec<String>,
}

/// A file that indexing skipped.
#[derive(Debug, Serialize, Deserialize)]
pub struct SkippedFile {
    pub path: String,
    pub reason: String,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: StatusArgs = args.parse()?;
    let index = call.engine.code(arguments.path.as_deref())?;
    let status = call.engine.status_of(&index)?;
    let collection = index.collection.name.clone();
    let path = index.collection.root.display().to_string();
    Ok(Reply::object(status_reply(collection, path, status, &arguments)))
}

fn status_reply(
    collection: String,
    path: String,
    status: CodeStatus,
    arguments: &StatusArgs,
) -> StatusReply {
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    for skip in &status.skips {
        *skipped.entry(skip.reason.clone()).or_default() += 1;
    }
    let files = status
        .skips
        .iter()
        .map(|skip| SkippedFile { path: skip.stamp.path.to_string(), reason: skip.reason.clone() });
    let problems = status.problems.iter().map(ToString::to_string);
    StatusReply {
        collection,
        path,
        files: status.stats.files,
        chunks: status.stats.chunks,
        symbols: status.stats.symbols,
        index_bytes: status.stats.bytes,
        provider: status.settings.provider,
        model: status.settings.model,
        dimension: status.settings.dimension,
        include_tests: status.shows_tests,
        languages: status.languages.into_iter().collect(),
        indexed_at: status.indexed_at,
        indexed_commit: status.commit,
        current_commit: status.current_commit,
        changed_files: status.changed_files,
        incomplete: status.is_incomplete,
        skipped,
        problems: status.problems.len(),
        skipped_files: if arguments.skipped { files.collect() } else { Vec::new() },
        problem_list: if arguments.skipped { problems.collect() } else { Vec::new() },
    }
}
