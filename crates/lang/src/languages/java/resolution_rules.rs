//! Java, Kotlin and Scala, which call each other.

use kenning_model::Reference;
use kenning_resolve::rules::{
    BASE, Flow, ImplicitScope, ImportPolicy, LibraryRules, Rules, SyntaxRules,
};
use kenning_resolve::{FileIndex, Module, ResolvedTarget, Resolver, SymbolId, SymbolTable};

/// The syntax that only languages of the JVM have.
const SYNTAX: SyntaxRules = SyntaxRules {
    operand_modifiers: &["try", "return"],
    type_modifiers: &[
        "abstract", "any", "class", "const", "enum", "extends", "final", "in", "new", "out",
        "static", "super", "volatile",
    ],
    ..SyntaxRules::COMMON
};

/// The libraries of the JVM.
const LIBRARY: LibraryRules = LibraryRules {
    wrapping_functions: &[("Some", "Option"), ("Option", "Option")],
    optional_types: &["Optional", "Option", "Result"],
    non_function_types: &[
        "Array",
        "Boolean",
        "Character",
        "Date",
        "Double",
        "Float",
        "Int",
        "List",
        "Long",
        "Map",
        "Set",
        "String",
        "URL",
    ],
    ..LibraryRules::NONE
};

/// Method names of these libraries that few other libraries use.
const LIBRARY_METHODS: &[&str] = &[
    "charAt",
    "endsWith",
    "flatMap",
    "forEach",
    "getOrDefault",
    "hashCode",
    "indexOf",
    "isEmpty",
    "removeAll",
    "startsWith",
    "substring",
    "toArray",
    "toList",
    "toLowerCase",
    "toString",
    "toUpperCase",
    "valueOf",
];

/// The rules that the languages of the JVM share, Java, Kotlin and Scala.
pub const JVM: Rules = Rules {
    family: "jvm",
    receivers: &["this"],
    supers: &["super"],
    self_type_names: &[],
    constructors: &["constructor"],
    implicit_scope: ImplicitScope::Directory,
    source_roots: &["java", "kotlin", "scala"],
    resolve_module: resolve_dotted,
    resolve_import,
    list: "List",
    wrapper_types: &["Optional", "Lazy"],
    flows: &[
        ("List", "get", Flow::First),
        ("Map", "get", Flow::Last),
        ("Map", "values", Flow::ListOfLast),
        ("Map", "keySet", Flow::ListOfFirst),
        ("Optional", "get", Flow::First),
        ("Optional", "orElse", Flow::First),
        ("Optional", "orElseThrow", Flow::First),
        ("Iterator", "next", Flow::First),
        ("Class", "newInstance", Flow::First),
        ("Class", "cast", Flow::First),
        ("ThreadLocal", "get", Flow::First),
        ("AtomicReference", "get", Flow::First),
    ],
    syntax: SYNTAX,
    library: LIBRARY,
    is_library_name: |name| LIBRARY_METHODS.contains(&name),
    variadic_markers: &["...", "vararg "],
    import_policy: ImportPolicy::Partial,
    ..BASE
};

/// The rules of Java and Scala.
pub static RULES: Rules = JVM;

/// Resolves an import by the path of its package: a type in a file of its name, a member of a type,
/// or a definition in the directory of the package.
fn resolve_import(
    resolver: &Resolver,
    from: FileIndex,
    import: &Reference,
) -> Option<ResolvedTarget> {
    let receiver = import.receiver.as_deref()?;
    // Members of a Kotlin companion object are indexed as members of the type around it.
    let package = receiver.strip_suffix(".Companion").unwrap_or(receiver);
    let path = format!("{package}.{}", import.name);
    if let Some(module) = resolve_dotted(resolver.table, from, &path) {
        return resolver.modules().find_export(&module, &import.name);
    }
    // A member of a type, a function of a file, or a type in a file of another name.
    if let Some(Module::File(file)) = resolve_dotted(resolver.table, from, package) {
        let owner_name = package.rsplit('.').next().unwrap_or(package);
        let owner = resolver.modules().find_export(&Module::File(file), owner_name)?;
        return resolver.modules().member_of(&owner, &import.name);
    }
    let directory = package.replace('.', "/");
    let named = resolver.definitions(&import.name).iter().copied();
    let mut in_package = named.filter(|&id| {
        let home = resolver.table.file(id.file).path.parent();
        resolver.table.parent(id).is_none()
            && home.as_str().ends_with(&directory)
            && resolver.table.can_use(from, id.file)
    });
    let found = in_package.next().map(ResolvedTarget::Symbol);
    found.or_else(|| find_member_of_type(resolver, from, package, &import.name))
}

/// Finds a member of a type whose file has another name.
fn find_member_of_type(
    resolver: &Resolver,
    from: FileIndex,
    path: &str,
    name: &str,
) -> Option<ResolvedTarget> {
    let (package, owner) = path.rsplit_once('.')?;
    let directory = package.replace('.', "/");
    resolver.record_dependency(owner);
    let mut types: Vec<SymbolId> = resolver
        .table
        .types(owner)
        .iter()
        .copied()
        .filter(|id| resolver.table.can_use(from, id.file))
        .collect();
    let is_there = |id: &SymbolId| {
        let home = resolver.table.file(id.file).path.parent();
        home.as_str().ends_with(&directory)
    };
    // Directories need not be called like packages.
    types.sort_by_key(|id| (!is_there(id), *id));
    let owner = types.first().filter(|id| is_there(id) || types.len() == 1)?;
    resolver.modules().member_of(&ResolvedTarget::Symbol(*owner), name)
}

/// Resolves a dotted name such as `a.b.C` of Java to the file whose path ends in `a/b/C`.
fn resolve_dotted(table: &SymbolTable, from: FileIndex, module: &str) -> Option<Module> {
    let wanted = module.replace('.', "/");
    let name = module.rsplit('.').next().unwrap_or(module);
    // The source root above the package is unknown, so the end of the path is compared.
    let ends = |file: &FileIndex| {
        let path = table.file(*file).path.as_str();
        let base = path.split_once('.').map_or(path, |(base, _)| base);
        base.ends_with(&wanted) && base[..base.len() - wanted.len()].ends_with(['/', '\\'])
            || base == wanted
    };
    let mut files = table.modules.files_with_stem(name).iter().copied().filter(ends);
    files.find(|&file| table.can_use(from, file)).map(Module::File)
}
