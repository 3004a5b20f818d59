//! YAML, by entry of its outermost mapping.

use super::{BASE, Language, LanguageRole, Nesting};

pub static YAML: Language = Language {
    name: "yaml",
    extensions: &["yaml", "yml"],
    role: LanguageRole::Config,
    grammar: || tree_sitter_yaml::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    nesting: Nesting::Indentation,
    ..BASE
};
