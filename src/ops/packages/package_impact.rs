//! `package_impact`: all packages that a change of one package can reach, nearest first, each with
//! a shortest chain. The start may be an external dependency.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{PackageRef, format_chain};
use super::{find_packages, package_not_found};
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_packages::query::{DependencyTarget, PackageGraph, PackageId};

/// Replies with a [`PackageImpactReply`]. A name that is neither a package nor declared anywhere is
/// a notice.
pub static OP: OpEntry = OpEntry {
    name: "package_impact",
    family: Family::Packages,
    origin: Origin::Kenning,
    summary: "What a change of a package can break: all packages that depend on it, directly or \
              through others, nearest first, each with the chain that leads to it.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<PackageImpactArgs>),
    reply: ReplyType::of::<PackageImpactReply>(),
    examples: &["ken packages impact core", "ken packages impact react --limit 20"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct PackageImpactArgs {
    /// The package that changes, of this repository or external, by its exact name
    name: String,
    /// Which ecosystem, if packages of several share the name
    kind: Option<String>,
    /// How many packages to list; the rest is counted
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1))]
    limit: usize,
}

/// The default of `limit`.
fn default_limit() -> usize {
    100
}

/// The reply of `package_impact`.
#[derive(Debug, Serialize, Deserialize)]
pub struct PackageImpactReply {
    /// All affected packages, listed or not.
    pub affected_count: usize,
    /// The affected packages, nearest first.
    pub affected: Vec<AffectedPackage>,
    /// How many more there are than `limit` showed.
    pub left_out: usize,
}

/// An affected package.
#[derive(Debug, Serialize, Deserialize)]
pub struct AffectedPackage {
    /// The package.
    #[serde(flatten)]
    pub package: PackageRef,
    /// The number of dependencies between it and the change.
    pub distance: usize,
    /// A shortest chain, as `a → b →(dev) c`.
    pub chain: String,
}

/// Follows the dependents of every target. Each package keeps its shortest chain.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let PackageImpactArgs { name, kind, limit } = args.parse()?;
    let view = call.packages()?;
    let graph = &view.graph;
    let targets = find_targets(graph, &name, kind.as_deref());
    if targets.is_empty() {
        return Ok(package_not_found(graph, &name));
    }
    let mut nearest: BTreeMap<PackageId, (usize, String)> = BTreeMap::new();
    for target in targets {
        let impact = graph.impact(target);
        for found in &impact.affected {
            let chain = impact.chain(found.package).unwrap_or_default();
            // Several targets share the name: each package keeps its nearest, and ties are broken
            // by the text.
            let way = (found.distance, format_chain(graph, &chain));
            let best = nearest.entry(found.package).or_insert_with(|| way.clone());
            *best = way.min(best.clone());
        }
    }
    let affected_count = nearest.len();
    let mut affected: Vec<_> = nearest.into_iter().collect();
    affected.sort_by_key(|(package, (distance, _))| (*distance, *package));
    let affected = affected.into_iter().take(limit);
    Ok(Reply::object(PackageImpactReply {
        affected_count,
        left_out: affected_count.saturating_sub(limit),
        affected: affected
            .map(|(package, (distance, chain))| AffectedPackage {
                package: PackageRef::new(graph, package),
                distance,
                chain,
            })
            .collect(),
    }))
}

/// Returns the packages of that name, and the external dependencies that some package declares.
fn find_targets<'a>(
    graph: &'a PackageGraph,
    name: &'a str,
    kind: Option<&str>,
) -> Vec<DependencyTarget<'a>> {
    let internal = find_packages(graph, name, kind).into_iter().map(DependencyTarget::Package);
    let mut external: Vec<DependencyTarget> = graph
        .find_declaring(name)
        .filter(|(_, dependency)| dependency.internal.is_none())
        .map(|(id, _)| graph.package(id).kind.as_str())
        .filter(|found| kind.is_none_or(|kind| kind == *found))
        .map(|kind| DependencyTarget::External { kind, name })
        .collect();
    external.sort_unstable();
    external.dedup();
    internal.chain(external).collect()
}
