//! Zig. Names are private to their file unless `pub` or `export` precedes them.

use super::{BASE, DeclarationHead, Language, UsageRules};
use kenning_model::{ChunkKind, Visibility};

/// The language. A definition after the word `test` is a test.
pub static ZIG: Language = Language {
    name: "zig",
    extensions: &["zig", "zon"],
    grammar: || tree_sitter_zig::LANGUAGE.into(),
    query: include_str!("query.scm"),
    visibility,
    test_marks: &["test "],
    usage: UsageRules::MAIN,
    directory_stems: &["main"],
    ..BASE
};

/// Fields have no modifier and are as visible as their type.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    let is_declared = declaration.has_word(&["fn", "const", "var"]);
    let of_field = declaration
        .parent_visibility(&[ChunkKind::Struct, ChunkKind::Enum])
        .filter(|_| !is_declared);
    if declaration.has_word(&["pub", "export"]) {
        Visibility::Public
    } else {
        of_field.unwrap_or(Visibility::Private)
    }
}
