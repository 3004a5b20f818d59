//! JavaScript and TypeScript: everything is imported by the path of its file.

use kenning_model::{Reference, ReferenceKind, RepoPath};
use kenning_resolve::rules::{
    BASE, CallText, ExportStyle, Flow, ImplicitScope, ImportPolicy, LibraryRules, MemberAccess,
    OpenObjects, OverloadMerging, PatternBinding, Rules, SpecialCall, SyntaxRules,
};
use kenning_resolve::{
    FileIndex, Module, ResolvedTarget, Resolver, SymbolTable, declared_paths, file_stem,
};

/// The syntax that only JavaScript and TypeScript have.
const SYNTAX: SyntaxRules = SyntaxRules {
    interpret_call: interpret_require,
    cast_words: &["as", "satisfies"],
    operand_modifiers: &["return", "const"],
    plain_values: &["true", "false", "null", "undefined"],
    type_modifiers: &[
        "abstract", "any", "asserts", "const", "extends", "infer", "in", "new", "out", "readonly",
        "static", "unique",
    ],
    function_type_words: &["function"],
    value_type_word: "typeof",
    key_type_word: "keyof",
    memberless_types: &["null", "undefined", "void", "never"],
    ..SyntaxRules::COMMON
};

/// Reads `require("module")`.
fn interpret_require(call: &CallText) -> Option<SpecialCall> {
    let module = call.argument.strip_prefix('"')?.strip_suffix('"')?;
    let is_require = call.is_bare && call.name == "require" && !module.is_empty();
    is_require.then(|| SpecialCall::Require(module.to_string()))
}

/// The objects of the runtime.
const RUNTIME: LibraryRules = LibraryRules {
    future_types: &["Promise", "PromiseLike"],
    first_element_types: &["Promise"],
    ..LibraryRules::NONE
};

/// Method names of the runtime that few other libraries use.
const RUNTIME_METHODS: &[&str] = &[
    "charAt",
    "endsWith",
    "findIndex",
    "flatMap",
    "forEach",
    "includes",
    "indexOf",
    "splice",
    "startsWith",
    "substring",
    "toArray",
    "toJSON",
    "toLowerCase",
    "toString",
    "toUpperCase",
    "valueOf",
];

/// The rules of JavaScript and TypeScript.
pub static RULES: Rules = Rules {
    family: "ecmascript",
    receivers: &["this"],
    supers: &["super"],
    self_type_names: &["this"],
    constructors: &["constructor"],
    member_access: MemberAccess::Explicit,
    implicit_scope: ImplicitScope::File,
    resolve_module: resolve_script,
    local_name,
    resolve_import,
    pattern_binding: PatternBinding::Members,
    wrapper_types: &["Readonly", "Partial", "Required", "NonNullable", "Awaited", "DeepPartial"],
    return_type_operators: &["ReturnType", "InstanceType"],
    flows: &[
        ("Array", "find", Flow::First),
        ("Array", "pop", Flow::First),
        ("Array", "shift", Flow::First),
        ("Array", "at", Flow::First),
        ("Array", "filter", Flow::Same),
        ("Array", "slice", Flow::Same),
        ("Array", "concat", Flow::Same),
        ("Array", "reverse", Flow::Same),
        ("Array", "sort", Flow::Same),
        ("Map", "get", Flow::Second),
        ("WeakMap", "get", Flow::Second),
        ("Map", "values", Flow::ListOfLast),
        ("Set", "values", Flow::ListOfFirst),
        ("Promise", "catch", Flow::Same),
        ("Promise", "finally", Flow::Same),
    ],
    syntax: SYNTAX,
    library: RUNTIME,
    is_library_name: |name| RUNTIME_METHODS.contains(&name),
    import_policy: ImportPolicy::Complete,
    overload_merging: OverloadMerging::Merged,
    getter_markers: &["get "],
    export_style: ExportStyle::Assigned,
    open_objects: Some(OpenObjects {
        exports: "exports",
        module: "module",
        module_exports: "module.exports",
        default_export: DEFAULT,
        prototype: "prototype",
        literal_calls: &["Object.freeze(", "Object.seal("],
    }),
    only_declares: |path| is_declaration_path(path.as_str()),
    ..BASE
};

/// The name of the default export.
const DEFAULT: &str = "default";

/// Returns the alias of an import, else the imported name.
fn local_name(import: &Reference) -> Option<&str> {
    // `import "module"` introduces no name.
    if import.kind == ReferenceKind::Import && import.receiver.is_none() {
        return None;
    }
    Some(import.labels.first().unwrap_or(&import.name))
}

/// Resolves an import by the path of its module. `import x` means the default export, and
/// `import { x }` a named one; for CommonJS, that may be a member of the exported object.
fn resolve_import(
    resolver: &Resolver,
    from: FileIndex,
    import: &Reference,
) -> Option<ResolvedTarget> {
    let specifier = import.receiver.as_deref()?;
    // A file that is added at a declared path changes the target.
    let declared = declared_name(resolver.table, from, specifier);
    for path in declared_paths(resolver.table, from, declared.unwrap_or_default()) {
        let name = path.rsplit('/').next().unwrap_or_default();
        resolver.record_dependency(file_stem(name));
    }
    let module = resolve_script(resolver.table, from, specifier)?;
    if import.name == "*" {
        return Some(ResolvedTarget::Module(module));
    }
    let is_default = import.labels.first() == Some(&import.name) || import.name == DEFAULT;
    let whole = || match &module {
        Module::File(file) => resolver.objects().find_module_exports(*file),
        Module::Directory(_) => None,
    };
    if !is_default {
        let exported = resolver.modules().find_export(&module, &import.name);
        return exported.or_else(|| resolver.modules().member_of(&whole()?, &import.name));
    }
    let exported = resolver
        .modules()
        .find_export(&module, DEFAULT)
        .or_else(|| default_definition(resolver, &module))
        .or_else(whole);
    // A CommonJS module without a default export is the object that holds all of its exports.
    Some(exported.unwrap_or(ResolvedTarget::Module(module)))
}

/// Finds the definition with `export default` in its signature.
fn default_definition(resolver: &Resolver, module: &Module) -> Option<ResolvedTarget> {
    let Module::File(index) = module else {
        return None;
    };
    let file = resolver.table.file(*index);
    let mut symbols = file.symbols().iter().enumerate();
    let (symbol, _) = symbols.find(|(_, symbol)| {
        let signature = symbol.signature.as_deref().unwrap_or_default();
        signature.contains("export default")
    })?;
    Some(ResolvedTarget::symbol(*index, symbol as u32))
}

/// Suffixes that an import of JavaScript may leave out, in the order in which they are tried.
const SCRIPT_SUFFIXES: &[&str] = &[
    "",
    ".ts",
    ".tsx",
    ".d.ts",
    ".js",
    ".jsx",
    ".mts",
    ".cts",
    ".mjs",
    ".cjs",
    ".vue",
    ".svelte",
    "/index.ts",
    "/index.tsx",
    "/index.js",
    "/index.jsx",
    "/index.mjs",
    "/index.d.ts",
    "/index.mts",
];

/// Resolves the module of `import … from "module"` of JavaScript: relative paths, declared paths,
/// packages of the repository, and then the usual aliases for a package's source directory.
fn resolve_script(table: &SymbolTable, from: FileIndex, module: &str) -> Option<Module> {
    let file = table.file(from);
    if module.starts_with('.') {
        let found = find_script(table, &file.path.parent(), module)
            .or_else(|| find_declared(table, from, declared_name(table, from, module)?));
        return found.map(|found| Module::File(code_of_declarations(table, from, found)));
    }
    if let Some(found) = find_declared(table, from, module) {
        return Some(Module::File(found));
    }
    // A package of the repository by its name, with the path inside of it after a slash.
    let by_name = table.packages.all.iter().filter(|package| package.kind == "npm");
    let named = by_name.filter_map(|package| {
        let rest = module.strip_prefix(package.name.as_str())?;
        let is_whole = rest.is_empty() || rest.starts_with('/');
        is_whole.then_some((package, rest.trim_start_matches('/')))
    });
    if let Some((package, rest)) = named.max_by_key(|(package, _)| package.name.len()) {
        // Manifests that name no entry point leave the usual places.
        let places = match rest {
            "" => vec!["src/index", "index", "src/main", "lib/index", "src", "src/mod"],
            rest => vec![rest],
        };
        let inner = |place: &str| {
            let source = format!("src/{place}");
            find_script(table, &package.directory, place)
                .or_else(|| find_script(table, &package.directory, &source))
        };
        return places.into_iter().find_map(inner).map(Module::File);
    }
    // Common aliases that no configuration declares here: `@/x`, `~/x`, `src/x`.
    let mapped = ["@/", "~/", "~", "#", "/"];
    let rest = mapped.iter().find_map(|mark| module.strip_prefix(mark)).unwrap_or(module);
    let home = file
        .package
        .map(|package| table.packages.all[package as usize].directory.clone())
        .unwrap_or_default();
    if !rest.contains('/') && rest == module {
        return None;
    }
    let source = format!("src/{rest}");
    let found = find_script(table, &home, rest).or_else(|| find_script(table, &home, &source));
    found.map(Module::File)
}

/// Finds the file that manifests and configurations declare for a module name. Code without types
/// runs the code of a package, so declarations of types come last for it.
fn find_declared(table: &SymbolTable, from: FileIndex, module: &str) -> Option<FileIndex> {
    let declared = declared_paths(table, from, module);
    let mut found = declared.iter().filter_map(|path| find_build_source(table, path));
    let first = found.next()?;
    if !is_untyped(table, from) || !declares_types(table, first) {
        return Some(first);
    }
    let code = found.find(|&other| !declares_types(table, other));
    Some(code.unwrap_or_else(|| code_of_declarations(table, from, first)))
}

/// Returns the name under which manifests may declare a module: a relative path to the directory
/// of a package, such as `..`, means its main file.
fn declared_name<'n>(table: &'n SymbolTable, from: FileIndex, module: &'n str) -> Option<&'n str> {
    if !module.starts_with('.') {
        return Some(module);
    }
    let directory = table.file(from).path.parent().join(module)?;
    let mut packages = table.packages.all.iter().filter(|package| package.kind == "npm");
    packages.find(|package| package.directory == directory).map(|package| package.name.as_str())
}

/// Returns the code that a file of declarations describes, `a.js` for `a.d.ts`, if code without
/// types imports it. Every other file is returned unchanged.
fn code_of_declarations(table: &SymbolTable, from: FileIndex, found: FileIndex) -> FileIndex {
    if !is_untyped(table, from) || !declares_types(table, found) {
        return found;
    }
    let path = table.file(found).path.as_str();
    let base = DECLARATION_ENDINGS.iter().find_map(|ending| path.strip_suffix(ending));
    let code = base.and_then(|base| {
        let endings = [".js", ".cjs", ".mjs", ".jsx"].into_iter();
        endings.map(|ending| format!("{base}{ending}")).find_map(|path| table.modules.file(&path))
    });
    code.unwrap_or(found)
}

/// Endings of files that only declare types.
const DECLARATION_ENDINGS: &[&str] = &[".d.ts", ".d.mts", ".d.cts"];

/// True if a file only declares types of code elsewhere.
fn declares_types(table: &SymbolTable, file: FileIndex) -> bool {
    is_declaration_path(table.file(file).path.as_str())
}

/// True for the path of a file that only declares types.
fn is_declaration_path(path: &str) -> bool {
    DECLARATION_ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// True if a file has no types: it imports code, and never declarations.
fn is_untyped(table: &SymbolTable, file: FileIndex) -> bool {
    table.file(file).language == "javascript"
}

/// Directories with build output. They may nest: `dist/esm`.
const BUILD_DIRECTORIES: &[&str] =
    &["dist", "build", "lib", "out", "esm", "cjs", "es", "types", "typings", "umd"];

/// Finds the file at a path, or the source from which the build makes it: `src/a.ts` for
/// `dist/a.js`. Manifests point to build output, which is not indexed.
fn find_build_source(table: &SymbolTable, path: &str) -> Option<FileIndex> {
    let at = |path: &str| find_script(table, &RepoPath::default(), path);
    if let Some(found) = at(path) {
        return Some(found);
    }
    let parts: Vec<&str> = path.split('/').collect();
    // A package may itself be named `lib`, so the last such directory is tried first.
    let mut build_directories =
        (0..parts.len()).rev().filter(|&place| BUILD_DIRECTORIES.contains(&parts[place]));
    build_directories.find_map(|place| {
        let rest: Vec<&str> = parts[place..]
            .iter()
            .copied()
            .skip_while(|part| BUILD_DIRECTORIES.contains(part))
            .collect();
        let home = &parts[..place];
        let sources = [[home, &["src"], &rest].concat(), [home, &rest].concat()];
        sources.iter().find_map(|parts| at(&parts.join("/")))
    })
}

/// Finds the file of a module path below a directory, trying each suffix.
fn find_script(table: &SymbolTable, directory: &RepoPath, module: &str) -> Option<FileIndex> {
    let path = directory.join(module)?;
    let try_all = |base: &str| {
        let all = SCRIPT_SUFFIXES.iter();
        let paths = all.map(|ending| format!("{base}{ending}"));
        // The base of the root is empty.
        let mut found = paths.filter_map(|path| table.modules.file(path.trim_start_matches('/')));
        found.next()
    };
    let base = path.as_str();
    // TypeScript imports name the compiled file: `./a.js` means `a.ts`.
    let compiled = [".d.ts", ".d.mts", ".d.cts", ".js", ".jsx", ".mjs", ".cjs"];
    let source = compiled.iter().find_map(|ending| base.strip_suffix(ending));
    try_all(base).or_else(|| try_all(source?))
}
