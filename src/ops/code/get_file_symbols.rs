//! `get_file_symbols`: the outline of a file, in the order of the text.
//!
//! The rows are cut to a budget of tokens. `first_line` then continues where the previous reply
//! ended, so a large file is read in pages without an offset.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path_lookup;
use super::reply_parts::{Reliability, SymbolRef, TOP_LEVEL, min_confidence, query_graph};
use super::symbol_row::{non_public_visibility, parse_kind};
use super::token_budget::{self, DEFAULT_BUDGET};
use crate::graph::{Definition, Graph};
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::Symbol;

/// Replies with a [`GetFileSymbolsReply`]. The file may be given by the end of its path, if only
/// one matches.
pub static OP: OpEntry = OpEntry {
    name: "get_file_symbols",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The outline of a file: every definition in the order of the text, with its lines, kind and \
              signature. Read it before the file: it costs a tenth. What does not fit into `budget` \
              follows from `first_line` on.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<GetFileSymbolsArgs>),
    reply: ReplyType::of::<GetFileSymbolsReply>(),
    examples: &[
        "ken outline src/session.rs",
        "ken outline src/session.rs --kind method",
        "ken outline src/session.rs --callers",
    ],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct GetFileSymbolsArgs {
    /// The file: its path below the root, or the end of it if only one file's path ends so
    file: String,
    /// Only this kind, such as function, method, class, struct, protocol or trait
    kind: Option<String>,
    /// Say of each definition how many call it, and name some of them
    #[serde(default)]
    callers: bool,
    /// Only what has its name on this line or below
    #[schemars(range(min = 1))]
    first_line: Option<u32>,
    /// Only what has its name on this line or above
    #[schemars(range(min = 1))]
    last_line: Option<u32>,
    /// About how many tokens to answer with at most
    #[serde(default = "default_budget")]
    #[schemars(range(min = 100))]
    budget: usize,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

/// The default of `budget`.
fn default_budget() -> usize {
    DEFAULT_BUDGET
}

/// The reply of `get_file_symbols`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetFileSymbolsReply {
    /// The full path, if the caller gave the end of one.
    pub file: String,
    /// The package that the file belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// How many there are, shown or not.
    pub count: usize,
    /// The definitions that fit.
    pub symbols: Vec<FileSymbolRow>,
    /// The number of the rest, and the line to continue from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// Says if the file changed since it was indexed.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// One definition of the outline.
#[derive(Debug, Serialize, Deserialize)]
pub struct FileSymbolRow {
    /// First and last line.
    pub lines: String,
    /// The kind, such as `method`.
    pub kind: Cow<'static, str>,
    /// The enclosing definition, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The name without its scope.
    pub name: String,
    /// Only where it is not public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Cow<'static, str>>,
    /// True for test code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// The line of its name, where callers are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The number of callers, if callers are requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callers: Option<usize>,
    /// The first callers, tests last.
    #[serde(rename = "calledBy", default, skip_serializing_if = "Vec::is_empty")]
    pub called_by: Vec<SymbolRef>,
    /// Last, so that a table needs no room behind the longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// The number of callers that are named.
const NAMED_CALLERS: usize = 3;

/// Lists the definitions of a file that match kind and lines. The count covers all matches, so that
/// a reader knows how much is missing.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: GetFileSymbolsArgs = args.parse()?;
    let wanted = parse_kind(arguments.kind.as_deref())?;
    let index = call.code(arguments.path.as_deref())?;
    let lines = arguments.first_line.unwrap_or(1)..=arguments.last_line.unwrap_or(u32::MAX);
    let (file, count, (symbols, next), package) = query_graph(&index, |graph| {
        let file = path_lookup::find_file(graph, &index, &arguments.file)?;
        let mut symbols = graph.definitions_in_file(&file)?;
        symbols.retain(|one| wanted.is_none_or(|kind| one.symbol.kind == kind));
        symbols.retain(|one| lines.contains(&one.symbol.line));
        let count = symbols.len();
        let shown = fitting_rows(graph, symbols, &arguments)?;
        let package = graph.package_of(&file)?;
        Ok::<_, OpError>((file, count, shown, package))
    })?;
    let left_out = next.map(|line| {
        let more = count - symbols.len();
        format!("{more} more; set `first_line` to {line}, raise `budget`, or narrow by `kind`")
    });
    Ok(Reply::object(GetFileSymbolsReply {
        trust: Reliability::check(&index, [&file])?,
        file: file.to_string(),
        package,
        count,
        symbols,
        left_out,
    }))
}

/// Returns the rows that fit the budget, and the line of the first that does not.
fn fitting_rows(
    graph: &Graph,
    symbols: Vec<Definition>,
    arguments: &GetFileSymbolsArgs,
) -> Result<(Vec<FileSymbolRow>, Option<u32>), OpError> {
    let lines: Vec<u32> = symbols.iter().map(|one| one.symbol.line).collect();
    let rows = symbols.into_iter().map(|one| {
        if arguments.callers { row_with_callers(graph, one) } else { Ok(symbol_row(one.symbol)) }
    });
    let rows: Result<Vec<FileSymbolRow>, OpError> = rows.collect();
    let mut shown = token_budget::take_fitting(rows?, arguments.budget);
    let Some(&next) = lines.get(shown.len()) else {
        return Ok((shown, None));
    };
    // Several definitions can share a line. All of a line are on the same page, else none could be
    // reached by `first_line`.
    //
    // If the first line alone exceeds the budget, it is shown in part.
    let before = lines[..shown.len()].iter().filter(|line| **line < next);
    let before = before.count();
    if before > 0 {
        shown.truncate(before);
    }
    Ok((shown, Some(next)))
}

/// Converts a definition without its callers.
fn symbol_row(symbol: Symbol) -> FileSymbolRow {
    let span = &symbol.span;
    FileSymbolRow {
        lines: if span.start_line == span.end_line {
            span.start_line.to_string()
        } else {
            format!("{}-{}", span.start_line, span.end_line)
        },
        kind: symbol.kind.as_str().into(),
        visibility: non_public_visibility(&symbol),
        scope: symbol.scope,
        name: symbol.name,
        test: symbol.is_test,
        line: None,
        callers: None,
        called_by: Vec::new(),
        signature: symbol.signature,
    }
}

/// Converts a definition with its callers of at least medium confidence. Costs one graph query for
/// each definition.
fn row_with_callers(graph: &Graph, definition: Definition) -> Result<FileSymbolRow, OpError> {
    let links = graph.callers(&definition)?.into_iter();
    let sure = links.filter(|link| link.evidence.confidence >= min_confidence(None));
    let mut callers: Vec<SymbolRef> = Vec::new();
    for link in sure {
        let caller = match &link.other {
            Some(other) => SymbolRef::from_definition(other),
            None => SymbolRef {
                symbol: TOP_LEVEL.to_string(),
                kind: "file".into(),
                path: link.site.path.to_string(),
                line: link.site.line,
                test: link.site.is_test,
            },
        };
        let is_same = |known: &SymbolRef| known.path == caller.path && known.line == caller.line;
        if !callers.iter().any(is_same) {
            callers.push(caller);
        }
    }
    // Tests say less about the purpose of a definition. The sort is stable, so other callers keep
    // the order of the graph.
    callers.sort_by_key(|caller| caller.test);
    let line = definition.symbol.line;
    let count = callers.len();
    callers.truncate(NAMED_CALLERS);
    Ok(FileSymbolRow {
        line: Some(line),
        callers: Some(count),
        called_by: callers,
        ..symbol_row(definition.symbol)
    })
}
