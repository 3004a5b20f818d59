//! The write path: find what changed, read it, store the outcome, report. Answers no questions.

pub mod code;
mod error;
mod fact_source;
pub mod resolution;

pub use error::IndexError;
pub use kenning_knowledge::spec_build as specs;
pub use kenning_model::BuildMode as Mode;
pub use kenning_source::WalkError;
