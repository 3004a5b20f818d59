//! `skill`: loads one skill by name, exactly as it is on the disk. The reply is text, byte for
//! byte, because the contract fixes its header and its body.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::SkillView;
use crate::ops::{
    Args, Call, ErrorDetails, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply,
    ReplyType,
};
use kenning_knowledge::skills::{SkillLookup, resolve_skill, similar_names};
use kenning_model::{Skill, SkillProblem};

/// Replies with text. An unknown, ambiguous or broken skill is an error with suggestions.
pub static OP: OpEntry = OpEntry {
    name: "skill",
    family: Family::Skills,
    origin: Origin::Contract,
    // A server puts the list of skills in its place.
    summary: "Load a skill by name to get specialized instructions.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::TEXT,
    examples: &["ken skills show pdf", "ken skills show example-skills:pdf"],
    run,
};

/// The number of similar names for an unknown one.
const SUGGESTIONS: usize = 3;

/// The characters of a name that an error repeats.
const SHOWN: usize = 128;

/// The schema of the contract.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "description": "The skill's name, with or without its plugin: pdf, example-skills:pdf"
            }
        },
        "required": ["name"]
    })
}

#[derive(Deserialize)]
struct SkillArgs {
    name: String,
}

/// Resolves the name and loads the file. A broken file is reported as such, and not as an unknown
/// name.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let SkillArgs { name } = args.parse()?;
    if name.trim().is_empty() {
        return Err(OpError::bad_argument("`name` is required (the name of a skill)"));
    }
    let view = call.engine.skills();
    match resolve_skill(&view.skills, &name) {
        SkillLookup::One(skill) => Ok(Reply::Text(render_skill(skill))),
        SkillLookup::Several(several) => Err(ambiguous_error(&name, &several)),
        SkillLookup::Nothing => match find_broken(&view, &name) {
            Some(broken) => Err(broken_skill_error(&name, broken)),
            None => Err(unknown_skill_error(&view.skills, &name)),
        },
    }
}

/// The contract's header, followed by the file.
fn render_skill(skill: &Skill) -> String {
    format!(
        "Loading: {}\nBase directory: {}\n\n{}",
        skill.full_name,
        skill.directory.display(),
        skill.content
    )
}

/// The error for a name that several plugins share.
fn ambiguous_error(name: &str, several: &[&Skill]) -> OpError {
    let matches: Vec<&str> = several.iter().map(|skill| skill.full_name.as_str()).collect();
    let message = format!("Skill {name:?} is ambiguous: {}", matches.join(", "));
    OpError::new(ErrorKind::Ambiguous, message)
        .hint("use the full name")
        .details(ErrorDetails::of_matches(matches))
}

/// Finds the skill of that name that exists but cannot be loaded.
fn find_broken<'v>(view: &'v SkillView, name: &str) -> Option<&'v SkillProblem> {
    let name = name.trim().to_lowercase();
    let mut broken = view.broken.iter();
    let found = broken.find(|broken| broken.names.iter().any(|one| one.to_lowercase() == name));
    found.map(|broken| &broken.problem)
}

/// The error for a skill whose file is broken.
fn broken_skill_error(name: &str, problem: &SkillProblem) -> OpError {
    OpError::internal(format!("Skill {name:?} cannot be loaded: {problem}"))
        .hint("once the file is mended it is loaded again by itself")
        .details(ErrorDetails::of_path(problem.path.display()))
}

/// The error for an unknown name, with similar names.
fn unknown_skill_error(skills: &[Skill], name: &str) -> OpError {
    let suggestions = similar_names(skills, name, SUGGESTIONS);
    let hint = if suggestions.is_empty() {
        "the description of this tool lists all skills".to_string()
    } else {
        format!("did you mean {}?", suggestions.join(", "))
    };
    // Some agents send a whole page as the name.
    let shown: String = name.chars().take(SHOWN).collect();
    OpError::new(ErrorKind::NotFound, format!("Skill not found: {shown:?}"))
        .hint(hint)
        .details(ErrorDetails::of_suggestions(suggestions))
}
