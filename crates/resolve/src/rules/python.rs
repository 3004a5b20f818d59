//! Python: modules are files and directories, and a module re-exports its imports.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::modules::module_paths::{self, Module};
use crate::resolver::{ResolvedTarget, Resolver};
use crate::rules::{
    BASE, ConstructionTarget, Flow, ImplicitScope, ImportPolicy, MemberAccess, OverloadMerging,
    PatternBinding, Rules,
};
use crate::symbol_table::FileIndex;
use kenning_model::Reference;

/// Method names of the standard library.
static LIBRARY: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("python.txt").split_whitespace().collect());

/// The rules of Python.
pub static PYTHON: Rules = Rules {
    family: "python",
    languages: &["python"],
    receivers: &["self", "cls"],
    supers: &["super"],
    self_type_names: &["Self"],
    constructors: &["__init__"],
    member_access: MemberAccess::Explicit,
    implicit_scope: ImplicitScope::File,
    resolve_module: module_paths::resolve_python,
    resolve_import,
    find_submodule,
    list: "list",
    map: "dict",
    wrapper_types: &[
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
    identity_functions: &[
        "list",
        "tuple",
        "sorted",
        "set",
        "frozenset",
        "reversed",
        "iter",
        "cast",
        "copy",
    ],
    pattern_binding: PatternBinding::ContextManager,
    import_policy: ImportPolicy::Complete,
    call_member: "__call__",
    construction_target: ConstructionTarget::Type,
    overload_merging: OverloadMerging::Merged,
    getter_markers: &[
        "@property",
        "@cached_property",
        "@functools.cached_property",
        "cached_property",
    ],
    is_library_name: |name| LIBRARY.contains(name),
    ..BASE
};

/// Resolves `import module`, `from module import name` and `from module import *`.
fn resolve_import(
    resolver: &Resolver,
    from: FileIndex,
    import: &Reference,
) -> Option<ResolvedTarget> {
    let table = resolver.table;
    let Some(module) = import.receiver.as_deref() else {
        return module_paths::resolve_python(table, from, &import.name).map(ResolvedTarget::Module);
    };
    if import.name == "*" {
        return module_paths::resolve_python(table, from, module).map(ResolvedTarget::Module);
    }
    let parent = module_paths::resolve_python(table, from, module)?;
    resolver.modules().find_export(&parent, &import.name)
}

/// Finds a module of a package.
fn find_submodule(
    resolver: &Resolver,
    target: &ResolvedTarget,
    name: &str,
) -> Option<ResolvedTarget> {
    let directory = match target {
        ResolvedTarget::Module(Module::Directory(path)) => path.clone(),
        ResolvedTarget::Module(Module::File(file)) => {
            let path = &resolver.table.file(*file).path;
            path.file_name().starts_with("__init__.").then(|| path.parent().as_str().to_string())?
        }
        ResolvedTarget::Symbol(_) => return None,
    };
    let modules = &resolver.table.modules;
    let path = format!("{directory}/{name}");
    let file = modules
        .file(&format!("{path}.py"))
        .or_else(|| modules.file(&format!("{path}/__init__.py")))
        .map(Module::File);
    let inner = file.or_else(|| modules.has_directory(&path).then_some(Module::Directory(path)));
    inner.map(ResolvedTarget::Module)
}
