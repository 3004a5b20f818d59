//! Elixir. Its definitions are calls; `@doc` is the documentation above them.

use super::{BASE, Declaration, Language};
use kenning_model::Visibility;

pub static ELIXIR: Language = Language {
    name: "elixir",
    extensions: &["ex", "exs"],
    interpreters: &["elixir"],
    grammar: || tree_sitter_elixir::LANGUAGE.into(),
    query: include_str!("query.scm"),
    visibility,
    test_marks: &["test ", "describe "],
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["defp", "defmacrop", "typep"]) {
        Visibility::Private
    } else {
        Visibility::Public
    }
}
