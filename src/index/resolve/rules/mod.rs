//! What resolution has to know of a language, as data: a file and a line in [`ALL`] for each family
//! of languages that share their names. Nothing else here knows any language.

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

use super::file_symbols::File;
use super::module_paths::Module;
use super::resolver::{ResolvedTarget, Resolver};
use super::symbol_table::{FileIndex, World};
use crate::model::{Reference, RepoPath};

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
    /// What a member that constructs is called.
    pub constructors: &'static [&'static str],
    pub members: Members,
    pub reach: Reach,
    /// Directories below which directories are packages: the same package may lie below several.
    pub source_roots: &'static [&'static str],
    pub module: fn(&World, FileIndex, &str) -> Option<Module>,
    /// The name that an import brings into its file.
    pub local_name: fn(&Reference) -> Option<&str>,
    /// What an import means.
    pub imported: fn(&Resolver, FileIndex, &Reference) -> Option<ResolvedTarget>,
    /// What a file gives to others beyond what it defines and passes on: modules within it.
    pub within: fn(&Resolver, &ResolvedTarget, &str) -> Option<ResolvedTarget>,
    /// What lists and tables are called.
    pub list: &'static str,
    pub map: &'static str,
    /// What a pattern on the left of a value takes.
    pub patterns: Patterns,
    /// Types whose members are those of their argument.
    pub wrappers: &'static [&'static str],
    /// Types that are what their argument, a function, gives back.
    pub results: &'static [&'static str],
    /// What comes out of well-known methods: type (empty for any), method, and which argument of
    /// the type comes back.
    pub flows: &'static [(&'static str, &'static str, Flow)],
    /// Methods of a library's type that give a closure the second argument of the type, and not one of
    /// what it holds: type and method.
    pub given_second: &'static [(&'static str, &'static str)],
    /// Functions of a type that make a value of it, whoever wrote them.
    pub makers: &'static [&'static str],
    /// Functions of the language that give back what they are given, or the same in another order.
    pub copies: &'static [&'static str],
    /// Methods that every program calls on things that are not its own: never linked by name alone.
    pub common: &'static [&'static str],
    /// The same for what the language's own library has, which says as little of whose it is.
    pub is_of_library: fn(&str) -> bool,
    /// Whether argument labels are part of a name.
    pub labels: Labels,
    /// Whether an unknown name must have come from elsewhere, because everything is imported.
    pub imports: Imports,
    /// What says in a signature that a function is read as if it were a field.
    pub getters: &'static [&'static str],
    /// The member that calling a value calls.
    pub call_member: &'static str,
    /// What constructing a value leads to.
    pub constructed: Constructed,
    /// What several definitions of one name in one place are.
    pub overloads: Overloads,
    /// Whether what types inherit is theirs as well.
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

/// What can be used without an import, beyond the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    File,
    Directory,
    /// What is in the same namespace, wherever it lies.
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
    /// What is wrapped.
    Inside,
    /// What `with` gives: what the value enters as.
    Entered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Labels {
    PartOfName,
    Optional,
}

/// What compilers take a construction for.
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
    /// What stands at its top.
    Defined,
    /// That, and what it assigns to `exports`.
    Assigned,
}

/// What most languages have in common.
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
    /// What files have in common that see each other without an import.
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
