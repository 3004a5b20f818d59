//! Extensions and impls: which type each is of, and which a type has.

use super::infer::Type;
use super::resolver::{At, Resolver};
use super::rules::Inheritance;
use super::types;
use super::world::{SymbolId, is_type};
use crate::model::ChunkKind;

impl Resolver<'_> {
    /// The type that an extension extends; any other symbol is itself.
    pub fn type_of_extension(&self, id: SymbolId) -> SymbolId {
        let symbol = self.world.symbol(id);
        if symbol.kind != ChunkKind::Extension {
            return id;
        }
        let candidates = self.types_named(&symbol.name, id);
        match candidates.len() {
            0 => id,
            _ if self.is_of_library(id) => id,
            1 => candidates[0],
            _ => self.resolved_extension(id).unwrap_or(candidates[0]),
        }
    }

    /// Whether the file says of an extended type's name that it comes from a library.
    fn is_of_library(&self, id: SymbolId) -> bool {
        let file = self.world.file(id.file);
        if file.rules.heritage != Inheritance::Traits {
            return false;
        }
        let name = self.world.symbol(id).name.as_str();
        let parent = self.world.parent(id).map(|parent| parent.symbol);
        let path = self
            .world
            .symbol(id)
            .scope
            .as_deref()
            .filter(|_| parent.is_none());
        let library = path.and_then(|path| path.split('.').next());
        if library.is_some_and(|first| ["core", "std", "alloc"].contains(&first)) {
            return true;
        }
        let mut imports = file.imports().iter();
        let import = imports.find(|import| {
            import.inside == parent && (file.rules.local_name)(import) == Some(name)
        });
        import.is_some_and(|import| self.imported(id.file, import).is_none())
    }

    fn types_named(&self, name: &str, from: SymbolId) -> Vec<SymbolId> {
        let named = self.named(name).iter().copied();
        let types = named.filter(|&other| {
            is_type(self.world.symbol(other).kind) && self.world.can_use(from.file, other.file)
        });
        types.collect()
    }

    /// Of several types of the extension's name, the one that is meant where it is written.
    fn resolved_extension(&self, id: SymbolId) -> Option<SymbolId> {
        let symbol = self.world.symbol(id);
        let parent = self.world.parent(id).map(|parent| parent.symbol);
        let at = At {
            file: id.file,
            symbol: parent,
            byte: symbol.span.start_byte,
        };
        let written = match &symbol.scope {
            Some(scope) if parent.is_none() => format!("{scope}.{}", symbol.name),
            _ => symbol.name.clone(),
        };
        match self.deeper(|| self.resolve_type(at, &types::parse(&written))) {
            Type::Known { symbol, .. } => Some(symbol),
            _ => None,
        }
    }

    /// The extensions of a type, wherever they are.
    pub fn extensions(&self, type_id: SymbolId) -> Vec<SymbolId> {
        if let Some(known) = self.extended.borrow().get(&type_id) {
            return known.clone();
        }
        let name = &self.world.symbol(type_id).name;
        let named = self.named(name).iter().copied();
        let found: Vec<SymbolId> = named
            .filter(|&id| self.world.symbol(id).kind == ChunkKind::Extension)
            .filter(|&id| self.world.can_use(id.file, type_id.file))
            .filter(|&id| self.deeper(|| self.type_of_extension(id) == type_id))
            .collect();
        self.extended.borrow_mut().insert(type_id, found.clone());
        found
    }
}
