//! Heritage clauses: records which type of a file is a subtype of which. Conformances of Swift
//! extensions, `impl … for` of Rust and `extends` all arrive here as clauses; the parts beside this
//! one find the type that an extension extends and the type that a base names.

use crate::inference::Type;
use crate::resolver::{Position, Resolver};
use crate::symbol_table::{FileIndex, SymbolId};
use kenning_model::{EdgeTarget, Relation};

/// Finds the bases of a file's types, by heritage clauses, structural interfaces and typed object
/// literals. Adds the names of the bases to
/// `aliased_names`.
pub fn resolve_relations(
    resolver: &Resolver,
    file: FileIndex,
    edge_target: impl Fn(SymbolId) -> EdgeTarget,
    aliased_names: &mut Vec<String>,
) -> Vec<Relation> {
    let mut found = Vec::new();
    // Declared: `class A extends B`.
    for index in 0..resolver.table.file(file).heritage().len() {
        if let Some((subject, base)) = resolve_heritage(resolver, file, index) {
            aliased_names.push(resolver.table.symbol(base).name.clone());
            found.push(Relation {
                heritage: Some(index as u32),
                subject: edge_target(subject),
                base: edge_target(base),
            });
        }
    }
    // Undeclared: structural interfaces, and object literals with a declared type.
    let literals = resolver.objects().find_typed_literals(file);
    for (subject, base) in
        resolver.heritage().find_structural_interfaces(file).into_iter().chain(literals)
    {
        aliased_names.push(resolver.table.symbol(base).name.clone());
        found.push(Relation {
            heritage: None,
            subject: edge_target(subject),
            base: edge_target(base),
        });
    }
    found
}

/// Resolves a heritage clause of a file to the type and its base. `None` if one of them is not
/// defined in the repository.
pub fn resolve_heritage(
    resolver: &Resolver,
    file: FileIndex,
    index: usize,
) -> Option<(SymbolId, SymbolId)> {
    let facts = resolver.table.file(file);
    let heritage = &facts.heritage()[index];
    let named = facts.symbols_named(heritage.subject_name());
    let around = named.filter(|&symbol| {
        let span = &facts.symbols()[symbol as usize].span;
        span.start_line <= heritage.line && heritage.line <= span.end_line
    });
    let owner = around.max_by_key(|&symbol| facts.symbols()[symbol as usize].span.start_byte);
    let at = Position {
        file,
        symbol: owner.and_then(|owner| facts.parents()[owner as usize]),
        byte: owner.map_or(0, |owner| facts.symbols()[owner as usize].span.start_byte),
    };
    let known_at =
        |at: Position, text: &str| match resolver.objects().infer_constructed_type(at, text) {
            Type::Known { symbol, .. } => Some(symbol),
            _ => None,
        };
    let known = |text: &str| {
        let outside = known_at(at, text);
        // A mixin is named in the body of the type, where nested modules are in scope.
        let inside = Position { symbol: owner, ..at };
        let is_nested = facts.rules.has_nested_constants && owner.is_some();
        outside.or_else(|| known_at(inside, text).filter(|_| is_nested))
    };
    // The subject of `var page = Object.create(base)` is the variable around the clause, which is
    // no type. A clause outside of its subject, such as `inherits(Page, View)`, names it by text.
    let subject = match owner {
        Some(symbol) => resolver.heritage().type_of_extension(SymbolId { file, symbol }),
        None => known(&heritage.subject)?,
    };
    Some((subject, known(&heritage.base)?))
}
