//! `doctor`: what may keep Kenning from working well here, each finding with its remedy.

use serde::Serialize;

use super::schema::no_arguments;
use super::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};

pub const OP: OpEntry = OpEntry {
    name: "doctor",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Checks settings, the backend and what it holds, index health and freshness, the \
              embedding provider, watch limits, client configuration and disk; each finding with \
              its remedy.",
    effect: Effect::Reads,
    schema: no_arguments,
    examples: &["ken doctor", "ken doctor --json"],
    run,
};

#[derive(Serialize)]
struct FindingRow {
    check: &'static str,
    verdict: &'static str,
    says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<String>,
}

fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let findings = call.engine.health().into_iter().map(|finding| FindingRow {
        check: finding.check,
        verdict: finding.verdict.as_str(),
        says: finding.says,
        remedy: finding.remedy,
    });
    Ok(Reply::list(findings))
}
