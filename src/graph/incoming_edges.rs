//! Callers, callees and references of a definition.
//!
//! Edges are stored with the file that contains the reference. Incoming edges are found through an
//! index of the files that reach a definition's file, so a query reads few files.

use std::sync::Arc;

use crate::graph::{Definition, Evidence, Graph, Site};
use kenning_lang::languages;
use kenning_model::{ChunkKind, Confidence, Edge, EdgeTarget, Reason, ReferenceKind};
use kenning_store::StoreError;
use kenning_store::code::{LinkedFile, Mention};

/// An edge, seen from one of its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphLink {
    pub site: Site,
    /// The definition at the other end: the caller or the callee. `None` for code outside of every
    /// definition.
    pub other: Option<Definition>,
    pub evidence: Evidence,
    pub via: Via,
}

/// The way a call reaches a definition: by its own name, or through another that dispatches to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Via {
    Itself,
    /// The requirement of an interface that the definition fulfils, or a method that it overrides.
    Requirement(Box<Definition>),
    /// The requirement that is called, of an interface that the definition fulfils.
    Dispatch(Box<Definition>),
}

impl Graph<'_> {
    /// Returns the callers of a definition, by path and line. Calls through a requirement that it
    /// implements are included and marked as [`Via::Requirement`].
    ///
    /// The order is by kind first: direct calls, then constructions, then calls through
    /// requirements.
    pub fn callers(&self, definition: &Definition) -> Result<Vec<GraphLink>, StoreError> {
        let mut found = self.links_to(definition, &[ReferenceKind::Call], &Via::Itself)?;
        // A compiler's index may record a construction as a reference to the type. It calls this
        // initializer.
        if definition.symbol.kind == ChunkKind::Initializer
            && let Some(owner) = self.owner(definition)?
        {
            found.extend(self.links_to(&owner, &[ReferenceKind::Call], &Via::Itself)?);
        }
        for requirement in self.requirements(definition)? {
            let through = Via::Requirement(Box::new(requirement.clone()));
            found.extend(self.links_to(&requirement, &[ReferenceKind::Call], &through)?);
        }
        Ok(found)
    }

    /// Returns every reference to a definition: calls, types, imports, exports and heritage
    /// clauses.
    ///
    /// A heritage clause is listed once, even if the type reference in it has an edge of its own.
    pub fn references(&self, definition: &Definition) -> Result<Vec<GraphLink>, StoreError> {
        let all = [
            ReferenceKind::Call,
            ReferenceKind::Type,
            ReferenceKind::Import,
            ReferenceKind::Export,
        ];
        let mut found = self.links_to(definition, &all, &Via::Itself)?;
        for (linked, relation, clause) in self.direct_subtypes(definition)? {
            let Some(clause) = clause else {
                continue;
            };
            let is_there = |link: &GraphLink| {
                link.site.path == linked.path
                    && link.site.line == clause.line
                    && link.site.kind == ReferenceKind::Type
            };
            if !found.iter().any(is_there) {
                found.push(GraphLink {
                    site: Site {
                        path: linked.path.clone(),
                        line: clause.line,
                        name: clause.base,
                        kind: ReferenceKind::Type,
                        is_test: linked.is_test,
                        package: linked.package.clone(),
                    },
                    other: self.definition(relation.subject)?,
                    evidence: Evidence {
                        confidence: Confidence::High,
                        reason: Reason::LexicalScope,
                    },
                    via: Via::Itself,
                });
            }
        }
        Ok(found)
    }

    /// Returns the callees of a definition in the order of the text, including those of nested
    /// definitions.
    ///
    /// Dispatch is not followed. [`Graph::callees_with_dispatch`] does that.
    pub fn callees(&self, definition: &Definition) -> Result<Vec<GraphLink>, StoreError> {
        let Some(linked) = self.linked_file(definition.target.file)? else {
            return Ok(Vec::new());
        };
        let mentions = self.mentions_in(linked.file)?;
        let span = &definition.symbol.span;
        let mut found = Vec::new();
        for edge in &linked.edges.edges {
            let Some(mention) = mentions.get(edge.reference) else {
                continue;
            };
            let is_inside =
                span.start_byte <= mention.start_byte && mention.start_byte < span.end_byte;
            if mention.kind != ReferenceKind::Call || !is_inside {
                continue;
            }
            for other in self.target_definitions(edge)? {
                found.push(GraphLink {
                    site: mention_site(&linked, &mention),
                    other: Some(other),
                    evidence: edge_evidence(edge),
                    via: Via::Itself,
                });
            }
        }
        Ok(found)
    }

    /// Returns the definitions that an edge leads to, each once.
    pub(super) fn target_definitions(&self, edge: &Edge) -> Result<Vec<Definition>, StoreError> {
        let mut found = Vec::new();
        for &target in &edge.targets {
            found.extend(self.definition(target)?);
        }
        self.merge_declarations(found)
    }

    /// Returns the places where edges of these kinds lead to a definition.
    ///
    /// `via` marks the links, if the definition stands for another one that is called through it.
    fn links_to(
        &self,
        definition: &Definition,
        kinds: &[ReferenceKind],
        through: &Via,
    ) -> Result<Vec<GraphLink>, StoreError> {
        let mut found = Vec::new();
        // A prototype and its definition are one: an edge to either leads here.
        let declarations = self.declarations(definition)?;
        let mut files: Vec<Arc<LinkedFile>> = Vec::new();
        for declaration in &declarations {
            for linked in self.linked_files_to(declaration)? {
                if files.iter().all(|known| known.file != linked.file) {
                    files.push(linked);
                }
            }
        }
        for linked in files {
            let is_meant =
                |target: &EdgeTarget| declarations.iter().any(|one| one.target == *target);
            let leads = |edge: &&Edge| edge.targets.iter().any(is_meant);
            let edges: Vec<&Edge> = linked.edges.edges.iter().filter(leads).collect();
            if edges.is_empty() {
                continue;
            }
            let mentions = self.mentions_in(linked.file)?;
            for edge in edges {
                let mention = mentions.get(edge.reference);
                let Some(mention) = mention.filter(|one| kinds.contains(&one.kind)) else {
                    continue;
                };
                // A call on `super` means the base's own member and no override.
                if *through != Via::Itself && is_super(&mention) {
                    continue;
                }
                let inside = mention.inside;
                let other = inside.map(|place| self.definition_at(linked.file, place));
                found.push(GraphLink {
                    site: mention_site(&linked, &mention),
                    other: other.transpose()?.flatten(),
                    evidence: edge_evidence(edge),
                    via: through.clone(),
                });
            }
        }
        Ok(found)
    }

    /// Returns the members that a member implements or overrides: those of its name in its type's
    /// supertypes.
    ///
    /// Only methods and properties can be requirements. The list is empty for everything else.
    pub fn requirements(&self, member: &Definition) -> Result<Vec<Definition>, StoreError> {
        if !matches!(member.symbol.kind, ChunkKind::Method | ChunkKind::Property) {
            return Ok(Vec::new());
        }
        // A definition outside of its type belongs to it through its declaration there.
        let mut owner = None;
        for declaration in self.declarations(member)? {
            owner = self.owner(&declaration)?;
            if owner.is_some() {
                break;
            }
        }
        let Some(owner) = owner else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for base in self.supertypes(&owner)? {
            let members = self.members_named(&base, &member.symbol.name)?;
            found.extend(retain_override_candidates(member, members));
        }
        self.merge_declarations(found)
    }
}

/// Filters members of one name to those that can implement or override this one. In some languages
/// the labels must match; elsewhere the parameter count must, if any member has it. Members with
/// the same parameter types are preferred, if there are any.
///
/// The checks get looser step by step, because parameters are stored as written: an alias would not
/// compare equal.
pub(super) fn retain_override_candidates(
    member: &Definition,
    mut members: Vec<Definition>,
) -> Vec<Definition> {
    let parameters = |one: &Definition| one.symbol.parameters.clone();
    let own = parameters(member);
    let language = languages::by_path(&member.path);
    if language.is_some_and(|language| language.heritage.overrides_keep_labels) {
        let labels = |one: &Definition| -> Vec<String> {
            let all = parameters(one).into_iter();
            all.map(|(label, _)| label).collect()
        };
        members.retain(|one| labels(one) == labels(member));
    } else if members.iter().any(|one| parameters(one).len() == own.len()) {
        members.retain(|one| parameters(one).len() == own.len());
    }
    let types = |one: &Definition| -> Vec<Option<String>> {
        let all = parameters(one).into_iter();
        all.map(|(_, written)| written).collect()
    };
    if members.iter().any(|one| types(one) == types(member)) {
        members.retain(|one| types(one) == types(member));
    }
    members
}

/// True if the receiver of a call is `super`.
fn is_super(mention: &Mention) -> bool {
    let receiver = mention.receiver.unwrap_or_default();
    receiver == "super" || receiver.starts_with("super(")
}

/// Returns the confidence of an edge and its reason, without the targets.
pub(super) fn edge_evidence(edge: &Edge) -> Evidence {
    Evidence { confidence: edge.confidence, reason: edge.reason }
}

/// Returns the place of a mention in its file.
pub(super) fn mention_site(linked: &LinkedFile, mention: &Mention) -> Site {
    Site {
        path: linked.path.clone(),
        line: mention.line,
        name: mention.name.to_string(),
        kind: mention.kind,
        is_test: linked.is_test,
        package: linked.package.clone(),
    }
}
