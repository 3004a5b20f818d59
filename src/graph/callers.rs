//! Callers, callees and references of a definition.

use crate::graph::{Definition, Evidence, Graph, Site};
use kenning_lang::languages;
use kenning_model::{ChunkKind, Confidence, Edge, Reason, ReferenceKind};
use kenning_store::StoreError;
use kenning_store::code::{LinkedFile, Mention};

/// An edge, seen from one of its ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    pub site: Site,
    /// The definition at the other end: the caller or the callee. `None` for code outside of every
    /// definition.
    pub other: Option<Definition>,
    pub ground: Evidence,
    pub through: Via,
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

/// The most files in which unresolved calls are counted.
const MAX_COUNTED: usize = 40;

impl Graph<'_> {
    /// Returns the callers of a definition, by path and line. Calls through a requirement that it
    /// implements are included and marked as [`Via::Requirement`].
    pub fn callers(&self, of: &Definition) -> Result<Vec<Link>, StoreError> {
        let mut found = self.sites(of, &[ReferenceKind::Call], &Via::Itself)?;
        // A compiler's index may record a construction as a reference to the type. It calls this
        // initializer.
        if of.symbol.kind == ChunkKind::Initializer
            && let Some(owner) = self.owner(of)?
        {
            found.extend(self.sites(&owner, &[ReferenceKind::Call], &Via::Itself)?);
        }
        for requirement in self.requirements(of)? {
            let through = Via::Requirement(Box::new(requirement.clone()));
            found.extend(self.sites(&requirement, &[ReferenceKind::Call], &through)?);
        }
        Ok(found)
    }

    /// Counts the calls of this name that did not resolve; `None` if there are too many files.
    pub fn unresolved_calls(&self, name: &str) -> Result<Option<usize>, StoreError> {
        let files = self.snapshot.files_mentioning(name, MAX_COUNTED + 1)?;
        if files.len() > MAX_COUNTED {
            return Ok(None);
        }
        let mut count = 0;
        for file in files {
            let Some(linked) = self.linked(file)? else {
                continue;
            };
            let mentions = self.mentions_of(file)?;
            let calls = mentions.find_by_name(name).filter(|(place, one)| {
                one.kind == ReferenceKind::Call && !linked.edges.has_edge(*place)
            });
            count += calls.count();
        }
        Ok(Some(count))
    }

    /// Returns every reference to a definition: calls, types, imports, exports and heritage
    /// clauses.
    pub fn references(&self, of: &Definition) -> Result<Vec<Link>, StoreError> {
        let all = [
            ReferenceKind::Call,
            ReferenceKind::Type,
            ReferenceKind::Import,
            ReferenceKind::Export,
        ];
        let mut found = self.sites(of, &all, &Via::Itself)?;
        for (linked, relation, clause) in self.relations_to(of)? {
            let Some(clause) = clause else {
                continue;
            };
            let is_there = |link: &Link| {
                link.site.path == linked.path
                    && link.site.line == clause.line
                    && link.site.kind == ReferenceKind::Type
            };
            if !found.iter().any(is_there) {
                found.push(Link {
                    site: Site {
                        path: linked.path.clone(),
                        line: clause.line,
                        name: clause.base,
                        kind: ReferenceKind::Type,
                        is_test: linked.is_test,
                        package: linked.package.clone(),
                    },
                    other: self.definition(relation.subject)?,
                    ground: Evidence { confidence: Confidence::High, reason: Reason::LexicalScope },
                    through: Via::Itself,
                });
            }
        }
        Ok(found)
    }

    /// Returns the callees of a definition in the order of the text, including those of nested
    /// definitions.
    pub fn callees(&self, of: &Definition) -> Result<Vec<Link>, StoreError> {
        let Some(linked) = self.linked(of.target.file)? else {
            return Ok(Vec::new());
        };
        let mentions = self.mentions_of(linked.file)?;
        let span = &of.symbol.span;
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
            for &target in &edge.targets {
                found.push(Link {
                    site: site(&linked, &mention),
                    other: self.definition(target)?,
                    ground: ground(edge),
                    through: Via::Itself,
                });
            }
        }
        Ok(found)
    }

    /// Returns the places where edges of these kinds lead to a definition.
    fn sites(
        &self,
        of: &Definition,
        kinds: &[ReferenceKind],
        through: &Via,
    ) -> Result<Vec<Link>, StoreError> {
        let mut found = Vec::new();
        for linked in self.linked_to(of)? {
            let leads = |edge: &&Edge| edge.targets.contains(&of.target);
            let edges: Vec<&Edge> = linked.edges.edges.iter().filter(leads).collect();
            if edges.is_empty() {
                continue;
            }
            let mentions = self.mentions_of(linked.file)?;
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
                let other = inside.map(|place| self.at_place(linked.file, place));
                found.push(Link {
                    site: site(&linked, &mention),
                    other: other.transpose()?.flatten(),
                    ground: ground(edge),
                    through: through.clone(),
                });
            }
        }
        Ok(found)
    }

    /// Returns the members that a member implements or overrides: those of its name in its type's
    /// supertypes.
    pub fn requirements(&self, of: &Definition) -> Result<Vec<Definition>, StoreError> {
        if !matches!(of.symbol.kind, ChunkKind::Method | ChunkKind::Property) {
            return Ok(Vec::new());
        }
        let Some(owner) = self.owner(of)? else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for base in self.supertypes(&owner)? {
            let members = self.members(&base, &of.symbol.name)?;
            found.extend(alike(of, members));
        }
        Ok(found)
    }
}

/// Filters members of one name to those that can implement or override this one. In some languages
/// the labels must match; elsewhere the parameter count must, if any member has it. Members with
/// the same parameter types are preferred, if there are any.
pub(super) fn alike(of: &Definition, mut members: Vec<Definition>) -> Vec<Definition> {
    let parameters = |one: &Definition| one.symbol.parameters.clone();
    let own = parameters(of);
    let language = languages::by_path(&of.path);
    if language.is_some_and(|language| language.heritage.overrides_keep_labels) {
        let labels = |one: &Definition| -> Vec<String> {
            let all = parameters(one).into_iter();
            all.map(|(label, _)| label).collect()
        };
        members.retain(|one| labels(one) == labels(of));
    } else if members.iter().any(|one| parameters(one).len() == own.len()) {
        members.retain(|one| parameters(one).len() == own.len());
    }
    let types = |one: &Definition| -> Vec<Option<String>> {
        let all = parameters(one).into_iter();
        all.map(|(_, written)| written).collect()
    };
    if members.iter().any(|one| types(one) == types(of)) {
        members.retain(|one| types(one) == types(of));
    }
    members
}

/// True if the receiver of a call is `super`.
fn is_super(mention: &Mention) -> bool {
    let receiver = mention.receiver.unwrap_or_default();
    receiver == "super" || receiver.starts_with("super(")
}

pub(super) fn ground(edge: &Edge) -> Evidence {
    Evidence { confidence: edge.confidence, reason: edge.reason }
}

pub(super) fn site(linked: &LinkedFile, mention: &Mention) -> Site {
    Site {
        path: linked.path.clone(),
        line: mention.line,
        name: mention.name.to_string(),
        kind: mention.kind,
        is_test: linked.is_test,
        package: linked.package.clone(),
    }
}
