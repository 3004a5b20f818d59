//! `suggest_skills`: ranks the skills for a task, by shared words, by meaning, or both. The vectors
//! are of the embedded model, so it works offline.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::to_one_line;
use crate::engine::Ranking;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with a list of [`Suggestion`], best first. It needs no index of the repository.
pub static OP: OpEntry = OpEntry {
    name: "suggest_skills",
    family: Family::Skills,
    origin: Origin::Kenning,
    summary: "Find the skills that suit a task, best first. Describe the task as you would to a colleague; \
              load the one that fits with `skill`.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<SuggestSkillsArgs>),
    reply: ReplyType::of::<Suggestion>(),
    examples: &["ken skills suggest 'fill in the form in contract.pdf'"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct SuggestSkillsArgs {
    /// What is to be done, in any words
    task: String,
    /// How many to suggest at the most
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1))]
    limit: usize,
    /// What decides: the words that a skill shares with the task, its meaning, or both
    #[serde(default)]
    ranking: SuggestRanking,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum SuggestRanking {
    Words,
    Meaning,
    #[default]
    Both,
}

/// The default of `limit`.
fn default_limit() -> usize {
    5
}

/// A skill that suits the task.
#[derive(Debug, Serialize, Deserialize)]
pub struct Suggestion {
    /// The name, which `skill` takes.
    pub name: String,
    /// Comparable within one answer only.
    pub score: f64,
    /// The tier that it comes from.
    pub tier: Cow<'static, str>,
    /// The description, on one line.
    pub description: String,
}

/// Ranks all skills and returns the best. There is no threshold: an agent judges the descriptions.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let SuggestSkillsArgs { task, limit, ranking } = args.parse()?;
    if task.trim().is_empty() {
        return Err(OpError::bad_argument("`task` is empty").hint("say what is to be done"));
    }
    let view = call.engine.skills();
    let ranking = match ranking {
        SuggestRanking::Words => Ranking::Words,
        SuggestRanking::Meaning => Ranking::Meaning,
        SuggestRanking::Both => Ranking::Both,
    };
    let ranked = call.engine.rank_skills(&view, &task, ranking);
    let suggestions = ranked.iter().take(limit).map(|ranked| {
        let skill = &view.skills[ranked.index];
        Suggestion {
            name: skill.full_name.clone(),
            score: (f64::from(ranked.score) * 1000.0).round() / 1000.0,
            tier: skill.tier.as_str().into(),
            description: to_one_line(&skill.description),
        }
    });
    Ok(Reply::list(suggestions))
}
