//! `list_skills`: every skill with its origin, the skills that another one hides, and the files
//! that could not be loaded.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::to_one_line;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::Skill;

/// Replies with a [`ListSkillsReply`]. Broken files are in `problems`, and hide no other skill.
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
    examples: &["ken skills list", "ken skills list --tier plugin"],
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
    /// The name of the tier, as replies have it.
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
    /// The number of listed skills.
    pub skill_count: usize,
    /// The skills, in the order in which names resolve.
    pub skills: Vec<SkillInfo>,
    /// Skills that an earlier tier hides by the same name.
    pub hidden: Vec<HiddenSkill>,
    /// Files that could not be loaded, and why.
    pub problems: Vec<String>,
}

/// A skill that can be loaded.
#[derive(Debug, Serialize, Deserialize)]
pub struct SkillInfo {
    /// The name, with its plugin if it has one.
    pub name: String,
    /// `named`, `project`, `user` or `plugin`.
    pub tier: Cow<'static, str>,
    /// The folder, which its files are relative to.
    pub directory: String,
    /// The description, on one line.
    pub description: String,
}

/// A skill that another one of the same name hides.
#[derive(Debug, Serialize, Deserialize)]
pub struct HiddenSkill {
    /// The name.
    pub name: String,
    /// Its tier, which is a later one.
    pub tier: Cow<'static, str>,
    /// Its folder.
    pub directory: String,
}

/// Lists the skills of all tiers, or of one.
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

/// Converts a skill.
fn skill_info(skill: &Skill) -> SkillInfo {
    SkillInfo {
        name: skill.full_name.clone(),
        tier: skill.tier.as_str().into(),
        directory: skill.directory.display().to_string(),
        description: to_one_line(&skill.description),
    }
}

/// Converts a hidden skill.
fn hidden_info(skill: &Skill) -> HiddenSkill {
    HiddenSkill {
        name: skill.full_name.clone(),
        tier: skill.tier.as_str().into(),
        directory: skill.directory.display().to_string(),
    }
}
