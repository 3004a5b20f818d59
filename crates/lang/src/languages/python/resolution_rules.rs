//! Python: modules are files and directories, and a module re-exports its imports.

use std::collections::HashSet;
use std::sync::LazyLock;

use kenning_model::Reference;
use kenning_resolve::rules::{
    BASE, ConstructionTarget, Flow, ImplicitScope, ImportPolicy, LibraryRules, MemberAccess,
    OverloadMerging, PatternBinding, Protocol, Rules, SyntaxRules,
};
use kenning_resolve::{FileIndex, Module, ResolvedTarget, Resolver, SymbolTable};

/// Method names of the standard library.
static LIBRARY: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("library_names.txt").split_whitespace().collect());

/// The syntax that only Python has.
const SYNTAX: SyntaxRules = SyntaxRules {
    operand_modifiers: &["return"],
    plain_values: &["True", "False", "None", "true", "false"],
    type_modifiers: &[],
    memberless_types: &["None"],
    ..SyntaxRules::COMMON
};

/// The standard library.
const STDLIB: LibraryRules = LibraryRules {
    future_types: &["Awaitable", "Coroutine", "Future", "Task"],
    counting_functions: &["enumerate"],
    pair_methods: &["items"],
    context_types: &[
        "Iterator",
        "AsyncIterator",
        "Generator",
        "AsyncGenerator",
        "ContextManager",
        "AsyncContextManager",
        "AbstractContextManager",
        "AbstractAsyncContextManager",
        "Iterable",
        "AsyncIterable",
    ],
    context_methods: &["__aenter__", "__enter__"],
    ..LibraryRules::NONE
};

/// The rules of Python.
pub static RULES: Rules = Rules {
    family: "python",
    receivers: &["self", "cls"],
    type_receiver: "cls",
    supers: &["super"],
    self_type_names: &["Self"],
    constructors: &["__init__"],
    member_access: MemberAccess::Explicit,
    implicit_scope: ImplicitScope::File,
    resolve_module: resolve_python,
    resolve_import,
    find_submodule,
    list: "list",
    map: "dict",
    syntax: SYNTAX,
    library: STDLIB,
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
    iteration: Protocol::Methods(&["__iter__", "__aiter__"]),
    future_output: Protocol::Methods(&["__await__"]),
    tuple_types: &["tuple", "Tuple"],
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
        return resolve_python(table, from, &import.name).map(ResolvedTarget::Module);
    };
    if import.name == "*" {
        return resolve_python(table, from, module).map(ResolvedTarget::Module);
    }
    let parent = resolve_python(table, from, module)?;
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

/// Resolves a module name of Python, absolute (`a.b.c`) or relative (`..a.b`).
fn resolve_python(table: &SymbolTable, from: FileIndex, module: &str) -> Option<Module> {
    let dots = module.len() - module.trim_start_matches('.').len();
    let rest = module[dots..].trim().replace('.', "/");
    let file = table.file(from);
    let found = |path: &str| {
        let candidates = [
            format!("{path}.py"),
            format!("{path}/__init__.py"),
            format!("{path}.pyi"),
            format!("{path}/__init__.pyi"),
        ];
        let mut files = candidates.iter().filter_map(|path| table.modules.file(path));
        let file = files.next().map(Module::File);
        let is_directory = table.modules.has_directory(path);
        file.or_else(|| is_directory.then(|| Module::Directory(path.to_string())))
    };
    // One dot is the directory of the file, each further one its parent.
    if dots > 0 {
        let mut directory = file.path.parent();
        for _ in 1..dots {
            directory = directory.parent();
        }
        let path = if rest.is_empty() { directory } else { directory.join(&rest)? };
        return found(path.as_str());
    }
    // The module search path is unknown. Every directory above the file may be on it, and its
    // `src`.
    for directory in file.path.parent().ancestors() {
        let tries = [directory.join(&rest), directory.join(&format!("src/{rest}"))];
        for path in tries.into_iter().flatten() {
            // A directory without `__init__.py` is skipped: it may be unrelated to the module.
            match found(path.as_str()) {
                Some(Module::Directory(_)) | None => {}
                file => return file,
            }
        }
    }
    None
}
