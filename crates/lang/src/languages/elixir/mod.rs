//! Elixir. Its definitions are calls; `@doc` is the documentation above them.

use super::{BASE, Declaration, Language, TestFileNames, UsageRules};
use kenning_model::Visibility;

pub static ELIXIR: Language = Language {
    name: "elixir",
    extensions: &["ex", "exs"],
    interpreters: &["elixir"],
    grammar: || tree_sitter_elixir::LANGUAGE.into(),
    query: include_str!("query.scm"),
    visibility,
    test_marks: &["test ", "describe "],
    // `main` starts a script; a behaviour such as GenServer calls `init`.
    usage: UsageRules {
        entry_points: &["init"],
        attribute_openings: &["@"],
        harmless_attributes: &["deprecated", "doc", "moduledoc", "spec", "typedoc"],
        ..UsageRules::MAIN
    },
    test_files: TestFileNames { whole: &["test_helper.exs"], ..TestFileNames::COMMON },
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["defp", "defmacrop", "typep"]) {
        Visibility::Private
    } else {
        Visibility::Public
    }
}
