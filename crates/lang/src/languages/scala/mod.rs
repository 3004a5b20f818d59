//! Scala 2 and 3. Version 3 may nest by indentation, so the bounds for indentation apply.

use super::{BASE, DeclarationHead, Language, Nesting, TestFileNames, UsageRules};
use kenning_model::Visibility;

/// The language. A named argument is parsed as an assignment.
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
    resolution: &super::java::resolution_rules::RULES,
    ..BASE
};

/// Reads the modifiers, also qualified ones such as `private[net]`; the default is public.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["private"]) {
        return Visibility::Private;
    }
    if declaration.has_word(&["protected"]) { Visibility::Internal } else { Visibility::Public }
}
