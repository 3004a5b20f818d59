//! Extensions and impls: the type that each extends, and the extensions of a type.

use std::rc::Rc;

use crate::Confidence;
use crate::heritage::Heritage;
use crate::inference::Type;
use crate::inference::type_params::find_name;
use crate::resolve_reference::Resolution;
use crate::resolver::Position;
use crate::rules::Inheritance;
use crate::scopes::Namespace;
use crate::symbol_table::{SymbolId, is_callable};
use kenning_model::{ChunkKind, Reference};

impl<'t> Heritage<'_, 't> {
    /// Resolves a call to a Kotlin extension function, unless the receiver's type already resolves
    /// it with high confidence. Such a function (`fun String.toPath()`) is called like a member.
    pub(crate) fn resolve_extension_call(
        &self,
        at: Position,
        reference: &Reference,
        member: Option<Resolution>,
    ) -> Option<Resolution> {
        let is_sure = |meaning: &Resolution| meaning.confidence >= Confidence::High;
        let can_extend = self.table.file(at.file).rules.has_extension_functions;
        if !can_extend || member.as_ref().is_some_and(is_sure) {
            return member;
        }
        let Some(scoped) = self.scopes().resolve_name(at, &reference.name, Namespace::Value) else {
            return member;
        };
        // Facts do not mark extension functions; their signature has the type before the name.
        let written_for_types = scoped.symbols().filter(|&id| {
            let symbol = self.table.symbol(id);
            let signature = symbol.signature.as_deref().unwrap_or_default();
            let name = find_name(signature, &symbol.name);
            let is_after_type = name.is_some_and(|at| signature[..at].ends_with('.'));
            is_callable(symbol.kind) && is_after_type && self.overloads().can_accept(id, reference)
        });
        let found = written_for_types.collect();
        Resolution::new(found, scoped.confidence, scoped.reason).or(member)
    }

    /// Returns the type that an extension extends; any other symbol unchanged. An extension of a
    /// library type is returned unchanged as well.
    pub fn type_of_extension(&self, id: SymbolId) -> SymbolId {
        let symbol = self.table.symbol(id);
        if symbol.kind != ChunkKind::Extension {
            return id;
        }
        if let Some(&known) = self.heritage_cache.extended_types.borrow().get(&id) {
            return known;
        }
        let found = self.find_extended_type(id, &symbol.name);
        if self.is_cacheable() {
            self.heritage_cache.extended_types.borrow_mut().insert(id, found);
        }
        found
    }

    /// Finds the type that an extension of this name extends. Most names are unique, so the name is
    /// only resolved if several types share it.
    fn find_extended_type(&self, id: SymbolId, name: &str) -> SymbolId {
        let candidates = self.visible_types(name, id);
        match candidates.len() {
            0 => id,
            _ if self.is_library_extension(id) => id,
            1 => candidates[0],
            _ => self.resolve_extended_name(id).unwrap_or(candidates[0]),
        }
    }

    /// True if the name of an extended type belongs to a library, by its path or its import.
    fn is_library_extension(&self, id: SymbolId) -> bool {
        let file = self.table.file(id.file);
        if file.rules.inheritance != Inheritance::Traits {
            return false;
        }
        let name = self.table.symbol(id).name.as_str();
        let parent = self.table.parent(id).map(|parent| parent.symbol);
        let path = self.table.symbol(id).scope.as_deref().filter(|_| parent.is_none());
        // `impl Display for std::io::Error`.
        let library = path.and_then(|path| path.split('.').next());
        if library.is_some_and(|first| file.rules.library_roots.contains(&first)) {
            return true;
        }
        // An import that resolves to nothing here is a library's.
        let mut imports = file.imports_named(name);
        let import = imports.find(|import| import.container == parent);
        import.is_some_and(|import| self.modules().resolve_import_cached(id.file, import).is_none())
    }

    /// Returns the types of a name in files that an extension can use.
    fn visible_types(&self, name: &str, from: SymbolId) -> Vec<SymbolId> {
        self.record_dependency(name);
        let types = self.table.types(name).iter().copied();
        types.filter(|&other| self.table.can_use(from.file, other.file)).collect()
    }

    /// Resolves the name of an extension at its position, to select one of several types.
    fn resolve_extended_name(&self, id: SymbolId) -> Option<SymbolId> {
        let symbol = self.table.symbol(id);
        let parent = self.table.parent(id).map(|parent| parent.symbol);
        let at = Position { file: id.file, symbol: parent, byte: symbol.span.start_byte };
        let written = match &symbol.scope {
            Some(scope) if parent.is_none() => format!("{scope}.{}", symbol.name),
            _ => symbol.name.clone(),
        };
        match self.with_budget(|| self.inference().resolve_type(at, &self.parse_type(&written))) {
            Type::Known { symbol, .. } => Some(symbol),
            _ => None,
        }
    }

    /// Returns the extensions of a type, in all files that can use it.
    pub fn extensions(&self, type_id: SymbolId) -> Rc<[SymbolId]> {
        if let Some(known) = self.heritage_cache.extensions.borrow().get(&type_id) {
            return known.clone();
        }
        let name = &self.table.symbol(type_id).name;
        self.record_dependency(name);
        let extensions = self.table.extensions(name).iter().copied();
        let found: Rc<[SymbolId]> = extensions
            .filter(|&id| self.table.can_use(id.file, type_id.file))
            .filter(|&id| self.with_budget(|| self.type_of_extension(id) == type_id))
            .collect();
        self.heritage_cache.extensions.borrow_mut().insert(type_id, found.clone());
        found
    }
}
