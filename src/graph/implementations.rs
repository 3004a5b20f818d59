//! Subtypes and supertypes of a type: implementations, extensions and conformances.
//!
//! Subtypes are found by walking relations, which the resolver stored. Indirect ones are included,
//! because a caller of an interface may reach them all.

use std::collections::HashSet;
use std::sync::Arc;

use crate::graph::{Definition, Graph};
use kenning_lang::languages::rules_by_name;
use kenning_model::{ChunkKind, Heritage, HeritageKind, Relation};
use kenning_store::StoreError;
use kenning_store::code::LinkedFile;

/// A subtype of the queried type.
#[derive(Clone, Debug, PartialEq)]
pub struct Implementation {
    pub definition: Definition,
    pub kind: SubtypeKind,
    /// The file and line of the clause, or of the definition if there is no clause.
    pub path: kenning_model::RepoPath,
    pub line: u32,
    /// The condition as written, if the clause has one.
    pub condition: Option<String>,
    /// The type in between, if it is inherited.
    pub via: Option<Definition>,
}

/// The way in which a type became a subtype. The order of the variants is the order of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SubtypeKind {
    Direct,
    Inherited,
    Extension,
    Derived,
    Conditional,
}

impl SubtypeKind {
    /// Returns the word of the wire format.
    pub fn as_str(self) -> &'static str {
        match self {
            SubtypeKind::Direct => "direct",
            SubtypeKind::Inherited => "inherited",
            SubtypeKind::Extension => "extension",
            SubtypeKind::Derived => "derived",
            SubtypeKind::Conditional => "conditional",
        }
    }

    /// A condition takes precedence, because it is the most surprising property of a clause.
    pub(super) fn from_clause(heritage: &Heritage, language: &str) -> SubtypeKind {
        match heritage.kind {
            _ if heritage.condition.is_some() => SubtypeKind::Conditional,
            HeritageKind::Derived => SubtypeKind::Derived,
            HeritageKind::Extension if !has_separate_implementations(language) => {
                SubtypeKind::Extension
            }
            // Where types implement in blocks of their own, a declared base is that of an
            // interface, which implements nothing itself.
            HeritageKind::Declared if has_separate_implementations(language) => {
                SubtypeKind::Inherited
            }
            HeritageKind::Declared | HeritageKind::Extension => SubtypeKind::Direct,
        }
    }
}

/// True if a type of this language implements each base separately.
pub(super) fn has_separate_implementations(language: &str) -> bool {
    rules_by_name(language).heritage.has_separate_implementations
}

/// A file, the relation in it, and the clause that states it.
type DirectSubtype = (Arc<LinkedFile>, Relation, Option<Heritage>);

/// The most types that one walk visits, as a bound on its cost.
const MAX_TYPES: usize = 20_000;

impl Graph<'_> {
    /// Returns all direct and indirect subtypes of a type, each with its kind of heritage.
    ///
    /// The walk visits each type once, so cycles end. The result is sorted by kind, path and line.
    pub fn implementations(
        &self,
        base_type: &Definition,
    ) -> Result<Vec<Implementation>, StoreError> {
        let mut found: Vec<Implementation> = Vec::new();
        let mut seen = HashSet::from([base_type.target]);
        let mut open = vec![base_type.clone()];
        while let Some(base) = open.pop() {
            for (linked, relation, clause) in self.direct_subtypes(&base)? {
                let Some(definition) = self.definition(relation.subject)? else {
                    continue;
                };
                if found.len() >= MAX_TYPES || !seen.insert(relation.subject) {
                    continue;
                }
                let is_own = base.target == base_type.target;
                let line = definition.symbol.line;
                if !has_separate_implementations(&linked.language) {
                    open.push(definition.clone());
                }
                found.push(Implementation {
                    definition,
                    kind: match &clause {
                        _ if !is_own => SubtypeKind::Inherited,
                        Some(clause) => SubtypeKind::from_clause(clause, &linked.language),
                        None => SubtypeKind::Direct,
                    },
                    path: linked.path.clone(),
                    line: clause.as_ref().map_or(line, |clause| clause.line),
                    condition: clause.and_then(|clause| clause.condition),
                    via: (!is_own).then(|| base.clone()),
                });
            }
        }
        found.sort_by(|a, b| (a.kind, &a.path, a.line).cmp(&(b.kind, &b.path, b.line)));
        Ok(found)
    }

    /// Returns the direct subtypes of a type, each with its heritage clause if there is one.
    ///
    /// A relation whose clause is missing from the store is skipped. A relation without a clause is
    /// structural.
    pub(super) fn direct_subtypes(
        &self,
        base: &Definition,
    ) -> Result<Vec<DirectSubtype>, StoreError> {
        let mut found = Vec::new();
        for linked in self.linked_files_to(base)? {
            let relations: Vec<&Relation> = linked
                .edges
                .relations
                .iter()
                .filter(|relation| relation.base == base.target)
                .collect();
            if relations.is_empty() {
                continue;
            }
            let heritage = self.snapshot.heritage_in(linked.file)?;
            for relation in relations {
                let clause = relation.heritage.map(|place| heritage.get(place as usize));
                if clause != Some(None) {
                    let clause = clause.flatten().cloned();
                    found.push((linked.clone(), relation.clone(), clause));
                }
            }
        }
        Ok(found)
    }

    /// Returns the direct and indirect supertypes of a type, without itself.
    ///
    /// The order is that of the walk, with nearer types usually before farther ones.
    pub fn supertypes(&self, subtype: &Definition) -> Result<Vec<Definition>, StoreError> {
        let mut found: Vec<Definition> = Vec::new();
        let mut open = vec![subtype.clone()];
        let mut seen = HashSet::from([subtype.target]);
        while let Some(current) = open.pop() {
            // Files that define the name include the type's own file and those that extend it.
            for record in self.snapshot.files_defining(&current.symbol.name)? {
                let Some(linked) = self.linked_file(record)? else {
                    continue;
                };
                let own = linked.edges.relations.iter();
                for relation in own.filter(|relation| relation.subject == current.target) {
                    if !seen.insert(relation.base) || found.len() > MAX_TYPES {
                        continue;
                    }
                    if let Some(base) = self.definition(relation.base)? {
                        open.push(base.clone());
                        found.push(base);
                    }
                }
            }
        }
        Ok(found)
    }

    /// Returns the type that a member belongs to, or its object literal: `const page = { open() {}
    /// }`.
    ///
    /// It is decided by spans first, because a scope is only a name. `None` for free functions and
    /// nested functions.
    pub fn owner(&self, member: &Definition) -> Result<Option<Definition>, StoreError> {
        let around = self.select_in_file(&member.path, |outer| {
            let (outer, inner) = (&outer.span, &member.symbol.span);
            outer.start_byte <= inner.start_byte
                && inner.end_byte <= outer.end_byte
                && outer != inner
        })?;
        let Some(nearest) = around.into_iter().next_back() else {
            // A method may be outside of its type, in a file of the same directory.
            return match member.symbol.scope.as_deref() {
                Some(scope) => self.extended_type(scope, &member.path),
                None => Ok(None),
            };
        };
        match nearest.symbol.kind {
            ChunkKind::Extension => self.extended_type(&nearest.symbol.name, &member.path),
            kind if kind.names_type() => Ok(Some(nearest)),
            ChunkKind::Constant | ChunkKind::Variable
                if member.symbol.kind == ChunkKind::Method =>
            {
                Ok(Some(nearest))
            }
            _ => Ok(None),
        }
    }

    /// Returns the members of a type with this name, including those of extensions.
    ///
    /// Inherited members are not included. The result is sorted by path.
    pub fn members_named(
        &self,
        owner_type: &Definition,
        name: &str,
    ) -> Result<Vec<Definition>, StoreError> {
        let owner = owner_type.symbol.name.as_str();
        let mut found = Vec::new();
        for file in self.snapshot.files_with_member(owner, name)? {
            let named = self.select_in_file_number(file, |symbol| {
                let scope = symbol.scope.as_deref().unwrap_or_default();
                let is_named = symbol.name == name && symbol.kind != ChunkKind::Extension;
                is_named && scope.rsplit('.').next() == Some(owner)
            })?;
            for member in named {
                let owner = self.owner(&member)?;
                if owner.is_some_and(|owner| owner.target == owner_type.target) {
                    found.push(member);
                }
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }
}
