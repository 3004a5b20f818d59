//! Knowledge that people write down beside the code, as facts.

mod change;
mod claude_plugins;
mod markdown;
mod skill;
mod spec;

pub use change::{parse_document, parse_tasks, skips_specs};
pub use claude_plugins::{
    InstalledPlugin, catalog_skills, enabled_plugins, installed_plugins, manifest_skills,
    marketplace_locations,
};
pub use skill::{Finding, ParsedSkill, Severity, check_skill, frontmatter, parse_skill};
pub use spec::parse_spec;
