//! Scala 2 and 3.

use super::{BASE, DeclarationHead, Language, Nesting, TestFileNames, UsageRules};
use kenning_model::Visibility;

pub static SCALA: Language = Language {
    name: "scala",
    extensions: &["scala", "sc", "sbt"],
    grammar: || tree_sitter_scala::LANGUAGE.into(),
    query: include_str!("query.scm"),
    argument_labels: &[("assignment_expression", "left")],
    visibility,
    test_marks: &["@Test"],
    nesting: Nesting::Indentation,
    usage: UsageRules {
        override_words: &["override"],
        attribute_openings: &["@"],
        harmless_attributes: &["deprecated", "inline", "SuppressWarnings", "tailrec", "throws"],
        ..UsageRules::MAIN
    },
    test_files: TestFileNames::CAMEL,
    directory_stems: &["main"],
    path_keywords: &["super"],
    ..BASE
};

fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["private"]) {
        return Visibility::Private;
    }
    if declaration.has_word(&["protected"]) { Visibility::Internal } else { Visibility::Public }
}
