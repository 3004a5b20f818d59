//! `package_cycles`: dependency cycles, one shortest circle for each strongly connected component.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{format_chain, side_tree_of_all};
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with a list of [`CycleInfo`]; an empty list if there are no cycles.
pub static OP: OpEntry = OpEntry {
    name: "package_cycles",
    family: Family::Packages,
    origin: Origin::Kenning,
    summary: "Dependency cycles between packages of this repository: one shortest circle for each \
              group, hard ones first; `dev-only` means that it closes through dev dependencies. Those \
              of fixtures, tests and examples are labelled (`tree`) and come last.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<PackageCyclesArgs>),
    reply: ReplyType::of::<CycleInfo>(),
    examples: &["ken packages cycles", "ken packages cycles --kind npm"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct PackageCyclesArgs {
    /// Only cycles of this ecosystem, such as npm or cargo
    kind: Option<String>,
}

/// One component with a cycle.
#[derive(Debug, Serialize, Deserialize)]
pub struct CycleInfo {
    /// `hard`, or `dev-only` if it closes through dev dependencies.
    pub kind: Cow<'static, str>,
    /// A shortest circle, as `a → b → a`.
    pub circle: String,
    /// The packages of the component.
    pub member_count: usize,
    /// The members; of a large group, the first ones by name.
    pub members: Vec<String>,
    /// `fixture`, `test` or `example`, if all members lie in such trees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<Cow<'static, str>>,
}

/// The most members. A component may hold half of a repository; the circle is what somebody will
/// break.
const SHOWN_MEMBERS: usize = 20;

/// Lists the cycles of the product, hard ones first, then those of fixtures, tests and examples.
/// The order within each comes from the graph.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let PackageCyclesArgs { kind } = args.parse()?;
    let view = call.packages()?;
    let graph = &view.graph;
    let cycles = graph.cycles();
    let wanted = cycles.iter().filter(|cycle| {
        // Dependencies never cross ecosystems, so all members have the same one.
        let ecosystem = &graph.package(cycle.members[0]).kind;
        kind.as_ref().is_none_or(|kind| kind == ecosystem)
    });
    let mut rows: Vec<CycleInfo> = wanted
        .map(|cycle| CycleInfo {
            kind: cycle.kind.as_str().into(),
            circle: format_chain(graph, &cycle.shortest),
            member_count: cycle.members.len(),
            members: cycle
                .members
                .iter()
                .take(SHOWN_MEMBERS)
                .map(|id| graph.package(*id).name.clone())
                .collect(),
            tree: side_tree_of_all(graph, cycle.members.iter().copied()).map(Into::into),
        })
        .collect();
    rows.sort_by_key(|row| row.tree.is_some());
    Ok(Reply::list(rows))
}
