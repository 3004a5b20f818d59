//! PHP.

use super::{BASE, Declaration, Language};
use kenning_model::Visibility;

pub static PHP: Language = Language {
    name: "php",
    extensions: &["php", "phtml", "inc"],
    interpreters: &["php"],
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    query: include_str!("query.scm"),
    separators: &["\\"],
    labels: &[("argument", "name")],
    visibility,
    test_marks: &["#[Test]", "@test\n"],
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["private"]) {
        return Visibility::Private;
    }
    if declaration.says(&["protected"]) { Visibility::Internal } else { Visibility::Public }
}
