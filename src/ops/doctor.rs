//! `doctor`: findings about settings, backend, indexes, providers and clients, each with its
//! remedy. The checks themselves are in `engine::health`; this file only gives them their wire
//! form.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema::derive_schema;
use super::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};
use crate::engine::HealthDepth;

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
    schema: LazyLock::new(derive_schema::<DoctorArgs>),
    reply: ReplyType::of::<FindingRow>(),
    examples: &["ken doctor", "ken doctor --deep", "ken doctor --json"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct DoctorArgs {
    /// Also verify the checksums of everything that is stored; damaged data is rebuilt by the next update
    #[serde(default)]
    deep: bool,
}

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
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let DoctorArgs { deep } = args.parse()?;
    let depth = if deep { HealthDepth::Deep } else { HealthDepth::Quick };
    let findings = call.engine.check_health(depth).into_iter().map(|finding| FindingRow {
        check: finding.check.into(),
        verdict: finding.verdict.as_str().into(),
        says: finding.message,
        remedy: finding.remedy,
    });
    Ok(Reply::list(findings))
}
