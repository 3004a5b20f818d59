//! Markdown, by section.

use super::{BASE, Language, Nesting};

pub static MARKDOWN: Language = Language {
    name: "markdown",
    extensions: &["md", "markdown", "mdx", "mdown"],
    grammar: || tree_sitter_md::LANGUAGE.into(),
    query: include_str!("queries/markdown.scm"),
    nesting: Nesting::Indentation,
    ..BASE
};
