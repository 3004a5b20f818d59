//! The write path: find what changed, read it, store the outcome, report. Answers no questions.

mod error;
pub mod packages;
pub mod specs;

pub use error::IndexError;
