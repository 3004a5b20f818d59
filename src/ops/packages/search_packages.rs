//! `search_packages`: packages by words in name, description or path.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::dto::PackageInfo;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

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

/// As many as the contract allows.
const LIMIT: usize = 20;

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

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let SearchPackagesArgs { query } = args.parse()?;
    if query.trim().is_empty() {
        return Ok(Reply::Notice("Search query must not be empty".to_string()));
    }
    let view = call.engine.packages()?;
    let found = view.search(&query, LIMIT)?;
    let packages = found.iter().map(|id| view.graph.package(*id));
    Ok(Reply::list(packages.map(PackageInfo::new)))
}
