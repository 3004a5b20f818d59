//! Markdown, by section. A section reaches to the next heading of its level, as the grammar nests
//! it.

use super::{BASE, Language, LanguageRole, Nesting};

/// The language. Lists nest by indentation, so the bounds for indentation apply.
pub static MARKDOWN: Language = Language {
    name: "markdown",
    extensions: &["md", "markdown", "mdx", "mdown"],
    role: LanguageRole::Prose,
    grammar: || tree_sitter_md::LANGUAGE.into(),
    query: include_str!("query.scm"),
    nesting: Nesting::Indentation,
    ..BASE
};
