//! Questions on the skills that there are: which one a name means, which ones suit a task.

mod rank;
mod resolve;
mod semantic;

pub use rank::{RankedSkill, SkillRanker, blend_scores, rank_scores};
pub use resolve::{SkillLookup, resolve_skill, similar_names};
pub use semantic::SkillVectors;
