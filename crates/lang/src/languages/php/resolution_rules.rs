//! PHP: definitions are imported by namespace, and those of the same namespace need no import.

use kenning_model::{ChunkKind, Reference, ReferenceKind};
use kenning_resolve::rules::{BASE, ImplicitScope, ImportPolicy, MemberAccess, Rules, SyntaxRules};
use kenning_resolve::{FileIndex, Module, ResolvedTarget, Resolver, SymbolId, is_callable};

/// The syntax that only PHP has.
const SYNTAX: SyntaxRules = SyntaxRules {
    operand_modifiers: &["return", "clone"],
    memberless_types: &["null", "void", "never"],
    ..SyntaxRules::COMMON
};

/// The rules of PHP.
pub static RULES: Rules = Rules {
    family: "php",
    receivers: &["$this"],
    supers: &["parent"],
    self_type_names: &["self", "static"],
    constructors: &["__construct"],
    member_access: MemberAccess::Explicit,
    implicit_scope: ImplicitScope::Namespace,
    resolve_import,
    find_submodule,
    list: "array",
    map: "array",
    syntax: SYNTAX,
    import_policy: ImportPolicy::Complete,
    call_member: "__invoke",
    ..BASE
};

/// Resolves an import by its namespace.
fn resolve_import(
    resolver: &Resolver,
    from: FileIndex,
    import: &Reference,
) -> Option<ResolvedTarget> {
    // An `Export` reference is the file's own namespace declaration, which imports nothing.
    if import.kind == ReferenceKind::Export {
        return None;
    }
    let namespace = import.receiver.as_deref().unwrap_or_default().trim_start_matches('\\');
    let name = import.name.trim_start_matches('\\');
    let found = find_in_namespace(resolver, from, namespace, name);
    found.first().copied().map(ResolvedTarget::Symbol)
}

/// Finds the top-level symbols of this name in the namespace, in files that `from` can use.
fn find_in_namespace(
    resolver: &Resolver,
    from: FileIndex,
    namespace: &str,
    name: &str,
) -> Vec<SymbolId> {
    let table = resolver.table;
    let named = resolver.definitions(name).iter().copied();
    let found = named.filter(|&id| {
        let is_at_top =
            table.parent(id).is_none_or(|parent| table.symbol(parent).kind == ChunkKind::Namespace);
        is_at_top && table.can_use(from, id.file) && table.file(id.file).namespace() == namespace
    });
    found.collect()
}

/// Finds a function of the global namespace, if the file's own namespace has no such name.
fn find_submodule(
    resolver: &Resolver,
    target: &ResolvedTarget,
    name: &str,
) -> Option<ResolvedTarget> {
    let ResolvedTarget::Module(Module::File(file)) = target else {
        return None;
    };
    let namespace = resolver.table.file(*file).namespace();
    let here = find_in_namespace(resolver, *file, &namespace, name);
    if !here.is_empty() {
        return None;
    }
    let mut global = find_in_namespace(resolver, *file, "", name).into_iter();
    let found = global.find(|&id| is_callable(resolver.table.symbol(id).kind));
    found.map(ResolvedTarget::Symbol)
}
