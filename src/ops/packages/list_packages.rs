//! `list_packages`: all packages ordered by name, or those of one ecosystem. There is no limit,
//! because the contract has none.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use super::reply_parts::PackageInfo;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`PackageInfo`] by name.
pub static OP: OpEntry = OpEntry {
    name: "list_packages",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "All packages of this repository, ordered by name; `kind` keeps one ecosystem. Long \
              in a large repository: search_packages costs less.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<PackageInfo>(),
    examples: &["ken packages list", "ken packages list --kind npm"],
    run,
};

/// The schema of the contract.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "kind": {
                "type": "string",
                "description": "Only packages of this ecosystem, such as npm, cargo or go"
            }
        }
    })
}

#[derive(Deserialize)]
struct ListPackagesArgs {
    kind: Option<String>,
}

/// Lists the packages. An unknown ecosystem gives an empty list, as in shire.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let ListPackagesArgs { kind } = args.parse()?;
    let view = call.packages()?;
    let packages = view.graph.ids().map(|id| view.graph.package(id));
    let wanted = packages.filter(|package| kind.as_ref().is_none_or(|kind| package.kind == *kind));
    Ok(Reply::list(wanted.map(PackageInfo::new)))
}
