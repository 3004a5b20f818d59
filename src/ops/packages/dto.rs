//! How packages and dependencies look on the wire; field names as shire's users know them.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::model::{DepKind, Dependency, Package};
use crate::query::packages::{DependencyTarget, Edge, PackageGraph, PackageId};

#[derive(Serialize)]
pub struct PackageInfo<'a> {
    pub name: &'a str,
    pub path: &'a str,
    pub kind: &'a str,
    pub version: Option<&'a str>,
    pub description: Option<&'a str>,
    pub metadata: Option<&'a BTreeMap<String, Value>>,
}

impl<'a> PackageInfo<'a> {
    pub fn new(package: &'a Package) -> PackageInfo<'a> {
        PackageInfo {
            name: &package.name,
            path: package.path.as_str(),
            kind: &package.kind,
            version: package.version.as_deref(),
            description: package.description.as_deref(),
            metadata: (!package.metadata.is_empty()).then_some(&package.metadata),
        }
    }
}

#[derive(Serialize)]
pub struct DependencyInfo<'a> {
    pub package: &'a str,
    pub dependency: &'a str,
    pub dep_kind: &'static str,
    pub version_req: Option<&'a str>,
    pub is_internal: bool,
}

impl<'a> DependencyInfo<'a> {
    pub fn new(package: &'a Package, dependency: &'a Dependency) -> DependencyInfo<'a> {
        DependencyInfo {
            package: &package.name,
            dependency: &dependency.name,
            dep_kind: dependency.kind.as_str(),
            version_req: dependency.version_req.as_deref(),
            is_internal: dependency.internal.is_some(),
        }
    }
}

#[derive(Serialize)]
pub struct EdgeInfo<'a> {
    pub from: &'a str,
    pub to: &'a str,
    pub dep_kind: &'static str,
}

impl<'a> EdgeInfo<'a> {
    pub fn new(graph: &'a PackageGraph, edge: &Edge<'a>) -> EdgeInfo<'a> {
        EdgeInfo {
            from: &graph.package(edge.from).name,
            to: target_name(graph, edge.to),
            dep_kind: edge.dep_kind.as_str(),
        }
    }
}

/// A package where only which one is of interest.
#[derive(Serialize)]
pub struct PackageRef<'a> {
    pub name: &'a str,
    pub kind: &'a str,
    pub path: &'a str,
}

impl<'a> PackageRef<'a> {
    pub fn new(graph: &'a PackageGraph, id: PackageId) -> PackageRef<'a> {
        let package = graph.package(id);
        PackageRef { name: &package.name, kind: &package.kind, path: package.path.as_str() }
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
pub fn chain_text(graph: &PackageGraph, chain: &[Edge]) -> String {
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
