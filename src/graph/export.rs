//! Export of the whole graph, a page of files at a time, for pipelines.
//!
//! A page holds complete files, so that a consumer never sees half of a file's edges. Pages follow
//! the order of paths. Two pages may come from different snapshots; the caller decides if that
//! matters.

use crate::graph::implementations::SubtypeKind;
use crate::graph::incoming_edges::{edge_evidence, mention_site};
use crate::graph::{Definition, Evidence, Graph, Site};
use kenning_model::{ReferenceKind, RepoPath};
use kenning_store::StoreError;
use kenning_store::code::LinkedFile;

/// The kind of edges to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    Calls,
    Implements,
    Imports,
}

/// One call with all of its possible targets.
///
/// A call with low confidence may list several callees.
#[derive(Clone, Debug, PartialEq)]
pub struct CallEdge {
    pub site: Site,
    pub caller: Option<Definition>,
    pub callees: Vec<Definition>,
    pub evidence: Evidence,
}

/// A type and one of its supertypes.
#[derive(Clone, Debug, PartialEq)]
pub struct ImplementsEdge {
    pub subject: Definition,
    pub interface: Definition,
    pub kind: SubtypeKind,
}

/// An import of another file, or of a definition in it.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportEdge {
    pub site: Site,
    pub path: RepoPath,
    /// `None` for the whole file.
    pub definition: Option<Definition>,
    pub evidence: Evidence,
}

/// Edges of one kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Edges {
    Calls(Vec<CallEdge>),
    Implements(Vec<ImplementsEdge>),
    Imports(Vec<ImportEdge>),
}

/// The edges of some files, and the start of the next page.
pub struct EdgePage {
    pub edges: Edges,
    /// The path of the last file, if there may be more.
    pub next: Option<String>,
}

impl Graph<'_> {
    /// Returns the edges of the `files` files that follow the path `after`. An empty `after` starts
    /// at the beginning.
    ///
    /// The last page may be empty: a full page does not know if another file follows.
    pub fn edge_page(
        &self,
        kind: EdgeKind,
        after: &str,
        files: usize,
    ) -> Result<EdgePage, StoreError> {
        let linked = self.snapshot.linked_files_after(after, files)?;
        let next =
            linked.last().filter(|_| linked.len() == files).map(|last| last.path.to_string());
        let edges = match kind {
            EdgeKind::Calls => Edges::Calls(self.collect_edges(&linked, Self::call_edges)?),
            EdgeKind::Implements => {
                Edges::Implements(self.collect_edges(&linked, Self::collect_implements_edges)?)
            }
            EdgeKind::Imports => Edges::Imports(self.collect_edges(&linked, Self::import_edges)?),
        };
        Ok(EdgePage { edges, next })
    }

    /// Applies one of the functions below to each file, and concatenates the results.
    fn collect_edges<T>(
        &self,
        linked: &[LinkedFile],
        edges: fn(&Self, &LinkedFile) -> Result<Vec<T>, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut found = Vec::new();
        for file in linked {
            found.extend(edges(self, file)?);
        }
        Ok(found)
    }

    /// Calls whose targets are all gone are left out. The caller is `None` for code outside of
    /// every definition.
    fn call_edges(&self, linked: &LinkedFile) -> Result<Vec<CallEdge>, StoreError> {
        let mentions = self.snapshot.mentions_of(linked.file)?;
        let mut found = Vec::new();
        for edge in &linked.edges.edges {
            let mention = mentions.get(edge.reference);
            let Some(mention) = mention.filter(|one| one.kind == ReferenceKind::Call) else {
                continue;
            };
            let mut callees = Vec::new();
            for &target in &edge.targets {
                callees.extend(self.definition(target)?);
            }
            let caller = mention.inside.map(|place| self.definition_at(linked.file, place));
            if !callees.is_empty() {
                found.push(CallEdge {
                    site: mention_site(linked, &mention),
                    caller: caller.transpose()?.flatten(),
                    callees,
                    evidence: edge_evidence(edge),
                });
            }
        }
        Ok(found)
    }

    /// Returns the supertypes of each type in a file: those its own clauses name, and inherited
    /// ones.
    fn collect_implements_edges(
        &self,
        linked: &LinkedFile,
    ) -> Result<Vec<ImplementsEdge>, StoreError> {
        let mut found: Vec<ImplementsEdge> = Vec::new();
        let heritage = if linked.edges.relations.is_empty() {
            Vec::new()
        } else {
            self.snapshot.heritage_in(linked.file)?
        };
        for relation in &linked.edges.relations {
            let subject = self.definition(relation.subject)?;
            let supertype = self.definition(relation.base)?;
            let clause = relation.heritage.map(|place| heritage.get(place as usize));
            let (Some(subject), Some(supertype)) = (subject, supertype) else {
                continue;
            };
            let kind = match clause {
                Some(Some(clause)) => SubtypeKind::from_clause(clause, &linked.language),
                // The clause is gone from the file since it was resolved.
                Some(None) => continue,
                None => SubtypeKind::Direct,
            };
            found.push(ImplementsEdge {
                kind,
                subject: subject.clone(),
                interface: supertype.clone(),
            });
            if crate::graph::implementations::has_separate_implementations(&linked.language) {
                continue;
            }
            for inherited in self.supertypes(&supertype)? {
                // Interfaces with the same requirements are each a subtype of the other.
                if inherited.target == subject.target {
                    continue;
                }
                found.push(ImplementsEdge {
                    subject: subject.clone(),
                    interface: inherited,
                    kind: SubtypeKind::Inherited,
                });
            }
        }
        Ok(found)
    }

    /// Re-exports count as imports, because both make a file depend on another.
    fn import_edges(&self, linked: &LinkedFile) -> Result<Vec<ImportEdge>, StoreError> {
        let mentions = self.snapshot.mentions_of(linked.file)?;
        let mut found = Vec::new();
        for edge in &linked.edges.edges {
            let mention = mentions.get(edge.reference);
            let is_import = |kind| matches!(kind, ReferenceKind::Import | ReferenceKind::Export);
            let Some(mention) = mention.filter(|one| is_import(one.kind)) else {
                continue;
            };
            for &target in &edge.targets {
                let definition = self.definition(target)?;
                if let Some(path) = self.snapshot.path_of(target.file)? {
                    found.push(ImportEdge {
                        site: mention_site(linked, &mention),
                        path,
                        definition,
                        evidence: edge_evidence(edge),
                    });
                }
            }
        }
        Ok(found)
    }
}
