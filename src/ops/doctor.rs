//! `doctor`: findings about settings, backend, indexes, providers and clients, each with its
//! remedy. The checks themselves are in `engine::health`; this file only gives them their wire
//! form.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::schema::empty_schema;
use super::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with a list of [`FindingRow`]. It also runs if settings are broken, because it explains
/// them.
pub static OP: OpEntry = OpEntry {
    name: "doctor",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Checks settings, the backend and what it holds, index health and freshness, the \
              embedding provider, watch limits, client configuration and disk; each finding with \
              its remedy.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(empty_schema),
    reply: ReplyType::of::<FindingRow>(),
    examples: &["ken doctor", "ken doctor --json"],
    run,
};

/// One finding.
#[derive(Debug, Serialize, Deserialize)]
pub struct FindingRow {
    /// The subject, such as `index` or `provider`.
    pub check: Cow<'static, str>,
    /// `good`, `fair` or `bad`. The command line exits with a failure if any is `bad`.
    pub verdict: Cow<'static, str>,
    /// The finding, as a sentence.
    pub says: String,
    /// The next step, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// Runs all checks. A check that fails is itself a finding, so the operation never fails.
fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let findings = call.engine.check_health().into_iter().map(|finding| FindingRow {
        check: finding.check.into(),
        verdict: finding.verdict.as_str().into(),
        says: finding.message,
        remedy: finding.remedy,
    });
    Ok(Reply::list(findings))
}
