//! Ruby. A bare `private` hides the methods that follow it; before a method, it hides only that
//! one.

mod resolution_rules;

use super::{BASE, DeclarationHead, Language, TestFileNames, UsageRules};
use kenning_model::Visibility;

/// The language. Build files of several tools are Ruby without an extension.
pub static RUBY: Language = Language {
    name: "ruby",
    extensions: &["rb", "rake", "gemspec", "ru", "podspec", "jbuilder", "thor"],
    file_names: &[
        "Gemfile",
        "Rakefile",
        "Podfile",
        "Fastfile",
        "Vagrantfile",
        "Guardfile",
        "Appfile",
    ],
    interpreters: &["ruby", "rake"],
    grammar: || tree_sitter_ruby::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &["::"],
    name_mark: ":",
    argument_labels: &[("pair", "key")],
    visibility,
    test_files: TestFileNames {
        file_names: &["test_helper.rb", "spec_helper.rb"],
        ..TestFileNames::COMMON
    },
    path_keywords: &["self", "super"],
    resolution: &resolution_rules::RULES,
    usage: UsageRules {
        entry_points: HOOKS,
        computed_names: &["send(", "send ", "method(", "instance_methods", "private_methods"],
        registry_words: &["inherited", "subclasses", "descendants", "const_get", "constants"],
        ..UsageRules::NONE
    },
    ..BASE
};

/// Methods that the runtime calls.
const HOOKS: &[&str] = &[
    "initialize",
    "initialize_copy",
    "initialize_dup",
    "initialize_clone",
    "method_missing",
    "respond_to_missing?",
    "inherited",
    "included",
    "extended",
    "prepended",
    "const_missing",
    "method_added",
    "singleton_method_added",
    "marshal_dump",
    "marshal_load",
    "coerce",
    "to_s",
    "to_str",
    "to_ary",
    "to_proc",
    "inspect",
    "each",
    "hash",
    "encode_with",
    "init_with",
];

/// `protected` counts as private: both keep callers outside of the class away.
fn visibility(declaration: &DeclarationHead) -> Visibility {
    let is_private = declaration.has_word(&["private", "protected"])
        || matches!(declaration.section, Some("private" | "protected"));
    if declaration.name.starts_with('_') || is_private {
        Visibility::Private
    } else {
        Visibility::Public
    }
}
