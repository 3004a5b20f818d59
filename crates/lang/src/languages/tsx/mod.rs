//! TSX: TypeScript with elements (JSX) in it. It has a grammar of its own, because `<T>x` is a cast
//! in TypeScript and an element here. Everything else is shared.

use super::javascript::{EXPRESSIONS, rename_using};
use super::typescript::unused_rules::USAGE;
use super::typescript::visibility;
use super::{BASE, Language, VariableScope};

/// The language: the rules of TypeScript with the query for elements.
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
    variable_scope: VariableScope::IncludesValue,
    simplifications: &[rename_using],
    expressions: EXPRESSIONS,
    usage: USAGE,
    directory_stems: &["index", "main"],
    path_keywords: &["super"],
    resolution: &super::javascript::resolution_rules::RULES,
    ..BASE
};
