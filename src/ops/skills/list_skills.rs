//! `list_skills`: every skill with where it comes from, and what could not be loaded.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::one_line;
use crate::model::Skill;
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply, schema};

pub const OP: OpEntry = OpEntry {
    name: "list_skills",
    family: Family::Skills,
    origin: Origin::Kenning,
    summary: "All skills with their full descriptions and folders, project before user before \
              plugin; skills that another of the same name hides; files that could not be loaded \
              and why.",
    effect: Effect::Reads,
    schema: schema::derived::<ListSkillsArgs>,
    examples: &["ken list-skills", "ken list-skills --tier plugin"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct ListSkillsArgs {
    /// Only skills from there
    tier: Option<Tier>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tier {
    Named,
    Project,
    User,
    Plugin,
}

impl Tier {
    fn as_str(self) -> &'static str {
        match self {
            Tier::Named => "named",
            Tier::Project => "project",
            Tier::User => "user",
            Tier::Plugin => "plugin",
        }
    }
}

#[derive(Serialize)]
struct SkillList {
    skill_count: usize,
    skills: Vec<SkillInfo>,
    hidden: Vec<Hidden>,
    problems: Vec<String>,
}

#[derive(Serialize)]
struct SkillInfo {
    name: String,
    tier: &'static str,
    directory: String,
    description: String,
}

#[derive(Serialize)]
struct Hidden {
    name: String,
    tier: &'static str,
    directory: String,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let ListSkillsArgs { tier } = args.parse()?;
    let view = call.engine.skills();
    let is_wanted = |skill: &&Skill| tier.is_none_or(|tier| tier.as_str() == skill.tier.as_str());
    let skills: Vec<SkillInfo> = view.skills.iter().filter(is_wanted).map(info).collect();
    let hidden = view.shadowed.iter().filter(is_wanted);
    Ok(Reply::object(SkillList {
        skill_count: skills.len(),
        skills,
        hidden: hidden.map(hidden_info).collect(),
        problems: view.problems.iter().map(ToString::to_string).collect(),
    }))
}

fn info(skill: &Skill) -> SkillInfo {
    SkillInfo {
        name: skill.full_name.clone(),
        tier: skill.tier.as_str(),
        directory: skill.directory.display().to_string(),
        description: one_line(&skill.description),
    }
}

fn hidden_info(skill: &Skill) -> Hidden {
    Hidden {
        name: skill.full_name.clone(),
        tier: skill.tier.as_str(),
        directory: skill.directory.display().to_string(),
    }
}
