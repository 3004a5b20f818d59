//! Packages and dependencies in replies, with shire's field names. Fields without a value are
//! `null`, not absent: shire's users rely on it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use kenning_model::{DepKind, Dependency, Package, RepoPath};
use kenning_packages::query::{DependencyTarget, PackageEdge, PackageGraph, PackageId};

/// A package.
#[derive(Debug, Serialize, Deserialize)]
pub struct PackageInfo {
    /// The name that the manifest declares.
    pub name: String,
    /// The directory below the root; empty for the root.
    pub path: String,
    /// The ecosystem, such as `npm`.
    pub kind: String,
    /// The version that the manifest declares.
    pub version: Option<String>,
    /// The description that the manifest declares.
    pub description: Option<String>,
    /// Further fields of the manifest, if there are some.
    pub metadata: Option<BTreeMap<String, Value>>,
}

impl PackageInfo {
    /// Converts a package.
    pub fn new(package: &Package) -> PackageInfo {
        PackageInfo {
            name: package.name.clone(),
            path: package.path.to_string(),
            kind: package.kind.clone(),
            version: package.version.clone(),
            description: package.description.clone(),
            metadata: Some(package.metadata.clone()).filter(|metadata| !metadata.is_empty()),
        }
    }
}

/// A dependency that a package declares.
#[derive(Debug, Serialize, Deserialize)]
pub struct DependencyInfo {
    /// The package that declares it.
    pub package: String,
    /// The name that it depends on.
    pub dependency: String,
    /// `runtime`, `dev`, `peer`, `build` or `optional`.
    pub dep_kind: Cow<'static, str>,
    /// The version requirement as written.
    pub version_req: Option<String>,
    /// True if a package of this repository has that name.
    pub is_internal: bool,
}

impl DependencyInfo {
    /// Converts a declared dependency.
    pub fn new(package: &Package, dependency: &Dependency) -> DependencyInfo {
        DependencyInfo {
            package: package.name.clone(),
            dependency: dependency.name.clone(),
            dep_kind: dependency.kind.as_str().into(),
            version_req: dependency.version_req.clone(),
            is_internal: dependency.internal.is_some(),
        }
    }
}

/// An edge of the package graph.
#[derive(Debug, Serialize, Deserialize)]
pub struct EdgeInfo {
    /// The depending package.
    pub from: String,
    /// The package that it depends on.
    pub to: String,
    /// The kind of the dependency.
    pub dep_kind: Cow<'static, str>,
}

impl EdgeInfo {
    /// Converts an edge.
    pub fn new(graph: &PackageGraph, edge: &PackageEdge) -> EdgeInfo {
        EdgeInfo {
            from: graph.package(edge.from).name.clone(),
            to: target_name(graph, edge.to).to_string(),
            dep_kind: edge.dep_kind.as_str().into(),
        }
    }
}

/// The name and place of a package.
#[derive(Debug, Serialize, Deserialize)]
pub struct PackageRef {
    /// The name.
    pub name: String,
    /// The ecosystem.
    pub kind: String,
    /// The directory below the root.
    pub path: String,
    /// `fixture`, `test` or `example`, if it lies in such a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Cow<'static, str>>,
}

impl PackageRef {
    /// Refers to a package of the graph.
    pub fn new(graph: &PackageGraph, id: PackageId) -> PackageRef {
        let package = graph.package(id);
        PackageRef {
            name: package.name.clone(),
            kind: package.kind.clone(),
            path: package.path.to_string(),
            tree: side_tree(&package.path).map(Into::into),
        }
    }
}

/// Folders beside the product, in lower case, with the label of the packages below them.
const SIDE_TREES: &[(&str, &[&str])] = &[
    (
        "fixture",
        &[
            "fixtures",
            "fixture",
            "__fixtures__",
            "testdata",
            "test-data",
            "test_data",
            "testfixtures",
        ],
    ),
    ("test", &["test", "tests", "__tests__", "e2e", "spec", "testing", "integration-tests"]),
    ("example", &["examples", "example", "samples", "sample", "demos", "demo", "playground"]),
];

/// Returns `fixture`, `test` or `example` for a package in such a tree. Its oddities are often
/// intended, and never a problem of the product.
pub fn side_tree(path: &RepoPath) -> Option<&'static str> {
    let has = |names: &[&str]| {
        let mut segments = path.as_str().split('/');
        segments.any(|segment| names.contains(&segment.to_lowercase().as_str()))
    };
    SIDE_TREES.iter().find(|(_, names)| has(names)).map(|(label, _)| *label)
}

/// Returns the label of a group if no member belongs to the product.
pub fn side_tree_of_all(
    graph: &PackageGraph,
    members: impl IntoIterator<Item = PackageId>,
) -> Option<&'static str> {
    let mut labels = members.into_iter().map(|id| side_tree(&graph.package(id).path));
    let first = labels.next()??;
    labels.all(|label| label.is_some()).then_some(first)
}

/// The name of a package or of an external dependency.
pub fn target_name<'a>(graph: &'a PackageGraph, target: DependencyTarget<'a>) -> &'a str {
    match target {
        DependencyTarget::Package(id) => &graph.package(id).name,
        DependencyTarget::External { name, .. } => name,
    }
}

/// Formats a chain as `a → b →(dev) c`. It says all that the edges say, in a fraction of the
/// tokens.
pub fn format_chain(graph: &PackageGraph, chain: &[PackageEdge]) -> String {
    let first = chain.first().map(|edge| &graph.package(edge.from).name);
    let mut text = first.cloned().unwrap_or_default();
    for edge in chain {
        text += match edge.dep_kind {
            DepKind::Runtime => " → ",
            DepKind::Dev => " →(dev) ",
            DepKind::Peer => " →(peer) ",
            DepKind::Build => " →(build) ",
            DepKind::Optional => " →(optional) ",
        };
        text += target_name(graph, edge.to);
    }
    text
}
