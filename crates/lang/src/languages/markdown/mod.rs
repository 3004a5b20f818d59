//! Markdown, by section.

use super::{BASE, Language, LanguageRole, Nesting};

pub static MARKDOWN: Language = Language {
    name: "markdown",
    extensions: &["md", "markdown", "mdx", "mdown"],
    role: LanguageRole::Prose,
    grammar: || tree_sitter_md::LANGUAGE.into(),
    query: include_str!("query.scm"),
    nesting: Nesting::Indentation,
    ..BASE
};
