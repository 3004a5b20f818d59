//! The specs family: spox's four tools to the letter, and validation, changes and tracing. Every
//! operation but the search reads the files as they are now.

pub mod get_change;
pub mod get_scenario;
pub mod get_spec;
pub mod get_spec_requirements;
pub mod list_changes;
pub mod list_specs;
pub mod reply_parts;
pub mod resources;
pub mod search_specs;
pub mod specs_coverage;
pub mod trace;
pub mod validate_change;
pub mod validate_spec;

/// The hint for a repository without specs.
pub(super) const WHERE_THEY_LIVE: &str =
    "specs live in openspec/ or specs/; docs/specs.md says more";
