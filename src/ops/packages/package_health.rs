//! `package_health`: orphans, duplicate names, version conflicts, cycles and the most depended-on
//! packages. Only `unused` reads source files; the rest is computed from the graph in memory.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dto::PackageRef;
use crate::engine::UnusedDependency;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_packages::query::{DuplicateName, PackageGraph, VersionConflict};

/// Replies with a [`PackageHealthReply`]. With `unused` it reports progress and can be cancelled.
pub static OP: OpEntry = OpEntry {
    name: "package_health",
    family: Family::Packages,
    origin: Origin::Kenning,
    summary: "What looks wrong in this repository's packages: orphans, duplicate names, external \
              dependencies asked for in different versions, cycles; and the most depended on. \
              `unused` also reads the sources for internal dependencies that nobody mentions.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<PackageHealthArgs>),
    reply: ReplyType::of::<PackageHealthReply>(),
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

/// The default length of each list.
fn default_limit() -> usize {
    20
}

/// The reply of `package_health`.
#[derive(Debug, Serialize, Deserialize)]
pub struct PackageHealthReply {
    /// All packages.
    pub package_count: usize,
    /// Components with a cycle.
    pub cycle_count: usize,
    /// Packages without dependents and dependencies inside of the repository.
    pub orphan_count: usize,
    /// The first orphans.
    pub orphans: Vec<PackageRef>,
    /// The packages with the most dependents.
    pub most_depended_on: Vec<DependedPackage>,
    /// Names that several packages of an ecosystem share.
    pub duplicate_names: Vec<DuplicateNameRow>,
    /// External dependencies with different requirements.
    pub version_conflict_count: usize,
    /// Those whose requirements no single version can meet.
    pub breaking_conflict_count: usize,
    /// The first conflicts.
    pub version_conflicts: Vec<VersionConflictRow>,
    /// Internal dependencies that no source mentions, if `unused` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused_count: Option<usize>,
    /// The first of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unused_internal_dependencies: Option<Vec<UnusedDependencyRow>>,
}

/// A package and the number of its dependents.
#[derive(Debug, Serialize, Deserialize)]
pub struct DependedPackage {
    /// The package.
    #[serde(flatten)]
    pub package: PackageRef,
    /// The number of packages that depend on it directly.
    pub dependents: usize,
}

/// A name with several packages.
#[derive(Debug, Serialize, Deserialize)]
pub struct DuplicateNameRow {
    /// The ecosystem.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The directories of the packages.
    pub paths: Vec<String>,
}

/// An external dependency with different requirements.
#[derive(Debug, Serialize, Deserialize)]
pub struct VersionConflictRow {
    /// The ecosystem.
    pub kind: String,
    /// The dependency.
    pub name: String,
    /// True if no version meets all requirements.
    pub breaking: bool,
    /// The requirements, each with the packages that have it.
    pub requirements: Vec<VersionRequirementRow>,
}

/// One requirement.
#[derive(Debug, Serialize, Deserialize)]
pub struct VersionRequirementRow {
    /// The requirement as written.
    pub version_req: String,
    /// The packages that have it.
    pub packages: Vec<String>,
}

/// A dependency that no source mentions.
#[derive(Debug, Serialize, Deserialize)]
pub struct UnusedDependencyRow {
    /// The package that declares it.
    pub package: String,
    /// The directory of that package.
    pub path: String,
    /// The name of the dependency.
    pub dependency: String,
}

/// Computes all findings; `limit` cuts each list, and the counts stay complete.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let PackageHealthArgs { unused, limit } = args.parse()?;
    let view = call.engine.packages()?;
    let graph = &view.graph;
    let health = graph.health();
    // Reading the sources takes seconds, so it is done only on request.
    let found =
        if unused { Some(call.engine.unused_dependencies(&view, call.progress)?) } else { None };
    let breaking = health.version_conflicts.iter().filter(|conflict| conflict.is_breaking);
    let most = health.most_depended_on.iter().take(limit);
    let duplicates = health.duplicate_names.iter().take(limit);
    let conflicts = health.version_conflicts.iter().take(limit);
    let orphans = health.orphans.iter().take(limit);
    Ok(Reply::object(PackageHealthReply {
        package_count: graph.len(),
        cycle_count: graph.cycles().len(),
        orphan_count: health.orphans.len(),
        orphans: orphans.map(|id| PackageRef::new(graph, *id)).collect(),
        most_depended_on: most
            .map(|depended| DependedPackage {
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

/// Converts a duplicate name.
fn duplicate_info(graph: &PackageGraph, duplicate: &DuplicateName) -> DuplicateNameRow {
    let paths = duplicate.packages.iter();
    DuplicateNameRow {
        kind: duplicate.kind.to_string(),
        name: duplicate.name.to_string(),
        paths: paths.map(|id| graph.package(*id).path.to_string()).collect(),
    }
}

/// Converts a version conflict.
fn conflict_info(graph: &PackageGraph, conflict: &VersionConflict) -> VersionConflictRow {
    let requirements = conflict.requirements.iter().map(|requirement| {
        let packages = requirement.requests.iter();
        VersionRequirementRow {
            version_req: requirement.version_req.to_string(),
            packages: packages.map(|r| graph.package(r.package).name.clone()).collect(),
        }
    });
    VersionConflictRow {
        kind: conflict.kind.to_string(),
        name: conflict.name.to_string(),
        breaking: conflict.is_breaking,
        requirements: requirements.collect(),
    }
}

/// Converts an unused dependency.
fn unused_info(graph: &PackageGraph, unused: UnusedDependency) -> UnusedDependencyRow {
    let package = graph.package(unused.package);
    UnusedDependencyRow {
        package: package.name.clone(),
        path: package.path.to_string(),
        dependency: unused.dependency,
    }
}
