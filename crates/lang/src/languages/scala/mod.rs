//! Scala 2 and 3.

use super::{BASE, Declaration, Language, Nesting};
use kenning_model::Visibility;

pub static SCALA: Language = Language {
    name: "scala",
    extensions: &["scala", "sc", "sbt"],
    grammar: || tree_sitter_scala::LANGUAGE.into(),
    query: include_str!("query.scm"),
    labels: &[("assignment_expression", "left")],
    visibility,
    test_marks: &["@Test"],
    nesting: Nesting::Indentation,
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["private"]) {
        return Visibility::Private;
    }
    if declaration.says(&["protected"]) { Visibility::Internal } else { Visibility::Public }
}
