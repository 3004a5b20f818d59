//! YAML, by entry of its outermost mapping.

use super::{BASE, Language, Nesting, Role};

pub static YAML: Language = Language {
    name: "yaml",
    extensions: &["yaml", "yml"],
    role: Role::Config,
    grammar: || tree_sitter_yaml::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    nesting: Nesting::Indentation,
    ..BASE
};
