//! Ruby. What follows `private` is not known to be so: only the word before a method counts.

use super::{BASE, Declaration, Language};
use crate::model::Visibility;

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
    query: include_str!("queries/ruby.scm"),
    separators: &["::"],
    labels: &[("pair", "key")],
    visibility,
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    match declaration.name.starts_with('_') || declaration.says(&["private", "protected"]) {
        true => Visibility::Private,
        false => Visibility::Public,
    }
}
