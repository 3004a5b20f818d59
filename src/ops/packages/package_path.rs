//! `package_path`: the shortest chain of dependencies from one package to another. A missing chain
//! is a reply, not an error: both packages exist.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::format_chain;
use super::{find_packages, package_not_found};
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_packages::query::{DependencyTarget, PackageEdge, PackageGraph, PackageId};

/// Replies with a [`PackagePathReply`]. An unknown package at either end is a notice.
pub static OP: OpEntry = OpEntry {
    name: "package_path",
    family: Family::Packages,
    origin: Origin::Kenning,
    summary: "Why package `from` needs package `to`: the shortest chain of dependencies between \
              them. `to` may be an external package.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<PackagePathArgs>),
    reply: ReplyType::of::<PackagePathReply>(),
    examples: &["ken packages path web logger", "ken packages path web lodash"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct PackagePathArgs {
    /// The package that needs the other, by its exact name
    from: String,
    /// The package that is needed, of this repository or external
    to: String,
    /// Which ecosystem, if packages of several share a name
    kind: Option<String>,
}

/// The reply of `package_path`.
#[derive(Debug, Serialize, Deserialize)]
pub struct PackagePathReply {
    /// True if there is a chain.
    pub found: bool,
    /// How many dependencies lie between them.
    pub hops: usize,
    /// The chain, or a sentence that there is none.
    pub path: String,
}

/// Finds a shortest chain from any package named `from`. A package needs itself by an empty chain.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let PackagePathArgs { from, to, kind } = args.parse()?;
    let view = call.packages()?;
    let graph = &view.graph;
    let starts = find_packages(graph, &from, kind.as_deref());
    if starts.is_empty() {
        return Ok(package_not_found(graph, &from));
    }
    if find_packages(graph, &to, None).is_empty() && graph.find_declaring(&to).next().is_none() {
        return Ok(package_not_found(graph, &to));
    }
    let chain = starts.iter().filter_map(|start| shortest_chain(graph, *start, &to));
    let reply = match chain.min_by_key(Vec::len) {
        Some(chain) => PackagePathReply {
            found: true,
            hops: chain.len(),
            path: if chain.is_empty() { from } else { format_chain(graph, &chain) },
        },
        None => PackagePathReply {
            found: false,
            hops: 0,
            path: format!("{from} does not need {to}, directly or through others"),
        },
    };
    Ok(Reply::object(reply))
}

/// Finds a shortest chain. Packages of one ecosystem do not need those of another, so the target
/// has the kind of the start.
fn shortest_chain<'a>(
    graph: &'a PackageGraph,
    start: PackageId,
    to: &'a str,
) -> Option<Vec<PackageEdge<'a>>> {
    let kind = &graph.package(start).kind;
    let internal = graph.find_by_kind(kind, to).map(DependencyTarget::Package);
    let external = DependencyTarget::External { kind, name: to };
    internal
        .chain([external])
        .filter_map(|target| graph.shortest_path(start, target))
        .min_by_key(Vec::len)
}
