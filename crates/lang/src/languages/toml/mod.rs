//! TOML, by table.

use super::{BASE, Language, Role};

pub static TOML: Language = Language {
    name: "toml",
    extensions: &["toml"],
    role: Role::Config,
    grammar: || tree_sitter_toml_ng::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    ..BASE
};
