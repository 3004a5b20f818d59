//! `find_references`: every place that mentions a definition.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call_hierarchy::Sureness;
use super::dto::{EdgeRef, SymbolRef, Trust, ask, hundred, inherited, meant, short};
use super::textual_mentions::LISTED_FILES;
use crate::graph::{
    Definition, Graph, GraphLink, MentionBounds, MentionLine, TestCode, TextualMentions,
    UnresolvedCalls, qualified_name, reference_word,
};
use crate::ops::format::counted;
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply, ReplyType, schema};

pub static OP: OpEntry = OpEntry {
    name: "find_references",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "Every place that mentions a definition, resolved: calls, types, imports and exports, each \
              with path, line, the definition around it, confidence and reason. Reads and uses as a \
              value are no edges: lines that only name it are apart, in `named`, and may mean \
              something else of that name.",
    effect: Effect::Reads,
    schema: LazyLock::new(schema::derived::<FindReferencesArgs>),
    reply: ReplyType::of::<FindReferencesReply>(),
    examples: &["ken find-references Session", "ken find-references Session.login --only call"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct FindReferencesArgs {
    /// A name, Type.member, or path:line of a place within it
    symbol: String,
    /// Only mentions of this sort
    only: Option<Mention>,
    /// The least confidence to show: exact, high, medium or low; what is less sure is counted
    #[serde(default)]
    confidence: Sureness,
    /// How many to list; the rest is counted
    #[serde(default = "hundred")]
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
enum Mention {
    Call,
    Type,
    Import,
    Export,
}

impl Mention {
    fn word(self) -> &'static str {
        match self {
            Mention::Call => "call",
            Mention::Type => "type",
            Mention::Import => "import",
            Mention::Export => "export",
        }
    }
}

/// The reply of `find_references`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FindReferencesReply {
    pub definitions: Vec<SymbolRef>,
    pub count: usize,
    pub files: usize,
    pub references: Vec<ReferenceRow>,
    /// Lines that only name it, and how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_count: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<NamedRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    #[serde(flatten)]
    pub trust: Trust,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ReferenceRow {
    pub path: String,
    pub line: u32,
    #[serde(rename = "as")]
    pub mention: Cow<'static, str>,
    /// The definition around it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// The definition that it means, if the name has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    #[serde(flatten)]
    pub edge: EdgeRef,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
}

/// A line that has the name in it, whatever it means there.
#[derive(Debug, Serialize, Deserialize)]
pub struct NamedRow {
    pub path: String,
    pub line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    pub confidence: Cow<'static, str>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    pub text: String,
}

/// So many lines that only name it are listed.
const SHOWN_LINES: usize = 20;

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: FindReferencesArgs = args.parse()?;
    let index = call.engine.code(arguments.path.as_deref())?;
    let (definitions, found, named, note) = ask(&index, |graph| {
        let definitions = meant(graph, &index, &arguments.symbol)?;
        let mut found = Vec::new();
        for (place, definition) in definitions.iter().enumerate() {
            let links = graph.references(definition)?.into_iter();
            found.extend(links.map(|link| (place, link)));
        }
        let named = named_lines(graph, &definitions, &arguments)?;
        let note = inherited(graph, &arguments.symbol, &definitions)?;
        Ok::<_, OpError>((definitions, found, named, note))
    })?;
    let (sure, unsure) = sorted_out(found, &arguments);
    let files: std::collections::BTreeSet<&str> =
        sure.iter().map(|(_, link)| link.site.path.as_str()).collect();
    let shown = &sure[..sure.len().min(arguments.limit)];
    let paths = shown.iter().map(|(_, link)| &link.site.path);
    let mut left_out = Vec::new();
    if shown.len() < sure.len() {
        left_out.push(format!("{} more; raise `limit`", sure.len() - shown.len()));
    }
    if unsure > 0 {
        let places = counted(unsure, "place");
        left_out.push(format!("{places} less sure; set `confidence` to low to see them"));
    }
    let listed = named.lines.iter().take(SHOWN_LINES.min(arguments.limit));
    let listed: Vec<NamedRow> = listed.map(named_row).collect();
    left_out.extend(more_lines(&named, listed.len()));
    Ok(Reply::object(FindReferencesReply {
        named_count: (!named.lines.is_empty()).then_some(named.lines.len()),
        named: listed,
        note,
        count: sure.len(),
        files: files.len(),
        trust: Trust::of(&index, paths)?,
        references: shown.iter().map(|one| row(one, &definitions)).collect(),
        definitions: definitions.iter().map(SymbolRef::of).collect(),
        left_out,
    }))
}

/// The lines that name it and have no edge; none if only edges of one sort are asked for.
fn named_lines(
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

fn named_row(line: &MentionLine) -> NamedRow {
    NamedRow {
        path: line.path.to_string(),
        line: line.line,
        inside: line.inside.clone(),
        confidence: "low".into(),
        test: line.is_test,
        text: line.text.clone(),
    }
}

fn more_lines(named: &TextualMentions, shown: usize) -> Option<String> {
    let lines = counted(named.lines.len() - shown, "more line");
    let files = counted(named.unread, "more file");
    let what = match (named.lines.len() - shown, named.unread) {
        (0, 0) => return None,
        (_, 0) => lines,
        (0, _) => files,
        _ => format!("{lines} and {files}"),
    };
    Some(format!("{what} with its name; search_code_fulltext lists them"))
}

/// Returns the wanted references by path and line, and the number below the wanted confidence.
fn sorted_out(
    mut found: Vec<(usize, GraphLink)>,
    arguments: &FindReferencesArgs,
) -> (Vec<(usize, GraphLink)>, usize) {
    let only = arguments.only.map(Mention::word);
    found.retain(|(_, link)| {
        let is_test = link.site.is_test || is_in_test(link);
        only.is_none_or(|only| reference_word(link.site.kind) == only)
            && !(arguments.skip_tests && is_test)
    });
    let all = found.len();
    let least = arguments.confidence.least();
    found.retain(|(_, link)| link.evidence.confidence >= least);
    found.sort_by(|(_, a), (_, b)| (&a.site.path, a.site.line).cmp(&(&b.site.path, b.site.line)));
    let unsure = all - found.len();
    (found, unsure)
}

fn is_in_test(link: &GraphLink) -> bool {
    link.other.as_ref().is_some_and(|other| other.symbol.is_test)
}

fn row((place, link): &(usize, GraphLink), definitions: &[Definition]) -> ReferenceRow {
    ReferenceRow {
        path: link.site.path.to_string(),
        line: link.site.line,
        mention: reference_word(link.site.kind).into(),
        inside: link.other.as_ref().map(|other| qualified_name(&other.symbol)),
        of: (definitions.len() > 1).then(|| short(&definitions[*place])),
        edge: EdgeRef::of(link.evidence, &link.via),
        test: link.site.is_test || is_in_test(link),
    }
}
