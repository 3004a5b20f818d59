//! Specs, changes and agent skills: parsing, validation, the search index of specs, ranking.

pub mod docs;
mod error;
pub mod skills;
pub mod spec_build;
pub mod spec_index;
pub mod specs;

pub use error::SpecBuildError;
