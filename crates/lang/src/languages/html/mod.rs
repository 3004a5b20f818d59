//! HTML, by element; an element with an id is a section. Component files of web frameworks are read
//! by their markup.

use super::{BASE, Language};

/// The language. An `index` file represents its directory.
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
