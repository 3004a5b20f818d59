//! The parts that replies about the code graph share: a definition, an edge, the lookup of a name,
//! and the reliability of a reply.
//!
//! Every operation resolves names through [`find_definitions`] or [`find_types`], so that all of
//! them accept the same forms and fail with the same words.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::path_lookup;
use crate::engine::CodeIndex;
use crate::graph::{Definition, Evidence, Graph, LookupError, MissingMember, Via, qualified_name};
use crate::ops::error::not_found_error;
use crate::ops::{Call, ErrorDetails, ErrorKind, OpError};
use kenning_model::{ChunkKind, Confidence, RepoPath};
use kenning_text::fuzzy_match::nearest;

/// A definition, as replies name it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SymbolRef {
    /// The name with its scope: `Session.login`.
    pub symbol: String,
    /// The kind, such as `method`.
    pub kind: Cow<'static, str>,
    /// The path below the root.
    pub path: String,
    /// The line of its name.
    pub line: u32,
    /// True if it is test code; absent in JSON otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
}

/// The definitions that a name means, likeliest first, and how they were chosen.
pub struct NameMatch {
    /// The definitions to answer for. Never empty.
    pub definitions: Vec<Definition>,
    /// A remark about the choice: an inherited member, an unknown qualifier, too many definitions.
    pub note: Option<String>,
}

/// The name of code outside of every definition.
pub const TOP_LEVEL: &str = "(top level)";

impl SymbolRef {
    /// Converts a definition to its wire form.
    pub fn from_definition(definition: &Definition) -> SymbolRef {
        SymbolRef {
            symbol: qualified_name(&definition.symbol),
            kind: definition.symbol.kind.as_str().into(),
            path: definition.path.to_string(),
            line: definition.symbol.line,
            test: definition.symbol.is_test,
        }
    }
}

/// The confidence of an edge, and its reason.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EdgeRef {
    /// `exact`, `high`, `medium` or `low`.
    pub confidence: Cow<'static, str>,
    /// The rule that resolved it, such as `import`.
    pub reason: Cow<'static, str>,
    /// The symbol that the call names, if that is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<String>,
}

impl EdgeRef {
    /// Converts the evidence of an edge to its wire form.
    pub fn from_evidence(ground: Evidence, through: &Via) -> EdgeRef {
        EdgeRef {
            confidence: ground.confidence.as_str().into(),
            reason: ground.reason.as_str().into(),
            through: describe_via(through),
        }
    }
}

/// Describes an edge that goes through an interface; `None` for a direct one.
pub fn describe_via(through: &Via) -> Option<String> {
    match through {
        Via::Itself => None,
        Via::Requirement(named) => Some(format!("calls {}", qualified_name(&named.symbol))),
        Via::Dispatch(named) => {
            Some(format!("{} may dispatch to it", qualified_name(&named.symbol)))
        }
    }
}

/// Parses a confidence. The default is medium: low edges are guesses by name alone.
pub fn min_confidence(confidence: Option<&str>) -> Confidence {
    let named = |one: &&Confidence| Some(one.as_str()) == confidence;
    let found = Confidence::ALL.iter().find(named);
    found.copied().unwrap_or(Confidence::Medium)
}

/// The most meanings of a name that are answered for. A note names some of the others.
const MAX_MEANINGS: usize = 12;

/// Overloads count as one meaning, up to this many definitions.
const MAX_OVERLOADS: usize = 60;

/// The number of further meanings that a note names.
const SHOWN_MEANINGS: usize = 8;

/// Runs a query on one snapshot of the graph. If a name is not found and indexing did not finish,
/// the error says that it may be in the unread rest.
pub fn query_graph<T>(
    index: &CodeIndex,
    question: impl FnOnce(&Graph) -> Result<T, OpError>,
) -> Result<T, OpError> {
    // The state is read only on failure: the common path stays one lookup.
    index.query_graph(question).or_else(|error| {
        if error.kind != ErrorKind::NotFound || !index.graph_state()?.is_incomplete {
            return Err(error);
        }
        let hint = match &error.hint {
            Some(hint) => format!("{INCOMPLETE_INDEX}; {hint}"),
            None => INCOMPLETE_INDEX.to_string(),
        };
        Err(error.hint(hint))
    })
}

/// Finds the definitions of a name (`login`, `Session.login`) or a place (`src/session.rs:42`).
///
/// Fails with `NotFound` and similar names. A name with many definitions is answered for the
/// likeliest.
pub fn find_definitions(
    graph: &Graph,
    index: &CodeIndex,
    text: &str,
) -> Result<NameMatch, OpError> {
    let text = path_lookup::strip_root(index, text);
    match_definitions(graph, text, locate_definitions(graph, text)?)
}

/// Returns the definitions of a name or place, possibly none. Fails if the name has argument labels
/// that fit none.
fn locate_definitions(graph: &Graph, text: &str) -> Result<Vec<Definition>, OpError> {
    if text.trim().is_empty() {
        let message =
            "an empty name means nothing: name a definition as login, Session.login or path:line";
        return Err(OpError::bad_argument(message));
    }
    let found = graph.locate(text)?;
    match graph.signatures_with_other_labels(text, &found) {
        Some(labels) => {
            let message =
                format!("nothing here is called {text:?}; there is {}", labels.join(", "));
            Err(OpError::new(ErrorKind::NotFound, message)
                .hint("ask for one of these, or without labels for all")
                .details(ErrorDetails::of_suggestions(labels)))
        }
        None => Ok(found),
    }
}

/// Finds definitions for a query about types. If the name has types and other definitions, only the
/// types remain.
pub fn find_types(graph: &Graph, index: &CodeIndex, text: &str) -> Result<NameMatch, OpError> {
    let text = path_lookup::strip_root(index, text);
    let mut found = locate_definitions(graph, text)?;
    keep_types(&mut found);
    match_definitions(graph, text, found)
}

/// Removes everything but types, unless there are no types. Aliases go too where another type has
/// the name: nothing implements an alias.
pub fn keep_types(found: &mut Vec<Definition>) {
    if found.iter().any(Definition::is_type) {
        found.retain(Definition::is_type);
    }
    let is_alias = |one: &Definition| one.symbol.kind == ChunkKind::TypeAlias;
    if !found.iter().all(is_alias) {
        found.retain(|one| !is_alias(one));
    }
}

/// Ranks the definitions of a name, and keeps the likeliest if there are too many.
pub fn match_definitions(
    graph: &Graph,
    text: &str,
    found: Vec<Definition>,
) -> Result<NameMatch, OpError> {
    if found.is_empty() {
        return Err(lookup_error(graph, text)?);
    }
    let mut definitions = graph.rank_candidates(found)?;
    let count = definitions.len();
    let other_case = graph.name_in_other_case(text, &definitions).map(|asked| {
        format!("nothing here is written {asked:?}: this is about {}", definitions[0].symbol.name)
    });
    let base = graph
        .declaring_base(text, &definitions)?
        .filter(|_| other_case.is_none())
        .map(|base| format!("{} is inherited from {base}", text.trim()));
    let qualifier = graph.ignored_qualifier(text, &definitions);
    let qualifier = qualifier.filter(|_| base.is_none()).map(|qualifier| {
        let name = &definitions[0].symbol.name;
        format!("{qualifier:?} names no type or module here: this is about {name}")
    });
    let rest = keep_likeliest_definitions(&mut definitions);
    let more = (!rest.is_empty()).then(|| other_definitions_note(text, count, &definitions, &rest));
    Ok(NameMatch { definitions, note: join_notes([other_case, base, qualifier, more]) })
}

/// Keeps the first meanings of a ranked list, with their overloads, and returns the others.
fn keep_likeliest_definitions(found: &mut Vec<Definition>) -> Vec<Definition> {
    let mut kept: Vec<(String, String)> = Vec::new();
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    for one in found.drain(..) {
        let meaning = (one.path.to_string(), qualified_name(&one.symbol));
        let is_known = kept.contains(&meaning);
        if first.len() < MAX_OVERLOADS && (is_known || kept.len() < MAX_MEANINGS) {
            if !is_known {
                kept.push(meaning);
            }
            first.push(one);
        } else {
            rest.push(one);
        }
    }
    *found = first;
    rest
}

/// Notes that only the likeliest definitions are answered for, and names some of the others.
fn other_definitions_note(
    text: &str,
    count: usize,
    shown: &[Definition],
    rest: &[Definition],
) -> String {
    let places: Vec<String> = rest.iter().take(SHOWN_MEANINGS).map(place_and_name).collect();
    let cut = if rest.len() > places.len() { ", …" } else { "" };
    format!(
        "{count} definitions are called {text}; this is about the {} likeliest: name another as \
         Type.member or path:line ({}{cut})",
        shown.len(),
        places.join(", ")
    )
}

/// Joins the notes of a reply, the most important first.
pub fn join_notes(notes: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let notes: Vec<String> = notes.into_iter().flatten().collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Returns the error for a name or place without a definition, with a hint on what to ask instead.
/// The outer error is a failure of the lookup itself.
fn lookup_error(graph: &Graph, text: &str) -> Result<OpError, OpError> {
    let unknown = |message: String| OpError::new(ErrorKind::NotFound, message);
    Ok(match graph.explain_miss(text)? {
        LookupError::Name => {
            let message = format!("nothing here defines {text:?}");
            not_found_error(message, "search_symbols", graph.nearest_names(text)?)
        }
        LookupError::Member(missed) => missing_member_error(text, &missed),
        LookupError::File(path) => unknown(format!("{:?} is not in the index", path.as_str()))
            .hint("paths are from the root of the repository; run index_codebase (or `ken index`) if it is new"),
        LookupError::Files(files) => {
            path_lookup::ambiguous_file_error(text, &files)
        }
        LookupError::Line(path, line, near) if near.is_empty() => {
            unknown(format!("{path} defines nothing, so nothing stands around line {line}"))
        }
        LookupError::Line(path, line, near) => {
            let near: Vec<String> = near.iter().map(place_and_name).collect();
            unknown(format!("no definition stands around line {line} of {path}; near it: {}", near.join(", ")))
                .hint("name one of these")
                .details(ErrorDetails::of_suggestions(near))
        }
    })
}

/// The error for a type without such a member: its most similar members, and other types that have
/// one of that name.
fn missing_member_error(text: &str, missed: &MissingMember) -> OpError {
    /// More are no help.
    const SHOWN: usize = 5;
    let member = text.rsplit(['.', ':', '#']).next().unwrap_or(text);
    let owner = qualified_name(&missed.owner.symbol);
    let names = missed.members.iter().map(|one| one.symbol.name.as_str());
    let near = nearest(member, names).into_iter();
    let near: Vec<String> = near.map(|name| format!("{owner}.{name}")).collect();
    let elsewhere = missed.elsewhere.iter().map(|one| qualified_name(&one.symbol));
    let mut elsewhere: Vec<String> = elsewhere.collect();
    elsewhere.dedup();
    elsewhere.truncate(SHOWN);
    let hint = match (near.is_empty(), elsewhere.is_empty()) {
        (true, true) => format!("get_symbol {owner} lists its members"),
        (false, true) => format!("near it: {}", near.join(", ")),
        (true, false) => format!("of that name there is {}", elsewhere.join(", ")),
        (false, false) => {
            format!("near it: {}; of that name there is {}", near.join(", "), elsewhere.join(", "))
        }
    };
    let message = format!("{owner} has no member {member:?} here, nor inherits one");
    let suggestions: Vec<String> = near.into_iter().chain(elsewhere).collect();
    OpError::new(ErrorKind::NotFound, message)
        .hint(hint)
        .details(ErrorDetails::of_suggestions(suggestions))
}

/// Formats `src/session.rs:12 Session.login`. The web page splits this text at its first space.
///
/// The path comes first, so that a terminal opens the place with a click.
pub fn place_and_name(definition: &Definition) -> String {
    let line = definition.symbol.line;
    format!("{}:{line} {}", definition.path, qualified_name(&definition.symbol))
}

/// The reliability of a reply: stale files and a caveat about the index.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reliability {
    /// Files of the answer that changed since they were indexed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// A caveat about the whole index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

impl Reliability {
    /// Checks the files that a reply names. It stats each file once, so pass only those that are
    /// shown.
    pub fn check<'p>(
        index: &CodeIndex,
        paths: impl IntoIterator<Item = &'p RepoPath>,
    ) -> Result<Reliability, OpError> {
        Ok(Reliability { stale: stale_files(index, paths)?, notice: index_notice(index)? })
    }
}

/// The default number of rows.
pub fn default_limit() -> usize {
    100
}

/// The caveat of an index whose run did not finish.
pub const INCOMPLETE_INDEX: &str = "indexing did not end; run index_codebase to read the rest";

/// Returns a caveat if the index is behind the tree, of another commit, or incomplete.
pub fn index_notice(index: &CodeIndex) -> Result<Option<String>, OpError> {
    if let Some(behind) = index.stale_reason() {
        return Ok(Some(behind.to_string()));
    }
    let state = index.graph_state()?;
    if state.is_incomplete {
        return Ok(Some(INCOMPLETE_INDEX.to_string()));
    }
    let text = state.commit_drift.map(|(indexed, current)| {
        // Twelve hex digits are unique in any repository of this size.
        let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_string();
        format!(
            "the index is of commit {}, the tree of {}; run index_codebase to refresh it",
            short(&indexed),
            short(&current)
        )
    });
    Ok(text)
}

/// Returns those of these files that changed since they were indexed: their lines may be off.
pub fn stale_files<'p>(
    index: &CodeIndex,
    paths: impl IntoIterator<Item = &'p RepoPath>,
) -> Result<Vec<String>, OpError> {
    let paths: std::collections::BTreeSet<&RepoPath> = paths.into_iter().collect();
    let changed = index.find_changed(paths)?;
    Ok(changed.iter().map(ToString::to_string).collect())
}

/// Fails if the call was cancelled. A walk that stops early returns a partial result without an
/// error, so callers check afterwards.
pub fn check_cancelled(call: &Call) -> Result<(), OpError> {
    if call.progress.is_cancelled() {
        Err(OpError::new(ErrorKind::Cancelled, "cancelled"))
    } else {
        Ok(())
    }
}
