//! Names in the namespaces around a position, which any file may reopen.

use crate::resolver::{Position, ResolvedTarget};
use crate::scopes::{Namespace, ScopeEntry, Scopes, is_in_namespace};
use crate::symbol_table::{SymbolId, is_callable, is_type};
use crate::{Confidence, Reason};
use kenning_model::ChunkKind;

impl<'t> Scopes<'_, 't> {
    /// Finds a name in the namespaces around a position, innermost first, in any file. A nearer
    /// file hides those further away.
    pub(super) fn find_in_namespaces(
        &self,
        at: Position,
        name: &str,
        namespace: Namespace,
    ) -> Option<ScopeEntry> {
        let file = self.table.file(at.file);
        if !file.rules.has_open_namespaces {
            return None;
        }
        let around = at.symbol.map(|symbol| file.path_of(symbol)).unwrap_or_default();
        let is_visible = |&id: &SymbolId| {
            is_in_namespace(self.table.symbol(id).kind, namespace)
                && !self.is_member_or_local(id)
                && self.can_name(at, id)
                && around.starts_with(&self.scope_of(id))
        };
        let visible = self.definitions(name).iter().copied().filter(is_visible);
        let mut ranked: Vec<(std::cmp::Reverse<usize>, usize, SymbolId)> = visible
            .map(|id| {
                let depth = self.scope_of(id).len();
                (std::cmp::Reverse(depth), self.directory_distance(at, id), id)
            })
            .collect();
        ranked.sort_unstable();
        let &(depth, distance, first) = ranked.first()?;
        let nearest = ranked.iter().take_while(|entry| (entry.0, entry.1) == (depth, distance));
        let found: Vec<SymbolId> = nearest.map(|entry| entry.2).collect();
        let reason = match distance {
            0 => Reason::SameFile,
            1 => Reason::SameDirectory,
            2 => Reason::SamePackage,
            _ => Reason::OtherPackage,
        };
        let is_one = found.len() == 1 || is_callable(self.table.symbol(first).kind);
        let confidence = if is_one { Confidence::High } else { Confidence::Medium };
        let targets = found.into_iter().map(ResolvedTarget::Symbol).collect();
        Some(ScopeEntry { targets, confidence, reason })
    }

    /// Returns the members that a bare name can mean in a definition outside of its type:
    /// `void Page::open() { close(); }`. The types around that type count as well.
    pub(super) fn members_of_written_scope(
        &self,
        at: Position,
        outer: u32,
        name: &str,
        namespace: Namespace,
    ) -> Vec<ResolvedTarget> {
        let file = self.table.file(at.file);
        if !file.rules.has_open_namespaces || file.written_scope(outer).is_none() {
            return Vec::new();
        }
        let member = SymbolId { file: at.file, symbol: outer };
        let mut owner = self.members().owner_of_out_of_line(member);
        while let Some(type_id) = owner.filter(|&id| is_type(self.table.symbol(id).kind)) {
            let found = self.members_in_namespace(type_id, name, namespace);
            if !found.is_empty() {
                return found;
            }
            let written = self.members().owner_of_out_of_line(type_id);
            owner = written.or_else(|| self.table.parent(type_id));
        }
        Vec::new()
    }

    /// True if definitions that are visible without an import are in several namespaces or types,
    /// so that the distance of files cannot tell which one a bare name means.
    pub(super) fn are_in_several_scopes(&self, visible: &[(usize, SymbolId)]) -> bool {
        let Some(&(_, first)) = visible.first() else {
            return false;
        };
        let has_namespaces = self.table.file(first.file).rules.has_open_namespaces;
        has_namespaces && visible.iter().any(|&(_, id)| self.scope_of(id) != self.scope_of(first))
    }

    /// True if the scope of a definition is written with its name.
    pub(super) fn has_written_scope(&self, id: SymbolId) -> bool {
        let file = self.table.file(id.file);
        file.rules.has_open_namespaces && file.written_scope(id.symbol).is_some()
    }

    /// True for a constructor that is named like its type. In the type, that name means the type.
    pub(super) fn is_constructor_of_namespaces(&self, id: SymbolId) -> bool {
        self.table.symbol(id).kind == ChunkKind::Initializer
            && self.table.file(id.file).rules.has_open_namespaces
    }

    /// Returns the names of the definitions around a definition, outermost first.
    fn scope_of(&self, id: SymbolId) -> Vec<&'t str> {
        let mut path = self.table.file(id.file).path_of(id.symbol);
        path.pop();
        path
    }
}
