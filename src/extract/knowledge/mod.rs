//! Knowledge that people write down beside the code, as facts.

mod plugins;
mod skill;

pub use plugins::{
    InstalledPlugin, catalog_skills, enabled_plugins, installed_plugins, marketplace_locations,
};
pub use skill::{Finding, ParsedSkill, Severity, check_skill, frontmatter, parse_skill};
