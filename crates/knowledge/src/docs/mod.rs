//! Parsers for knowledge that people write down beside the code: OpenSpec specs and changes,
//! `SKILL.md` files, and Claude Code's plugin files.
//!
//! All of them take text and return facts plus problems. They do no I/O and decide nothing:
//! validation and search live in the modules beside this one.

mod claude_plugins;
mod markdown;
mod openspec_change;
mod skill;
mod spec;

pub use claude_plugins::{
    InstalledPlugin, parse_catalog_skills, parse_enabled_plugins, parse_installed_plugins,
    parse_manifest_skills, parse_marketplace_locations,
};
pub use openspec_change::{parse_document, parse_tasks, skips_specs};
pub use skill::{ParsedSkill, Severity, SkillFinding, check_skill, parse_frontmatter, parse_skill};
pub use spec::parse_spec;
