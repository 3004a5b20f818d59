//! Owners of members that are defined outside of their type: `void List::Iterator::next() {}`.
//!
//! Types of one name may be nested in several others, so the last segment of the scope does not
//! tell the owner. The type whose path has most segments in common with the scope is the owner.

use crate::members::Members;
use crate::symbol_table::SymbolId;

impl<'t> Members<'_, 't> {
    /// Returns the type that owns a member which is defined outside of it. Of several that fit as
    /// well, the one nearest to the member is the owner.
    pub(crate) fn owner_of_out_of_line(&self, member: SymbolId) -> Option<SymbolId> {
        let scope = self.table.file(member.file).written_scope(member.symbol)?;
        let name = scope.rsplit('.').next().unwrap_or(scope);
        self.record_dependency(name);
        let types = self.table.types(name).iter().copied();
        let mut candidates: Vec<SymbolId> =
            types.filter(|&other| self.table.can_use(member.file, other.file)).collect();
        let here = &self.table.file(member.file).path;
        candidates.sort_by_key(|&id| {
            let there = &self.table.file(id.file).path;
            let is_near = there.parent() == here.parent();
            std::cmp::Reverse((self.common_segments(id, member), there == here, is_near))
        });
        candidates.first().copied()
    }

    /// True if a type owns a member that is defined outside of it, and whose scope ends with the
    /// type's name: no other type of that name has more of its path in the scope.
    pub(crate) fn is_owner(&self, type_id: SymbolId, member: SymbolId) -> bool {
        let name = self.table.symbol(type_id).name.as_str();
        self.record_dependency(name);
        let own = self.common_segments(type_id, member);
        self.table.types(name).iter().all(|&other| {
            other == type_id
                || self.common_segments(other, member) <= own
                || !self.table.can_use(member.file, other.file)
        })
    }

    /// Returns the number of segments that the path of a type and the scope of a member share,
    /// counted from the end.
    fn common_segments(&self, type_id: SymbolId, member: SymbolId) -> usize {
        let path = self.table.file(type_id.file).path_of(type_id.symbol);
        let scope = self.table.symbol(member).scope.as_deref().unwrap_or_default();
        let pairs = path.iter().rev().zip(scope.rsplit('.'));
        pairs.take_while(|(segment, written)| *segment == written).count()
    }
}
