//! Outgoing edges of a definition: all that it uses, and the targets of dispatch.
//!
//! It follows stored edges. A call that did not resolve has no edge, and is not in these lists.

use crate::graph::incoming_edges::{edge_evidence, mention_site, retain_override_candidates};
use crate::graph::{Definition, Graph, GraphLink, Via};
use kenning_model::{ChunkKind, ReferenceKind, RepoPath, Span};
use kenning_store::StoreError;

/// The most implementations that one dispatched call lists. Beyond it, the call's target is too
/// vague.
const MAX_DISPATCH: usize = 40;

impl Graph<'_> {
    /// Returns every definition that this one references in its body: calls and types. For a type,
    /// that includes its extensions.
    ///
    /// References from a definition to itself, and to what it contains, are left out. Order is that
    /// of the text, file by file.
    pub fn used_definitions(&self, definition: &Definition) -> Result<Vec<GraphLink>, StoreError> {
        let places = self.definition_spans(definition)?;
        let mut found = Vec::new();
        for &(file, span) in &places {
            let Some(linked) = self.linked_file(file)? else {
                continue;
            };
            let mentions = self.mentions_in(file)?;
            for edge in &linked.edges.edges {
                let mention = mentions.get(edge.reference);
                let kinds = [ReferenceKind::Call, ReferenceKind::Type];
                let is_meant = |kind| kinds.contains(&kind);
                let Some(mention) = mention.filter(|one| is_meant(one.kind)) else {
                    continue;
                };
                if !has_byte(&span, mention.start_byte) {
                    continue;
                }
                for other in self.target_definitions(edge)? {
                    let start = other.symbol.span.start_byte;
                    let mut own = places.iter();
                    let is_own =
                        own.any(|(file, span)| *file == other.target.file && has_byte(span, start));
                    if !is_own {
                        found.push(GraphLink {
                            site: mention_site(&linked, &mention),
                            other: Some(other),
                            evidence: edge_evidence(edge),
                            via: Via::Itself,
                        });
                    }
                }
            }
        }
        Ok(found)
    }

    /// Returns the callees of a definition. A call of an interface's requirement also yields the
    /// implementations it may dispatch to, marked as [`Via::Dispatch`].
    ///
    /// Direct callees come first. The targets of dispatch follow, at most `MAX_DISPATCH` per
    /// call.
    pub fn callees_with_dispatch(&self, caller: &Definition) -> Result<Vec<GraphLink>, StoreError> {
        let mut found = self.callees(caller)?;
        let mut reached = Vec::new();
        for link in &found {
            let Some(requirement) = &link.other else {
                continue;
            };
            for definition in
                self.implementations_of_member(requirement)?.into_iter().take(MAX_DISPATCH)
            {
                reached.push(GraphLink {
                    other: Some(definition),
                    via: Via::Dispatch(Box::new(requirement.clone())),
                    ..link.clone()
                });
            }
        }
        found.extend(reached);
        Ok(found)
    }

    /// Returns the implementations of a requirement in all subtypes of its type. A requirement is a
    /// member of an interface, or an abstract member.
    ///
    /// The list is empty for a definition that is no requirement, so callers need not check first.
    pub fn implementations_of_member(
        &self,
        member: &Definition,
    ) -> Result<Vec<Definition>, StoreError> {
        let is_member = matches!(member.symbol.kind, ChunkKind::Method | ChunkKind::Property);
        let Some(owner) = self.owner(member)?.filter(|_| is_member) else {
            return Ok(Vec::new());
        };
        let interfaces =
            [ChunkKind::Protocol, ChunkKind::Interface, ChunkKind::Trait, ChunkKind::TypeAlias];
        if !interfaces.contains(&owner.symbol.kind) && !is_abstract(member) {
            return Ok(Vec::new());
        }
        let mut found: Vec<Definition> = Vec::new();
        for implementation in self.implementations(&owner)? {
            let members = self.members_named(&implementation.definition, &member.symbol.name)?;
            found.extend(retain_override_candidates(member, members));
        }
        self.merge_declarations(found)
    }

    /// Finds the type that an extension in a file extends. If several share the name, it takes the
    /// nearest in the tree.
    ///
    /// Nearness is the number of leading path segments that two files share.
    pub(super) fn extended_type(
        &self,
        name: &str,
        path: &RepoPath,
    ) -> Result<Option<Definition>, StoreError> {
        let candidates = self.find_definitions(name)?.into_iter().filter(|found| found.is_type());
        // The first of equally near types wins, so that the answer is deterministic.
        let nearness = |found: &Definition| {
            let steps = found.path.segments().zip(path.segments());
            steps.take_while(|(one, other)| one == other).count()
        };
        let types: Vec<Definition> = candidates.collect();
        Ok(types.into_iter().rev().max_by_key(nearness))
    }

    /// Returns the spans that make up a definition: its own, and the extensions of a type.
    ///
    /// An extension counts only if it extends this very type and not another one of its name.
    fn definition_spans(&self, definition: &Definition) -> Result<Vec<(i64, Span)>, StoreError> {
        let mut places = vec![(definition.target.file, definition.symbol.span)];
        if !definition.is_type() {
            return Ok(places);
        }
        for number in self.snapshot.files_defining(&definition.symbol.name)? {
            let Some(file) = self.file_definitions(number)? else {
                continue;
            };
            let mut extensions: Vec<Span> = file
                .symbols
                .iter()
                .filter(|symbol| {
                    symbol.kind == ChunkKind::Extension && symbol.name == definition.symbol.name
                })
                .map(|one| one.span)
                .collect();
            if !extensions.is_empty() {
                let extended = self.extended_type(&definition.symbol.name, &file.path)?;
                let is_this = extended.is_some_and(|extended| extended.target == definition.target);
                extensions.retain(|_| is_this);
            }
            places.extend(extensions.into_iter().map(|span| (number, span)));
        }
        Ok(places)
    }
}

/// True if a member of a class is declared abstract.
///
/// It reads the signature, because extraction stores no such flag. A trailing `= 0` is the pure
/// virtual method of C++.
fn is_abstract(member: &Definition) -> bool {
    let signature = member.symbol.signature.as_deref().unwrap_or_default();
    let is_pure = member.symbol.kind == ChunkKind::Method && signature.ends_with("= 0");
    is_pure || signature.split_whitespace().any(|word| word == "abstract")
}

/// True if the byte offset lies in the span. The end is exclusive.
fn has_byte(span: &Span, byte: u32) -> bool {
    span.start_byte <= byte && byte < span.end_byte
}
