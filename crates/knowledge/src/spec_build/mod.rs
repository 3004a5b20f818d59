//! Specs from the tree: where they lie, what they say, and the search index made of them.

mod build;
mod layout;
mod parse_files;

pub use build::{SpecBuild, SpecReport, build_spec_index, stamp_file};
pub use layout::{FoundSpec, SpecLayout};
pub use parse_files::{
    ChangeTree, ReadRules, SpecTree, StampedSpec, parse_all_changes, parse_all_specs, parse_specs,
};
