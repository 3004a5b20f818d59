//! `unused`: definitions without an edge and without a textual mention. `graph::unused` decides;
//! this file filters by package and chooses the list.
//!
//! Public and mentioned definitions are counted only, because both may be used from outside.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dto::{check_cancelled, default_limit, index_notice};
use super::symbol_row::{SymbolRow, omission_note};
use super::token_budget;
use crate::graph::SymbolHit;
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with an [`UnusedReply`]. It reads the whole graph, so it is the slowest of the graph's
/// operations.
pub static OP: OpEntry = OpEntry {
    name: "unused",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Definitions that nobody uses: no edge leads to them and no other text names them. Entry \
              points, tests, and members that may be called through a base are spared; public names \
              and those that some text mentions are counted, and listed with `public` or `maybe`.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<UnusedArgs>),
    reply: ReplyType::of::<UnusedReply>(),
    examples: &["ken unused", "ken unused --package core --public"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct UnusedArgs {
    /// Only of this package
    package: Option<String>,
    /// List public names that nothing here uses, instead
    #[serde(default)]
    public: bool,
    /// List those whose name stands in some text too, such as a string or a comment, instead
    #[serde(default)]
    maybe: bool,
    /// How many to list; the rest is counted
    #[serde(default)]
    #[schemars(with = "usize", range(min = 1, max = 5000), extend("default" = default_limit()))]
    limit: Option<usize>,
    /// About how many tokens to answer with at most; 3000 unless `limit` is given
    #[schemars(range(min = 100))]
    budget: Option<usize>,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

/// The reply of `unused`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnusedReply {
    /// All definitions of the chosen list.
    pub count: usize,
    /// The definitions that were examined.
    pub checked: usize,
    /// The listed definitions.
    pub unused: Vec<SymbolRow>,
    /// The other lists, and the rest of this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// A caveat about the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Finds unused definitions of the whole root, then filters by package. A package alone cannot be
/// judged: its users may be elsewhere.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: UnusedArgs = args.parse()?;
    if arguments.public && arguments.maybe {
        return Err(OpError::bad_argument("give `public` or `maybe`, not both"));
    }
    let index = call.engine.code(arguments.path.as_deref())?;
    let found = index.query_graph(|graph| Ok::<_, OpError>(graph.find_unused(call.progress)?))?;
    check_cancelled(call)?;
    // Files outside of every package match only without the argument.
    let of_package = |found: Vec<SymbolHit>| -> Vec<SymbolHit> {
        let package = arguments.package.as_ref();
        let is_meant = |one: &SymbolHit| package.is_none() || one.package.as_ref() == package;
        found.into_iter().filter(is_meant).collect()
    };
    let (certain, named, public) =
        (of_package(found.certain), of_package(found.mentioned), of_package(found.public));
    let mut left_out = Vec::new();
    if !arguments.maybe && !named.is_empty() {
        let count = count_noun(named.len(), "definition");
        left_out.push(format!("{count} that some text names; set `maybe`"));
    }
    if !arguments.public && !public.is_empty() {
        let count = count_noun(public.len(), "definition");
        left_out.push(format!("{count} that are public; set `public`"));
    }
    let listed = match (arguments.public, arguments.maybe) {
        (true, _) => public,
        (_, true) => named,
        _ => certain,
    };
    let shown = listed.iter().take(arguments.limit.unwrap_or(default_limit()));
    let allowed = token_budget::effective_budget(arguments.budget, arguments.limit);
    let shown = token_budget::take_fitting(shown.map(SymbolRow::from_found).collect(), allowed);
    left_out.extend(omission_note(listed.len(), shown.len()));
    Ok(Reply::object(UnusedReply {
        count: listed.len(),
        checked: found.checked,
        unused: shown,
        left_out,
        notice: index_notice(&index)?,
    }))
}
