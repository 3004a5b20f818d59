//! Java. Without a modifier, a name is visible in its package. Members of interfaces and constants
//! of enums are as visible as the type around them.

pub(super) mod resolution_rules;

use super::{
    AnonymousImplementations, BASE, DeclarationHead, HeritageRules, Language, TestFileNames,
    UsageRules,
};
use kenning_model::{ChunkKind, Visibility};

/// The language. Annotations may register a definition, and `@Override` marks an override.
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
        // Serialization calls these, although they are private.
        entry_points: &[
            "readObject",
            "writeObject",
            "readResolve",
            "writeReplace",
            "readObjectNoData",
            "finalize",
            "premain",
            "agentmain",
        ],
        override_words: &["@Override"],
        computed_names: &["getDeclaredMethod", "getMethod(", "getMethods(", "MethodHandles"],
        registry_words: &["getSubTypesOf", "isAssignableFrom", "ClassPathScanning"],
        attribute_openings: &["@"],
        harmless_attributes: HARMLESS_ANNOTATIONS,
        ..UsageRules::MAIN
    },
    test_files: TestFileNames::CAMEL,
    directory_stems: &["main"],
    path_keywords: &["super"],
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// Reads the modifiers; without one, the enclosing interface or enum decides, else the package.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["public"]) {
        return Visibility::Public;
    }
    if declaration.has_word(&["private"]) {
        return Visibility::Private;
    }
    let outer = declaration.parent_visibility(&[ChunkKind::Interface, ChunkKind::Enum]);
    outer.filter(|_| !declaration.has_word(&["protected"])).unwrap_or(Visibility::Internal)
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
