//! `package_dependencies`: the dependencies that a package declares, internal or external. It does
//! not follow them further; `dependency_graph` does.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::reply_parts::DependencyInfo;
use super::{find_packages, package_not_found};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`DependencyInfo`]. An unknown package is a notice.
pub static OP: OpEntry = OpEntry {
    name: "package_dependencies",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "What a package depends on. `internal_only` keeps those that are packages of this \
              repository.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<DependencyInfo>(),
    examples: &["ken packages dependencies web", "ken packages dependencies web --internal-only"],
    run,
};

/// The schema of the contract, with `kind` added.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "The package's exact name" },
            "internal_only": {
                "type": "boolean",
                "default": false,
                "description": "Only dependencies that are packages of this repository"
            },
            "kind": {
                "type": "string",
                "description": "The ecosystem, if packages of several have the name"
            }
        },
        "required": ["name"]
    })
}

#[derive(Deserialize)]
struct PackageDependenciesArgs {
    name: String,
    #[serde(default)]
    internal_only: bool,
    kind: Option<String>,
}

/// Lists the declared dependencies of all packages of the name, in the order of their manifests.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let PackageDependenciesArgs { name, internal_only, kind } = args.parse()?;
    let view = call.packages()?;
    let found = find_packages(&view.graph, &name, kind.as_deref());
    if found.is_empty() {
        return Ok(package_not_found(&view.graph, &name));
    }
    let packages = found.iter().map(|id| view.graph.package(*id));
    let dependencies = packages.flat_map(|package| {
        let all = package.dependencies.iter();
        all.map(move |dependency| DependencyInfo::new(package, dependency))
    });
    Ok(Reply::list(dependencies.filter(|dependency| dependency.is_internal || !internal_only)))
}
