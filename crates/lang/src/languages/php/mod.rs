//! PHP. Names are public unless a modifier says otherwise; `\` separates namespaces.

mod resolution_rules;

use super::{
    BASE, DeclarationHead, ExpressionSyntax, Language, SkippedSign, TestFileNames, UsageRules,
};
use kenning_model::Visibility;

/// The language. Arguments may be named, and attributes may register a definition.
pub static PHP: Language = Language {
    name: "php",
    extensions: &["php", "phtml", "inc"],
    interpreters: &["php"],
    grammar: || tree_sitter_php::LANGUAGE_PHP.into(),
    query: include_str!("query.scm"),
    separators: &["\\"],
    argument_labels: &[("argument", "name")],
    visibility,
    test_marks: &["#[Test]", "@test\n"],
    // The `?` of `$a?->b` and the `$` of `A::$b` are no parts of a name.
    expressions: ExpressionSyntax {
        skipped_signs: &[
            SkippedSign { after: "", sign: '?', before: "->" },
            SkippedSign { after: "::", sign: '$', before: "" },
        ],
        ..ExpressionSyntax::PLAIN
    },
    // Magic methods, such as `__get`.
    usage: UsageRules {
        entry_prefixes: &["__"],
        attribute_openings: &["#["],
        harmless_attributes: &["Deprecated", "Pure", "ReturnTypeWillChange"],
        computed_names: &[
            "call_user_func",
            "method_exists(",
            "get_class_methods(",
            "->$",
            "->{",
            "::$",
            "ReflectionMethod",
            "getMethods(",
        ],
        registry_words: &["get_declared_classes", "is_subclass_of", "ReflectionClass"],
        ..UsageRules::NONE
    },
    test_files: TestFileNames::CAMEL,
    directory_stems: &["index"],
    path_keywords: &["self"],
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// Reads the modifiers; the default is public.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.has_word(&["private"]) {
        return Visibility::Private;
    }
    if declaration.has_word(&["protected"]) { Visibility::Internal } else { Visibility::Public }
}
