//! The definitions of one file before and after a change, and the difference between them.
//!
//! A definition is matched by its qualified name. The text of a definition excludes nested ones, so
//! a change of a method does not change its type.

use std::collections::BTreeMap;

use crate::graph::{Definition, qualified_name};
use kenning_lang::{code, skip_rules};
use kenning_model::{ChunkKind, RepoPath, Symbol};

/// The kind of a difference, in the order of replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// It was there before and is gone.
    Removed,
    /// Its signature, kind or visibility differs.
    Signature,
    /// Its text differs, its signature does not.
    Body,
    /// It is the same in another file.
    Moved,
    /// It is new.
    Added,
}

impl DifferenceKind {
    /// The word in replies.
    pub fn as_str(self) -> &'static str {
        match self {
            DifferenceKind::Removed => "removed",
            DifferenceKind::Signature => "signature changed",
            DifferenceKind::Body => "body changed",
            DifferenceKind::Moved => "moved",
            DifferenceKind::Added => "added",
        }
    }
}

/// A definition on one side of the comparison.
#[derive(Clone, Debug)]
pub struct DefinitionText {
    /// The file.
    pub path: RepoPath,
    /// The definition.
    pub symbol: Symbol,
    /// Its lines without those of nested definitions.
    text: String,
    /// The same in the graph; absent on the old side.
    pub definition: Option<Definition>,
}

/// A definition that differs. At least one side is present.
#[derive(Clone, Debug)]
pub struct DefinitionDifference {
    /// The kind.
    pub kind: DifferenceKind,
    /// The old side.
    pub before: Option<DefinitionText>,
    /// The new side.
    pub after: Option<DefinitionText>,
}

impl DefinitionText {
    /// Reads the definitions of a text that is not in the index. Generated files have none.
    pub fn read_old(path: &RepoPath, bytes: &[u8]) -> Vec<DefinitionText> {
        let text = String::from_utf8_lossy(bytes);
        if skip_rules::skip_reason(path, &text).is_some() {
            return Vec::new();
        }
        let symbols = code::read(path, &text).symbols;
        collect_texts(path, &text, symbols.into_iter().map(|symbol| (symbol, None)).collect())
    }

    /// Pairs the definitions of an indexed file with their text.
    pub fn read_new(
        path: &RepoPath,
        text: &str,
        definitions: Vec<Definition>,
    ) -> Vec<DefinitionText> {
        let found = definitions.into_iter().map(|one| (one.symbol.clone(), Some(one)));
        collect_texts(path, text, found.collect())
    }

    /// Returns the signature on one line, or the first line of the definition.
    pub fn signature(&self) -> String {
        let written = self.symbol.signature.as_deref().unwrap_or(&self.symbol.name);
        written.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// True if a caller sees the same: kind, visibility, signature, and types.
    fn has_signature_of(&self, other: &DefinitionText) -> bool {
        let (one, two) = (&self.symbol, &other.symbol);
        (one.kind, one.visibility) == (two.kind, two.visibility)
            && self.signature() == other.signature()
            && (&one.parameters, &one.type_text) == (&two.parameters, &two.type_text)
    }
}

/// Cuts the text of each definition, without the lines of those inside of it. Headings, data and
/// extensions are left out: nothing calls them by name.
fn collect_texts(
    path: &RepoPath,
    text: &str,
    found: Vec<(Symbol, Option<Definition>)>,
) -> Vec<DefinitionText> {
    use ChunkKind::{Comment, Document, Entry, Extension, File, Module, Section};
    let lines: Vec<&str> = text.lines().collect();
    let spans: Vec<_> = found.iter().map(|(symbol, _)| symbol.span).collect();
    let kept = found.into_iter().filter(|(symbol, _)| {
        let is_other =
            matches!(symbol.kind, Section | Entry | Extension | Document | Comment | Module | File);
        !is_other
    });
    let texts = kept.map(|(symbol, definition)| {
        let own = symbol.span;
        let is_inner = |line: u32| {
            spans.iter().any(|span| {
                *span != own
                    && own.start_byte <= span.start_byte
                    && span.end_byte <= own.end_byte
                    && (span.start_line..=span.end_line).contains(&line)
                    && span.start_line > own.start_line
            })
        };
        let numbers = (own.start_line..=own.end_line).filter(|line| !is_inner(*line));
        let text = numbers.filter_map(|line| Some(lines.get(line as usize - 1)?.trim_end()));
        let text = text.collect::<Vec<_>>().join("\n");
        DefinitionText { path: path.clone(), symbol, text, definition }
    });
    texts.collect()
}

/// Compares the definitions of one file.
///
/// Overloads share a name. Equal ones are paired first, the rest in the order of the text.
pub fn compare_definitions(
    old: Vec<DefinitionText>,
    new: Vec<DefinitionText>,
) -> Vec<DefinitionDifference> {
    let mut by_name: BTreeMap<String, (Vec<DefinitionText>, Vec<DefinitionText>)> = BTreeMap::new();
    for one in old {
        by_name.entry(qualified_name(&one.symbol)).or_default().0.push(one);
    }
    for one in new {
        by_name.entry(qualified_name(&one.symbol)).or_default().1.push(one);
    }
    let mut found = Vec::new();
    for (mut old, mut new) in by_name.into_values() {
        old.retain(|before| {
            let same = new
                .iter()
                .position(|after| after.text == before.text && after.has_signature_of(before));
            same.map(|place| new.remove(place)).is_none()
        });
        let paired = old.len().min(new.len());
        let removed = old.split_off(paired).into_iter();
        let added = new.split_off(paired).into_iter();
        found.extend(old.into_iter().zip(new).map(|(before, after)| {
            let is_same = after.has_signature_of(&before);
            DefinitionDifference {
                kind: if is_same { DifferenceKind::Body } else { DifferenceKind::Signature },
                before: Some(before),
                after: Some(after),
            }
        }));
        found.extend(removed.map(|before| DefinitionDifference {
            kind: DifferenceKind::Removed,
            before: Some(before),
            after: None,
        }));
        found.extend(added.map(|after| DefinitionDifference {
            kind: DifferenceKind::Added,
            before: None,
            after: Some(after),
        }));
    }
    found
}

/// Joins a removed definition and an added one of the same name and text in another file.
pub fn join_moved(found: Vec<DefinitionDifference>) -> Vec<DefinitionDifference> {
    let is = |kind| move |one: &DefinitionDifference| one.kind == kind;
    let (removed, rest): (Vec<_>, Vec<_>) =
        found.into_iter().partition(is(DifferenceKind::Removed));
    let (mut added, mut joined): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(is(DifferenceKind::Added));
    for one in removed {
        let before = one.before.as_ref();
        let same = added.iter().position(|other| match (before, &other.after) {
            (Some(before), Some(after)) => {
                qualified_name(&before.symbol) == qualified_name(&after.symbol)
                    && before.text == after.text
            }
            _ => false,
        });
        match same {
            Some(place) => {
                let after = added.remove(place).after;
                let kind = DifferenceKind::Moved;
                joined.push(DefinitionDifference { kind, before: one.before, after });
            }
            None => joined.push(one),
        }
    }
    joined.extend(added);
    joined
}
