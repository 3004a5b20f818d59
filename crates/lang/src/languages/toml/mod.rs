//! TOML, by table.

use super::{BASE, Language, LanguageRole};

pub static TOML: Language = Language {
    name: "toml",
    extensions: &["toml"],
    role: LanguageRole::Config,
    grammar: || tree_sitter_toml_ng::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    ..BASE
};
