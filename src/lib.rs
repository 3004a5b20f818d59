//! Kenning knows a repository and tells coding agents and people what it knows.
//! `ARCHITECTURE.md` draws the layers; `tests/it/tidy.rs` guards them.

pub mod extract;
pub mod model;
pub mod query;
