//! Resolution rules of Dart: the names that its core library uses.

use kenning_resolve::rules::{BASE, LibraryRules, Rules, SyntaxRules};

/// Method names of the core library that few other libraries use.
const LIBRARY_METHODS: &[&str] = &[
    "endsWith",
    "forEach",
    "indexOf",
    "isEmpty",
    "startsWith",
    "substring",
    "toList",
    "toLowerCase",
    "toString",
    "toUpperCase",
];

/// The rules of Dart.
pub static RULES: Rules = Rules {
    syntax: SyntaxRules {
        type_modifiers: &["const", "covariant", "extends", "final", "late", "required", "static"],
        ..SyntaxRules::COMMON
    },
    library: LibraryRules { future_types: &["Future", "FutureOr"], ..LibraryRules::NONE },
    is_library_name: |name| LIBRARY_METHODS.contains(&name),
    ..BASE
};
