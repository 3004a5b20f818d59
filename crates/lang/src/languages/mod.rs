//! The languages that Kenning reads, as data: one folder each, with its grammar, query, rules and
//! fixtures, and one line in [`LANGS`]. [`code`](super::code) reads files by them.

mod bash;
mod c;
mod cpp;
mod csharp;
mod css;
mod dart;
mod elixir;
mod go;
mod haskell;
mod html;
mod java;
mod javascript;
mod json;
mod kotlin;
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
mod yaml;
mod zig;

pub use test_paths::is_test_path;

use super::code::Flat;
use kenning_model::{ChunkKind, RepoPath, Visibility};

/// Every language. Where two claim a file, the first wins.
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

/// One language.
pub struct Language {
    /// As shown to users and taken by filters: lower case.
    pub name: &'static str,
    /// File name extensions, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    pub role: Role,
    /// Programs of a first line such as `#!/usr/bin/env python3`, without version.
    pub interpreters: &'static [&'static str],
    /// For an extension that several languages share: whether this file, by name and text, is of
    /// this one.
    pub claims: Option<fn(&str, &str) -> bool>,
    pub grammar: fn() -> tree_sitter::Language,
    /// See `README.md` for the names of its captures.
    pub query: &'static str,
    /// Separators between the parts of a path.
    pub separators: &'static [&'static str],
    /// Kinds of argument nodes, each with the field that holds the argument's label.
    pub labels: &'static [(&'static str, &'static str)],
    /// The mark between the name of a macro and its arguments. Empty if macros are called like
    /// functions, or if there are none.
    pub macro_mark: &'static str,
    pub visibility: fn(&Declaration) -> Visibility,
    /// Marks above or before the name of a definition that make it a test.
    pub test_marks: &'static [&'static str],
    pub nesting: Nesting,
    pub constructors: Constructors,
    pub variables: Variables,
    /// Path segments between a type and a member assigned to it that have no meaning of their own:
    /// `prototype`.
    pub members_of: &'static [&'static str],
    /// The name of a closure's unnamed parameter; empty if closures must name theirs.
    pub implicit: &'static str,
    /// A text of the same length without what the grammar takes for something else, or never gets over.
    pub prepare: Option<fn(&str) -> Option<String>>,
    /// For a text that the grammar cannot read: texts of the same length that it may, each made of the
    /// one before, from what changes least to what changes most.
    pub simplify: &'static [fn(&str) -> Option<String>],
    /// Reads what needs no grammar; `None` of what does.
    pub read: Option<fn(&str) -> Option<Flat>>,
}

/// The purpose of the files of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Source code, of programs and of pages.
    Program,
    /// Settings and data.
    Config,
    /// Texts for people.
    Prose,
}

/// From where on the name of a variable means it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Variables {
    /// In `let x = x.read()` the second is another.
    SeenAfterTheirValue,
    /// In `const x = open(() => x.close())` it is the same.
    SeenInTheirValue,
}

/// The naming rule for constructors. It decides if a method with the name of its type is one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Constructors {
    NamedLikeTypes,
    NamedOtherwise,
}

/// How a language nests, and so what may be too deep for its grammar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Nesting {
    Brackets,
    /// By columns as well. Such grammars keep a stack of indents in a buffer of fixed size, and
    /// some write past its end.
    Indentation,
}

/// The input of a language's visibility rule.
pub struct Declaration<'t> {
    /// The text before the name.
    pub head: &'t str,
    pub name: &'t str,
    /// The kind and visibility of the enclosing definition.
    pub parent: Option<(ChunkKind, Visibility)>,
    /// The visibility label in force there, such as `private`. It precedes the declaration in the
    /// enclosing definition.
    pub section: Option<&'t str>,
}

impl Declaration<'_> {
    /// True if one of `words` is before the name.
    pub fn says(&self, words: &[&str]) -> bool {
        let mut written = self.head.split(|c: char| !c.is_alphanumeric() && c != '_');
        written.any(|word| words.contains(&word))
    }

    /// Returns the visibility of the enclosing definition, if that is of one of these kinds.
    pub fn within(&self, kinds: &[ChunkKind]) -> Option<Visibility> {
        let (kind, visibility) = self.parent?;
        kinds.contains(&kind).then_some(visibility)
    }
}

/// The defaults that most languages share.
const BASE: Language = Language {
    name: "",
    extensions: &[],
    file_names: &[],
    role: Role::Program,
    interpreters: &[],
    claims: None,
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    query: "",
    separators: &["."],
    labels: &[],
    macro_mark: "",
    visibility: |_| Visibility::Public,
    test_marks: &[],
    nesting: Nesting::Brackets,
    constructors: Constructors::NamedLikeTypes,
    variables: Variables::SeenAfterTheirValue,
    members_of: &[],
    implicit: "",
    prepare: None,
    simplify: &[],
    read: None,
};

/// The language of a file, by its name, else by its first line.
pub fn of(path: &RepoPath, text: &str) -> Option<&'static Language> {
    let file_name = path.file_name();
    let extension = file_name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
    let by_name = |language: &&&Language| {
        let is_named = language.file_names.contains(&file_name);
        let is_typed = extension.as_deref().is_some_and(|e| language.extensions.contains(&e));
        is_named || is_typed && language.claims.is_none_or(|claims| claims(file_name, text))
    };
    let named = LANGS.iter().find(by_name);
    let found = named.or_else(|| {
        let program = interpreter(text)?;
        LANGS.iter().find(|language| language.interpreters.contains(&program))
    });
    found.copied()
}

/// The role of a file by its name alone; `None` if it is of no language.
pub fn role(path: &RepoPath) -> Option<Role> {
    let name = path.file_name();
    let extension = name.rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
    let language = LANGS.iter().find(|language| {
        let is_typed = extension.as_deref().is_some_and(|e| language.extensions.contains(&e));
        is_typed || language.file_names.contains(&name)
    });
    language.map(|language| language.role)
}

/// True if a text names a file of some language, such as `src/url.rs`, and nothing that a file
/// defines. A member in capitals, as in `Context.JSON`, is no ending.
pub fn is_file_name(text: &str) -> bool {
    text.trim().rsplit_once('.').is_some_and(|(_, extension)| {
        let mut languages = LANGS.iter();
        languages.any(|language| language.extensions.contains(&extension))
    })
}

/// `python` of `#!/usr/bin/env -S python3.12 -u`.
fn interpreter(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace().filter(|word| !word.starts_with('-'));
    let mut program = words.next()?.rsplit('/').next()?;
    if program == "env" {
        program = words.find(|word| !word.contains('='))?.rsplit('/').next()?;
    }
    Some(program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod grammar_gaps;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::fixture_path;
