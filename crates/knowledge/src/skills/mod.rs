//! Queries on loaded skills: lookup by name, and ranking for a task.
//!
//! Finding skill files on the disk is the caller's job. Nothing here does I/O except through the
//! embedder that a caller passes.

mod rank;
mod resolve;
mod semantic;

pub use rank::{RankedSkill, SkillRanker, blend_scores, rank_scores};
pub use resolve::{SkillLookup, resolve_skill, similar_names};
pub use semantic::SkillVectors;
