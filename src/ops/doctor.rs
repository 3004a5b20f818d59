//! `doctor`: what may keep Kenning from working well here, each finding with its remedy.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::schema::empty_schema;
use super::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

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

#[derive(Debug, Serialize, Deserialize)]
pub struct FindingRow {
    pub check: Cow<'static, str>,
    pub verdict: Cow<'static, str>,
    pub says: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

fn run(call: &Call, _args: &Args) -> Result<Reply, OpError> {
    let findings = call.engine.health().into_iter().map(|finding| FindingRow {
        check: finding.check.into(),
        verdict: finding.verdict.as_str().into(),
        says: finding.says,
        remedy: finding.remedy,
    });
    Ok(Reply::list(findings))
}
