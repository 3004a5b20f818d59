//! `validate_skills`: checks skills against the rules of Agent Skills, with the line of each
//! breach. Loading is lenient; this is not.

use std::borrow::Cow;
use std::path::Path;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::engine::CheckedSkill;
use crate::ops::{
    Args, Call, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with a [`ValidateSkillsReply`]. Breaches are a success over MCP and a failure in a
/// shell.
pub static OP: OpEntry = OpEntry {
    name: "validate_skills",
    family: Family::Skills,
    origin: Origin::Kenning,
    summary: "Check skills against the rules of Agent Skills (agentskills.io); each violation has its \
              line. Loading a skill is lenient, this is strict. Without a path, checks every skill.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<ValidateSkillsArgs>),
    reply: ReplyType::of::<ValidateSkillsReply>(),
    examples: &["ken skills validate", "ken skills validate .claude/skills/pdf --strict"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct ValidateSkillsArgs {
    /// A skill's folder, its SKILL.md, or a folder of skills
    path: Option<String>,
    /// Let warnings fail, too
    #[serde(default)]
    strict: bool,
}

/// The reply of `validate_skills`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ValidateSkillsReply {
    /// False if there are errors, or warnings in strict mode. The command line then fails.
    pub valid: bool,
    /// The number of skills that were checked.
    pub checked: usize,
    /// The number of errors.
    pub error_count: usize,
    /// The number of warnings.
    pub warning_count: usize,
    /// All breaches, by file.
    pub findings: Vec<Breach>,
}

/// One breach of a rule.
#[derive(Debug, Serialize, Deserialize)]
pub struct Breach {
    /// The file.
    pub path: String,
    /// The line, from 1; absent for a file that cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// `error` or `warning`.
    pub severity: Cow<'static, str>,
    /// The rule that is broken.
    pub message: String,
}

/// Checks one folder or all skills. A path without any skill is an error, because a typing error
/// would look like success.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let ValidateSkillsArgs { path, strict } = args.parse()?;
    let (checked, problems) = call.engine.check_skills(path.as_deref().map(Path::new));
    if let (Some(path), true, true) = (&path, checked.is_empty(), problems.is_empty()) {
        let message = format!("there is no SKILL.md in or below {path}");
        return Err(OpError::new(ErrorKind::NotFound, message)
            .hint("give a skill's folder, or a folder of skills"));
    }
    let mut findings: Vec<Breach> = checked.iter().flat_map(list_breaches).collect();
    // A file that cannot be read at all keeps no rule.
    findings.extend(problems.into_iter().map(|problem| Breach {
        path: problem.path.display().to_string(),
        line: problem.line,
        severity: "error".into(),
        message: problem.message,
    }));
    let count = |severity: &str| {
        let findings = findings.iter();
        findings.filter(|finding| finding.severity == severity).count()
    };
    let (errors, warnings) = (count("error"), count("warning"));
    Ok(Reply::object(ValidateSkillsReply {
        valid: errors == 0 && !(strict && warnings > 0),
        checked: checked.len(),
        error_count: errors,
        warning_count: warnings,
        findings,
    }))
}

/// Converts the findings of one skill.
fn list_breaches(checked: &CheckedSkill) -> Vec<Breach> {
    let path = checked.path.display().to_string();
    let findings = checked.findings.iter();
    let breaches = findings.map(|finding| Breach {
        path: path.clone(),
        line: Some(finding.line),
        severity: finding.severity.as_str().into(),
        message: finding.message.clone(),
    });
    breaches.collect()
}
