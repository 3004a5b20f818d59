//! Python. Doc strings are its doc comments; a leading underscore hides.

use super::{BASE, Declaration, Language, Nesting, Variables};
use kenning_model::Visibility;

pub static PYTHON: Language = Language {
    name: "python",
    extensions: &["py", "pyi", "pyw"],
    file_names: &["SConstruct", "SConscript", "wscript"],
    interpreters: &["python", "uv", "pypy"],
    grammar: || tree_sitter_python::LANGUAGE.into(),
    query: include_str!("query.scm"),
    labels: &[("keyword_argument", "name")],
    visibility,
    test_marks: &["@pytest."],
    nesting: Nesting::Indentation,
    variables: Variables::SeenInTheirValue,
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    let name = declaration.name;
    let is_special = name.starts_with("__") && name.ends_with("__");
    if name.starts_with('_') && !is_special { Visibility::Private } else { Visibility::Public }
}
