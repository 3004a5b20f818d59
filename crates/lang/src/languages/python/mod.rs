//! Python. Doc strings are its doc comments; a leading underscore hides a name by convention.

mod resolution_rules;

use super::{BASE, DeclarationHead, Language, Nesting, TestFileNames, UsageRules, VariableScope};
use kenning_model::Visibility;

/// The language. It nests by indentation, and decorators may register a definition.
pub static PYTHON: Language = Language {
    name: "python",
    extensions: &["py", "pyi", "pyw"],
    file_names: &["SConstruct", "SConscript", "wscript"],
    interpreters: &["python", "uv", "pypy"],
    grammar: || tree_sitter_python::LANGUAGE.into(),
    query: include_str!("query.scm"),
    argument_labels: &[("keyword_argument", "name")],
    visibility,
    test_marks: &["@pytest."],
    nesting: Nesting::Indentation,
    variable_scope: VariableScope::IncludesValue,
    usage: UsageRules {
        // `setup` is called by documentation generators, bots and test runners.
        entry_points: &["setup"],
        entry_prefixes: &["__"],
        attribute_openings: &["@"],
        harmless_attributes: HARMLESS_DECORATORS,
        computed_names: &["getattr(", "globals()", "locals()", "vars(", "__dict__", "getmembers("],
        registry_words: &["__subclasses__", "__init_subclass__", "metaclass"],
        ..UsageRules::MAIN
    },
    test_files: TestFileNames {
        file_names: &["conftest.py"],
        prefixes: &["test_"],
        ..TestFileNames::COMMON
    },
    generated_endings: &["_pb2.py", "_pb2_grpc.py", "_pb2.pyi"],
    declaration_endings: &[".pyi"],
    directory_stems: &["__init__", "main"],
    path_keywords: &["self", "super"],
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// A leading underscore is private, except in special names such as `__init__`.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    let name = declaration.name;
    let is_special = name.starts_with("__") && name.ends_with("__");
    if name.starts_with('_') && !is_special { Visibility::Private } else { Visibility::Public }
}

/// Decorators that do not register a function or class with a caller.
const HARMLESS_DECORATORS: &[&str] = &[
    "abstractmethod",
    "asynccontextmanager",
    "cache",
    "cached_property",
    "classmethod",
    "contextmanager",
    "dataclass",
    "deleter",
    "deprecated",
    "final",
    "lru_cache",
    "no_type_check",
    "overload",
    "property",
    "runtime_checkable",
    "setter",
    "staticmethod",
    "total_ordering",
    "unique",
    "wraps",
];
