//! HTML, by element; what has an id is a section.

use super::{BASE, Language};

pub static HTML: Language = Language {
    name: "html",
    extensions: &["html", "htm", "xhtml", "vue", "svelte", "astro"],
    grammar: || tree_sitter_html::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    minified_extensions: &["html"],
    directory_stems: &["index"],
    ..BASE
};
