//! `unused`: definitions without an edge and without a textual mention. `graph::unused` decides;
//! this file filters by package and path, and chooses the list.
//!
//! Public and mentioned definitions are counted only, because both may be used from outside.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path_lookup::strip_root;
use super::reply_parts::{check_cancelled, default_limit, index_notice};
use super::symbol_row::{SymbolRow, omission_note};
use super::token_budget;
use crate::engine::CodeIndex;
use crate::graph::{Doubt, SymbolHit, UnusedDefinitions};
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::RepoPath;
use kenning_source as source;

/// Replies with an [`UnusedReply`]. It reads the whole graph, so it is the slowest of the graph's
/// operations.
pub static OP: OpEntry = OpEntry {
    name: "unused",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "List definitions that nothing uses: no edge leads to them and no other text names them. If a \
              pattern could reach one (a built name, reflection, a registry), it is `perhaps` \
              unused, with the reason. Entry points, tests, vendored folders, and members that may \
              be called through a base are left out; public names and those that some text \
              mentions are counted, and listed with `public` or `maybe`.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<UnusedArgs>),
    reply: ReplyType::of::<UnusedReply>(),
    examples: &["ken unused", "ken unused --path src/net", "ken unused --package core --public"],
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
    /// Only in this folder, file or glob; or another indexed root: its path or collection name
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
    pub unused: Vec<UnusedRow>,
    /// The other lists, and the rest of this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// A caveat about the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A definition that may be unused.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnusedRow {
    /// `unused`, or `perhaps`.
    pub verdict: Cow<'static, str>,
    /// The reason for `perhaps`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The definition.
    #[serde(flatten)]
    pub row: SymbolRow,
}

/// The most bytes of a file outside of the index that are read for names.
const MAX_BYTES: u64 = 16 << 20;

/// The time for reading texts. A larger repository gets a partial answer that says so.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Finds unused definitions of the whole root, then filters. A part alone cannot be judged: its
/// users may be elsewhere.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: UnusedArgs = args.parse()?;
    if arguments.public && arguments.maybe {
        return Err(OpError::bad_argument("give `public` or `maybe`, not both"));
    }
    let (index, filter) = choose_index(call, arguments.path.as_deref())?;
    let root = index.collection.root.clone();
    let read = |path: &RepoPath| match source::read_source(&root, path, MAX_BYTES) {
        source::SourceReading::Text { text, .. } => Some(text),
        _ => None,
    };
    let deadline = Instant::now() + TIME_LIMIT;
    let found = index.query_graph(|graph| {
        Ok::<_, OpError>(graph.find_unused(&read, deadline, call.progress)?)
    })?;
    check_cancelled(call)?;
    // Files outside of every package match only without the argument.
    let is_meant = |one: &SymbolHit| {
        let package = arguments.package.as_ref();
        (package.is_none() || one.package.as_ref() == package) && filter.matches(one.path.as_str())
    };
    let certain = found.certain.iter().map(|hit| (hit, None));
    let perhaps = found.perhaps.iter().map(|(hit, doubt)| (hit, Some(doubt)));
    let public = found.public.iter().map(|hit| (hit, None));
    let every: Vec<(&SymbolHit, Option<&Doubt>)> =
        certain.chain(perhaps).filter(|(hit, _)| is_meant(hit)).collect();
    let public: Vec<_> = public.filter(|(hit, _)| is_meant(hit)).collect();
    let is_mention = |doubt: Option<&Doubt>| doubt.is_some_and(Doubt::is_mention);
    let (mentioned, reasoned): (Vec<_>, Vec<_>) =
        every.into_iter().partition(|(_, doubt)| is_mention(*doubt));
    let mentioned_elsewhere = if arguments.maybe { 0 } else { mentioned.len() };
    let public_elsewhere = if arguments.public { 0 } else { public.len() };
    let mut left_out = describe_omitted(&found, mentioned_elsewhere, public_elsewhere);
    let listed = match (arguments.public, arguments.maybe) {
        (true, _) => public,
        (_, true) => mentioned,
        _ => reasoned,
    };
    let shown = listed.iter().take(arguments.limit.unwrap_or(default_limit()));
    let allowed = token_budget::effective_budget(arguments.budget, arguments.limit);
    let rows = shown.map(|(hit, doubt)| UnusedRow::new(hit, *doubt)).collect();
    let shown = token_budget::take_fitting(rows, allowed);
    left_out.extend(omission_note(listed.len(), shown.len()));
    Ok(Reply::object(UnusedReply {
        count: listed.len(),
        checked: found.checked,
        unused: shown,
        left_out,
        notice: index_notice(&index)?,
    }))
}

/// Describes what is not listed: other lists with their sizes, and what was not checked.
fn describe_omitted(found: &UnusedDefinitions, mentioned: usize, public: usize) -> Vec<String> {
    let limit = TIME_LIMIT.as_secs();
    let kinds = [
        (mentioned, "definition", "that some text names; set `maybe`".to_string()),
        (public, "definition", "that are public; set `public`".to_string()),
        (
            found.unsearched,
            "file",
            format!("not searched within {limit} seconds, so no row is certain"),
        ),
        (found.vendored, "definition", "in vendored folders".to_string()),
    ];
    let present = kinds.iter().filter(|(count, _, _)| *count > 0);
    present.map(|(count, noun, which)| format!("{} {which}", count_noun(*count, noun))).collect()
}

impl UnusedRow {
    fn new(hit: &SymbolHit, doubt: Option<&Doubt>) -> UnusedRow {
        UnusedRow {
            verdict: if doubt.is_some() { "perhaps" } else { "unused" }.into(),
            why: doubt.map(ToString::to_string),
            row: SymbolRow::from_found(hit),
        }
    }
}

/// Selects files by a folder, a path, or a pattern with `*` and `**`.
struct PathFilter(String);

impl PathFilter {
    fn new(path: &str) -> PathFilter {
        PathFilter(path.trim().trim_start_matches("./").trim_matches('/').to_string())
    }

    fn matches(&self, path: &str) -> bool {
        if self.0.contains('*') {
            return matches_pattern(&self.0, path);
        }
        let rest = path.strip_prefix(&self.0);
        rest.is_some_and(|rest| self.0.is_empty() || rest.is_empty() || rest.starts_with('/'))
    }
}

/// True if a path fits a pattern: `*` stands for a part of a segment, `**` for any segments.
fn matches_pattern(pattern: &str, path: &str) -> bool {
    let Some((fixed, rest)) = pattern.split_once('*') else {
        return pattern == path;
    };
    let Some(tail) = path.strip_prefix(fixed) else {
        return false;
    };
    let (rest, is_deep) = match rest.strip_prefix('*') {
        // `**/` also stands for no segment at all.
        Some(deep) => (deep.strip_prefix('/').unwrap_or(deep), true),
        None => (rest, false),
    };
    let starts = std::iter::once(0).chain(tail.char_indices().map(|(at, c)| at + c.len_utf8()));
    let mut reachable = starts.take_while(|&at| is_deep || !tail[..at].contains('/'));
    reachable.any(|at| matches_pattern(rest, &tail[at..]))
}

/// Returns the index and the filter that `path` means. A folder, file or glob of this repository
/// wins over another root of that name.
fn choose_index(call: &Call, path: Option<&str>) -> Result<(Arc<CodeIndex>, PathFilter), OpError> {
    let Some(path) = path else {
        return Ok((call.code(None)?, PathFilter::new("")));
    };
    if let Ok(index) = call.code(None) {
        let filter = PathFilter::new(strip_root(&index, path));
        let mut files = index.files()?.into_iter();
        let is_whole = filter.0.is_empty() || filter.0 == ".";
        if !is_whole && files.any(|file| filter.matches(&file)) {
            return Ok((index, filter));
        }
    }
    Ok((call.code(Some(path))?, PathFilter::new("")))
}

#[cfg(test)]
mod tests;
