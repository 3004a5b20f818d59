//! The languages that Kenning reads, as data: one folder each, with its grammar, query, rules and
//! fixtures, and one line in [`LANGS`]. [`code`](super::code) reads files by them.
//!
//! A language's name occurs only in its own folder. Everything else asks the hooks of [`Language`].
//!
//! ```
//! use kenning_lang::languages::{by_alias, detect_language};
//! use kenning_model::RepoPath;
//!
//! let script = RepoPath::new("bin/run").unwrap();
//! let language = detect_language(&script, "#!/bin/sh\n").unwrap();
//! assert_eq!(by_alias("shell").unwrap().name, language.name);
//! ```

mod bash;
mod c;
mod cpp;
mod csharp;
mod css;
mod dart;
mod elixir;
mod expression_syntax;
mod go;
mod haskell;
mod html;
mod java;
mod javascript;
mod json;
mod kotlin;
mod language;
mod lua;
mod markdown;
mod objc;
mod php;
mod proto;
mod python;
mod ruby;
mod rust;
mod scala;
mod source_patch;
mod sql;
mod swift;
mod test_paths;
mod toml;
mod tsx;
mod typescript;
mod unused_rules;
mod yaml;
mod zig;

pub use expression_syntax::{ExpressionSyntax, KeptArgument, SkippedSign};
pub use language::{
    AnonymousImplementations, ConstructorNaming, DeclarationHead, HeritageRules, ItemMacros,
    Language, LanguageRole, LibraryInterfaces, Nesting, Redeclarations, VariableScope,
};
pub use test_paths::{TestFileNames, is_test_path};
pub use unused_rules::{DefinitionContext, UsageRules};

use kenning_model::RepoPath;
use kenning_resolve::rules::{self, Rules};
use language::BASE;

/// Every language. If two claim a file, the first wins.
pub const LANGS: &[&Language] = &[
    &swift::SWIFT,
    &rust::RUST,
    &typescript::TYPESCRIPT,
    &tsx::TSX,
    &javascript::JAVASCRIPT,
    &python::PYTHON,
    &go::GO,
    &java::JAVA,
    &objc::OBJC,
    &cpp::CPP,
    &c::C,
    &kotlin::KOTLIN,
    &csharp::CSHARP,
    &ruby::RUBY,
    &php::PHP,
    &scala::SCALA,
    &elixir::ELIXIR,
    &haskell::HASKELL,
    &lua::LUA,
    &bash::BASH,
    &zig::ZIG,
    &dart::DART,
    &markdown::MARKDOWN,
    &json::JSON,
    &yaml::YAML,
    &toml::TOML,
    &html::HTML,
    &css::CSS,
    &sql::SQL,
    &proto::PROTO,
];

/// Returns the language of a file: by its name, else by the interpreter in its first line.
pub fn detect_language(path: &RepoPath, text: &str) -> Option<&'static Language> {
    let file_name = path.file_name();
    let extension = lowercase_extension(file_name);
    let by_name = |language: &&&Language| {
        let is_named = language.file_names.contains(&file_name);
        let is_typed = extension.as_deref().is_some_and(|e| language.extensions.contains(&e));
        is_named || is_typed && language.claims_file.is_none_or(|claims| claims(file_name, text))
    };
    let named = LANGS.iter().find(by_name);
    let found = named.or_else(|| {
        let program = interpreter_name(text)?;
        LANGS.iter().find(|language| language.interpreters.contains(&program))
    });
    found.copied()
}

/// Returns the language of this name.
pub fn by_name(name: &str) -> Option<&'static Language> {
    LANGS.iter().copied().find(|language| language.name == name)
}

/// Returns the resolution rules of a language by its name.
pub fn resolution_rules(name: &str) -> &'static Rules {
    by_name(name).map_or(&rules::DEFAULT, |language| language.resolution)
}

/// Returns the language that people mean by this word at a code block: its name, an extension or an
/// alias, in any case.
pub fn by_alias(word: &str) -> Option<&'static Language> {
    let word = word.to_lowercase();
    let is_so = |language: &&Language| {
        let mut words = language.extensions.iter().chain(language.aliases);
        words.any(|known| *known == word)
    };
    by_name(&word).or_else(|| LANGS.iter().copied().find(is_so))
}

/// Returns the language of this name, or one with the default rules if there is none.
pub fn rules_by_name(name: &str) -> &'static Language {
    static DEFAULT: Language = BASE;
    by_name(name).unwrap_or(&DEFAULT)
}

/// Returns the language of a file by its name alone. If several claim it, the first wins.
pub fn by_path(path: &RepoPath) -> Option<&'static Language> {
    let name = path.file_name();
    let extension = lowercase_extension(name);
    LANGS.iter().copied().find(|language| {
        let is_typed = extension.as_deref().is_some_and(|e| language.extensions.contains(&e));
        is_typed || language.file_names.contains(&name)
    })
}

/// Returns the role of a file by its name alone; `None` if it is of no language.
pub fn role_by_path(path: &RepoPath) -> Option<LanguageRole> {
    by_path(path).map(|language| language.role)
}

/// The extension of a file name, in lower case.
fn lowercase_extension(file_name: &str) -> Option<String> {
    file_name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase())
}

/// Extensions of prose without a language here.
const PROSE_EXTENSIONS: &[&str] = &["rst", "adoc", "txt"];

/// True if people write such a file for people, by its name.
pub fn is_prose(path: &RepoPath) -> bool {
    let extension = lowercase_extension(path.file_name());
    role_by_path(path) == Some(LanguageRole::Prose)
        || extension.is_some_and(|extension| PROSE_EXTENSIONS.contains(&extension.as_str()))
}

/// True if the files of a language with this name are prose. A text of no language counts as prose.
pub fn is_prose_language(name: &str) -> bool {
    by_name(name).is_none_or(|language| language.role == LanguageRole::Prose)
}

/// True if a file only declares code that is elsewhere, by its name.
pub fn is_declaration_file(path: &RepoPath) -> bool {
    let mut endings = LANGS.iter().flat_map(|language| language.declaration_endings);
    endings.any(|end| path.as_str().ends_with(end))
}

/// True if a file of this stem represents its directory in some language, in any case of letters.
pub fn is_directory_stem(stem: &str) -> bool {
    let mut stems = LANGS.iter().flat_map(|language| language.directory_stems);
    stems.any(|known| known.eq_ignore_ascii_case(stem))
}

/// True if a file holds mostly settings although its language is one of programs, by its name.
pub fn is_settings_file(path: &RepoPath) -> bool {
    lowercase_extension(path.file_name()).is_some_and(|extension| {
        let mut extensions = LANGS.iter().flat_map(|language| language.settings_extensions);
        extensions.any(|known| *known == extension)
    })
}

/// True if a text looks like the name of a file, such as `src/url.rs`. A member in capitals, as in
/// `Context.JSON`, is not an extension.
pub fn is_file_name(text: &str) -> bool {
    text.trim().rsplit_once('.').is_some_and(|(_, extension)| {
        let mut languages = LANGS.iter();
        languages.any(|language| language.extensions.contains(&extension))
    })
}

/// The program of a `#!` line without its version: `python` of `#!/usr/bin/env -S python3.12 -u`.
fn interpreter_name(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().filter(|word| !word.starts_with('-'));
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.contains('='))?.rsplit('/').next()?;
    }
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::fixture_path;
