//! Protocol Buffers: messages, services and enums. Code that is generated from them is skipped by
//! its file name, as its own language says.

use super::{BASE, Language};

/// The language. The defaults fit it.
pub static PROTO: Language = Language {
    name: "proto",
    extensions: &["proto"],
    grammar: || tree_sitter_proto::LANGUAGE.into(),
    query: include_str!("query.scm"),
    ..BASE
};
