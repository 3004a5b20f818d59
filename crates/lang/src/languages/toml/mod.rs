//! TOML, by table. Dots in keys are part of the name, so there are no separators.

use super::{BASE, Language, LanguageRole};

/// The language of many manifests and settings.
pub static TOML: Language = Language {
    name: "toml",
    extensions: &["toml"],
    role: LanguageRole::Config,
    grammar: || tree_sitter_toml_ng::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    ..BASE
};
