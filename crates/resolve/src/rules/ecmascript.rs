//! JavaScript and TypeScript: everything is imported by the path of its file.

use crate::modules::module_paths::{self, Module};
use crate::resolver::{ResolvedTarget, Resolver};
use crate::rules::{
    BASE, ExportStyle, Flow, ImplicitScope, ImportPolicy, MemberAccess, OverloadMerging,
    PatternBinding, Rules,
};
use crate::symbol_table::FileIndex;
use kenning_model::{Reference, ReferenceKind};

/// The rules of JavaScript and TypeScript.
pub static ECMASCRIPT: Rules = Rules {
    family: "ecmascript",
    languages: &["typescript", "tsx", "javascript"],
    receivers: &["this"],
    supers: &["super"],
    self_type_names: &["this"],
    constructors: &["constructor"],
    member_access: MemberAccess::Explicit,
    implicit_scope: ImplicitScope::File,
    resolve_module: module_paths::resolve_script,
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
    import_policy: ImportPolicy::Complete,
    overload_merging: OverloadMerging::Merged,
    getter_markers: &["get "],
    export_style: ExportStyle::Assigned,
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
    for path in module_paths::declared_paths(resolver.table, from, specifier) {
        let name = path.rsplit('/').next().unwrap_or_default();
        resolver.record_dependency(module_paths::file_stem(name));
    }
    let module = module_paths::resolve_script(resolver.table, from, specifier)?;
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
