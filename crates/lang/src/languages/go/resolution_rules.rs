//! Go: a directory is a package, methods are defined outside of their types, and a struct has the
//! members of the types that it embeds.

use super::method_signatures::{is_compatible, normalize_signature};
use super::stdlib_interfaces::go_type_methods;
use kenning_model::Reference;
use kenning_resolve::rules::{
    BASE, CallText, ContainerShape, ImplicitScope, ImportPolicy, MemberAccess, Rules, SpecialCall,
    StructuralInterfaces, SyntaxRules,
};
use kenning_resolve::{FileIndex, Module, ResolvedTarget, Resolver, SymbolTable};

/// The syntax that only Go has. Parameters and results are named before their types.
const SYNTAX: SyntaxRules = SyntaxRules {
    interpret_call: interpret_builtin,
    is_container_type,
    operand_modifiers: &["return"],
    plain_values: &["true", "false", "nil"],
    type_modifiers: &["struct"],
    container_words: &[("map", ContainerShape::Map), ("chan", ContainerShape::List)],
    function_type_words: &["func"],
    has_names_before_types: true,
    memberless_types: &["nil"],
    ..SyntaxRules::COMMON
};

/// Reads `make([]Page)` and `new(Page)`, which take a type.
fn interpret_builtin(call: &CallText) -> Option<SpecialCall> {
    let takes_type = match call.name {
        "make" => is_container_type(call.argument),
        "new" => true,
        _ => false,
    };
    (call.is_bare && takes_type).then(|| SpecialCall::Cast(call.argument.to_string()))
}

/// True if a text begins with a list, map or channel type.
fn is_container_type(text: &str) -> bool {
    ["[]", "map[", "chan "].iter().any(|start| text.starts_with(start))
}

/// The rules of Go.
pub static RULES: Rules = Rules {
    family: "go",
    receivers: &[],
    supers: &[],
    self_type_names: &[],
    constructors: &[],
    member_access: MemberAccess::Explicit,
    implicit_scope: ImplicitScope::Directory,
    resolve_module: resolve_go,
    local_name,
    resolve_import,
    syntax: SYNTAX,
    import_policy: ImportPolicy::Complete,
    structural_interfaces: Some(StructuralInterfaces {
        normalize_signature,
        is_compatible,
        is_exported: |name| name.starts_with(char::is_uppercase),
    }),
    iterates_map_values: true,
    has_members_in_directory: true,
    has_embedding: true,
    library_methods: go_type_methods,
    ..BASE
};

/// Returns the last segment of the path that is no version.
fn local_name(import: &Reference) -> Option<&str> {
    if let Some(alias) = import.labels.first() {
        return Some(alias);
    }
    let mut parts = import.name.rsplit('/');
    let last = parts.next()?;
    let is_version = last.strip_prefix('v').is_some_and(|rest| {
        !rest.is_empty() && rest != "1" && rest.bytes().all(|byte| byte.is_ascii_digit())
    });
    let name = if is_version { parts.next().unwrap_or(last) } else { last };
    Some(name.split('.').next().unwrap_or(name))
}

/// Resolves an import to the directory of a package.
fn resolve_import(
    resolver: &Resolver,
    from: FileIndex,
    import: &Reference,
) -> Option<ResolvedTarget> {
    resolve_go(resolver.table, from, &import.name).map(ResolvedTarget::Module)
}

/// Resolves an import path of Go to the directory of the package. The longest module prefix wins.
fn resolve_go(table: &SymbolTable, _from: FileIndex, module: &str) -> Option<Module> {
    let all = table.packages.all.iter().filter(|package| package.kind == "go");
    let within = all.filter_map(|package| {
        let rest = module.strip_prefix(package.name.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then_some((package, rest))
    });
    let (package, rest) = within.max_by_key(|(package, _)| package.name.len())?;
    let path = package.directory.join(rest)?;
    let has_files = table.modules.has_directory(path.as_str());
    has_files.then(|| Module::Directory(path.as_str().to_string()))
}
