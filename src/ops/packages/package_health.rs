//! `package_health`: what looks wrong in the packages of a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dto::PackageRef;
use crate::engine::Unused;
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply, schema};
use crate::query::packages::{DuplicateName, PackageGraph, VersionConflict};

pub const OP: OpEntry = OpEntry {
    name: "package_health",
    family: Family::Packages,
    origin: Origin::Kenning,
    summary: "What looks wrong in this repository's packages: orphans, duplicate names, external \
              dependencies asked for in different versions, cycles; and the most depended on. \
              `unused` also reads the sources for internal dependencies that nobody mentions.",
    effect: Effect::Reads,
    schema: schema::derived::<PackageHealthArgs>,
    examples: &["ken package-health", "ken package-health --unused"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct PackageHealthArgs {
    /// Also look through the sources for internal dependencies that no file mentions (slower)
    #[serde(default)]
    unused: bool,
    /// How many entries of each list to show
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1))]
    limit: usize,
}

fn default_limit() -> usize {
    20
}

#[derive(Serialize)]
struct HealthReport<'a> {
    package_count: usize,
    cycle_count: usize,
    orphan_count: usize,
    orphans: Vec<PackageRef<'a>>,
    most_depended_on: Vec<Depended<'a>>,
    duplicate_names: Vec<Duplicate<'a>>,
    version_conflict_count: usize,
    breaking_conflict_count: usize,
    version_conflicts: Vec<Conflict<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unused_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unused_internal_dependencies: Option<Vec<UnusedInfo<'a>>>,
}

#[derive(Serialize)]
struct Depended<'a> {
    #[serde(flatten)]
    package: PackageRef<'a>,
    dependents: usize,
}

#[derive(Serialize)]
struct Duplicate<'a> {
    kind: &'a str,
    name: &'a str,
    paths: Vec<&'a str>,
}

#[derive(Serialize)]
struct Conflict<'a> {
    kind: &'a str,
    name: &'a str,
    breaking: bool,
    requirements: Vec<VersionRequirementRow<'a>>,
}

#[derive(Serialize)]
struct VersionRequirementRow<'a> {
    version_req: &'a str,
    packages: Vec<&'a str>,
}

#[derive(Serialize)]
struct UnusedInfo<'a> {
    package: &'a str,
    path: &'a str,
    dependency: String,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let PackageHealthArgs { unused, limit } = args.parse()?;
    let view = call.engine.packages()?;
    let graph = &view.graph;
    let health = graph.health();
    let found =
        if unused { Some(call.engine.unused_dependencies(&view, call.progress)?) } else { None };
    let breaking = health.version_conflicts.iter().filter(|conflict| conflict.is_breaking);
    let most = health.most_depended_on.iter().take(limit);
    let duplicates = health.duplicate_names.iter().take(limit);
    let conflicts = health.version_conflicts.iter().take(limit);
    let orphans = health.orphans.iter().take(limit);
    Ok(Reply::object(HealthReport {
        package_count: graph.len(),
        cycle_count: graph.cycles().len(),
        orphan_count: health.orphans.len(),
        orphans: orphans.map(|id| PackageRef::new(graph, *id)).collect(),
        most_depended_on: most
            .map(|depended| Depended {
                package: PackageRef::new(graph, depended.package),
                dependents: depended.count,
            })
            .collect(),
        duplicate_names: duplicates.map(|duplicate| duplicate_info(graph, duplicate)).collect(),
        version_conflict_count: health.version_conflicts.len(),
        breaking_conflict_count: breaking.count(),
        version_conflicts: conflicts.map(|conflict| conflict_info(graph, conflict)).collect(),
        unused_count: found.as_ref().map(Vec::len),
        unused_internal_dependencies: found.map(|found| {
            let shown = found.into_iter().take(limit);
            shown.map(|unused| unused_info(graph, unused)).collect()
        }),
    }))
}

fn duplicate_info<'a>(graph: &'a PackageGraph, duplicate: &DuplicateName<'a>) -> Duplicate<'a> {
    let paths = duplicate.packages.iter();
    Duplicate {
        kind: duplicate.kind,
        name: duplicate.name,
        paths: paths.map(|id| graph.package(*id).path.as_str()).collect(),
    }
}

fn conflict_info<'a>(graph: &'a PackageGraph, conflict: &VersionConflict<'a>) -> Conflict<'a> {
    let requirements = conflict.requirements.iter().map(|requirement| {
        let packages = requirement.requests.iter();
        VersionRequirementRow {
            version_req: requirement.version_req,
            packages: packages.map(|r| graph.package(r.package).name.as_str()).collect(),
        }
    });
    Conflict {
        kind: conflict.kind,
        name: conflict.name,
        breaking: conflict.is_breaking,
        requirements: requirements.collect(),
    }
}

fn unused_info(graph: &PackageGraph, unused: Unused) -> UnusedInfo<'_> {
    let package = graph.package(unused.package);
    UnusedInfo {
        package: &package.name,
        path: package.path.as_str(),
        dependency: unused.dependency,
    }
}
