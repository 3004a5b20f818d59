//! Specs, changes and agent skills: parsing, validation, the search index of specs, and ranking.
//!
//! - [`docs`] parses files into facts. It does no I/O.
//! - [`spec_build`] finds the spec files of a repository and builds their index.
//! - [`spec_index_file`] is the file format of that index.
//! - [`specs`] and [`skills`] answer questions on parsed facts.

pub mod docs;
mod error;
pub mod skills;
pub mod spec_build;
pub mod spec_index_file;
pub mod specs;

pub use error::SpecBuildError;
