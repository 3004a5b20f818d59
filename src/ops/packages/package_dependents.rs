//! `package_dependents`: the packages that declare a dependency on a name, internal or external.
//! `package_impact` follows them further.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::reply_parts::DependencyInfo;
use super::{find_packages, package_not_found};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`DependencyInfo`]. A name that is neither a package nor declared
/// anywhere is a notice.
pub static OP: OpEntry = OpEntry {
    name: "package_dependents",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "Which packages of this repository depend directly on a package, be it one of the \
              repository or an external one. For everything behind them too: package_impact.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<DependencyInfo>(),
    examples: &["ken packages dependents core", "ken packages dependents react"],
    run,
};

/// The schema of the contract, with `kind` added.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "The exact name that they depend on" },
            "kind": {
                "type": "string",
                "description": "Only dependents of this ecosystem, such as npm or cargo"
            }
        },
        "required": ["name"]
    })
}

#[derive(Deserialize)]
struct PackageDependentsArgs {
    name: String,
    kind: Option<String>,
}

/// Lists the declarations of the name. It also works for external names, which have no package
/// here.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let PackageDependentsArgs { name, kind } = args.parse()?;
    let view = call.packages()?;
    let graph = &view.graph;
    let dependents: Vec<DependencyInfo> = graph
        .find_declaring(&name)
        .map(|(id, dependency)| (graph.package(id), dependency))
        .filter(|(package, _)| kind.as_ref().is_none_or(|kind| package.kind == *kind))
        .map(|(package, dependency)| DependencyInfo::new(package, dependency))
        .collect();
    // A known package without dependents is an empty list; an unknown name is a notice.
    if dependents.is_empty() && find_packages(graph, &name, kind.as_deref()).is_empty() {
        return Ok(package_not_found(graph, &name));
    }
    Ok(Reply::list(dependents))
}
