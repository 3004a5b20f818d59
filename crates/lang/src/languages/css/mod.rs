//! CSS, by rule.

use super::{BASE, Language};

pub static CSS: Language = Language {
    name: "css",
    extensions: &["css", "scss", "less"],
    grammar: || tree_sitter_css::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    minified_extensions: &["css"],
    ..BASE
};
