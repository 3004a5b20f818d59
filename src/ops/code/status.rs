//! `status`: what is known of a repository's code, how fresh it is, what was passed over.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::engine::CodeStatus;
use crate::ops::schema::derived;
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};

pub const OP: OpEntry = OpEntry {
    name: "status",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The state of a code index: files, chunks, model, indexed and current commit, files \
              changed since, and how many files were skipped and why.",
    effect: Effect::Reads,
    schema: derived::<StatusArgs>,
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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    collection: String,
    path: String,
    files: u64,
    chunks: u64,
    symbols: u64,
    index_bytes: u64,
    provider: String,
    model: String,
    dimension: u32,
    include_tests: bool,
    languages: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    indexed_commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current_commit: Option<String>,
    changed_files: usize,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
    skipped: BTreeMap<String, usize>,
    problems: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped_files: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problem_list: Vec<String>,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: StatusArgs = args.parse()?;
    let index = call.engine.code(arguments.path.as_deref())?;
    let status = call.engine.status_of(&index)?;
    let collection = index.collection.name.clone();
    let path = index.collection.root.display().to_string();
    Ok(Reply::object(shown(collection, path, status, &arguments)))
}

fn shown(collection: String, path: String, status: CodeStatus, arguments: &StatusArgs) -> Status {
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    for skip in &status.skips {
        *skipped.entry(skip.reason.clone()).or_default() += 1;
    }
    let files = status.skips.iter();
    let files =
        files.map(|skip| json!({ "path": skip.stamp.path.as_str(), "reason": skip.reason }));
    let problems = status.problems.iter().map(ToString::to_string);
    let languages = status.languages.into_iter();
    Status {
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
        languages: languages.map(|(language, files)| (language, Value::from(files))).collect(),
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
