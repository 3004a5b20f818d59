//! The description of a language: data and hooks, each with a default in [`BASE`]. A language
//! states only where it differs. A new hook goes here with a default, so that no other language
//! changes.

use super::expression_syntax::ExpressionSyntax;
use super::test_paths::TestFileNames;
use super::unused_rules::UsageRules;
use crate::code::FlatTree;
use kenning_model::{ChunkKind, Visibility};
use kenning_resolve::rules::{self, Rules};

/// One language. Every field is constant data or a function without captures, so that a language is
/// a `static` and needs no set-up.
pub struct Language {
    /// As shown to users and taken by filters: lower case.
    pub name: &'static str,
    /// File name extensions, in lower case and without the dot.
    pub extensions: &'static [&'static str],
    /// Other names that people write at code blocks of documents, beyond the extensions.
    pub aliases: &'static [&'static str],
    /// Whole file names.
    pub file_names: &'static [&'static str],
    /// The purpose of its files.
    pub role: LanguageRole,
    /// Programs of a first line such as `#!/usr/bin/env python3`, without version.
    pub interpreters: &'static [&'static str],
    /// For an extension that several languages share: returns true if the file, by its name and
    /// text, is of this one.
    pub claims_file: Option<fn(&str, &str) -> bool>,
    /// Returns the tree-sitter grammar.
    pub grammar: fn() -> tree_sitter::Language,
    /// The query. See `README.md` for the names of its captures.
    pub query: &'static str,
    /// Separators between the parts of a path.
    pub separators: &'static [&'static str],
    /// Kinds of argument nodes, each with the field that holds the argument's label.
    pub argument_labels: &'static [(&'static str, &'static str)],
    /// The mark between the name of a macro and its arguments. Empty if macros are called like
    /// functions, or if there are none.
    pub macro_mark: &'static str,
    /// Macros whose arguments may be items. `None` if the language has none.
    pub item_macros: Option<&'static ItemMacros>,
    /// Returns the visibility of a declaration.
    pub visibility: fn(&DeclarationHead) -> Visibility,
    /// Marks above or before the name of a definition that make it a test.
    pub test_marks: &'static [&'static str],
    pub nesting: Nesting,
    pub constructors: ConstructorNaming,
    pub variable_scope: VariableScope,
    /// Path segments between a type and a member assigned to it that have no meaning of their own:
    /// `prototype`.
    pub member_segments: &'static [&'static str],
    /// The sign before a name that is written as a value, `:` of `attr_reader :limit`. Empty if
    /// there is none.
    pub name_mark: &'static str,
    /// The keyword that may be captured with the name of a variable: `mut `. Empty if there is
    /// none.
    pub binding_modifier: &'static str,
    /// The name of a closure's unnamed parameter; empty if closures must name theirs.
    pub implicit_parameter: &'static str,
    /// Returns a text of the same length in which code is blanked that the grammar misreads or
    /// never gets past. `None` if there is none. It runs before every parse.
    pub prepare_source: Option<fn(&str) -> Option<String>>,
    /// For a text with errors: functions that return a simpler text of the same length. Each works
    /// on the result of the one before. The order is from the smallest change to the largest.
    pub simplifications: &'static [fn(&str) -> Option<String>],
    /// Reads a text without the grammar. `None` for a text that needs the grammar.
    pub read_without_grammar: Option<fn(&str) -> Option<FlatTree>>,
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
    /// Endings of files that only declare code that is defined elsewhere.
    pub declaration_endings: &'static [&'static str],
    /// Where else a definition may be declared again.
    pub redeclarations: Redeclarations,
    /// The rules of name resolution.
    pub resolution: &'static Rules,
    /// Stems of files that stand for their directory: `mod`, `index`, `__init__`.
    pub directory_stems: &'static [&'static str],
}

/// The nodes of a grammar by which macros with items as arguments are found.
pub struct ItemMacros {
    /// The kind of a macro call. Its first child is the name.
    pub call_kind: &'static str,
    /// The kind of its last child, the arguments with their brackets.
    pub arguments_kind: &'static str,
    /// The kinds, besides the root, whose children may be items or lists of items.
    pub holder_kinds: &'static [&'static str],
    /// The kinds of items.
    pub item_kinds: &'static [&'static str],
    /// The kinds of nodes that may stand between items.
    pub filler_kinds: &'static [&'static str],
    /// The sign that ends an item without a body. The last one in a macro may lack it.
    pub item_end: char,
    /// Rewrites text that almost parses as items, at the same length, so that it does. `None` if
    /// there are none.
    pub repair: fn(&str) -> Option<String>,
}

/// The ways in which one definition has several declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redeclarations {
    /// Two declarations of a name are two definitions.
    None,
    /// A function may have a prototype, mostly in another file, and a definition.
    Prototypes,
    /// Files of one directory may define a name once for each platform.
    Platforms,
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
pub enum LanguageRole {
    /// Source code, of programs and of pages.
    Program,
    /// Settings and data.
    Config,
    /// Texts for people.
    Prose,
}

/// The position from which on the name of a variable refers to it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum VariableScope {
    /// After the value: in `let x = x.read()`, the second `x` is another variable.
    AfterValue,
    /// From the declaration on: in `const x = open(() => x.close())`, both are the same variable.
    IncludesValue,
}

/// The naming rule for constructors. It decides if a method with the name of its type is one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ConstructorNaming {
    /// A method with the name of its type is a constructor.
    LikeType,
    /// Constructors have a keyword or are ordinary functions.
    Other,
}

/// The way a language nests blocks. It decides what may be too deep for its grammar.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Nesting {
    /// By brackets alone.
    Brackets,
    /// By columns as well. Such grammars keep a stack of indents in a buffer of fixed size, and
    /// some write past its end.
    Indentation,
}

/// The input of a language's visibility rule.
pub struct DeclarationHead<'t> {
    /// The text before the name.
    pub head: &'t str,
    pub name: &'t str,
    /// The kind and visibility of the enclosing definition.
    pub parent: Option<(ChunkKind, Visibility)>,
    /// The visibility label in force there, such as `private`. It precedes the declaration in the
    /// enclosing definition.
    pub section: Option<&'t str>,
}

impl DeclarationHead<'_> {
    /// True if one of `words` occurs before the name, as a whole word.
    pub fn has_word(&self, words: &[&str]) -> bool {
        let mut written = self.head.split(|c: char| !c.is_alphanumeric() && c != '_');
        written.any(|word| words.contains(&word))
    }

    /// Returns the visibility of the enclosing definition, if its kind is one of `kinds`.
    pub fn parent_visibility(&self, kinds: &[ChunkKind]) -> Option<Visibility> {
        let (kind, visibility) = self.parent?;
        kinds.contains(&kind).then_some(visibility)
    }
}

/// The defaults that most languages share. The grammar is a placeholder, which every language of
/// [`LANGS`](super::LANGS) replaces.
pub(super) const BASE: Language = Language {
    name: "",
    extensions: &[],
    aliases: &[],
    file_names: &[],
    role: LanguageRole::Program,
    interpreters: &[],
    claims_file: None,
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    query: "",
    separators: &["."],
    argument_labels: &[],
    macro_mark: "",
    item_macros: None,
    visibility: |_| Visibility::Public,
    test_marks: &[],
    nesting: Nesting::Brackets,
    constructors: ConstructorNaming::LikeType,
    variable_scope: VariableScope::AfterValue,
    member_segments: &[],
    name_mark: "",
    binding_modifier: "",
    implicit_parameter: "",
    prepare_source: None,
    simplifications: &[],
    read_without_grammar: None,
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
    redeclarations: Redeclarations::None,
    resolution: &rules::DEFAULT,
    directory_stems: &[],
};
