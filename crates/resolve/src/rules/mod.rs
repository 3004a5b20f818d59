//! The rules of each language, as data.
//!
//! Languages that can use each other's definitions form a family. The folder of a language holds
//! its rules, which override the fields of [`BASE`] in which it differs. Nothing here names a
//! language.

mod common_method_names;
mod library_rules;
mod syntax_rules;

use std::borrow::Cow;

use crate::modules::module_table::Module;
use crate::resolver::{ResolvedTarget, Resolver};
use crate::symbol_table::file_symbols::FileSymbols;
use crate::symbol_table::{FileIndex, SymbolTable};
use kenning_model::{Reference, RepoPath, Symbol};

pub use library_rules::LibraryRules;
pub use syntax_rules::{CallText, ContainerShape, SpecialCall, SyntaxRules};

/// One family of languages that can use each other's definitions.
pub struct Rules {
    /// The name of the family, whose files can use each other. A language without a family (`""`)
    /// can only use itself.
    pub family: &'static str,
    /// Words for the receiver of a method: `self`, `this`.
    pub receivers: &'static [&'static str],
    /// The receiver of methods of the type itself: `cls`. Empty if there is none.
    pub type_receiver: &'static str,
    /// Words for the supertype of the receiver: `super`, `base`.
    pub supers: &'static [&'static str],
    /// Words for the type around a position: `Self`.
    pub self_type_names: &'static [&'static str],
    /// Names of members that are constructors.
    pub constructors: &'static [&'static str],
    /// The way in which code names members of the type around it.
    pub member_access: MemberAccess,
    /// The definitions of other files that are visible without an import.
    pub implicit_scope: ImplicitScope,
    /// Source roots: the path below one is the package. One package may be below several roots.
    pub source_roots: &'static [&'static str],
    /// Resolves a module name, as seen from a file.
    pub resolve_module: fn(&SymbolTable, FileIndex, &str) -> Option<Module>,
    /// Returns the local name that an import introduces.
    pub local_name: fn(&Reference) -> Option<&str>,
    /// Resolves an import.
    pub resolve_import: fn(&Resolver, FileIndex, &Reference) -> Option<ResolvedTarget>,
    /// Finds a submodule of a target by name. It is asked after definitions, and before re-exports.
    pub find_submodule: fn(&Resolver, &ResolvedTarget, &str) -> Option<ResolvedTarget>,
    /// The name of the list type.
    pub list: &'static str,
    /// The name of the map type.
    pub map: &'static str,
    /// The part of a value that a pattern binds.
    pub pattern_binding: PatternBinding,
    /// The syntax that not every language has.
    pub syntax: SyntaxRules,
    /// The types and functions of the standard library that are known by name.
    pub library: LibraryRules,
    /// Library types that have the members of their first type argument.
    pub wrapper_types: &'static [&'static str],
    /// Type operators that yield the result of their argument, a function: `ReturnType`.
    pub return_type_operators: &'static [&'static str],
    /// Results of well-known library methods: type (empty for any), method, and result.
    pub flows: &'static [(&'static str, &'static str, Flow)],
    /// Library methods that pass the second type argument to their closure, and not an element:
    /// type and method.
    pub second_argument_closures: &'static [(&'static str, &'static str)],
    /// Marks of a variadic parameter in a signature.
    pub variadic_markers: &'static [&'static str],
    /// The mark of a parameter that is the receiver of an extension: `this `. Empty if there is
    /// none.
    pub receiver_parameter_mark: &'static str,
    /// Words in place of a type that leave the type to inference.
    pub inferred_type_words: &'static [&'static str],
    /// The associated type whose members a type has as well. Empty if there is none.
    pub deref_target: &'static str,
    /// Associated functions that return a value of their type, even if a derive or a library
    /// defines them.
    pub factory_functions: &'static [&'static str],
    /// Library functions that return their argument, or its elements in another order.
    pub identity_functions: &'static [&'static str],
    /// Method names that most libraries have. They are never resolved by name alone.
    pub ambiguous_names: &'static [&'static str],
    /// True for method names of the standard library, which are never resolved by name alone
    /// either.
    pub is_library_name: fn(&str) -> bool,
    /// The role of argument labels: part of a name, or optional.
    pub argument_labels: ArgumentLabels,
    /// Tells whether code imports every foreign name. If so, an unknown name belongs to a library.
    pub import_policy: ImportPolicy,
    /// Signature words that mark a function as a getter, which is read like a field.
    pub getter_markers: &'static [&'static str],
    /// The member that a call of a value calls: `__call__`. Empty if there is none.
    pub call_member: &'static str,
    /// The method of a type that constructs it: `new`. Empty if types are constructed otherwise.
    pub construct_method: &'static str,
    /// The symbol that a construction resolves to: the type or its constructor.
    pub construction_target: ConstructionTarget,
    /// The meaning of several definitions of one name in one place.
    pub overload_merging: OverloadMerging,
    /// The relation between a type and its bases.
    pub inheritance: Inheritance,
    /// True if a signature is that of a block with a type's implementation of a trait:
    /// `impl Display for Page`. Members that a type has by itself hide those in it.
    pub is_trait_implementation: fn(&str) -> bool,
    /// The comparison of method sets, if a type implements an interface by having its methods.
    /// `None` if it must name the interface in a heritage clause.
    pub structural_interfaces: Option<StructuralInterfaces>,
    /// The way in which a file exports definitions.
    pub export_style: ExportStyle,
    /// First segments of paths into the standard library: `std`.
    pub library_roots: &'static [&'static str],
    /// Paths through a tree of modules, if the language has them.
    pub module_tree: Option<ModuleTree>,
    /// True if macros have a namespace of their own.
    pub has_macro_namespace: bool,
    /// True if an extension declares its type parameters itself, and has not those of its type.
    pub extensions_declare_type_params: bool,
    /// True if variants of an enum may have named fields, which patterns bind.
    pub has_variant_fields: bool,
    /// The source of a type's element type, when a loop iterates over it.
    pub iteration: Protocol,
    /// The source of the result type of awaiting a value.
    pub future_output: Protocol,
    /// Generic types that are tuples of their arguments: `tuple[int, str]`.
    pub tuple_types: &'static [&'static str],
    /// True if a file may import or define a name once for each condition of the build.
    pub has_conditional_items: bool,
    /// True if a loop over a map yields values as well as keys.
    pub iterates_map_values: bool,
    /// True if the members of a type that stand outside of it are in its directory.
    pub has_members_in_directory: bool,
    /// True if a type may embed another, which becomes a field named after itself.
    pub has_embedding: bool,
    /// True if methods of a module become methods of the classes that include it.
    pub has_mixins: bool,
    /// True if constants are looked up by the types and modules around a position and by their
    /// ancestors, and if a type may be reopened in any file.
    pub has_nested_constants: bool,
    /// True if a bare name means definitions of the namespaces around it, which any file may
    /// reopen, and if code outside of a type may define its members and nested types.
    pub has_open_namespaces: bool,
    /// True if code of other files cannot name a definition of this file.
    pub is_file_local: fn(&RepoPath, &Symbol) -> bool,
    /// True for a file that only declares the types of code elsewhere.
    pub only_declares: fn(&RepoPath) -> bool,
    /// True for a file that others include, so that it may declare what another file defines.
    pub is_included_file: fn(&RepoPath) -> bool,
    /// True if functions may extend a type, and are called like its members.
    pub has_extension_functions: bool,
    /// Objects that get members by assignment, and object literals that define members. `None` if
    /// only types have members.
    pub open_objects: Option<OpenObjects>,
    /// Returns the methods of an interface of the standard library, by its name.
    pub library_methods: fn(&str) -> Option<&'static [&'static str]>,
}

/// Paths such as `crate::a::b` through a tree of modules.
pub struct ModuleTree {
    /// Words that start a path: `crate`, `self`, `super`.
    pub path_words: &'static [&'static str],
    /// The word for the parent of a module: `super`.
    pub parent_word: &'static str,
    /// Resolves the segments of a path from a file, or from a module block in it.
    pub resolve_path: PathResolver,
}

/// Resolves the segments of a path from a file, or from a module block in it.
pub type PathResolver = fn(&Resolver, FileIndex, Option<u32>, &[&str]) -> Option<ResolvedTarget>;

/// The way in which a type declares what a language construct yields of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// It does not.
    None,
    /// By an associated type of this name.
    AssociatedType(&'static str),
    /// By the type arguments of what the first of these methods returns.
    Methods(&'static [&'static str]),
}

/// The way in which code names members of the type around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberAccess {
    /// Members need a receiver word.
    Explicit,
    /// A bare name may be a member of the type around it.
    Implicit,
}

/// The definitions of other files that are visible without an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImplicitScope {
    /// None.
    File,
    /// Those of the same directory, or of the same package below another source root.
    Directory,
    /// Those of the same namespace, in any directory.
    Namespace,
    /// Those of all packages that the file's package can use.
    Package,
}

/// The result of a well-known library method, in terms of its receiver's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The receiver's type.
    Same,
    /// Its first type argument.
    First,
    /// Its second type argument.
    Second,
    /// Its last type argument.
    Last,
    /// A list of its first type argument.
    ListOfFirst,
    /// A list of its last type argument.
    ListOfLast,
}

/// The part of a value that a pattern binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternBinding {
    /// The member of the bound name: `const { open } = page`.
    Members,
    /// The type inside a wrapper such as `Option`.
    Unwrapped,
    /// The result of entering a context manager.
    ContextManager,
}

/// The role of argument labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentLabels {
    /// Labels are part of a function's name, and select it.
    PartOfName,
    /// Labels are absent, or only order the arguments.
    Optional,
}

/// The symbol that a construction resolves to, as compilers of the language record it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstructionTarget {
    /// The type.
    Type,
    /// The constructor, if one is declared.
    Constructor,
}

/// The meaning of several definitions of one name in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverloadMerging {
    /// Each is an overload.
    Distinct,
    /// They declare one function.
    Merged,
}

/// Tells whether code imports every foreign name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportPolicy {
    /// Every foreign name is imported.
    Complete,
    /// Some foreign names are visible without an import.
    Partial,
}

/// The names by which code works with objects that get members by assignment.
pub struct OpenObjects {
    /// The object that collects the exports of a file.
    pub exports: &'static str,
    /// The object that stands for the file, of which `exports` is a member.
    pub module: &'static str,
    /// The path of `exports` in `module`, which is what an import of the whole file gets.
    pub module_exports: &'static str,
    /// The name of the export that an import of the whole file asks for first.
    pub default_export: &'static str,
    /// The member of a function that holds the members of the objects it constructs.
    pub prototype: &'static str,
    /// Beginnings of calls that return their argument, an object literal.
    pub literal_calls: &'static [&'static str],
}

impl OpenObjects {
    /// True if a name or path is an object whose members are the exports of its file.
    pub fn is_exports(&self, path: &str) -> bool {
        path == self.exports || path == self.module_exports
    }
}

/// The relation between a type and its bases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inheritance {
    /// A type is a subtype of its bases.
    Subtyping,
    /// A type has the members of the traits that it implements. Only traits are subtypes of traits.
    Traits,
}

/// The comparison of a type's methods with those that an interface requires.
pub struct StructuralInterfaces {
    /// Reduces a method's signature to a form that is equal for equal methods, given the method's
    /// name. `None` if the text is no signature of that method.
    pub normalize_signature: fn(&str, &str) -> Option<String>,
    /// True if a method of the first normalized signature may fulfil the second.
    pub is_compatible: fn(&str, &str) -> bool,
    /// True if other packages see a method of this name, and so may implement it.
    pub is_exported: fn(&str) -> bool,
}

/// The way in which a file exports definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportStyle {
    /// Top-level definitions are exports.
    TopLevel,
    /// So are the members that the file assigns to `exports`.
    Assigned,
}

/// The default of each rule.
pub const BASE: Rules = Rules {
    family: "",
    receivers: &["this", "self"],
    type_receiver: "",
    supers: &["super"],
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
    syntax: SyntaxRules::COMMON,
    library: LibraryRules::NONE,
    wrapper_types: &[],
    return_type_operators: &[],
    flows: &[],
    second_argument_closures: &[],
    variadic_markers: &["..."],
    receiver_parameter_mark: "",
    inferred_type_words: &["var", "auto", "_", "val", "let"],
    deref_target: "",
    factory_functions: &[],
    identity_functions: &[],
    ambiguous_names: common_method_names::COMMON,
    is_library_name: |_| false,
    argument_labels: ArgumentLabels::Optional,
    import_policy: ImportPolicy::Partial,
    getter_markers: &[],
    call_member: "",
    construct_method: "",
    construction_target: ConstructionTarget::Constructor,
    overload_merging: OverloadMerging::Distinct,
    inheritance: Inheritance::Subtyping,
    is_trait_implementation: |_| false,
    structural_interfaces: None,
    export_style: ExportStyle::TopLevel,
    library_roots: &[],
    module_tree: None,
    has_macro_namespace: false,
    extensions_declare_type_params: false,
    has_variant_fields: false,
    iteration: Protocol::None,
    future_output: Protocol::None,
    tuple_types: &[],
    has_conditional_items: false,
    iterates_map_values: false,
    has_members_in_directory: false,
    has_embedding: false,
    has_mixins: false,
    has_nested_constants: false,
    has_open_namespaces: false,
    is_file_local: |_, _| false,
    is_included_file: |_| false,
    only_declares: |_| false,
    has_extension_functions: false,
    open_objects: None,
    library_methods: |_| None,
};

/// The rules of a language that has none of its own.
pub static DEFAULT: Rules = BASE;

impl Rules {
    /// Returns the key shared by files that see each other without an import: a namespace or a
    /// directory.
    pub fn visibility_key<'f>(&self, file: &'f FileSymbols) -> Cow<'f, str> {
        match self.implicit_scope {
            ImplicitScope::Namespace => Cow::Owned(file.namespace()),
            _ => Cow::Borrowed(self.package_directory(&file.path)),
        }
    }

    /// Returns the directory below the innermost source root, which names the package.
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
