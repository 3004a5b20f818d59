//! C. Its query, visibility rule and preprocessor also serve C++; the first two serve Objective-C.

pub(super) mod preprocessor;
pub(super) mod resolution;

use super::{BASE, Declaration, Language, UsageRules};
use kenning_model::{ChunkKind, Visibility};
use preprocessor::{without_export_macros, without_preprocessor};

/// Names that begin with two underscores belong to the compiler and its libraries.
pub(super) const USAGE: UsageRules = UsageRules { entry_prefixes: &["__"], ..UsageRules::MAIN };

pub static C: Language = Language {
    name: "c",
    extensions: &["c", "h"],
    grammar: || tree_sitter_c::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    visibility: hidden_by_static,
    prepare: Some(without_export_macros),
    simplify: &[without_preprocessor],
    usage: USAGE,
    generated_endings: &[".pb.h"],
    directory_stems: &["main"],
    resolution: &resolution::RULES,
    ..BASE
};

/// `static` keeps a name in its file, unless it is a member's.
pub fn hidden_by_static(declaration: &Declaration) -> Visibility {
    let is_member = declaration.within(&[ChunkKind::Class, ChunkKind::Struct]).is_some();
    if declaration.says(&["static"]) && !is_member {
        Visibility::Private
    } else {
        Visibility::Public
    }
}

#[cfg(test)]
mod tests;
