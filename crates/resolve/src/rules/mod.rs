//! The language rules of resolution, as data. Each family of languages that share their names has
//! one file and one line in [`ALL`]. Nothing else here knows any language.

mod ambiguous_names;
mod csharp;
mod default;
mod ecmascript;
mod go;
mod jvm;
mod php;
mod python;
mod rust;
mod swift;

use std::borrow::Cow;

use crate::modules::module_paths::Module;
use crate::resolver::{ResolvedTarget, Resolver};
use crate::symbol_table::file_symbols::FileSymbols;
use crate::symbol_table::{FileIndex, SymbolTable};
use kenning_model::{Reference, RepoPath};

/// The families. Languages that none of them names are read by common rules.
pub const ALL: &[&Rules] = &[
    &ecmascript::ECMASCRIPT,
    &rust::RUST,
    &python::PYTHON,
    &swift::SWIFT,
    &jvm::JVM,
    &go::GO,
    &csharp::CSHARP,
    &php::PHP,
    &default::C,
    &default::OTHER,
];

/// One family of languages that can use each other's definitions.
pub struct Rules {
    pub family: &'static str,
    /// As `extract` calls them; none for the common rules.
    pub languages: &'static [&'static str],
    /// The word for the object at hand, and for what its type inherits from.
    pub receivers: &'static [&'static str],
    pub supers: &'static [&'static str],
    /// Words for the type at hand.
    pub self_type_names: &'static [&'static str],
    /// Names of members that are constructors.
    pub constructors: &'static [&'static str],
    pub member_access: MemberAccess,
    pub implicit_scope: ImplicitScope,
    /// Directories below which directories are packages: the same package may lie below several.
    pub source_roots: &'static [&'static str],
    pub resolve_module: fn(&SymbolTable, FileIndex, &str) -> Option<Module>,
    /// The name that an import brings into its file.
    pub local_name: fn(&Reference) -> Option<&str>,
    /// Resolves an import.
    pub resolve_import: fn(&Resolver, FileIndex, &Reference) -> Option<ResolvedTarget>,
    /// Finds a module of this name within a target, beyond its definitions and re-exports.
    pub find_submodule: fn(&Resolver, &ResolvedTarget, &str) -> Option<ResolvedTarget>,
    /// The names of the list type and of the map type.
    pub list: &'static str,
    pub map: &'static str,
    /// The part of a value that a pattern on its left binds.
    pub pattern_binding: PatternBinding,
    /// Types whose members are those of their argument.
    pub wrapper_types: &'static [&'static str],
    /// Types that are what their argument, a function, gives back.
    pub return_type_operators: &'static [&'static str],
    /// Known results of library methods: type (empty for any), method, and the type argument that
    /// comes back.
    pub flows: &'static [(&'static str, &'static str, Flow)],
    /// Methods of a library's type that give a closure the second argument of the type, and not one of
    /// what it holds: type and method.
    pub second_argument_closures: &'static [(&'static str, &'static str)],
    /// Functions of a type that return a value of it, even if a derive or a library defines them.
    pub factory_functions: &'static [&'static str],
    /// Functions of the language that give back what they are given, or the same in another order.
    pub identity_functions: &'static [&'static str],
    /// Methods that every program calls on things that are not its own: never linked by name alone.
    pub ambiguous_names: &'static [&'static str],
    /// The same for what the language's own library has, which says as little of whose it is.
    pub is_library_name: fn(&str) -> bool,
    /// The role of argument labels: part of a name, or optional.
    pub argument_labels: ArgumentLabels,
    /// Tells if code imports every foreign name. If so, an unknown name belongs to a library.
    pub import_policy: ImportPolicy,
    /// Signature words that mark a function as a getter, which is read like a field.
    pub getter_markers: &'static [&'static str],
    /// The member that calling a value calls.
    pub call_member: &'static str,
    /// The symbol that a construction resolves to: the type or its constructor.
    pub construction_target: ConstructionTarget,
    /// The meaning of several definitions of one name in one place.
    pub overload_merging: OverloadMerging,
    /// The relation between a type and its bases.
    pub inheritance: Inheritance,
    /// How a type comes to fulfil an interface.
    pub interface_typing: InterfaceTyping,
    /// How a file says what it gives to others.
    pub export_style: ExportStyle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberAccess {
    /// Members need the word for the object before them.
    Explicit,
    /// A bare name may be a member of the type around it.
    Implicit,
}

/// The definitions beyond the file that code can use without an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImplicitScope {
    File,
    Directory,
    /// Definitions in the same namespace, in any directory.
    Namespace,
    /// All that the package graph allows.
    Package,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The type itself.
    Same,
    /// Its first, its second, its last argument.
    First,
    Second,
    Last,
    /// A list of these.
    ListOfFirst,
    ListOfLast,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternBinding {
    /// Members of that name.
    Members,
    /// The type inside a wrapper such as `Option`.
    Unwrapped,
    /// The value that Python's `with` binds: the result of entering the context manager.
    ContextManager,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentLabels {
    PartOfName,
    Optional,
}

/// The symbol that compilers record for a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstructionTarget {
    Type,
    /// The constructor, where one is declared.
    Constructor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverloadMerging {
    /// Each is a function of its own.
    Distinct,
    /// They declare one function.
    Merged,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportPolicy {
    Complete,
    Partial,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inheritance {
    /// A type is what it names as its base.
    Subtyping,
    /// A type has what it names as its base; only traits are kinds of traits.
    Traits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterfaceTyping {
    /// By naming it.
    Nominal,
    /// By having what it asks for.
    Structural,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportStyle {
    /// The definitions at the top of the file.
    TopLevel,
    /// Those, and the members that the file assigns to `exports`.
    Assigned,
}

/// The rules that most languages share.
pub const BASE: Rules = Rules {
    family: "",
    languages: &[],
    receivers: &["this", "self"],
    supers: &["super", "base", "parent"],
    self_type_names: &["Self"],
    constructors: &["constructor", "init", "initialize", "__init__", "__construct"],
    member_access: MemberAccess::Implicit,
    implicit_scope: ImplicitScope::Package,
    source_roots: &[],
    resolve_module: |_, _, _| None,
    local_name: |import| Some(import.labels.first().unwrap_or(&import.name)),
    resolve_import: |_, _, _| None,
    find_submodule: |_, _, _| None,
    list: "Array",
    map: "Map",
    pattern_binding: PatternBinding::Unwrapped,
    wrapper_types: &[],
    return_type_operators: &[],
    flows: &[],
    second_argument_closures: &[],
    factory_functions: &[],
    identity_functions: &[],
    ambiguous_names: ambiguous_names::COMMON,
    is_library_name: |_| false,
    argument_labels: ArgumentLabels::Optional,
    import_policy: ImportPolicy::Partial,
    getter_markers: &[],
    call_member: "",
    construction_target: ConstructionTarget::Constructor,
    overload_merging: OverloadMerging::Distinct,
    inheritance: Inheritance::Subtyping,
    interface_typing: InterfaceTyping::Nominal,
    export_style: ExportStyle::TopLevel,
};

impl Rules {
    /// Returns the key shared by files that see each other without an import: a namespace or a
    /// directory.
    pub fn visibility_key<'f>(&self, file: &'f FileSymbols) -> Cow<'f, str> {
        match self.implicit_scope {
            ImplicitScope::Namespace => Cow::Owned(file.namespace()),
            _ => Cow::Borrowed(self.package_directory(&file.path)),
        }
    }

    fn package_directory<'p>(&self, path: &'p RepoPath) -> &'p str {
        let directory = path.as_str().rsplit_once('/').map_or("", |(home, _)| home);
        let mut from = 0;
        let mut home = directory;
        for segment in directory.split('/') {
            from += segment.len() + 1;
            if self.source_roots.contains(&segment) {
                home = directory.get(from..).unwrap_or_default();
            }
        }
        home
    }
}

/// The rules for a language, by its name.
pub fn for_language(language: &str) -> &'static Rules {
    let known = ALL.iter().find(|rules| rules.languages.contains(&language));
    known.copied().unwrap_or(&default::OTHER)
}
