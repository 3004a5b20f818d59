//! CSS, by rule. SCSS and Less are read with the same grammar, as far as it goes.

use super::{BASE, Language};

/// The language. Selectors are names as a whole, so there are no separators.
pub static CSS: Language = Language {
    name: "css",
    extensions: &["css", "scss", "less"],
    grammar: || tree_sitter_css::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    minified_extensions: &["css"],
    ..BASE
};
