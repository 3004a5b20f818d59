//! Haskell. A signature stands for its function; the equations after it are the same symbol's.

use super::{BASE, Language, Nesting};

pub static HASKELL: Language = Language {
    name: "haskell",
    extensions: &["hs", "lhs"],
    interpreters: &["runghc", "runhaskell"],
    grammar: || tree_sitter_haskell::LANGUAGE.into(),
    query: include_str!("queries/haskell.scm"),
    nesting: Nesting::Indentation,
    ..BASE
};
