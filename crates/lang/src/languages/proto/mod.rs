//! Protocol Buffers.

use super::{BASE, Language};

pub static PROTO: Language = Language {
    name: "proto",
    extensions: &["proto"],
    grammar: || tree_sitter_proto::LANGUAGE.into(),
    query: include_str!("query.scm"),
    ..BASE
};
