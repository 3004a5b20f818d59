//! Go. A method's scope is the type of its receiver; a capital letter exports.

use super::{BASE, Constructors, Declaration, Language};
use kenning_model::Visibility;

pub static GO: Language = Language {
    name: "go",
    extensions: &["go"],
    grammar: || tree_sitter_go::LANGUAGE.into(),
    query: include_str!("query.scm"),
    visibility: exported_by_capital,
    constructors: Constructors::NamedOtherwise,
    ..BASE
};

fn exported_by_capital(declaration: &Declaration) -> Visibility {
    if declaration.name.starts_with(char::is_uppercase) {
        Visibility::Public
    } else {
        Visibility::Internal
    }
}
