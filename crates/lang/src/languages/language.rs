//! The description of a language: data and hooks, each with a default in [`BASE`].

use super::expression::ExpressionSyntax;
use super::test_paths::TestFileNames;
use super::usage::UsageRules;
use crate::code::Flat;
use kenning_model::{ChunkKind, Visibility};

/// One language.
pub struct Language {
    /// As shown to users and taken by filters: lower case.
    pub name: &'static str,
    /// File name extensions, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// Other names that people write at code blocks of documents, beyond the extensions.
    pub aliases: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    pub role: Role,
    /// Programs of a first line such as `#!/usr/bin/env python3`, without version.
    pub interpreters: &'static [&'static str],
    /// For an extension that several languages share: whether this file, by name and text, is of
    /// this one.
    pub claims: Option<fn(&str, &str) -> bool>,
    pub grammar: fn() -> tree_sitter::Language,
    /// The query. See `README.md` for the names of its captures.
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
    /// The keyword that may be captured with the name of a variable: `mut `. Empty if there is none.
    pub binding_modifier: &'static str,
    /// The name of a closure's unnamed parameter; empty if closures must name theirs.
    pub implicit: &'static str,
    /// A text of the same length without what the grammar takes for something else, or never gets over.
    pub prepare: Option<fn(&str) -> Option<String>>,
    /// For a text that the grammar cannot read: texts of the same length that it may, each made of the
    /// one before, from what changes least to what changes most.
    pub simplify: &'static [fn(&str) -> Option<String>],
    /// Reads what needs no grammar; `None` of what does.
    pub read: Option<fn(&str) -> Option<Flat>>,
    pub expressions: ExpressionSyntax,
    /// Words at the start of a qualified name that name no module or type: `crate`, `self`.
    pub path_keywords: &'static [&'static str],
    /// The word for the module itself in a list of imports: `self` in `use a::{self, b}`. Empty if
    /// there is none.
    pub self_import: &'static str,
    pub heritage: HeritageRules,
    pub library_interfaces: Option<LibraryInterfaces>,
    pub usage: UsageRules,
    pub test_files: TestFileNames,
    /// Endings of file names that generators write.
    pub generated_endings: &'static [&'static str],
    /// Extensions of files that are often minified.
    pub minified_extensions: &'static [&'static str],
    /// Extensions of files that are mostly settings, although the language is one of programs.
    pub settings_extensions: &'static [&'static str],
    /// Endings of files that only declare code that is elsewhere.
    pub declaration_endings: &'static [&'static str],
    /// Stems of files that stand for their directory: `mod`, `index`, `__init__`.
    pub directory_stems: &'static [&'static str],
}

/// The rules by which types of a language extend others.
#[derive(Clone, Copy)]
pub struct HeritageRules {
    /// True if implementing an interface does not imply its bases. Each is implemented separately,
    /// and a separate block is the direct form.
    pub has_separate_implementations: bool,
    /// True if a library may find the subtypes of its types, by reflection or by a registry.
    pub libraries_find_subtypes: bool,
    /// True if an override must have the argument labels of what it overrides.
    pub overrides_keep_labels: bool,
    pub anonymous_implementations: AnonymousImplementations,
}

/// How the index sees implementations of an interface that have no name: anonymous classes and
/// lambdas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnonymousImplementations {
    /// The language has none, or they are rare.
    Rare,
    /// Anonymous classes are symbols with a placeholder name; lambdas are not indexed.
    Symbols,
    /// An anonymous class is only a call of the interface's name; lambdas are not indexed.
    Calls,
}

/// Interfaces of a standard library that types fulfil without naming them.
#[derive(Clone, Copy)]
pub struct LibraryInterfaces {
    /// The library, as a message names it.
    pub library: &'static str,
    /// Returns the qualified name of the first interface that has this name without its package.
    pub qualify: fn(&str) -> Option<&'static str>,
    /// Returns the methods that an interface requires, as the language writes them. The name is
    /// qualified by its package.
    pub methods_of: fn(&str) -> Option<&'static [&'static str]>,
    /// Splits a method as written into its name and the types of its parameters.
    pub split_method: fn(&str) -> (&str, Vec<&str>),
    /// True if two types as written are the same.
    pub is_same_type: fn(&str, &str) -> bool,
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
pub(super) const BASE: Language = Language {
    name: "",
    extensions: &[],
    aliases: &[],
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
    binding_modifier: "",
    implicit: "",
    prepare: None,
    simplify: &[],
    read: None,
    expressions: ExpressionSyntax::PLAIN,
    path_keywords: &[],
    self_import: "",
    heritage: HeritageRules {
        has_separate_implementations: false,
        libraries_find_subtypes: true,
        overrides_keep_labels: false,
        anonymous_implementations: AnonymousImplementations::Rare,
    },
    library_interfaces: None,
    usage: UsageRules::NONE,
    test_files: TestFileNames::COMMON,
    generated_endings: &[],
    minified_extensions: &[],
    settings_extensions: &[],
    declaration_endings: &[],
    directory_stems: &[],
};
