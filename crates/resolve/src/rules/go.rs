//! Go: a directory is a package, methods are defined outside of their types, and a struct has the
//! members of the types that it embeds.

use crate::modules::module_paths;
use crate::resolver::{ResolvedTarget, Resolver};
use crate::rules::{BASE, ImplicitScope, ImportPolicy, InterfaceTyping, MemberAccess, Rules};
use crate::symbol_table::FileIndex;
use kenning_model::Reference;

/// The rules of Go.
pub static GO: Rules = Rules {
    family: "go",
    languages: &["go"],
    receivers: &[],
    supers: &[],
    self_type_names: &[],
    constructors: &[],
    member_access: MemberAccess::Explicit,
    implicit_scope: ImplicitScope::Directory,
    resolve_module: module_paths::resolve_go,
    local_name,
    resolve_import,
    import_policy: ImportPolicy::Complete,
    interface_typing: InterfaceTyping::Structural,
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
    module_paths::resolve_go(resolver.table, from, &import.name).map(ResolvedTarget::Module)
}
