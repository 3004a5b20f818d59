//! `index_codebase`: indexes a repository, or updates its index. A run that was interrupted
//! continues where it stopped.
//!
//! The schema is swift-index's with additions; the reply is a table of counts. `engine::indexing`
//! does the work.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::resolve_root;
use crate::engine::{BuildMode, IndexReport, IndexRequest, TestVisibility};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with an [`IndexCodebaseReply`]. It is an update: it may take minutes, reports progress,
/// and can be cancelled without loss.
pub static OP: OpEntry = OpEntry {
    name: "index_codebase",
    family: Family::Code,
    origin: Origin::Contract,
    summary: "Index a codebase for semantic search, or bring its index up to date: only changed \
              files are read again. Needed once before search_code.",
    effect: OpEffect::Updates,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<IndexCodebaseReply>(),
    examples: &["ken index .", "ken index . --include-tests"],
    run,
};

/// The most problems in a reply; the rest is counted.
const SHOWN_PROBLEMS: usize = 20;

/// The schema of the contract, with `rebuild`, `name` and `scip` added.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": { "type": "string", "description": "Path to codebase root" },
            "provider": {
                "type": "string",
                "enum": ["mlx", "ollama", "swift-embeddings", "voyage", "openai", "static"],
                "description": "Who makes the embeddings (default: static, the embedded model, \
                                or what is configured)"
            },
            "include_tests": {
                "type": "boolean",
                "default": false,
                "description": "Let searches find test code too (once chosen, it stays until \
                                something else is)"
            },
            "rebuild": {
                "type": "boolean",
                "default": false,
                "description": "Read every file again, not only changed ones"
            },
            "name": {
                "type": "string",
                "description": "The name of the collection (default: the directory's name)"
            },
            "scip": {
                "type": "array",
                "items": { "type": "string" },
                "description": "SCIP indexes of compilers to take exact edges from (default: \
                                graph.scip of the settings, those given before, or index.scip in \
                                the root)"
            }
        },
        "required": ["path"]
    })
}

#[derive(Deserialize)]
struct IndexCodebaseArgs {
    path: String,
    provider: Option<String>,
    include_tests: Option<bool>,
    #[serde(default)]
    rebuild: bool,
    name: Option<String>,
    #[serde(default)]
    scip: Vec<PathBuf>,
}

/// The reply of `index_codebase`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexCodebaseReply {
    /// The canonical root.
    pub path: PathBuf,
    /// The name of the collection.
    pub collection: String,
    /// The files in the index after the run.
    pub files: usize,
    /// The chunks in the index after the run.
    pub chunks: usize,
    /// New files.
    pub added: usize,
    /// Files that were indexed again.
    pub changed: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Files that were not read.
    pub unchanged: usize,
    /// Files that are not indexed.
    pub skipped: usize,
    /// The same, by the reason for skipping.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub skipped_by_reason: BTreeMap<String, usize>,
    /// The packages in the index.
    pub packages: usize,
    /// The specs in the index; absent if the repository has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub specs: Option<usize>,
    /// Chunks that were sent to the provider.
    pub embedded: usize,
    /// Chunks whose vector was found by their text.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reused_embeddings: usize,
    /// All problems, listed or not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub problem_count: usize,
    /// The first problems, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// The time of the run, in milliseconds.
    pub duration_ms: u64,
    /// The part of the duration that resolution took, and the number of files that it resolved.
    pub graph_ms: u64,
    /// The number of files that were resolved again.
    pub resolved: usize,
}

/// True for a count that JSON leaves out.
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Runs the index. Only one process writes a collection at a time; another one fails with `Busy`.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: IndexCodebaseArgs = args.parse()?;
    let root = resolve_root(call, &arguments.path)?;
    let request = IndexRequest {
        root: &root,
        name: arguments.name.as_deref(),
        provider: arguments.provider.as_deref(),
        tests: match arguments.include_tests {
            Some(true) => TestVisibility::Shown,
            Some(false) => TestVisibility::Hidden,
            None => TestVisibility::Unchanged,
        },
        mode: if arguments.rebuild { BuildMode::Fresh } else { BuildMode::Incremental },
        scip: &arguments.scip,
    };
    let indexed = call.engine.index(&request, call.progress)?;
    Ok(Reply::object(statistics(&indexed)))
}

/// Converts the report of a run to the reply.
fn statistics(indexed: &IndexReport) -> IndexCodebaseReply {
    let IndexReport { collection, packages, code, specs, .. } = indexed;
    let of_specs = specs.iter().flat_map(|report| &report.problems);
    let all = packages.problems.iter().chain(&code.problems);
    let mut problems: Vec<String> = all.chain(of_specs).map(ToString::to_string).collect();
    // Packages, code and specs walk the same tree, so one unreadable directory is reported by each
    // of them.
    problems.sort_unstable();
    problems.dedup();
    IndexCodebaseReply {
        path: collection.root.clone(),
        collection: collection.name.clone(),
        files: code.files,
        chunks: code.chunks,
        added: code.added,
        changed: code.changed,
        removed: code.removed,
        unchanged: code.unchanged,
        skipped: code.skipped.values().sum(),
        skipped_by_reason: code.skipped.clone(),
        packages: packages.packages,
        embedded: code.embedded,
        reused_embeddings: code.reused,
        specs: specs.as_ref().map(|report| report.specs),
        problem_count: problems.len(),
        problems: problems.into_iter().take(SHOWN_PROBLEMS).collect(),
        duration_ms: indexed.duration.as_millis() as u64,
        graph_ms: code.graph_duration.as_millis() as u64,
        resolved: code.graph.resolved,
    }
}
