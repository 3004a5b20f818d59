//! `index_status`: when and from what the package index was built, and how far it is behind.
//! Freshness stats the manifests; it reads none of them.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with an [`IndexStatusReply`]. Without an index it is an error of the kind `NoIndex`.
pub static OP: OpEntry = OpEntry {
    name: "index_status",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "When the package index was built, from which commit, how many packages it has, how \
              many manifests changed since, and which could not be read.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(empty_schema),
    reply: ReplyType::of::<IndexStatusReply>(),
    examples: &["ken packages status", "ken packages status --json"],
    run,
};

/// The most problems in a reply; the rest is counted.
const SHOWN_PROBLEMS: usize = 20;

/// The reply of `index_status`. The first six fields are text in `shire_meta` and stay text here,
/// as shire's users know them.
#[derive(Debug, Serialize, Deserialize)]
pub struct IndexStatusReply {
    /// The time of the build, in RFC 3339.
    pub indexed_at: Option<String>,
    /// The commit at that time.
    pub git_commit: Option<String>,
    /// The number of packages, as text.
    pub package_count: Option<String>,
    /// The number of manifests, as text.
    pub manifest_count: Option<String>,
    /// The time of the build in milliseconds, as text.
    pub total_duration_ms: Option<String>,
    /// The root at that time.
    pub root: Option<String>,
    /// The commit that is checked out.
    pub current_commit: Option<String>,
    /// Manifests that changed since; `null` if that cannot be checked.
    pub changed_manifests: Option<usize>,
    /// All problems, listed or not.
    pub problem_count: usize,
    /// The first problems.
    pub problems: Vec<String>,
}

/// Reads the metadata of the index and compares it with the tree.
fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let view = call.engine.packages()?;
    let freshness = view.freshness();
    let meta = |key: &str| view.meta.get(key).cloned();
    let problems = view.problems.iter().take(SHOWN_PROBLEMS);
    Ok(Reply::object(IndexStatusReply {
        indexed_at: meta("indexed_at"),
        // Empty where git knew of no commit.
        git_commit: meta("git_commit").filter(|commit| !commit.is_empty()),
        package_count: meta("package_count"),
        manifest_count: meta("manifest_count"),
        total_duration_ms: meta("total_duration_ms"),
        root: meta("root"),
        changed_manifests: freshness.as_ref().map(|now| now.changed_manifests),
        current_commit: freshness.and_then(|now| now.current_commit),
        problem_count: view.problems.len(),
        problems: problems.map(ToString::to_string).collect(),
    }))
}
