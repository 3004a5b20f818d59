//! `package_impact`: everything that a change of one package can reach.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dto::{PackageRef, format_chain};
use super::{find_packages, package_not_found};
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_packages::query::{DependencyTarget, PackageGraph, PackageId};

pub static OP: OpEntry = OpEntry {
    name: "package_impact",
    family: Family::Packages,
    origin: Origin::Kenning,
    summary: "What a change of a package can break: all packages that depend on it, directly or \
              through others, nearest first, each with the chain that leads to it.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<PackageImpactArgs>),
    reply: ReplyType::of::<PackageImpactReply>(),
    examples: &["ken package-impact core", "ken package-impact react --limit 20"],
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

fn default_limit() -> usize {
    100
}

/// The reply of `package_impact`.
#[derive(Debug, Serialize, Deserialize)]
pub struct PackageImpactReply {
    pub affected_count: usize,
    pub affected: Vec<AffectedPackage>,
    /// How many more there are than `limit` showed.
    pub left_out: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct AffectedPackage {
    #[serde(flatten)]
    pub package: PackageRef,
    pub distance: usize,
    pub chain: String,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let PackageImpactArgs { name, kind, limit } = args.parse()?;
    let view = call.engine.packages()?;
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

/// The packages of that name, and the external ones that somebody declares.
fn find_targets<'a>(
    graph: &'a PackageGraph,
    name: &'a str,
    kind: Option<&str>,
) -> Vec<DependencyTarget<'a>> {
    let internal = find_packages(graph, name, kind).into_iter().map(DependencyTarget::Package);
    let mut external: Vec<DependencyTarget> = graph
        .declaring(name)
        .filter(|(_, dependency)| dependency.internal.is_none())
        .map(|(id, _)| graph.package(id).kind.as_str())
        .filter(|found| kind.is_none_or(|kind| kind == *found))
        .map(|kind| DependencyTarget::External { kind, name })
        .collect();
    external.sort_unstable();
    external.dedup();
    internal.chain(external).collect()
}
