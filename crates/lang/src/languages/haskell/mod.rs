//! Haskell. A signature represents its function; the equations after it belong to the same symbol.

use super::{BASE, Language, Nesting, TestFileNames, UsageRules};

pub static HASKELL: Language = Language {
    name: "haskell",
    extensions: &["hs", "lhs"],
    interpreters: &["runghc", "runhaskell"],
    grammar: || tree_sitter_haskell::LANGUAGE.into(),
    query: include_str!("query.scm"),
    nesting: Nesting::Indentation,
    usage: UsageRules::MAIN,
    test_files: TestFileNames::CAMEL,
    directory_stems: &["main"],
    ..BASE
};
