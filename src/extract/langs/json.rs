//! JSON, by entry of its outermost object.

use super::{BASE, Language};

pub static JSON: Language = Language {
    name: "json",
    extensions: &["json", "jsonc", "json5", "geojson", "webmanifest"],
    grammar: || tree_sitter_json::LANGUAGE.into(),
    query: include_str!("queries/json.scm"),
    separators: &[],
    ..BASE
};
