//! `package_health`: orphans, duplicate names, version conflicts, cycles and the most depended-on
//! packages. Only `unused` reads source files; the rest is computed from the graph in memory.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{PackageRef, side_tree, side_tree_of_all};
use crate::engine::UnusedDependency;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_packages::query::{DuplicateName, PackageGraph, PackageId, VersionConflict};

/// Replies with a [`PackageHealthReply`]. With `unused` it reports progress and can be cancelled.
pub static OP: OpEntry = OpEntry {
    name: "package_health",
    family: Family::Packages,
    origin: Origin::Kenning,
    summary: "Find problems in this repository's packages: orphans, duplicate names, external \
              dependencies asked for in different versions, cycles; and the most depended on. \
              Packages below fixtures, tests and examples are labelled (`tree`), come last, and do \
              not count. `unused` also reads the sources for internal dependencies that no \
              code mentions.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<PackageHealthArgs>),
    reply: ReplyType::of::<PackageHealthReply>(),
    examples: &["ken packages health", "ken packages health --unused"],
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
    /// Packages below fixtures, tests and examples. They are in no other count.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub side_tree_package_count: usize,
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
    /// `fixture`, `test` or `example`, if at most one is a package of the product.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Cow<'static, str>>,
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
    /// `fixture`, `test` or `example`, if the packages of the product agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Cow<'static, str>>,
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
    let view = call.packages()?;
    let graph = &view.graph;
    let health = graph.health();
    // Reading the sources takes seconds, so it is done only on request.
    let found =
        if unused { Some(call.engine.unused_dependencies(&view, call.progress)?) } else { None };
    let is_side = |id: PackageId| side_tree(&graph.package(id).path).is_some();
    let cycles = graph.cycles();
    let cycles = cycles.iter();
    let product_cycles =
        cycles.filter(|one| side_tree_of_all(graph, one.members.iter().copied()).is_none());
    let mut orphans: Vec<PackageId> = health.orphans.clone();
    orphans.sort_by_key(|id| is_side(*id));
    let mut most: Vec<_> = health.most_depended_on.iter().collect();
    most.sort_by_key(|one| is_side(one.package));
    let duplicates = health.duplicate_names.iter();
    let mut duplicates: Vec<_> = duplicates.map(|one| duplicate_info(graph, one)).collect();
    duplicates.sort_by_key(|row| row.tree.is_some());
    let conflicts = health.version_conflicts.iter();
    let mut conflicts: Vec<_> = conflicts.map(|one| conflict_info(graph, one)).collect();
    conflicts.sort_by_key(|row| row.tree.is_some());
    let counted = || conflicts.iter().filter(|row| row.tree.is_none());
    let (conflict_count, breaking_count) =
        (counted().count(), counted().filter(|row| row.breaking).count());
    conflicts.truncate(limit);
    duplicates.truncate(limit);
    Ok(Reply::object(PackageHealthReply {
        package_count: graph.len(),
        side_tree_package_count: graph.ids().filter(|id| is_side(*id)).count(),
        cycle_count: product_cycles.count(),
        orphan_count: orphans.iter().filter(|id| !is_side(**id)).count(),
        orphans: orphans.iter().take(limit).map(|id| PackageRef::new(graph, *id)).collect(),
        most_depended_on: most
            .into_iter()
            .take(limit)
            .map(|depended| DependedPackage {
                package: PackageRef::new(graph, depended.package),
                dependents: depended.count,
            })
            .collect(),
        duplicate_names: duplicates,
        version_conflict_count: conflict_count,
        breaking_conflict_count: breaking_count,
        version_conflicts: conflicts,
        unused_count: found.as_ref().map(Vec::len),
        unused_internal_dependencies: found.map(|found| {
            let shown = found.into_iter().take(limit);
            shown.map(|unused| unused_info(graph, unused)).collect()
        }),
    }))
}

/// True for a count that is left out of a reply.
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Returns the label of the first package beside the product.
fn first_side_tree(
    graph: &PackageGraph,
    packages: impl IntoIterator<Item = PackageId>,
) -> Option<Cow<'static, str>> {
    let mut packages = packages.into_iter();
    packages.find_map(|id| side_tree(&graph.package(id).path)).map(Into::into)
}

/// Converts a duplicate name.
fn duplicate_info(graph: &PackageGraph, duplicate: &DuplicateName) -> DuplicateNameRow {
    let all = || duplicate.packages.iter().copied();
    let product = all().filter(|id| side_tree(&graph.package(*id).path).is_none()).count();
    let paths = duplicate.packages.iter();
    DuplicateNameRow {
        kind: duplicate.kind.to_string(),
        name: duplicate.name.to_string(),
        paths: paths.map(|id| graph.package(*id).path.to_string()).collect(),
        tree: if product < 2 { first_side_tree(graph, all()) } else { None },
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
    let is_of_product = |id: PackageId| side_tree(&graph.package(id).path).is_none();
    let product = conflict.requirements.iter().filter(|requirement| {
        requirement.requests.iter().any(|request| is_of_product(request.package))
    });
    let is_beside = product.count() < 2;
    let packages = conflict.requirements.iter().flat_map(|requirement| &requirement.requests);
    let tree = first_side_tree(graph, packages.map(|request| request.package));
    VersionConflictRow {
        kind: conflict.kind.to_string(),
        name: conflict.name.to_string(),
        breaking: conflict.is_breaking,
        requirements: requirements.collect(),
        tree: tree.filter(|_| is_beside),
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
