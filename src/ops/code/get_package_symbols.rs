//! `get_package_symbols`: the definitions of a package, public ones only unless `all` is set. Tests
//! are always left out. The package must own indexed files; its manifest alone is not enough.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{index_notice, query_graph};
use super::symbol_row::{SymbolRow, parse_kind};
use super::token_budget;
use crate::graph::{SymbolFilter, SymbolHit};
use crate::ops::error::not_found_error;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::ChunkKind;
use kenning_text::fuzzy_match::nearest;

/// Replies with a [`GetPackageSymbolsReply`]. An unknown package is an error with similar names.
pub static OP: OpEntry = OpEntry {
    name: "get_package_symbols",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "What a package defines: its public names with path, line, kind and signature; `all` adds \
              what is not public. Tests are left out.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<GetPackageSymbolsArgs>),
    reply: ReplyType::of::<GetPackageSymbolsReply>(),
    examples: &["ken packages symbols core", "ken packages symbols core --kind trait --all"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct GetPackageSymbolsArgs {
    /// The package, by its exact name
    package: String,
    /// Only this kind, such as function, method, class, struct, protocol or trait
    kind: Option<String>,
    /// What is not public too
    #[serde(default)]
    all: bool,
    /// How many to list; the rest is counted
    #[serde(default)]
    #[schemars(with = "usize", range(min = 1, max = 5000), extend("default" = LIMIT))]
    limit: Option<usize>,
    /// How many to pass over: those that an answer before has shown
    #[serde(default)]
    offset: usize,
    /// About how many tokens to answer with at most; 3000 unless `limit` is given
    #[schemars(range(min = 100))]
    budget: Option<usize>,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

/// The number of rows if the caller names none.
const LIMIT: usize = 200;

/// The reply of `get_package_symbols`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetPackageSymbolsReply {
    /// The name, as given.
    pub package: String,
    /// All matching definitions, listed or not.
    pub count: usize,
    /// The listed definitions.
    pub symbols: Vec<SymbolRow>,
    /// The number of the rest, and how to see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Says that only non-public definitions exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<Cow<'static, str>>,
    /// A caveat about the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Lists the definitions of a package. The budget counts from `offset` on, so that pages join
/// without gaps.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: GetPackageSymbolsArgs = args.parse()?;
    let filter = SymbolFilter {
        kind: parse_kind(arguments.kind.as_deref())?,
        package: Some(&arguments.package),
        public_only: !arguments.all,
        skip_tests: true,
    };
    let index = call.code(arguments.path.as_deref())?;
    let found = query_graph(&index, |graph| {
        let known = graph.list_packages()?;
        if known.contains(&arguments.package) {
            Ok(drop_documents(graph.list_package_symbols(&filter)?, &filter))
        } else {
            Err(unknown_package_error(&arguments.package, &known))
        }
    })?;
    let listed = found.iter().skip(arguments.offset);
    let listed = listed.take(arguments.limit.unwrap_or(LIMIT));
    let listed = listed.map(|one| SymbolRow { package: None, ..SymbolRow::from_found(one) });
    let allowed = token_budget::effective_budget(arguments.budget, arguments.limit);
    let symbols = token_budget::take_fitting(listed.collect(), allowed);
    let next = arguments.offset + symbols.len();
    let left_out = (next < found.len()).then(|| {
        let more = found.len() - next;
        format!("{more} more; set `offset` to {next}, raise `limit`, or narrow by `kind`")
    });
    Ok(Reply::object(GetPackageSymbolsReply {
        package: arguments.package.clone(),
        count: found.len(),
        left_out,
        note: (found.is_empty() && !arguments.all)
            .then_some("nothing of it is public; set `all` to see the rest".into()),
        symbols,
        notice: index_notice(&index)?,
    }))
}

/// Removes sections of documents and entries of settings files, unless a kind is requested.
fn drop_documents(mut found: Vec<SymbolHit>, filter: &SymbolFilter) -> Vec<SymbolHit> {
    let said = [ChunkKind::Section, ChunkKind::Entry];
    found.retain(|one| filter.kind.is_some() || !said.contains(&one.symbol.kind));
    found
}

/// The error for a package without indexed files, with similar names.
fn unknown_package_error(name: &str, known: &[String]) -> OpError {
    let near = nearest(name, known.iter().map(String::as_str)).into_iter();
    let message = format!("no indexed file belongs to a package {name:?}");
    not_found_error(message, "list_packages", near.map(str::to_string).collect())
}
