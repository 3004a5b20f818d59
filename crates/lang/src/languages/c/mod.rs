//! C. Its query, visibility rule and preprocessor also serve C++; the first two serve Objective-C.
//! A header is read as C only if neither of these two claims it.

pub(super) mod preprocessor;
pub(super) mod resolution;

use super::{BASE, DeclarationHead, Language, UsageRules};
use kenning_model::{ChunkKind, Visibility};
use preprocessor::{blank_export_macros, blank_preprocessor};

/// Names that begin with two underscores belong to the compiler and its libraries.
pub(super) const USAGE: UsageRules = UsageRules { entry_prefixes: &["__"], ..UsageRules::MAIN };

/// The language. It comes after C++ and Objective-C in the registry, which share its headers.
pub static C: Language = Language {
    name: "c",
    extensions: &["c", "h"],
    grammar: || tree_sitter_c::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    visibility: static_visibility,
    prepare_source: Some(blank_export_macros),
    simplifications: &[blank_preprocessor],
    usage: USAGE,
    generated_endings: &[".pb.h"],
    directory_stems: &["main"],
    resolution: &resolution::RULES,
    ..BASE
};

/// Returns private for a `static` name, which stays in its file. For a member, `static` means
/// something else.
pub fn static_visibility(declaration: &DeclarationHead) -> Visibility {
    let is_member = declaration.parent_visibility(&[ChunkKind::Class, ChunkKind::Struct]).is_some();
    if declaration.has_word(&["static"]) && !is_member {
        Visibility::Private
    } else {
        Visibility::Public
    }
}

#[cfg(test)]
mod tests;
