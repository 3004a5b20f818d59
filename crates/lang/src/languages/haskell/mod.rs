//! Haskell. A signature represents its function; the equations after it belong to the same symbol.
//! Every name counts as public, as export lists are not read.

use super::{BASE, Language, Nesting, TestFileNames, UsageRules};

/// The language. Layout decides nesting, so the bounds for indentation apply.
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
