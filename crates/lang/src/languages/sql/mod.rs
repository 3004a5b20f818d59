//! SQL: the tables, columns, views, types, functions and indexes that it creates.

use super::{BASE, Language};

/// The language. The defaults fit it.
pub static SQL: Language = Language {
    name: "sql",
    extensions: &["sql", "ddl", "pgsql"],
    grammar: || tree_sitter_sequel::LANGUAGE.into(),
    query: include_str!("query.scm"),
    ..BASE
};
