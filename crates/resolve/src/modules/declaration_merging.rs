//! Declaration merging: a name that is both a type and a value.
//!
//! In TypeScript, an interface and a constant of one name are one symbol with two sides. Extraction
//! yields two definitions. The position of a reference decides which side it means.

use crate::modules::Modules;
use crate::symbol_table::{SymbolId, is_callable, is_type};
use kenning_model::ChunkKind;

impl<'t> Modules<'_, 't> {
    /// Returns the value side of a symbol. For an interface or alias of a script, that is the
    /// merged declaration that is a value, if there is one.
    pub(crate) fn value_side(&self, id: SymbolId) -> SymbolId {
        let kind = self.table.symbol(id).kind;
        if self.objects().has_open_objects(id.file) && is_type_only(kind) {
            self.find_merged_declaration(id, |kind| !is_type_only(kind)).unwrap_or(id)
        } else {
            id
        }
    }

    /// Returns the type side of a symbol: the symbol itself, or in a script the merged declaration
    /// that is a type.
    pub(crate) fn type_side(&self, id: SymbolId) -> Option<SymbolId> {
        let kind = self.table.symbol(id).kind;
        match is_type(kind) {
            true => Some(id),
            false if self.objects().has_open_objects(id.file) => {
                self.find_merged_declaration(id, is_type)
            }
            false => None,
        }
    }

    /// Adds the type sides of constants, because in TypeScript the two are one symbol.
    pub(crate) fn add_merged_types(&self, mut found: Vec<SymbolId>) -> Vec<SymbolId> {
        // Functions and types are complete by themselves.
        let constants = found.iter().filter(|id| {
            let kind = self.table.symbol(**id).kind;
            !is_type(kind) && !is_callable(kind)
        });
        let types: Vec<SymbolId> = constants.filter_map(|&id| self.type_side(id)).collect();
        found.extend(types);
        found
    }

    /// Finds a definition of the same name, scope and parent whose kind fits.
    fn find_merged_declaration(
        &self,
        id: SymbolId,
        is_meant: impl Fn(ChunkKind) -> bool,
    ) -> Option<SymbolId> {
        let file = self.table.file(id.file);
        let own = &file.symbols()[id.symbol as usize];
        let mut beside = file.children(file.parents()[id.symbol as usize], &own.name);
        let found = beside.find(|&index| {
            let symbol = &file.symbols()[index as usize];
            symbol.scope == own.scope && is_meant(symbol.kind)
        });
        found.map(|symbol| SymbolId { symbol, ..id })
    }
}

/// True if the kind exists only at compile time.
fn is_type_only(kind: ChunkKind) -> bool {
    matches!(kind, ChunkKind::Interface | ChunkKind::TypeAlias)
}
