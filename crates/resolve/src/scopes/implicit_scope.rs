//! Names that are visible without an import: definitions of the same directory, namespace or
//! package.

use std::rc::Rc;

use crate::resolver::{Position, ResolvedTarget};
use crate::rules::ImplicitScope;
use crate::scopes::{Namespace, ScopeEntry, Scopes, get_or_resolve, is_in_namespace};
use crate::symbol_table::{SymbolId, is_callable, is_type};
use crate::{Confidence, Reason};
use kenning_model::ChunkKind;

impl<'t> Scopes<'_, 't> {
    /// Resolves a name that is visible without an import. The result depends on facts alone, and on
    /// no lookup that may be under way, so it is always cached.
    pub(super) fn resolve_visible_name(
        &self,
        at: Position,
        name: &str,
        namespace: Namespace,
    ) -> Option<Rc<ScopeEntry>> {
        let find = || self.find_visible_definitions(at, name, namespace).map(Rc::new);
        get_or_resolve(&self.scope_cache.visible_names, (at.file, namespace), name, find, || true)
    }

    /// Finds the nearest definitions of a name in the files that the language makes visible. The
    /// dependency is the name, because any file may add a definition of it.
    fn find_visible_definitions(
        &self,
        at: Position,
        name: &str,
        namespace: Namespace,
    ) -> Option<ScopeEntry> {
        let file = self.table.file(at.file);
        if file.rules.implicit_scope == ImplicitScope::File {
            return None;
        }
        let home = file.rules.visibility_key(file);
        if file.rules.implicit_scope == ImplicitScope::Namespace {
            // A file that joins or leaves the namespace changes the answer.
            self.record_dependency(home.rsplit('\\').next().unwrap_or_default());
        }
        let is_visible = |&id: &SymbolId| {
            let symbol = self.table.symbol(id);
            let other = self.table.file(id.file);
            let is_member = self.is_member_or_local(id);
            is_in_namespace(symbol.kind, namespace)
                && (!is_member || namespace == Namespace::Type && is_type(symbol.kind))
                && self.can_name(at, id)
                && (file.rules.implicit_scope == ImplicitScope::Package
                    || file.rules.visibility_key(other) == home)
        };
        let mut ranked: Vec<(usize, SymbolId)> = self
            .definitions(name)
            .iter()
            .copied()
            .filter(is_visible)
            .map(|id| (self.distance(at, id), id))
            .collect();
        let is_ambiguous = self.are_in_several_scopes(&ranked);
        // A definition in the same file or directory hides those further away.
        let nearest = ranked.iter().map(|(distance, _)| *distance).min()?;
        ranked.retain(|(distance, _)| *distance == nearest);
        ranked.sort_unstable();
        let found: Vec<SymbolId> = ranked.into_iter().map(|(_, id)| id).collect();
        let reason = match nearest {
            0 | 1 => Reason::SameDirectory,
            2 => Reason::SamePackage,
            _ => Reason::OtherPackage,
        };
        // Functions of one name at one distance are overloads, so they count as one.
        let is_one = found.len() == 1 || is_callable(self.table.symbol(found[0]).kind);
        let is_sure = is_one && nearest < 3 || found.len() == 1;
        let confidence =
            if is_sure && !is_ambiguous { Confidence::High } else { Confidence::Medium };
        Some(ScopeEntry {
            targets: found.into_iter().map(ResolvedTarget::Symbol).collect(),
            confidence,
            reason,
        })
    }

    /// True if code at a position can name a definition, by packages and by linkage.
    pub(crate) fn can_name(&self, at: Position, id: SymbolId) -> bool {
        let other = self.table.file(id.file);
        self.table.can_use(at.file, id.file)
            && (id.file == at.file
                || !(other.rules.is_file_local)(&other.path, self.table.symbol(id)))
    }

    /// True if a definition is no bare name in other files: members need a receiver, and locals of
    /// functions are visible in them only.
    pub(super) fn is_member_or_local(&self, id: SymbolId) -> bool {
        let symbol = self.table.symbol(id);
        match self.table.parent(id) {
            Some(parent) => {
                let kind = self.table.symbol(parent).kind;
                // A module that types include holds members, as a type does.
                let is_mixin =
                    kind == ChunkKind::Module && self.table.file(id.file).rules.has_mixins;
                let is_out_of_line = || is_callable(symbol.kind) && self.has_written_scope(id);
                is_type(kind)
                    || kind == ChunkKind::Extension
                    || is_callable(kind)
                    || is_mixin
                    || is_out_of_line()
            }
            None => symbol.scope.is_some() && is_callable(symbol.kind),
        }
    }

    /// Ranks a definition by distance: same file 0, directory 1, package 2, elsewhere 3; 4 more if
    /// it is nested in another definition.
    pub fn distance(&self, at: Position, id: SymbolId) -> usize {
        // A nested definition is further than any top-level one.
        let nested = usize::from(self.table.parent(id).is_some()) * 4;
        self.directory_distance(at, id) + nested
    }

    /// Ranks a definition by the distance of its file alone.
    pub(super) fn directory_distance(&self, at: Position, id: SymbolId) -> usize {
        let (here, there) = (self.table.file(at.file), self.table.file(id.file));
        match () {
            () if at.file == id.file => 0,
            () if here.rules.visibility_key(here) == here.rules.visibility_key(there) => 1,
            () if here.package == there.package => 2,
            () => 3,
        }
    }
}
