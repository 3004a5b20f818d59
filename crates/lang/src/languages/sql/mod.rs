//! SQL: what it creates.

use super::{BASE, Language};

pub static SQL: Language = Language {
    name: "sql",
    extensions: &["sql", "ddl", "pgsql"],
    grammar: || tree_sitter_sequel::LANGUAGE.into(),
    query: include_str!("query.scm"),
    ..BASE
};
