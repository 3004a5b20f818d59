//! From the tree to the spec index: `layout` finds the files, `parse_files` reads them, `build`
//! writes the index.

mod build;
mod layout;
mod parse_files;

pub use build::{SpecBuild, SpecReport, build_spec_index, stamp_file};
pub use layout::{FoundSpec, SpecLayout};
pub use parse_files::{
    ChangeTree, ReadRules, SpecTree, StampedSpec, parse_all_changes, parse_all_specs, parse_specs,
};
