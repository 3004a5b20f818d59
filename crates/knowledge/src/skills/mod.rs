//! Queries on loaded skills: lookup by name, and ranking for a task.
//!
//! Finding skill files on the disk is the caller's job. Nothing here does I/O except through the
//! embedder that a caller passes.

mod lookup;
mod rank;
mod semantic_rank;

pub use lookup::{SkillLookup, resolve_skill, similar_names};
pub use rank::{RankedSkill, SkillRanker, blend_scores, rank_scores};
pub use semantic_rank::SkillVectors;
