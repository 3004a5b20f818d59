//! Java.

use super::{
    AnonymousImplementations, BASE, Declaration, HeritageRules, Language, TestFileNames, UsageRules,
};
use kenning_model::{ChunkKind, Visibility};

pub static JAVA: Language = Language {
    name: "java",
    extensions: &["java"],
    interpreters: &["java"],
    grammar: || tree_sitter_java::LANGUAGE.into(),
    query: include_str!("query.scm"),
    visibility,
    test_marks: &["@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory"],
    heritage: HeritageRules {
        anonymous_implementations: AnonymousImplementations::Symbols,
        ..BASE.heritage
    },
    usage: UsageRules {
        placeholder_names: &["new"],
        override_words: &["@Override"],
        attribute_openings: &["@"],
        harmless_attributes: HARMLESS_ANNOTATIONS,
        ..UsageRules::MAIN
    },
    test_files: TestFileNames::CAMEL,
    directory_stems: &["main"],
    path_keywords: &["super"],
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["public"]) {
        return Visibility::Public;
    }
    if declaration.says(&["private"]) {
        return Visibility::Private;
    }
    let outer = declaration.within(&[ChunkKind::Interface, ChunkKind::Enum]);
    outer.filter(|_| !declaration.says(&["protected"])).unwrap_or(Visibility::Internal)
}

/// Annotations that do not register a definition with a caller. `@interface` declares one.
const HARMLESS_ANNOTATIONS: &[&str] = &[
    "CheckReturnValue",
    "Contract",
    "Deprecated",
    "FunctionalInterface",
    "Immutable",
    "Nonnull",
    "NotNull",
    "Nullable",
    "NullMarked",
    "Override",
    "SafeVarargs",
    "SuppressWarnings",
    "ThreadSafe",
    "VisibleForTesting",
    "interface",
];
