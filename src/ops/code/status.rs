//! `status`: size, model and freshness of a code index, and the files that it skipped. Freshness
//! stats every indexed file, so it costs more than a search.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::CodeStatus;
use crate::ops::ordered_map::OrderedMap;
use crate::ops::schema::derive_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a [`StatusReply`]. A root without an index is an error of the kind `NoIndex`.
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
    /// The name of the collection.
    pub collection: String,
    /// The root.
    pub path: String,
    /// The indexed files.
    pub files: u64,
    /// The chunks.
    pub chunks: u64,
    /// The definitions.
    pub symbols: u64,
    /// The size of the index on the disk, in bytes.
    pub index_bytes: u64,
    /// The provider of the vectors.
    pub provider: String,
    /// The model of the vectors.
    pub model: String,
    /// The length of a vector.
    pub dimension: u32,
    /// True if searches find test code by default.
    pub include_tests: bool,
    /// The number of files by language.
    pub languages: OrderedMap<usize>,
    /// The time of the last run, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_at: Option<String>,
    /// The commit at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indexed_commit: Option<String>,
    /// The commit that is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_commit: Option<String>,
    /// Files that changed since. The next question reads them first.
    pub changed_files: usize,
    /// True if this server watches the root and updates the index after changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watched: bool,
    /// True if the last run did not finish.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub incomplete: bool,
    /// The number of skipped files by reason.
    pub skipped: BTreeMap<String, usize>,
    /// The number of problems.
    pub problems: usize,
    /// The skipped files, if `skipped` is set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<SkippedFile>,
    /// The problems, if `skipped` is set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problem_list: Vec<String>,
}

/// A file that indexing skipped.
#[derive(Debug, Serialize, Deserialize)]
pub struct SkippedFile {
    /// The path below the root.
    pub path: String,
    /// The reason for skipping it.
    pub reason: String,
}

/// Collects the state of an index, with a check of every file for changes.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: StatusArgs = args.parse()?;
    let index = call.engine.code(arguments.path.as_deref())?;
    let status = call.engine.code_status(&index)?;
    let collection = index.collection.name.clone();
    let path = index.collection.root.display().to_string();
    let watched = call.engine.is_watched_by_server(&index.collection.root);
    let reply = status_reply(collection, path, status, &arguments);
    Ok(Reply::object(StatusReply { watched, ..reply }))
}

/// Converts the engine's status to the reply.
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
        watched: false,
        incomplete: status.is_incomplete,
        skipped,
        problems: status.problems.len(),
        skipped_files: if arguments.skipped { files.collect() } else { Vec::new() },
        problem_list: if arguments.skipped { problems.collect() } else { Vec::new() },
    }
}
