//! `get_package`: one package by its exact name. Several packages can share a name across
//! ecosystems; then the reply is a list instead of an object.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::reply_parts::PackageInfo;
use super::{find_packages, package_not_found};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a [`PackageInfo`], or with a list of them. An unknown package is a notice.
pub static OP: OpEntry = OpEntry {
    name: "get_package",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "Everything known of one package, by its exact name. If several share the name, all \
              of them; `kind` picks one ecosystem.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<PackageInfo>(),
    examples: &["ken packages show web", "ken packages show shared --kind cargo"],
    run,
};

/// The schema of the contract, with `kind` added.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "The package's exact name" },
            "kind": {
                "type": "string",
                "description": "Only packages of this ecosystem, such as npm or cargo"
            }
        },
        "required": ["name"]
    })
}

#[derive(Deserialize)]
struct GetPackageArgs {
    name: String,
    kind: Option<String>,
}

/// Replies with an object for one package and a list for several. The contract knows only the
/// object, as shire's names are unique.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let GetPackageArgs { name, kind } = args.parse()?;
    let view = call.packages()?;
    let found = find_packages(&view.graph, &name, kind.as_deref());
    let packages = found.iter().map(|id| PackageInfo::new(view.graph.package(*id)));
    let mut packages: Vec<PackageInfo> = packages.collect();
    Ok(match packages.len() {
        0 => package_not_found(&view.graph, &name),
        1 => Reply::object(packages.remove(0)),
        _ => Reply::list(packages),
    })
}
