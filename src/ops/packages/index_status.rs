//! `index_status`: when and from what the package index was built, and how far it is behind.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::ops::schema::empty_schema;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

pub static OP: OpEntry = OpEntry {
    name: "index_status",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "When the package index was built, from which commit, how many packages it has, how \
              many manifests changed since, and which could not be read.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(empty_schema),
    reply: ReplyType::of::<IndexStatusReply>(),
    examples: &["ken index-status", "ken index-status --json"],
    run,
};

/// More problems than these are counted only.
const SHOWN_PROBLEMS: usize = 20;

/// The first six are text in `shire_meta` and stay text here, as its users know them.
#[derive(Debug, Serialize, Deserialize)]
pub struct IndexStatusReply {
    pub indexed_at: Option<String>,
    pub git_commit: Option<String>,
    pub package_count: Option<String>,
    pub manifest_count: Option<String>,
    pub total_duration_ms: Option<String>,
    pub root: Option<String>,
    pub current_commit: Option<String>,
    pub changed_manifests: Option<usize>,
    pub problem_count: usize,
    pub problems: Vec<String>,
}

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
