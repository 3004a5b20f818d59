//! Specs from the tree: where they lie, what they say, and the search index made of them.

mod build;
mod layout;
mod parse_files;

pub use build::{SpecBuild, SpecReport, build, stamp};
pub use layout::{FoundSpec, Layout};
pub use parse_files::{
    ChangeTree, ReadRules, SpecTree, Stamped, parse_all_changes, parse_all_specs, parse_specs,
};
