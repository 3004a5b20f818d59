//! Packages and dependencies in replies, with the field names that shire's users know.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use kenning_model::{DepKind, Dependency, Package};
use kenning_packages::query::{DependencyTarget, Edge, PackageGraph, PackageId};

/// A package.
#[derive(Debug, Serialize, Deserialize)]
pub struct PackageInfo {
    pub name: String,
    pub path: String,
    pub kind: String,
    pub version: Option<String>,
    pub description: Option<String>,
    pub metadata: Option<BTreeMap<String, Value>>,
}

impl PackageInfo {
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
    pub package: String,
    pub dependency: String,
    pub dep_kind: Cow<'static, str>,
    pub version_req: Option<String>,
    pub is_internal: bool,
}

impl DependencyInfo {
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
    pub from: String,
    pub to: String,
    pub dep_kind: Cow<'static, str>,
}

impl EdgeInfo {
    pub fn new(graph: &PackageGraph, edge: &Edge) -> EdgeInfo {
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
    pub name: String,
    pub kind: String,
    pub path: String,
}

impl PackageRef {
    pub fn new(graph: &PackageGraph, id: PackageId) -> PackageRef {
        let package = graph.package(id);
        PackageRef {
            name: package.name.clone(),
            kind: package.kind.clone(),
            path: package.path.to_string(),
        }
    }
}

pub fn target_name<'a>(graph: &'a PackageGraph, target: DependencyTarget<'a>) -> &'a str {
    match target {
        DependencyTarget::Package(id) => &graph.package(id).name,
        DependencyTarget::External { name, .. } => name,
    }
}

/// `a → b →(dev) c`, as a person would write the chain down. It says all that the edges say, in a
/// fraction of the tokens.
pub fn format_chain(graph: &PackageGraph, chain: &[Edge]) -> String {
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
