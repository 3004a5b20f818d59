//! JavaScript's rules for `unused`. TypeScript and TSX add to them.

use crate::languages::{DefinitionContext, UsageRules};
use kenning_model::{ChunkKind, Symbol};

/// Exempts members of objects and default exports, besides names that runtimes call.
pub(in crate::languages) const USAGE: UsageRules = UsageRules {
    // Test runners and components call `setup`.
    entry_points: &["constructor", "setup"],
    // Bundlers and other tools begin the names that they use with two underscores.
    entry_prefixes: &["__"],
    placeholder_names: &["default"],
    attribute_openings: &["@"],
    is_duck_typed: true,
    computed_names: &["this[", "self[", "window[", "global[", "globalThis[", "eval("],
    is_exempt: |context| is_part_of_object(context) || is_default_export(context.symbol),
    ..UsageRules::MAIN
};

/// True if it is a member of an object literal, or assigned to an existing object. The receiver
/// of the object calls it: options of a tool, handlers of events.
fn is_part_of_object(context: &DefinitionContext) -> bool {
    let symbol = context.symbol;
    let name = &symbol.name;
    let signature = symbol.signature.as_deref().unwrap_or_default();
    let is_pair = signature
        .strip_prefix(name.as_str())
        .is_some_and(|rest| rest.trim_start().starts_with(':'));
    let is_in_type = context
        .parent
        .is_some_and(|parent| parent.kind.is_type() || parent.kind == ChunkKind::TypeAlias);
    let is_method = symbol.kind == ChunkKind::Method && !is_in_type;
    let is_assigned = signature.contains(&format!(".{name} ="));
    let scope = symbol.scope.as_deref().unwrap_or_default();
    let owner = scope.rsplit('.').next().unwrap_or_default();
    // A member of an object, unlike one of a class or function, is read by the holder.
    let holds_members = |kind: ChunkKind| kind.is_type() || kind == ChunkKind::Function;
    let is_known =
        || context.symbols.iter().any(|one| one.name == owner && holds_members(one.kind));
    is_pair && !is_in_type || is_method && (!is_assigned || owner != "exports" && !is_known())
}

/// True if it is a default export. An importer chooses its name, or a framework finds it by path: a
/// page, a theme.
fn is_default_export(symbol: &Symbol) -> bool {
    let signature = symbol.signature.as_deref().unwrap_or_default();
    signature.starts_with("export default")
}
