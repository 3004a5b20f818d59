//! Ruby. A bare `private` hides the methods that follow it, before a method that one.

mod resolution;

use super::{BASE, Declaration, Language, TestFileNames};
use kenning_model::Visibility;

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
    labels: &[("pair", "key")],
    visibility,
    test_files: TestFileNames {
        whole: &["test_helper.rb", "spec_helper.rb"],
        ..TestFileNames::COMMON
    },
    path_keywords: &["self", "super"],
    resolution: &resolution::RULES,
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    let is_private = declaration.says(&["private", "protected"])
        || matches!(declaration.section, Some("private" | "protected"));
    if declaration.name.starts_with('_') || is_private {
        Visibility::Private
    } else {
        Visibility::Public
    }
}
