//! Extensions and impls: which type each is of, and which a type has.

use std::rc::Rc;

use crate::Confidence;
use crate::heritage::Heritage;
use crate::inference::Type;
use crate::inference::type_params::find_name;
use crate::references::Meaning;
use crate::resolver::Position;
use crate::rules::Inheritance;
use crate::scopes::NameKind;
use crate::symbol_table::{SymbolId, is_callable};
use kenning_model::{ChunkKind, Reference};

impl<'w> Heritage<'_, 'w> {
    /// Resolves a call to a Kotlin extension function, unless the receiver's type already resolves
    /// it with high confidence. Such a function (`fun String.toPath()`) is called like a member.
    pub(crate) fn unless_extended(
        &self,
        at: Position,
        reference: &Reference,
        member: Option<Meaning>,
    ) -> Option<Meaning> {
        let is_sure = |meaning: &Meaning| meaning.confidence >= Confidence::High;
        let is_kotlin = self.world.file(at.file).language == "kotlin";
        if !is_kotlin || member.as_ref().is_some_and(is_sure) {
            return member;
        }
        let Some(scoped) = self.scopes().lookup(at, &reference.name, NameKind::Value) else {
            return member;
        };
        let written_for_types = scoped.symbols().filter(|&id| {
            let symbol = self.world.symbol(id);
            let signature = symbol.signature.as_deref().unwrap_or_default();
            let name = find_name(signature, &symbol.name);
            let is_after_type = name.is_some_and(|at| signature[..at].ends_with('.'));
            is_callable(symbol.kind) && is_after_type && self.overloads().takes(id, reference)
        });
        let found = written_for_types.collect();
        Meaning::new(found, scoped.confidence, scoped.reason).or(member)
    }

    /// The type that an extension extends; any other symbol is itself.
    pub fn type_of_extension(&self, id: SymbolId) -> SymbolId {
        let symbol = self.world.symbol(id);
        if symbol.kind != ChunkKind::Extension {
            return id;
        }
        if let Some(&known) = self.heritage_cache.extended.borrow().get(&id) {
            return known;
        }
        let found = self.find_extended(id, &symbol.name);
        if self.is_cacheable() {
            self.heritage_cache.extended.borrow_mut().insert(id, found);
        }
        found
    }

    fn find_extended(&self, id: SymbolId, name: &str) -> SymbolId {
        let candidates = self.types_named(name, id);
        match candidates.len() {
            0 => id,
            _ if self.is_of_library(id) => id,
            1 => candidates[0],
            _ => self.resolved_extension(id).unwrap_or(candidates[0]),
        }
    }

    /// True if the file says of an extended type's name that it comes from a library.
    fn is_of_library(&self, id: SymbolId) -> bool {
        let file = self.world.file(id.file);
        if file.rules.heritage != Inheritance::Traits {
            return false;
        }
        let name = self.world.symbol(id).name.as_str();
        let parent = self.world.parent(id).map(|parent| parent.symbol);
        let path = self.world.symbol(id).scope.as_deref().filter(|_| parent.is_none());
        let library = path.and_then(|path| path.split('.').next());
        if library.is_some_and(|first| ["core", "std", "alloc"].contains(&first)) {
            return true;
        }
        let mut imports = file.imports_of(name);
        let import = imports.find(|import| import.container == parent);
        import.is_some_and(|import| self.modules().known_import(id.file, import).is_none())
    }

    fn types_named(&self, name: &str, from: SymbolId) -> Vec<SymbolId> {
        self.record_dependency(name);
        let types = self.world.types(name).iter().copied();
        types.filter(|&other| self.world.can_use(from.file, other.file)).collect()
    }

    /// Resolves the name of an extension at its place, which selects one of several types of that
    /// name.
    fn resolved_extension(&self, id: SymbolId) -> Option<SymbolId> {
        let symbol = self.world.symbol(id);
        let parent = self.world.parent(id).map(|parent| parent.symbol);
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

    /// The extensions of a type, wherever they are.
    pub fn extensions(&self, type_id: SymbolId) -> Rc<[SymbolId]> {
        if let Some(known) = self.heritage_cache.extensions.borrow().get(&type_id) {
            return known.clone();
        }
        let name = &self.world.symbol(type_id).name;
        self.record_dependency(name);
        let extensions = self.world.extensions(name).iter().copied();
        let found: Rc<[SymbolId]> = extensions
            .filter(|&id| self.world.can_use(id.file, type_id.file))
            .filter(|&id| self.with_budget(|| self.type_of_extension(id) == type_id))
            .collect();
        self.heritage_cache.extensions.borrow_mut().insert(type_id, found.clone());
        found
    }
}
