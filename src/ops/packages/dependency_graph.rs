//! `dependency_graph`: the dependency edges from a package, breadth first. The reply is a flat list
//! of edges, as in shire.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::reply_parts::EdgeInfo;
use super::{find_packages, package_not_found};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};
use kenning_packages::query::TraversalScope;

/// Replies with a list of [`EdgeInfo`], breadth first. An unknown package is a notice.
pub static OP: OpEntry = OpEntry {
    name: "dependency_graph",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "The dependency edges from a package, level by level down to `depth` (at most 20). \
              `internal_only` leaves external packages out, which is usually what you want.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<EdgeInfo>(),
    examples: &["ken packages tree web --depth 2 --internal-only"],
    run,
};

/// The largest depth. A larger one is lowered, as the contract says.
const MAX_DEPTH: u64 = 20;

/// The schema of the contract, with `kind` added.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "The package to start from" },
            "depth": {
                "type": "integer",
                "default": 3,
                "minimum": 0,
                "description": "How many levels to follow; 20 at the most"
            },
            "internal_only": {
                "type": "boolean",
                "default": false,
                "description": "Only edges between packages of this repository"
            },
            "kind": {
                "type": "string",
                "description": "The ecosystem, if packages of several have the name"
            }
        },
        "required": ["name"]
    })
}

#[derive(Deserialize)]
struct DependencyGraphArgs {
    name: String,
    #[serde(default = "default_depth")]
    depth: u64,
    #[serde(default)]
    internal_only: bool,
    kind: Option<String>,
}

/// The default of `depth`.
fn default_depth() -> u64 {
    3
}

/// Collects the edges breadth first, from all packages of the name.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let DependencyGraphArgs { name, depth, internal_only, kind } = args.parse()?;
    let view = call.packages()?;
    let found = find_packages(&view.graph, &name, kind.as_deref());
    if found.is_empty() {
        return Ok(package_not_found(&view.graph, &name));
    }
    let scope =
        if internal_only { TraversalScope::InternalOnly } else { TraversalScope::Everything };
    let depth = depth.min(MAX_DEPTH) as usize;
    // Packages of one name may lead to the same ones.
    let mut seen = HashSet::new();
    let edges = found
        .iter()
        .flat_map(|id| view.graph.edges_from(*id, depth, scope))
        .filter(|edge| seen.insert(*edge));
    Ok(Reply::list(edges.map(|edge| EdgeInfo::new(&view.graph, &edge))))
}
