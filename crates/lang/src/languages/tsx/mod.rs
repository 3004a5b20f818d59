//! TSX: TypeScript with elements (JSX) in it.

use super::javascript::{EXPRESSIONS, using_renamed};
use super::typescript::usage::USAGE;
use super::typescript::visibility;
use super::{BASE, Language, Variables};

pub static TSX: Language = Language {
    name: "tsx",
    extensions: &["tsx"],
    grammar: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    query: concat!(
        include_str!("../typescript/query.scm"),
        include_str!("../javascript/ecmascript.scm"),
        include_str!("query.scm")
    ),
    visibility,
    variables: Variables::SeenInTheirValue,
    simplify: &[using_renamed],
    expressions: EXPRESSIONS,
    usage: USAGE,
    directory_stems: &["index", "main"],
    path_keywords: &["super"],
    resolution: &super::javascript::resolution::RULES,
    ..BASE
};
