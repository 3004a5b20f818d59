//! The write path: find what changed, read it, store the outcome, report. Answers no questions.

pub mod code;
mod error;
pub mod resolve;

pub use error::IndexError;
pub use kenning_knowledge::spec_build as specs;
pub use kenning_model::BuildMode as Mode;
pub use kenning_source::WalkError;
