//! `search_symbols`: definitions by a part of their name: exact matches, then prefixes, parts and
//! several words. It matches names only; `search_code` reads content.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::index_notice;
use super::symbol_row::{SymbolRow, omission_note, parse_kind};
use super::token_budget;
use crate::graph::SymbolFilter;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with a [`SearchSymbolsReply`]. No match is a success with similar names in `near`.
pub static OP: OpEntry = OpEntry {
    name: "search_symbols",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Find definitions by name: exact first, then by beginning, by part, and by several words \
              (`session login`). Returns path, line, kind and signature; use get_symbol for one, \
              search_code for questions in plain words.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<SearchSymbolsArgs>),
    reply: ReplyType::of::<SearchSymbolsReply>(),
    examples: &["ken symbols login", "ken symbols Session --kind class --package web"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct SearchSymbolsArgs {
    /// A name, a part of one, Type.member, or several words that it holds
    query: String,
    /// Only this kind, such as function, method, class, struct, protocol or trait
    kind: Option<String>,
    /// Only this package
    package: Option<String>,
    /// How many to list; the rest is counted
    #[serde(default)]
    #[schemars(with = "usize", range(min = 1, max = 1000), extend("default" = LIMIT))]
    limit: Option<usize>,
    /// About how many tokens to answer with at most; 3000 unless `limit` is given
    #[schemars(range(min = 100))]
    budget: Option<usize>,
    /// Leave out code that tests
    #[serde(default)]
    skip_tests: bool,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

/// The number of rows if the caller names none.
const LIMIT: usize = 50;

/// The reply of `search_symbols`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchSymbolsReply {
    /// All matches, listed or not.
    pub count: usize,
    /// The matches, best first.
    pub symbols: Vec<SymbolRow>,
    /// The number of the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Similar names, if none matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
    /// A caveat about the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Searches the names. Similar names are looked up only if nothing matches, because that scans all
/// of them.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: SearchSymbolsArgs = args.parse()?;
    if arguments.query.trim().is_empty() {
        return Err(OpError::bad_argument("`query` must not be empty"));
    }
    let filter = SymbolFilter {
        kind: parse_kind(arguments.kind.as_deref())?,
        package: arguments.package.as_deref(),
        skip_tests: arguments.skip_tests,
        ..SymbolFilter::default()
    };
    let index = call.code(arguments.path.as_deref())?;
    let (found, count, near) = index.query_graph(|graph| {
        let limit = arguments.limit.unwrap_or(LIMIT);
        let (found, count) = graph.search_symbols(&arguments.query, &filter, limit)?;
        let near =
            if found.is_empty() { graph.nearest_names(&arguments.query)? } else { Vec::new() };
        Ok::<_, OpError>((found, count, near))
    })?;
    let allowed = token_budget::effective_budget(arguments.budget, arguments.limit);
    let symbols =
        token_budget::take_fitting(found.iter().map(SymbolRow::from_found).collect(), allowed);
    Ok(Reply::object(SearchSymbolsReply {
        count,
        left_out: omission_note(count, symbols.len()),
        symbols,
        near,
        notice: index_notice(&index)?,
    }))
}
