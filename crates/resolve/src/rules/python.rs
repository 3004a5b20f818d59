//! Python: modules are files and packages, and whatever a module imports it passes on.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::modules::module_paths::{self, Module};
use crate::resolver::{ResolvedTarget, Resolver};
use crate::rules::{BASE, Constructed, Flow, Imports, Members, Overloads, Patterns, Reach, Rules};
use crate::symbol_table::FileIndex;
use kenning_model::Reference;

/// Methods of Python's own types and modules.
static LIBRARY: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("python.txt").split_whitespace().collect());

pub static PYTHON: Rules = Rules {
    family: "python",
    languages: &["python"],
    receivers: &["self", "cls"],
    supers: &["super"],
    own_types: &["Self"],
    constructors: &["__init__"],
    members: Members::Explicit,
    reach: Reach::File,
    module: module_paths::python,
    imported,
    within,
    list: "list",
    map: "dict",
    wrappers: &[
        "Optional",
        "Annotated",
        "ClassVar",
        "Final",
        "Required",
        "NotRequired",
        "ReadOnly",
    ],
    flows: &[
        ("dict", "get", Flow::Last),
        ("dict", "pop", Flow::Last),
        ("dict", "setdefault", Flow::Last),
        ("dict", "values", Flow::ListOfLast),
        ("Dict", "get", Flow::Last),
        ("Dict", "values", Flow::ListOfLast),
        ("Mapping", "get", Flow::Last),
        ("Mapping", "values", Flow::ListOfLast),
        ("list", "pop", Flow::First),
        ("list", "copy", Flow::Same),
        ("deque", "popleft", Flow::First),
    ],
    copies: &["list", "tuple", "sorted", "set", "frozenset", "reversed", "iter", "cast", "copy"],
    patterns: Patterns::Entered,
    imports: Imports::Everything,
    call_member: "__call__",
    constructed: Constructed::Type,
    overloads: Overloads::One,
    getters: &["@property", "@cached_property", "@functools.cached_property", "cached_property"],
    is_of_library: |name| LIBRARY.contains(name),
    ..BASE
};

fn imported(resolver: &Resolver, from: FileIndex, import: &Reference) -> Option<ResolvedTarget> {
    let world = resolver.world;
    let Some(module) = import.receiver.as_deref() else {
        return module_paths::python(world, from, &import.name).map(ResolvedTarget::Module);
    };
    if import.name == "*" {
        return module_paths::python(world, from, module).map(ResolvedTarget::Module);
    }
    let parent = module_paths::python(world, from, module)?;
    resolver.modules().exported(&parent, &import.name)
}

/// A module of a package.
fn within(resolver: &Resolver, target: &ResolvedTarget, name: &str) -> Option<ResolvedTarget> {
    let directory = match target {
        ResolvedTarget::Module(Module::Directory(path)) => path.clone(),
        ResolvedTarget::Module(Module::File(file)) => {
            let path = &resolver.world.file(*file).path;
            path.file_name().starts_with("__init__.").then(|| path.parent().as_str().to_string())?
        }
        ResolvedTarget::Symbol(_) => return None,
    };
    let modules = &resolver.world.modules;
    let path = format!("{directory}/{name}");
    let file = modules
        .file(&format!("{path}.py"))
        .or_else(|| modules.file(&format!("{path}/__init__.py")));
    let file = file.map(Module::File);
    let inner = file.or_else(|| modules.has_directory(&path).then_some(Module::Directory(path)));
    inner.map(ResolvedTarget::Module)
}
