//! Rust's rules for `unused`.

use crate::languages::{DefinitionContext, UsageRules};
use kenning_model::ChunkKind;

/// `main` starts a program; attributes outside of the list may register an item with a caller.
pub(super) const USAGE: UsageRules = UsageRules {
    attribute_openings: &["#["],
    harmless_attributes: HARMLESS_ATTRIBUTES,
    is_exempt: |context| has_unused_prefix(context) || is_associated_type(context),
    ..UsageRules::MAIN
};

/// True if a leading underscore silences the compiler's warning. Such items are often compile-time
/// checks.
fn has_unused_prefix(context: &DefinitionContext) -> bool {
    context.symbol.name.starts_with('_')
}

/// True for an associated type in an impl (`type Target = …`), which the trait requires.
fn is_associated_type(context: &DefinitionContext) -> bool {
    let is_in_impl = context.parent.is_some_and(|parent| parent.kind == ChunkKind::Extension);
    is_in_impl && context.symbol.kind == ChunkKind::TypeAlias
}

/// Attributes that do not register a definition with a caller.
const HARMLESS_ATTRIBUTES: &[&str] = &[
    "allow",
    "automatically_derived",
    "cfg",
    "cfg_attr",
    "cold",
    "deny",
    "deprecated",
    "derive",
    "doc",
    "error",
    "expect",
    "inline",
    "instrument",
    "must_use",
    "non_exhaustive",
    "repr",
    "serde",
    "skip",
    "target_feature",
    "track_caller",
    "warn",
];
