//! Dart. A leading underscore hides a name from other libraries; there are no keywords for it.

mod resolution_rules;

use super::{BASE, DeclarationHead, Language, UsageRules};
use kenning_model::Visibility;

/// The language. Generators write `.g.dart` and `.freezed.dart`.
pub static DART: Language = Language {
    name: "dart",
    extensions: &["dart"],
    interpreters: &["dart"],
    grammar: || tree_sitter_dart::LANGUAGE.into(),
    query: include_str!("query.scm"),
    argument_labels: &[("named_argument", "name")],
    visibility,
    usage: UsageRules {
        attribute_openings: &["@"],
        harmless_attributes: &[
            "deprecated",
            "immutable",
            "internal",
            "pragma",
            "protected",
            "visibleForTesting",
        ],
        ..UsageRules::MAIN
    },
    generated_endings: &[".g.dart", ".freezed.dart"],
    directory_stems: &["main"],
    path_keywords: &["super"],
    resolution: &resolution_rules::RULES,
    ..BASE
};

/// A leading underscore is private.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    if declaration.name.starts_with('_') { Visibility::Private } else { Visibility::Public }
}
