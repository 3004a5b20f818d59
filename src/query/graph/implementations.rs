//! What implements, extends or conforms to a type, and what a type is a kind of.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Definition, Graph};
use crate::model::{ChunkKind, Heritage, HeritageKind, Relation};
use crate::store::StoreError;
use crate::store::code::LinkedFile;

/// A type that is a kind of the one that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Implementation {
    pub definition: Definition,
    pub how: How,
    /// Where it says so.
    pub path: crate::model::RepoPath,
    pub line: u32,
    /// Of a conditional one, the condition as written.
    pub condition: Option<String>,
    /// Of an inherited one, the type that it inherits it from.
    pub through: Option<Definition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    Direct,
    Inherited,
    Extension,
    Derived,
    Conditional,
}

impl How {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            How::Direct => "direct",
            How::Inherited => "inherited",
            How::Extension => "extension",
            How::Derived => "derived",
            How::Conditional => "conditional",
        }
    }

    pub(super) fn of(heritage: &Heritage, language: &str) -> How {
        match heritage.how {
            _ if heritage.condition.is_some() => How::Conditional,
            HeritageKind::Derived => How::Derived,
            HeritageKind::Extension if !is_impl(language) => How::Extension,
            HeritageKind::Declared | HeritageKind::Extension => How::Direct,
        }
    }
}

/// Languages in which a type that implements an interface is not of the interface's own bases: each
/// is implemented by itself, and an `impl` block is the direct way.
const IMPL_LANGUAGES: &[&str] = &["rust"];

pub(super) fn is_impl(language: &str) -> bool {
    IMPL_LANGUAGES.contains(&language)
}

type Kind = (Arc<LinkedFile>, Relation, Option<Heritage>);

/// No hierarchy is deeper or wider.
const MAX_TYPES: usize = 20_000;

impl Graph<'_> {
    /// Everything that is a kind of a type, directly or through others, each with how.
    pub fn implementations(&self, of: &Definition) -> Result<Vec<Implementation>, StoreError> {
        let mut found: Vec<Implementation> = Vec::new();
        let mut seen = HashSet::from([of.target]);
        let mut open = vec![of.clone()];
        while let Some(base) = open.pop() {
            for (linked, relation, clause) in self.relations_to(&base)? {
                let Some(definition) = self.definition(relation.subject)? else {
                    continue;
                };
                if found.len() >= MAX_TYPES || !seen.insert(relation.subject) {
                    continue;
                }
                let is_own = base.target == of.target;
                let line = definition.symbol.line;
                if !is_impl(&linked.language) {
                    open.push(definition.clone());
                }
                found.push(Implementation {
                    definition,
                    how: match &clause {
                        _ if !is_own => How::Inherited,
                        Some(clause) => How::of(clause, &linked.language),
                        None => How::Direct,
                    },
                    path: linked.path.clone(),
                    line: clause.as_ref().map_or(line, |clause| clause.line),
                    condition: clause.and_then(|clause| clause.condition),
                    through: (!is_own).then(|| base.clone()),
                });
            }
        }
        found.sort_by(|a, b| (a.how, &a.path, a.line).cmp(&(b.how, &b.path, b.line)));
        Ok(found)
    }

    /// What is said to be a kind of a type, each with the clause that says so, if one does.
    pub(super) fn relations_to(&self, base: &Definition) -> Result<Vec<Kind>, StoreError> {
        let mut found = Vec::new();
        for linked in self.linked_to(base)? {
            let relations = linked.edges.relations.iter();
            let relations = relations.filter(|relation| relation.base == base.target);
            let relations: Vec<&Relation> = relations.collect();
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

    /// What a type is a kind of, directly or through others, without itself.
    pub fn supertypes(&self, of: &Definition) -> Result<Vec<Definition>, StoreError> {
        let mut found: Vec<Definition> = Vec::new();
        let mut open = vec![of.clone()];
        let mut seen = HashSet::from([of.target]);
        while let Some(current) = open.pop() {
            // The type's own file, and those that extend it, define something of its name.
            for record in self.snapshot.files_defining(&current.symbol.name)? {
                let Some(linked) = self.linked(record)? else {
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

    /// The type that a member belongs to, or the object that is written out with it: `const page = { open() {} }`.
    pub fn owner(&self, of: &Definition) -> Result<Option<Definition>, StoreError> {
        let around = self.in_file(&of.path, |outer| {
            let (outer, inner) = (&outer.span, &of.symbol.span);
            outer.start_byte <= inner.start_byte
                && inner.end_byte <= outer.end_byte
                && outer != inner
        })?;
        let Some(nearest) = around.into_iter().next_back() else {
            // A method of Go stands apart from its type, in a file of the same directory.
            return match of.symbol.scope.as_deref() {
                Some(scope) => self.extended_type(scope, &of.path),
                None => Ok(None),
            };
        };
        match nearest.symbol.kind {
            ChunkKind::Extension => self.extended_type(&nearest.symbol.name, &of.path),
            kind if kind.names_type() => Ok(Some(nearest)),
            ChunkKind::Constant | ChunkKind::Variable if of.symbol.kind == ChunkKind::Method => {
                Ok(Some(nearest))
            }
            _ => Ok(None),
        }
    }

    /// The members of this name of a type, with those that extensions add.
    pub fn members(&self, of: &Definition, name: &str) -> Result<Vec<Definition>, StoreError> {
        let owner = of.symbol.name.as_str();
        let mut found = Vec::new();
        for file in self.snapshot.files_with_member(owner, name)? {
            let named = self.in_number(file, |symbol| {
                let scope = symbol.scope.as_deref().unwrap_or_default();
                let is_named = symbol.name == name && symbol.kind != ChunkKind::Extension;
                is_named && scope.rsplit('.').next() == Some(owner)
            })?;
            for member in named {
                let owner = self.owner(&member)?;
                if owner.is_some_and(|owner| owner.target == of.target) {
                    found.push(member);
                }
            }
        }
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }
}
