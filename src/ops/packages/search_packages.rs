//! `search_packages`: packages by words in their name, description or path, ranked by FTS5. Words
//! match as prefixes, and one match is enough.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::dto::PackageInfo;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`PackageInfo`], best first. An empty query is a notice, as in shire.
pub static OP: OpEntry = OpEntry {
    name: "search_packages",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "Find packages of this repository by words in their name, description or path. \
              Best match first, at most 20; words match as prefixes and one is enough.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<PackageInfo>(),
    examples: &["ken search-packages auth", "ken search-packages 'http client' --json"],
    run,
};

/// The most results, as in the contract.
const LIMIT: usize = 20;

/// The schema of the contract.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": "Words to look for in package names, descriptions and paths"
            }
        },
        "required": ["query"]
    })
}

#[derive(Deserialize)]
struct SearchPackagesArgs {
    query: String,
}

/// Searches the FTS5 index. It answers from the published index, so changed manifests are found
/// after the next run.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let SearchPackagesArgs { query } = args.parse()?;
    // The contract wants a success with these words.
    if query.trim().is_empty() {
        return Ok(Reply::Notice("Search query must not be empty".to_string()));
    }
    let view = call.engine.packages()?;
    let found = view.search(&query, LIMIT)?;
    let packages = found.iter().map(|id| view.graph.package(*id));
    Ok(Reply::list(packages.map(PackageInfo::new)))
}
