//! The write path: find what changed, read it, store the outcome, report. Answers no questions.

pub mod code;
mod error;
pub mod packages;
pub mod resolve;
pub mod specs;

pub use error::IndexError;
pub use kenning_source::WalkError;

/// The choice between an incremental run and a rebuild.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Incremental,
    /// Read everything again and start from an empty database.
    Fresh,
}
