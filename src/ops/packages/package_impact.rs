//! `package_impact`: everything that a change of one package can reach.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::{PackageRef, chain_text};
use super::{meant, not_found};
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply, schema};
use crate::query::packages::{PackageGraph, Target};

pub const OP: OpEntry = OpEntry {
    name: "package_impact",
    family: Family::Packages,
    origin: Origin::Kenning,
    summary: "What a change of a package can break: all packages that depend on it, directly or \
              through others, nearest first, each with the chain that leads to it.",
    effect: Effect::Reads,
    schema: schema::derived::<Arguments>,
    examples: &[
        "ken package-impact core",
        "ken package-impact react --limit 20",
    ],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct Arguments {
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

#[derive(Serialize)]
struct Report<'a> {
    affected_count: usize,
    affected: Vec<Affected<'a>>,
    /// How many more there are than `limit` showed.
    left_out: usize,
}

#[derive(Serialize)]
struct Affected<'a> {
    #[serde(flatten)]
    package: PackageRef<'a>,
    distance: usize,
    chain: String,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let Arguments { name, kind, limit } = args.parse()?;
    let view = call.engine.packages()?;
    let graph = &view.graph;
    let targets = targets(graph, &name, kind.as_deref());
    if targets.is_empty() {
        return Ok(not_found(&name));
    }
    let mut affected = Vec::new();
    let mut affected_count = 0;
    for target in targets {
        let impact = graph.impact(target);
        affected_count += impact.affected.len();
        let wanted = impact
            .affected
            .iter()
            .take(limit - affected.len().min(limit));
        affected.extend(wanted.map(|affected| Affected {
            package: PackageRef::new(graph, affected.package),
            distance: affected.distance,
            chain: chain_text(graph, &impact.chain(affected.package).unwrap_or_default()),
        }));
    }
    Ok(Reply::object(Report {
        affected_count,
        left_out: affected_count - affected.len(),
        affected,
    }))
}

/// The packages of that name, and the external ones that somebody declares.
fn targets<'a>(graph: &'a PackageGraph, name: &'a str, kind: Option<&str>) -> Vec<Target<'a>> {
    let internal = meant(graph, name, kind).into_iter().map(Target::Package);
    let mut external: Vec<Target> = graph
        .declaring(name)
        .filter(|(_, dependency)| dependency.internal.is_none())
        .map(|(id, _)| graph.package(id).kind.as_str())
        .filter(|found| kind.is_none_or(|kind| kind == *found))
        .map(|kind| Target::External { kind, name })
        .collect();
    external.sort_unstable();
    external.dedup();
    internal.chain(external).collect()
}
