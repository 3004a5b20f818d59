//! `search_packages`: packages by words in their name, description or path, ranked by FTS5. Words
//! match as prefixes, and one match is enough.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::reply_parts::{PackageInfo, side_tree};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`FoundPackage`], best first. An empty query is a notice, as in shire.
pub static OP: OpEntry = OpEntry {
    name: "search_packages",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "Find packages of this repository by words in their name, description or path. \
              Best match first, fixtures, tests and examples last (`tree`); at most 20. Words match \
              as prefixes and one is enough.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<FoundPackage>(),
    examples: &["ken packages search auth", "ken packages search 'http client' --json"],
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

/// A package that matches.
#[derive(Debug, Serialize, Deserialize)]
pub struct FoundPackage {
    /// The package.
    #[serde(flatten)]
    pub package: PackageInfo,
    /// `fixture`, `test` or `example`, if it lies in such a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Cow<'static, str>>,
}

/// The matches that are ranked. More than are shown, so that fixtures cannot crowd out the product.
const RANKED: usize = 200;

/// Searches the FTS5 index. It answers from the published index, so changed manifests are found
/// after the next run.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let SearchPackagesArgs { query } = args.parse()?;
    // The contract wants a success with these words.
    if query.trim().is_empty() {
        return Ok(Reply::Notice("Search query must not be empty".to_string()));
    }
    let view = call.packages()?;
    let mut found = view.search(&query, RANKED)?;
    found.sort_by_key(|id| side_tree(&view.graph.package(*id).path).is_some());
    let packages = found.iter().take(LIMIT).map(|id| view.graph.package(*id));
    Ok(Reply::list(packages.map(|package| FoundPackage {
        package: PackageInfo::new(package),
        tree: side_tree(&package.path).map(Into::into),
    })))
}
