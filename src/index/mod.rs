//! The write path: find what changed, read it, store the outcome, report. Answers no questions.

pub mod code;
mod error;
pub mod packages;
pub mod resolve;
pub mod specs;

pub use crate::source::WalkError;
pub use error::IndexError;

/// Whether a build may trust what the last one found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Incremental,
    /// Read everything again and start from an empty database.
    Fresh,
}
