//! `find_references`: every resolved reference to a definition. Lines that only contain its name
//! are listed apart, as `unresolved`, because reads and function values are no edges.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call_hierarchy::{CutRows, MinConfidence};
use super::reply_parts::{
    EdgeRef, Reliability, SymbolRef, default_limit, find_definitions, place_and_name, query_graph,
};
use super::unresolved_lines::{
    SHOWN_LINES, Unresolved, UnresolvedQuery, is_zero, list_unresolved, undefined_lines,
};
use crate::engine::CodeIndex;
use crate::graph::{
    Definition, Graph, GraphLink, MentionKinds, TestCode, qualified_name, reference_word,
};
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with a [`FindReferencesReply`]. Edges are in `references`; lines that only contain the
/// name are in `unresolved`.
pub static OP: OpEntry = OpEntry {
    name: "find_references",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Every place that mentions a definition, resolved: calls, types, imports and exports, each \
              with path, line, the definition around it, confidence and reason. Reads and uses as a \
              value are no edges: lines that only name it are apart, in `unresolved`, and may mean \
              something else of that name.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<FindReferencesArgs>),
    reply: ReplyType::of::<FindReferencesReply>(),
    examples: &["ken references Session", "ken references Session.login --only call"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct FindReferencesArgs {
    /// A name, Type.member, or path:line of a place within it
    symbol: String,
    /// Only mentions of this sort
    only: Option<ReferenceSort>,
    /// The least confidence to show: exact, high, medium or low; what is less sure is counted
    #[serde(default)]
    confidence: MinConfidence,
    /// How many to list; the rest is counted
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 5000))]
    limit: usize,
    /// Leave out code that tests
    #[serde(default)]
    skip_tests: bool,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ReferenceSort {
    Call,
    Type,
    Import,
    Export,
}

impl ReferenceSort {
    /// The word in arguments and replies.
    fn as_str(self) -> &'static str {
        match self {
            ReferenceSort::Call => "call",
            ReferenceSort::Type => "type",
            ReferenceSort::Import => "import",
            ReferenceSort::Export => "export",
        }
    }
}

/// The reply of `find_references`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FindReferencesReply {
    /// A remark about the name, such as the base that it is inherited from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The definitions that the name means.
    pub definitions: Vec<SymbolRef>,
    /// All references with enough confidence, listed or not.
    pub count: usize,
    /// The number of files with such references.
    pub files: usize,
    /// Those of them that are in tests. They come last.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub test_count: usize,
    /// The references outside of tests by path and line, and then those in tests.
    pub references: Vec<ReferenceRow>,
    /// Lines that name it and have no edge.
    #[serde(flatten)]
    pub unresolved: Unresolved,
    /// The parts that are not shown, each with the argument that adds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Freshness of the files that the reply names.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// One reference.
#[derive(Debug, Serialize, Deserialize)]
pub struct ReferenceRow {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// `call`, `type`, `import` or `export`. JSON calls it `as`.
    #[serde(rename = "as")]
    pub mention: Cow<'static, str>,
    /// The definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// The definition that it means, if the name has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Confidence and reason.
    #[serde(flatten)]
    pub edge: EdgeRef,
    /// True if the reference is in test code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
}

/// Collects the references of all definitions of the name in one snapshot, then filters, sorts and
/// cuts them.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: FindReferencesArgs = args.parse()?;
    let index = call.code(arguments.path.as_deref())?;
    let (definitions, found, unresolved, note) =
        query_graph(&index, |graph| collect_references(graph, &index, &arguments))?;
    let (sure, unsure) = select_references(found, &arguments);
    let files: std::collections::BTreeSet<&str> =
        sure.iter().map(|(_, link)| link.site.path.as_str()).collect();
    let shown = &sure[..sure.len().min(arguments.limit)];
    let paths = shown.iter().map(|(_, link)| &link.site.path);
    let is_test = |one: &(usize, GraphLink)| one.1.site.is_test || is_in_test(&one.1);
    let mut left_out = Vec::new();
    if shown.len() < sure.len() {
        let cut = &sure[shown.len()..];
        let cut = CutRows { all: cut.len(), tests: cut.iter().filter(|one| is_test(one)).count() };
        left_out.extend(cut.note().map(|note| format!("{note}; raise `limit`")));
    }
    if unsure > 0 {
        let places = count_noun(unsure, "place");
        left_out.push(format!("{places} less sure; set `confidence` to low to see them"));
    }
    left_out.extend(unresolved.omission.clone());
    Ok(Reply::object(FindReferencesReply {
        unresolved,
        note,
        count: sure.len(),
        test_count: sure.iter().filter(|one| is_test(one)).count(),
        files: files.len(),
        trust: Reliability::check(&index, paths)?,
        references: shown.iter().map(|one| reference_row(one, &definitions)).collect(),
        definitions: definitions.iter().map(SymbolRef::from_definition).collect(),
        left_out,
    }))
}

/// The definitions of a name, their references, the unresolved lines, and a note.
type FoundReferences = (Vec<Definition>, Vec<(usize, GraphLink)>, Unresolved, Option<String>);

/// Collects the references of all definitions of the name. A name without a definition has only
/// unresolved lines.
fn collect_references(
    graph: &Graph,
    index: &CodeIndex,
    arguments: &FindReferencesArgs,
) -> Result<FoundReferences, OpError> {
    let query = UnresolvedQuery {
        kinds: match arguments.only {
            Some(_) => MentionKinds::Calls,
            None => MentionKinds::All,
        },
        tests: if arguments.skip_tests { TestCode::Skipped } else { TestCode::Followed },
        limit: SHOWN_LINES.min(arguments.limit),
    };
    let matched = match find_definitions(graph, index, &arguments.symbol) {
        Err(error) if error.kind == ErrorKind::NotFound => {
            let (lines, note) = undefined_lines(graph, index, &arguments.symbol, query, error)?;
            return Ok((Vec::new(), Vec::new(), lines, Some(note)));
        }
        matched => matched?,
    };
    let definitions = matched.definitions;
    let mut found = Vec::new();
    for (place, definition) in definitions.iter().enumerate() {
        let links = graph.references(definition)?.into_iter();
        found.extend(links.map(|link| (place, link)));
    }
    // Types, imports and exports are never unresolved calls.
    let unresolved = match arguments.only {
        None | Some(ReferenceSort::Call) => list_unresolved(graph, index, &definitions, query)?,
        Some(_) => Unresolved::default(),
    };
    Ok((definitions, found, unresolved, matched.note))
}

/// Returns the wanted references by path and line, and the number below the wanted confidence.
fn select_references(
    mut found: Vec<(usize, GraphLink)>,
    arguments: &FindReferencesArgs,
) -> (Vec<(usize, GraphLink)>, usize) {
    let only = arguments.only.map(ReferenceSort::as_str);
    found.retain(|(_, link)| {
        let is_test = link.site.is_test || is_in_test(link);
        only.is_none_or(|only| reference_word(link.site.kind) == only)
            && !(arguments.skip_tests && is_test)
    });
    let all = found.len();
    let least = arguments.confidence.threshold();
    found.retain(|(_, link)| link.evidence.confidence >= least);
    let place = |link: &GraphLink| {
        (link.site.is_test || is_in_test(link), link.site.path.clone(), link.site.line)
    };
    found.sort_by_cached_key(|(_, link)| place(link));
    let unsure = all - found.len();
    (found, unsure)
}

/// True if the definition around the reference is a test.
fn is_in_test(link: &GraphLink) -> bool {
    link.other.as_ref().is_some_and(|other| other.symbol.is_test)
}

/// Converts a reference. The index says which of several definitions it means.
fn reference_row((place, link): &(usize, GraphLink), definitions: &[Definition]) -> ReferenceRow {
    ReferenceRow {
        path: link.site.path.to_string(),
        line: link.site.line,
        mention: reference_word(link.site.kind).into(),
        inside: link.other.as_ref().map(|other| qualified_name(&other.symbol)),
        of: (definitions.len() > 1).then(|| place_and_name(&definitions[*place])),
        edge: EdgeRef::from_evidence(link.evidence, &link.via),
        test: link.site.is_test || is_in_test(link),
    }
}
