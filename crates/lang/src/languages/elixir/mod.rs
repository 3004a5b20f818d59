//! Elixir. Its definitions are calls of macros, such as `def`; `@doc` is the documentation above
//! them.

use super::{BASE, DeclarationHead, Language, TestFileNames, UsageRules};
use kenning_model::Visibility;

/// The language. Module attributes such as `@doc` register nothing.
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
        computed_names: &["apply(", "function_exported?"],
        attribute_openings: &["@"],
        harmless_attributes: &["deprecated", "doc", "moduledoc", "spec", "typedoc"],
        ..UsageRules::MAIN
    },
    test_files: TestFileNames { file_names: &["test_helper.exs"], ..TestFileNames::COMMON },
    ..BASE
};

/// The macro that defines a name decides: `defp` is private, `def` is public.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["defp", "defmacrop", "typep"]) {
        Visibility::Private
    } else {
        Visibility::Public
    }
}
