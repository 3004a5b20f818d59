//! Constants that are looked up by lexical nesting: the types and modules around a position, then
//! their ancestors, then the top level. A type may be reopened: several bodies are one type.

use std::cmp::Reverse;

use crate::inference::Inference;
use crate::resolver::Position;
use crate::symbol_table::{SymbolId, is_type};
use kenning_model::{ChunkKind, Symbol};

/// More definitions of one name are not examined.
const MAX_NAMESAKES: usize = 2000;

impl<'t> Inference<'_, 't> {
    /// Resolves the path of a constant at a position. The path may begin in any type or module
    /// around the position, in an ancestor of the innermost type, or at the top level.
    pub(crate) fn resolve_constant(&self, at: Position, path: &[String]) -> Option<SymbolId> {
        let (name, outer) = path.split_last()?;
        let candidates = self.constants_named(at, name);
        if candidates.is_empty() {
            return None;
        }
        let outer = outer.join(".");
        let find = |nest: &str| {
            let scope = match (nest.is_empty(), outer.is_empty()) {
                (true, _) => outer.clone(),
                (false, true) => nest.to_string(),
                (false, false) => format!("{nest}.{outer}"),
            };
            self.main_body(&candidates, &scope)
        };
        let file = self.table.file(at.file);
        let around: Vec<SymbolId> = file
            .ancestors(at.symbol)
            .map(|symbol| SymbolId { file: at.file, symbol })
            .filter(|&id| is_constant_scope(self.table.symbol(id).kind))
            .collect();
        let lexical = around.iter().find_map(|&id| find(&qualified_name(self.table.symbol(id))));
        // The bases of a type cannot be searched while they are being resolved.
        let inherited = || {
            let innermost = around.first().filter(|_| self.heritage().is_idle())?;
            let supertypes = self.heritage().supertypes(*innermost).into_iter().skip(1);
            supertypes.into_iter().find_map(|id| find(&qualified_name(self.table.symbol(id))))
        };
        lexical.or_else(inherited).or_else(|| find(""))
    }

    /// Returns the types and modules of a name that a file can use.
    fn constants_named(&self, at: Position, name: &str) -> Vec<SymbolId> {
        let named = self.definitions(name);
        if named.len() > MAX_NAMESAKES {
            return Vec::new();
        }
        let usable = named.iter().copied().filter(|&id| {
            is_constant_scope(self.table.symbol(id).kind) && self.table.can_use(at.file, id.file)
        });
        usable.collect()
    }

    /// Returns the largest body of the type with this scope outside of tests.
    fn main_body(&self, candidates: &[SymbolId], scope: &str) -> Option<SymbolId> {
        let of_scope = candidates
            .iter()
            .copied()
            .filter(|&id| self.table.symbol(id).scope.as_deref().unwrap_or_default() == scope);
        of_scope.min_by_key(|&id| {
            let symbol = self.table.symbol(id);
            let size = symbol.span.end_byte - symbol.span.start_byte;
            (symbol.is_test, Reverse(size), id)
        })
    }

    /// Returns all bodies of a type or module that may be reopened, the given one first.
    pub(crate) fn reopened_bodies(&self, type_id: SymbolId) -> Vec<SymbolId> {
        let mut bodies = vec![type_id];
        if !self.table.file(type_id.file).rules.has_nested_constants {
            return bodies;
        }
        let own = self.table.symbol(type_id);
        if !is_constant_scope(own.kind) {
            return bodies;
        }
        let named = self.definitions(&own.name);
        if named.len() > MAX_NAMESAKES {
            return bodies;
        }
        bodies.extend(named.iter().copied().filter(|&id| {
            let symbol = self.table.symbol(id);
            id != type_id
                && is_constant_scope(symbol.kind)
                && symbol.scope == own.scope
                && self.table.can_use(type_id.file, id.file)
        }));
        bodies
    }
}

/// True if definitions of this kind are constants that hold others.
pub(crate) fn is_constant_scope(kind: ChunkKind) -> bool {
    is_type(kind) || kind == ChunkKind::Module
}

/// The name of a definition with its scope.
fn qualified_name(symbol: &Symbol) -> String {
    match &symbol.scope {
        Some(scope) => format!("{scope}.{}", symbol.name),
        None => symbol.name.clone(),
    }
}
