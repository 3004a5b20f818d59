//! `list_skills`: every skill with where it comes from, and what could not be loaded.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::to_one_line;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::Skill;

pub static OP: OpEntry = OpEntry {
    name: "list_skills",
    family: Family::Skills,
    origin: Origin::Kenning,
    summary: "All skills with their full descriptions and folders, project before user before \
              plugin; skills that another of the same name hides; files that could not be loaded \
              and why.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<ListSkillsArgs>),
    reply: ReplyType::of::<ListSkillsReply>(),
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

/// The reply of `list_skills`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ListSkillsReply {
    pub skill_count: usize,
    pub skills: Vec<SkillInfo>,
    pub hidden: Vec<HiddenSkill>,
    pub problems: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct SkillInfo {
    pub name: String,
    pub tier: Cow<'static, str>,
    pub directory: String,
    pub description: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct HiddenSkill {
    pub name: String,
    pub tier: Cow<'static, str>,
    pub directory: String,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let ListSkillsArgs { tier } = args.parse()?;
    let view = call.engine.skills();
    let is_wanted = |skill: &&Skill| tier.is_none_or(|tier| tier.as_str() == skill.tier.as_str());
    let skills: Vec<SkillInfo> = view.skills.iter().filter(is_wanted).map(skill_info).collect();
    let hidden = view.shadowed.iter().filter(is_wanted);
    Ok(Reply::object(ListSkillsReply {
        skill_count: skills.len(),
        skills,
        hidden: hidden.map(hidden_info).collect(),
        problems: view.problems.iter().map(ToString::to_string).collect(),
    }))
}

fn skill_info(skill: &Skill) -> SkillInfo {
    SkillInfo {
        name: skill.full_name.clone(),
        tier: skill.tier.as_str().into(),
        directory: skill.directory.display().to_string(),
        description: to_one_line(&skill.description),
    }
}

fn hidden_info(skill: &Skill) -> HiddenSkill {
    HiddenSkill {
        name: skill.full_name.clone(),
        tier: skill.tier.as_str().into(),
        directory: skill.directory.display().to_string(),
    }
}
