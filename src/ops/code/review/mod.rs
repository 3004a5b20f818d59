//! `review`: the meaning of a change before it is merged. It compares the work tree with a commit
//! by definition. It reports what may break, the tests that reach the change, and the requirements
//! that concern it.
//!
//! The old side is parsed from git's objects, the new side is the index. `definition_diff`
//! compares them, `reach` follows the graph, and `text` writes the reply for people.

mod definition_diff;
mod reach;
mod reply;
mod text;

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;

use self::definition_diff::{
    DefinitionDifference, DefinitionText, compare_definitions, join_moved,
};
use super::reply_parts::{Reliability, query_graph};
use crate::engine::{BaseChange, BaseDiff, BaseError};
use crate::graph::Graph;
use crate::ops::{
    Args, Call, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::RepoPath;

pub use reply::{
    ChangedDefinition, DanglingReferences, ReviewPackage, ReviewReply, ReviewRequirement,
};
pub use text::{to_markdown, to_text};

/// Replies with a [`ReviewReply`], or with a document in Markdown. It needs git.
pub static OP: OpEntry = OpEntry {
    name: "review",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Review a change before it is merged: which definitions were added, removed or changed, \
              what depends on them (riskiest first), which tests reach them, which of them no test \
              reaches, and which requirements and packages are concerned. Compares the files with \
              the last commit, or with the branch `base`.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<ReviewArgs>),
    reply: ReplyType::of::<ReviewReply>(),
    examples: &["ken review", "ken review main", "ken review origin/main --format markdown"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct ReviewArgs {
    /// A branch, tag or commit; compares with the last commit that both have in common (default: the last commit)
    base: Option<String>,
    /// data: fields for programs; markdown: a comment for a pull request
    #[serde(default)]
    format: ReviewFormat,
    /// How many levels of dependents to follow
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 6))]
    depth: usize,
    /// How many to list of each kind; the rest is counted
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
    /// Another indexed root: its path or collection name; without its specs and packages
    path: Option<String>,
}

/// The form of the reply.
#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ReviewFormat {
    #[default]
    Data,
    Markdown,
}

/// The default of `depth`.
fn default_depth() -> usize {
    3
}

/// The default of `limit`, for each list.
fn default_limit() -> usize {
    30
}

/// Compares the files with the base, and follows what depends on the difference.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: ReviewArgs = args.parse()?;
    let index = call.code(arguments.path.as_deref())?;
    let base = arguments.base.as_deref().map(str::trim).filter(|name| !name.is_empty());
    let diff = call.engine.diff_base(&index, base).map_err(|error| base_error(error, base))?;
    let commit = diff.base.chars().take(SHOWN_ID).collect();
    let found = query_graph(&index, |graph| {
        let compared = compare_tree(graph, diff)?;
        let reached =
            reach::find_reached(call, graph, &index, &compared.differences, arguments.depth)?;
        Ok((compared, reached))
    });
    let (compared, reached) = found?;
    let paths: Vec<&RepoPath> = compared.differences.iter().filter_map(new_path).collect();
    let trust = Reliability::check(&index, paths)?;
    // Specs and packages are those of the engine's own root.
    let (requirements, packages) = if arguments.path.is_none() {
        let requirements = reply::find_requirements(call, &compared.differences)?;
        (requirements, reply::find_packages(call, &reached.packages)?)
    } else {
        (Vec::new(), Vec::new())
    };
    let parts = reply::ReviewParts { compared, reached, requirements, packages, trust };
    let reply = reply::build(commit, parts, arguments.limit);
    Ok(match arguments.format {
        ReviewFormat::Data => Reply::object(reply),
        ReviewFormat::Markdown => Reply::Document { text: to_markdown(&reply), format: "markdown" },
    })
}

/// The hex digits of a commit that are shown. Twelve are unique in any repository of this size.
const SHOWN_ID: usize = 12;

/// Returns the new path of a difference; `None` if the definition is gone.
fn new_path(one: &DefinitionDifference) -> Option<&RepoPath> {
    one.after.as_ref().map(|after| &after.path)
}

/// Words the reason why there is nothing to compare with.
fn base_error(error: BaseError, base: Option<&str>) -> OpError {
    let name = base.unwrap_or("HEAD");
    match error {
        BaseError::NoRepository => {
            OpError::new(ErrorKind::NotFound, "a review needs a git repository with a commit")
                .hint("impact with `symbol` or `file` works without git")
        }
        BaseError::UnknownBase => {
            let message = format!("no commit, branch or tag here is named {name:?}");
            OpError::new(ErrorKind::NotFound, message)
                .hint("`git branch --all` lists branches; a branch of a remote is origin/NAME")
        }
        BaseError::NoCommonAncestor => {
            let message = format!("{name} and the checkout have no commit in common");
            OpError::new(ErrorKind::NotFound, message)
                .hint("a shallow clone lacks the history: `git fetch --unshallow`")
        }
        BaseError::GitFailed => OpError::new(ErrorKind::NotFound, "git does not answer")
            .hint("is git installed? `ken doctor` checks it"),
    }
}

/// The differences between the tree and its base.
struct ComparedTree {
    /// The definitions that differ, removed ones first, then by path and line.
    differences: Vec<DefinitionDifference>,
    /// The files that differ.
    files: usize,
    /// Changed files that are not in the index.
    unread: Vec<String>,
}

/// Compares all changed files, and the files that git does not know.
fn compare_tree(graph: &Graph, diff: BaseDiff) -> Result<ComparedTree, OpError> {
    let BaseDiff { files, tracked, .. } = diff;
    let mut compared = ComparedTree { differences: Vec::new(), files: 0, unread: Vec::new() };
    let untracked = graph.all_paths()?.into_iter().filter(|path| !tracked.contains(path));
    let untracked = untracked.map(|path| BaseChange { path: Some(path), before: None });
    for file in files.into_iter().chain(untracked) {
        compare_file(graph, file, &mut compared)?;
    }
    let mut differences = join_moved(std::mem::take(&mut compared.differences));
    differences.sort_by_cached_key(|one| {
        let side = one.after.as_ref().or(one.before.as_ref());
        side.map(|side| (one.kind, side.path.clone(), side.symbol.line, side.symbol.name.clone()))
    });
    compared.unread.sort();
    compared.differences = differences;
    Ok(compared)
}

/// Compares one file. A file that exists and is not indexed is only named.
fn compare_file(
    graph: &Graph,
    file: BaseChange,
    compared: &mut ComparedTree,
) -> Result<(), OpError> {
    let new = match &file.path {
        None => Vec::new(),
        Some(path) => match graph.read_lines(path, 1, u32::MAX)? {
            Some(text) => DefinitionText::read_new(path, &text, graph.definitions_in_file(path)?),
            None => {
                compared.unread.push(path.to_string());
                return Ok(());
            }
        },
    };
    let old = match &file.before {
        Some((path, text)) => DefinitionText::read_old(path, text),
        None => Vec::new(),
    };
    compared.files += 1;
    compared.differences.extend(compare_definitions(old, new));
    Ok(())
}
