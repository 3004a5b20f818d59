//! Haskell. A signature represents its function; the equations after it belong to the same symbol.

use super::{BASE, Language, Nesting};

pub static HASKELL: Language = Language {
    name: "haskell",
    extensions: &["hs", "lhs"],
    interpreters: &["runghc", "runhaskell"],
    grammar: || tree_sitter_haskell::LANGUAGE.into(),
    query: include_str!("query.scm"),
    nesting: Nesting::Indentation,
    ..BASE
};
