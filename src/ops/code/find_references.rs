//! `find_references`: every resolved reference to a definition. Lines that only contain its name
//! are listed apart, as `named`, because reads and function values are no edges.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call_hierarchy::MinConfidence;
use super::dto::{
    EdgeRef, Reliability, SymbolRef, default_limit, find_definitions, inheritance_note,
    place_and_name, query_graph,
};
use super::mention_caveat::LISTED_FILES;
use crate::graph::{
    Definition, Graph, GraphLink, MentionBounds, MentionLine, TestCode, TextualMentions,
    UnresolvedCalls, qualified_name, reference_word,
};
use crate::ops::number_format::count_noun;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with a [`FindReferencesReply`]. Edges are in `references`; lines that only contain the
/// name are in `named`.
pub static OP: OpEntry = OpEntry {
    name: "find_references",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Every place that mentions a definition, resolved: calls, types, imports and exports, each \
              with path, line, the definition around it, confidence and reason. Reads and uses as a \
              value are no edges: lines that only name it are apart, in `named`, and may mean \
              something else of that name.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<FindReferencesArgs>),
    reply: ReplyType::of::<FindReferencesReply>(),
    examples: &["ken find-references Session", "ken find-references Session.login --only call"],
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
    /// The definitions that the name means.
    pub definitions: Vec<SymbolRef>,
    /// All references with enough confidence, listed or not.
    pub count: usize,
    /// The number of files with such references.
    pub files: usize,
    /// The references, by path and line.
    pub references: Vec<ReferenceRow>,
    /// Lines that only name it, and how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_count: Option<usize>,
    /// Such lines, the first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<TextualMentionRow>,
    /// The base that the name is inherited from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
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

/// A line with the name in it, whatever the name means there.
#[derive(Debug, Serialize, Deserialize)]
pub struct TextualMentionRow {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Always `low`: nothing resolved the name.
    pub confidence: Cow<'static, str>,
    /// True if the line is in test code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// The line itself.
    pub text: String,
}

/// The most lines that only name the definition.
const SHOWN_LINES: usize = 20;

/// Collects the references of all definitions of the name in one snapshot, then filters, sorts and
/// cuts them.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: FindReferencesArgs = args.parse()?;
    let index = call.engine.code(arguments.path.as_deref())?;
    let (definitions, found, named, note) = query_graph(&index, |graph| {
        let definitions = find_definitions(graph, &index, &arguments.symbol)?;
        let mut found = Vec::new();
        for (place, definition) in definitions.iter().enumerate() {
            let links = graph.references(definition)?.into_iter();
            found.extend(links.map(|link| (place, link)));
        }
        let named = find_textual_mentions(graph, &definitions, &arguments)?;
        let note = inheritance_note(graph, &arguments.symbol, &definitions)?;
        Ok::<_, OpError>((definitions, found, named, note))
    })?;
    let (sure, unsure) = select_references(found, &arguments);
    let files: std::collections::BTreeSet<&str> =
        sure.iter().map(|(_, link)| link.site.path.as_str()).collect();
    let shown = &sure[..sure.len().min(arguments.limit)];
    let paths = shown.iter().map(|(_, link)| &link.site.path);
    let mut left_out = Vec::new();
    if shown.len() < sure.len() {
        left_out.push(format!("{} more; raise `limit`", sure.len() - shown.len()));
    }
    if unsure > 0 {
        let places = count_noun(unsure, "place");
        left_out.push(format!("{places} less sure; set `confidence` to low to see them"));
    }
    // Mentions are low confidence, so they get a small list of their own.
    let listed = named.lines.iter().take(SHOWN_LINES.min(arguments.limit));
    let listed: Vec<TextualMentionRow> = listed.map(textual_mention_row).collect();
    left_out.extend(omission_note(&named, listed.len()));
    Ok(Reply::object(FindReferencesReply {
        named_count: (!named.lines.is_empty()).then_some(named.lines.len()),
        named: listed,
        note,
        count: sure.len(),
        files: files.len(),
        trust: Reliability::check(&index, paths)?,
        references: shown.iter().map(|one| reference_row(one, &definitions)).collect(),
        definitions: definitions.iter().map(SymbolRef::from_definition).collect(),
        left_out,
    }))
}

/// Finds the lines that name the definitions and have no edge. There are none if only one sort of
/// edge is wanted.
fn find_textual_mentions(
    graph: &Graph,
    definitions: &[Definition],
    arguments: &FindReferencesArgs,
) -> Result<TextualMentions, OpError> {
    let bounds = MentionBounds {
        files: LISTED_FILES,
        all_or_none: false,
        calls: UnresolvedCalls::Listed,
        tests: if arguments.skip_tests { TestCode::Skipped } else { TestCode::Followed },
    };
    match arguments.only {
        Some(_) => Ok(TextualMentions::default()),
        None => Ok(graph.find_textual_mentions(definitions, &bounds)?),
    }
}

/// Converts such a line.
fn textual_mention_row(line: &MentionLine) -> TextualMentionRow {
    TextualMentionRow {
        path: line.path.to_string(),
        line: line.line,
        inside: line.inside.clone(),
        confidence: "low".into(),
        test: line.is_test,
        text: line.text.clone(),
    }
}

/// Counts the mentions that are not listed, and the files that were not read for them.
fn omission_note(named: &TextualMentions, shown: usize) -> Option<String> {
    let lines = count_noun(named.lines.len() - shown, "more line");
    let files = count_noun(named.unread, "more file");
    let what = match (named.lines.len() - shown, named.unread) {
        (0, 0) => return None,
        (_, 0) => lines,
        (0, _) => files,
        _ => format!("{lines} and {files}"),
    };
    Some(format!("{what} with its name; search_code_fulltext lists them"))
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
    found.sort_by(|(_, a), (_, b)| (&a.site.path, a.site.line).cmp(&(&b.site.path, b.site.line)));
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
