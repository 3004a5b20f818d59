//! YAML, by entry of its outermost mapping. It nests by indentation, so the bounds for indentation
//! apply.

use super::{BASE, Language, LanguageRole, Nesting};

/// The language of many settings and pipelines.
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
