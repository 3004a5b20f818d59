//! `index_status`: when and from what the package index was built, and how far it is behind.

use serde::Serialize;

use crate::ops::schema::no_arguments;
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};

pub const OP: OpEntry = OpEntry {
    name: "index_status",
    family: Family::Packages,
    origin: Origin::Contract,
    summary: "When the package index was built, from which commit, how many packages it has, how \
              many manifests changed since, and which could not be read.",
    effect: Effect::Reads,
    schema: no_arguments,
    examples: &["ken index-status", "ken index-status --json"],
    run,
};

/// More problems than these are counted only.
const SHOWN_PROBLEMS: usize = 20;

/// The first six are text in `shire_meta` and stay text here, as its users know them.
#[derive(Serialize)]
struct Status<'a> {
    indexed_at: Option<&'a str>,
    git_commit: Option<&'a str>,
    package_count: Option<&'a str>,
    manifest_count: Option<&'a str>,
    total_duration_ms: Option<&'a str>,
    root: Option<&'a str>,
    current_commit: Option<String>,
    changed_manifests: Option<usize>,
    problem_count: usize,
    problems: Vec<String>,
}

fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let view = call.engine.packages()?;
    let freshness = view.freshness();
    let meta = |key: &str| view.meta.get(key).map(String::as_str);
    let problems = view.problems.iter().take(SHOWN_PROBLEMS);
    Ok(Reply::object(Status {
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
