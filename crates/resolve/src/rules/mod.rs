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
use crate::symbol_table::file_symbols::File;
use crate::symbol_table::{FileIndex, World};
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
    pub own_types: &'static [&'static str],
    /// Names of members that are constructors.
    pub constructors: &'static [&'static str],
    pub members: Members,
    pub reach: Reach,
    /// Directories below which directories are packages: the same package may lie below several.
    pub source_roots: &'static [&'static str],
    pub module: fn(&World, FileIndex, &str) -> Option<Module>,
    /// The name that an import brings into its file.
    pub local_name: fn(&Reference) -> Option<&str>,
    /// Resolves an import.
    pub imported: fn(&Resolver, FileIndex, &Reference) -> Option<ResolvedTarget>,
    /// Finds a module of this name within a target, beyond its definitions and re-exports.
    pub within: fn(&Resolver, &ResolvedTarget, &str) -> Option<ResolvedTarget>,
    /// The names of the list type and of the map type.
    pub list: &'static str,
    pub map: &'static str,
    /// The part of a value that a pattern on its left binds.
    pub patterns: Patterns,
    /// Types whose members are those of their argument.
    pub wrappers: &'static [&'static str],
    /// Types that are what their argument, a function, gives back.
    pub results: &'static [&'static str],
    /// Known results of library methods: type (empty for any), method, and the type argument that
    /// comes back.
    pub flows: &'static [(&'static str, &'static str, Flow)],
    /// Methods of a library's type that give a closure the second argument of the type, and not one of
    /// what it holds: type and method.
    pub given_second: &'static [(&'static str, &'static str)],
    /// Functions of a type that return a value of it, even if a derive or a library defines them.
    pub makers: &'static [&'static str],
    /// Functions of the language that give back what they are given, or the same in another order.
    pub copies: &'static [&'static str],
    /// Methods that every program calls on things that are not its own: never linked by name alone.
    pub common: &'static [&'static str],
    /// The same for what the language's own library has, which says as little of whose it is.
    pub is_of_library: fn(&str) -> bool,
    /// The role of argument labels: part of a name, or optional.
    pub labels: Labels,
    /// Tells if code imports every foreign name. If so, an unknown name belongs to a library.
    pub imports: Imports,
    /// Signature words that mark a function as a getter, which is read like a field.
    pub getters: &'static [&'static str],
    /// The member that calling a value calls.
    pub call_member: &'static str,
    /// The symbol that a construction resolves to: the type or its constructor.
    pub constructed: Constructed,
    /// The meaning of several definitions of one name in one place.
    pub overloads: Overloads,
    /// The relation between a type and its bases.
    pub heritage: Inheritance,
    /// How a type comes to fulfil an interface.
    pub interfaces: Interfaces,
    /// How a file says what it gives to others.
    pub exports: Exports,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// Members need the word for the object before them.
    Explicit,
    /// A bare name may be a member of the type around it.
    Implicit,
}

/// The definitions beyond the file that code can use without an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
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
pub enum Patterns {
    /// Members of that name.
    Members,
    /// The type inside a wrapper such as `Option`.
    Inside,
    /// The value that Python's `with` binds: the result of entering the context manager.
    Entered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    PartOfName,
    Optional,
}

/// The symbol that compilers record for a construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constructed {
    Type,
    /// The constructor, where one is declared.
    Constructor,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overloads {
    /// Each is a function of its own.
    Several,
    /// They declare one function.
    One,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Imports {
    Everything,
    Something,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inheritance {
    /// A type is what it names as its base.
    Subtyping,
    /// A type has what it names as its base; only traits are kinds of traits.
    Traits,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interfaces {
    /// By naming it.
    Named,
    /// By having what it asks for.
    Structural,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exports {
    /// The definitions at the top of the file.
    Defined,
    /// Those, and the members that the file assigns to `exports`.
    Assigned,
}

/// The rules that most languages share.
pub const BASE: Rules = Rules {
    family: "",
    languages: &[],
    receivers: &["this", "self"],
    supers: &["super", "base", "parent"],
    own_types: &["Self"],
    constructors: &["constructor", "init", "initialize", "__init__", "__construct"],
    members: Members::Implicit,
    reach: Reach::Package,
    source_roots: &[],
    module: |_, _, _| None,
    local_name: |import| Some(import.labels.first().unwrap_or(&import.name)),
    imported: |_, _, _| None,
    within: |_, _, _| None,
    list: "Array",
    map: "Map",
    patterns: Patterns::Inside,
    wrappers: &[],
    results: &[],
    flows: &[],
    given_second: &[],
    makers: &[],
    copies: &[],
    common: ambiguous_names::COMMON,
    is_of_library: |_| false,
    labels: Labels::Optional,
    imports: Imports::Something,
    getters: &[],
    call_member: "",
    constructed: Constructed::Constructor,
    overloads: Overloads::Several,
    heritage: Inheritance::Subtyping,
    interfaces: Interfaces::Named,
    exports: Exports::Defined,
};

impl Rules {
    /// Returns the key shared by files that see each other without an import: a namespace or a
    /// directory.
    pub fn home<'f>(&self, file: &'f File) -> Cow<'f, str> {
        match self.reach {
            Reach::Namespace => Cow::Owned(file.namespace()),
            _ => Cow::Borrowed(self.directory(&file.path)),
        }
    }

    fn directory<'p>(&self, path: &'p RepoPath) -> &'p str {
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
pub fn of(language: &str) -> &'static Rules {
    let known = ALL.iter().find(|rules| rules.languages.contains(&language));
    known.copied().unwrap_or(&default::OTHER)
}
