//! Kotlin.

use super::{BASE, Declaration, Language};
use crate::model::Visibility;

pub static KOTLIN: Language = Language {
    name: "kotlin",
    extensions: &["kt", "kts"],
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    query: include_str!("queries/kotlin.scm"),
    visibility,
    test_marks: &["@Test", "@ParameterizedTest"],
    implicit: "it",
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["private"]) {
        return Visibility::Private;
    }
    match declaration.says(&["internal", "protected"]) {
        true => Visibility::Internal,
        false => Visibility::Public,
    }
}
