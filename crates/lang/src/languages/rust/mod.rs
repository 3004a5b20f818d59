//! Rust. An `impl` block is an extension of its type. The arguments of macros are parsed only if
//! they are items; receivers in others are read from the text.

mod item_macros;
mod module_tree;
mod resolution_rules;
#[cfg(test)]
mod tests;
mod unused_rules;

use super::{BASE, DeclarationHead, HeritageRules, Language, TestFileNames};
use kenning_model::{ChunkKind, Visibility};

/// The language. Macros are called with `!`, and several attributes mark tests.
pub static RUST: Language = Language {
    name: "rust",
    extensions: &["rs"],
    interpreters: &["rust-script"],
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &["::"],
    macro_mark: "!",
    item_macros: Some(&item_macros::ITEM_MACROS),
    visibility,
    test_marks: &["#[test]", "#[cfg(test)]", "::test]", "::test(", "#[rstest", "#[test_case"],
    binding_modifier: "mut ",
    path_keywords: &["crate", "self", "super"],
    self_import: "self",
    heritage: HeritageRules {
        has_separate_implementations: true,
        // An `impl` registers nothing with the library of its trait.
        libraries_find_subtypes: false,
        ..BASE.heritage
    },
    usage: unused_rules::USAGE,
    test_files: TestFileNames { stems: &["test", "tests"], ..TestFileNames::COMMON },
    directory_stems: &["mod", "lib", "main"],
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// Reads `pub`; restricted forms such as `pub(crate)` are internal. Members of traits, enums and
/// impls are as visible as what encloses them.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    let head = declaration.head.trim_start();
    if head.starts_with("pub(") {
        return Visibility::Internal;
    }
    if head.starts_with("pub") || head.contains(" pub ") {
        return Visibility::Public;
    }
    if head.starts_with("impl") || head.starts_with("unsafe impl") {
        // The implementation of a trait is as visible as the trait, and counts as public.
        return if head.contains(" for ") { Visibility::Public } else { Visibility::Private };
    }
    let outer = [ChunkKind::Trait, ChunkKind::Enum, ChunkKind::Extension];
    declaration.parent_visibility(&outer).unwrap_or(Visibility::Private)
}
