//! `get_symbol`: everything about a definition on one page, with its code. A name with several
//! definitions returns all of them.
//!
//! Counts of callers and references leave out low confidence, as the lists of the other operations
//! do by default.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{
    NameMatch, Reliability, SymbolRef, find_definitions, min_confidence, place_and_name,
    query_graph,
};
use super::symbol_row::non_public_visibility;
use crate::graph::{Definition, Graph, GraphLink};
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};

/// Replies with a [`GetSymbolReply`], which has an entry for each definition of the name.
pub static OP: OpEntry = OpEntry {
    name: "get_symbol",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "All about one definition: signature, code, package, visibility, members of a type, what it \
              is a kind of, and how many callers, references and implementations it has. Of a name \
              with several definitions, all.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<GetSymbolArgs>),
    reply: ReplyType::of::<GetSymbolReply>(),
    examples: &["ken symbol Session.login", "ken symbol src/session.rs:42 --lines 200"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct GetSymbolArgs {
    /// A name, Type.member, or path:line of a place within it
    symbol: String,
    /// How many lines of its code to show
    #[serde(default = "default_lines")]
    #[schemars(range(min = 0, max = 5000))]
    lines: u32,
    /// Show its code from this line of the file on, to continue a long one
    #[schemars(range(min = 1))]
    first_line: Option<u32>,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

/// The default number of code lines.
fn default_lines() -> u32 {
    60
}

/// The reply of `get_symbol`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GetSymbolReply {
    /// The definitions, best first.
    pub definitions: Vec<SymbolDetails>,
    /// The base that the name is inherited from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Freshness of the files.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// One definition with its code and counts.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SymbolDetails {
    /// Name, kind and place.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// The first line, with attributes and comments.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// The package of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Present if it is not public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visibility: Option<Cow<'static, str>>,
    /// The head of the definition on one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// The number of callers.
    pub callers: usize,
    /// The number of references of any sort.
    pub references: usize,
    /// The number of implementing types, or of members that fulfil it.
    pub implementations: usize,
    /// The supertypes, each as `path:line name`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kind_of: Vec<String>,
    /// The members of a type, each as `14 login(user:)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// How many members are not shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_members: u32,
    /// How many of its lines are not shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_lines: u32,
    /// The line that `content` begins with, if that is not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_line: Option<u32>,
    /// The `first_line` of a call that continues the code, if its end is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_line: Option<u32>,
    /// The code, up to `lines` lines.
    pub content: String,
}

/// The most definitions whose code is shown in full.
const MAX_WHOLE: usize = 4;

/// The lines of each, if there are more.
const HEAD_LINES: u32 = 8;

/// The most members. A longer list is better read as the outline of the file.
const MAX_MEMBERS: usize = 40;

/// True for a count that JSON leaves out.
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Collects the details of all definitions of the name in one snapshot.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: GetSymbolArgs = args.parse()?;
    let index = call.code(arguments.path.as_deref())?;
    let (found, shown, note) = query_graph(&index, |graph| {
        let NameMatch { definitions, note } = find_definitions(graph, &index, &arguments.symbol)?;
        // The code of many definitions would not fit: each shows its head.
        let is_many = definitions.len() > MAX_WHOLE;
        let lines = if is_many { arguments.lines.min(HEAD_LINES) } else { arguments.lines };
        let window = CodeWindow { first_line: arguments.first_line, lines };
        window.check(&definitions)?;
        let shown = definitions.iter().map(|one| symbol_details(graph, one, &window));
        let shown: Result<Vec<SymbolDetails>, OpError> = shown.collect();
        Ok::<_, OpError>((definitions, shown?, note))
    })?;
    Ok(Reply::object(GetSymbolReply {
        definitions: shown,
        note,
        trust: Reliability::check(&index, found.iter().map(|one| &one.path))?,
    }))
}

/// The lines of code that a caller wants.
struct CodeWindow {
    first_line: Option<u32>,
    lines: u32,
}

impl CodeWindow {
    /// Returns an error if no definition has the first line.
    fn check(&self, definitions: &[Definition]) -> Result<(), OpError> {
        let Some(line) = self.first_line else {
            return Ok(());
        };
        let has_line = |one: &Definition| {
            (one.symbol.span.start_line..=one.symbol.span.end_line).contains(&line)
        };
        if definitions.iter().any(has_line) {
            return Ok(());
        }
        let spans = definitions.iter().map(|one| {
            format!("{}:{}-{}", one.path, one.symbol.span.start_line, one.symbol.span.end_line)
        });
        let spans = spans.collect::<Vec<_>>().join(", ");
        let message = format!("`first_line` must be a line of the definition: {spans}");
        Err(OpError::bad_argument(message))
    }

    /// Returns the first and last wanted line of a definition; `None` if it has none of them.
    fn lines_of(&self, one: &Definition) -> Option<(u32, u32)> {
        let span = &one.symbol.span;
        let start = self.first_line.unwrap_or(span.start_line);
        // Zero lines mean that the caller wants only the facts.
        let is_within = self.lines > 0 && (span.start_line..=span.end_line).contains(&start);
        is_within.then(|| (start, span.end_line.min(start.saturating_add(self.lines - 1))))
    }
}

/// Collects the details of one definition. It asks the graph five times, each a lookup by symbol.
fn symbol_details(
    graph: &Graph,
    one: &Definition,
    window: &CodeWindow,
) -> Result<SymbolDetails, OpError> {
    let span = &one.symbol.span;
    let shown = window.lines_of(one);
    let content = match shown {
        None => None,
        Some((start, end)) => graph.read_lines(&one.path, start, end)?,
    };
    let shown = shown.filter(|_| content.is_some());
    let shown_lines = shown.map_or(0, |(start, end)| end - start + 1);
    let sure = |links: Vec<GraphLink>| {
        let sure = links.iter().filter(|link| link.evidence.confidence >= min_confidence(None));
        sure.count()
    };
    let mut members = graph.all_members(one)?;
    // Tests last, and what extensions elsewhere add after what the type's own file has.
    members.sort_by_key(|member| (member.symbol.is_test, member.path != one.path));
    let more_members = members.len().saturating_sub(MAX_MEMBERS) as u32;
    members.truncate(MAX_MEMBERS);
    Ok(SymbolDetails {
        symbol: SymbolRef::from_definition(one),
        start_line: span.start_line,
        end_line: span.end_line,
        package: graph.package_of(&one.path)?,
        visibility: non_public_visibility(&one.symbol),
        signature: one.symbol.signature.clone(),
        callers: sure(graph.callers(one)?),
        references: sure(graph.references(one)?),
        implementations: graph.implementations(one)?.len()
            + graph.implementations_of_member(one)?.len(),
        kind_of: graph.supertypes(one)?.iter().map(place_and_name).collect(),
        members: members.iter().map(|member| format_member(one, member)).collect(),
        more_members,
        more_lines: span.end_line - span.start_line + 1 - shown_lines,
        content_line: shown.map(|(start, _)| start).filter(|start| *start != span.start_line),
        next_line: shown.map(|(_, end)| end + 1).filter(|next| *next <= span.end_line),
        content: content.unwrap_or_default(),
    })
}

/// Formats a member as `14 login(user:)`, with its file if an extension elsewhere adds it.
fn format_member(owner: &Definition, member: &Definition) -> String {
    let line = member.symbol.line;
    let text = member.symbol.signature.as_deref();
    let text = text.unwrap_or(&member.symbol.name);
    if member.path == owner.path {
        format!("{line} {text}")
    } else {
        format!("{}:{line} {text}", member.path)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::engine::testing::shop;
    use crate::ops::{Call, OpError, Silent, find};

    /// Asks for `run`, which has the lines 1 to 100 of its file.
    fn ask(arguments: Value) -> Result<Value, OpError> {
        let body: String = (2..100).map(|line| format!("    step({line});\n")).collect();
        let shop = shop(&[("a.rs", &format!("fn run() {{\n{body}}}\n"))]);
        let call = Call::new(&shop.engine, &Silent);
        let reply = find("get_symbol").unwrap().call(&call, &arguments)?;
        let reply: Value = serde_json::from_str(&reply.contents().0).unwrap();
        Ok(reply["definitions"][0].clone())
    }

    #[test]
    fn long_code_continues_at_a_line() {
        let start = ask(json!({ "symbol": "run" })).unwrap();
        assert_eq!((&start["moreLines"], &start["nextLine"]), (&json!(40), &json!(61)));
        assert_eq!(start["contentLine"], Value::Null);
        let rest = ask(json!({ "symbol": "run", "first_line": 61 })).unwrap();
        assert_eq!((&rest["contentLine"], &rest["nextLine"]), (&json!(61), &Value::Null));
        let content = rest["content"].as_str().unwrap();
        assert!(content.starts_with("    step(61);") && content.ends_with('}'), "{content}");
        let error = ask(json!({ "symbol": "run", "first_line": 101 })).unwrap_err();
        assert_eq!(error.message, "`first_line` must be a line of the definition: a.rs:1-100");
    }
}
