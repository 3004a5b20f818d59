//! Markdown, by section.

use super::{BASE, Language, Nesting, Role};

pub static MARKDOWN: Language = Language {
    name: "markdown",
    extensions: &["md", "markdown", "mdx", "mdown"],
    role: Role::Prose,
    grammar: || tree_sitter_md::LANGUAGE.into(),
    query: include_str!("query.scm"),
    nesting: Nesting::Indentation,
    ..BASE
};
