//! `export_edges`: the resolved graph as data, a page of files at a time, for pipelines.
//!
//! The cursor is a path: pages are ordered by path, so an index run between two pages repeats or
//! skips at most the files that changed.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::reply_parts::index_notice;
use crate::graph::{
    CallEdge, Definition, EdgeKind, EdgePage, Edges, Graph, ImplementsEdge, ImportEdge, Site,
    qualified_name,
};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};

/// Replies with an [`ExportEdgesReply`]. Repeat the call with `after` set to `next` until `next` is
/// absent.
pub static OP: OpEntry = OpEntry {
    name: "export_edges",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The resolved code graph as data, a page of files at a time: every call with what it \
              leads to, every type with what it implements, every import with what it means; each \
              with confidence and reason. For pipelines; to ask about one symbol use callers, \
              callees or implementations.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<ExportEdgesReply>(),
    examples: &["ken export-edges --kind calls", "ken export-edges --kind implements --files 500"],
    run,
};

/// The bytes of a page if the caller names no number of files, so that a page fits a context.
const PAGE_BYTES: usize = 48 * 1024;
/// The most files on a page. One page is held in memory.
const MAX_FILES: usize = 2000;

/// The schema is written out: it is frozen for pipelines that store it.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "kind": {
                "type": "string",
                "enum": ["calls", "implements", "imports"],
                "default": "calls",
                "description": "The kind of edges"
            },
            "after": {
                "type": "string",
                "description": "Go on after this file: `next` of the page before"
            },
            "files": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_FILES,
                "description": "The edges of how many files (default: as many as give 48 KB)"
            },
            "path": {
                "type": "string",
                "description": "Another indexed root: its path or collection name"
            }
        }
    })
}

#[derive(Deserialize)]
struct ExportEdgesArgs {
    kind: Option<String>,
    after: Option<String>,
    files: Option<usize>,
    path: Option<String>,
}

/// The reply of `export_edges`.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExportEdgesReply {
    /// The edges of the page, by file and line.
    pub edges: Vec<EdgeRow>,
    /// The file to go on after, if there are more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The reason why edges may be missing or old.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// An edge of the graph. The variants have different fields, so JSON needs no tag.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EdgeRow {
    /// A type and its supertype.
    Implements(ImplementsRow),
    /// An import and its target.
    Import(ImportRow),
    /// A call and its callees.
    Call(CallEdgeRow),
}

/// A call with its possible callees.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallEdgeRow {
    /// The place of the call.
    pub site: EdgeSite,
    /// More than one if the call is dispatched.
    pub callees: Vec<EdgeEnd>,
    /// `exact`, `high`, `medium` or `low`.
    pub confidence: Cow<'static, str>,
    /// The rule that resolved the edge.
    pub reason: Cow<'static, str>,
    /// The definition around the call; line 1 and an empty symbol outside of every definition.
    pub caller: EdgeEnd,
}

/// A type with a type that it implements.
#[derive(Debug, Serialize, Deserialize)]
pub struct ImplementsRow {
    /// The implementing type. JSON calls it `type`, which is a keyword here.
    #[serde(rename = "type")]
    pub subject: EdgeEnd,
    /// The implemented type.
    pub interface: EdgeEnd,
    /// `direct`, `inherited`, `extension`, `derived` or `conditional`.
    pub how: Cow<'static, str>,
}

/// An import with its target.
#[derive(Debug, Serialize, Deserialize)]
pub struct ImportRow {
    /// The place of the import.
    pub site: EdgeSite,
    /// The definition, or the file of a module.
    pub target: EdgeEnd,
    /// `exact`, `high`, `medium` or `low`.
    pub confidence: Cow<'static, str>,
    /// The rule that resolved it.
    pub reason: Cow<'static, str>,
}

/// The place of a reference.
#[derive(Debug, Serialize, Deserialize)]
pub struct EdgeSite {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The name as the text has it.
    pub name: String,
}

/// A definition, or a file without line and symbol.
#[derive(Debug, Serialize, Deserialize)]
pub struct EdgeEnd {
    /// The file.
    pub path: String,
    /// The line of the definition's name; absent for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The name with its scope; absent for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
}

/// Reads one page. The schema bounds `files` already; clamping keeps a page bounded even if the two
/// ever differ.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: ExportEdgesArgs = args.parse()?;
    let kind = match arguments.kind.as_deref() {
        None | Some("calls") => EdgeKind::Calls,
        Some("implements") => EdgeKind::Implements,
        Some(_) => EdgeKind::Imports,
    };
    let after = arguments.after.unwrap_or_default();
    let index = call.code(arguments.path.as_deref())?;
    let page = index.query_graph(|graph| match arguments.files {
        Some(files) => {
            let page = graph.edge_page(kind, &after, files.clamp(1, MAX_FILES))?;
            let (edges, next) = (edge_rows(&page), page.next);
            Ok::<_, OpError>(ExportEdgesReply { edges, next, notice: None })
        }
        None => read_page_of_bytes(graph, kind, after),
    })?;
    let notice = index_notice(&index)?;
    Ok(Reply::object(ExportEdgesReply { notice, ..page }))
}

/// Reads files until their edges fill a page. The last file may go beyond it.
fn read_page_of_bytes(
    graph: &Graph,
    kind: EdgeKind,
    after: String,
) -> Result<ExportEdgesReply, OpError> {
    let mut reply = ExportEdgesReply { edges: Vec::new(), next: Some(after), notice: None };
    let mut bytes = 0;
    while bytes < PAGE_BYTES
        && let Some(after) = reply.next.take()
    {
        let page = graph.edge_page(kind, &after, 1)?;
        let rows = edge_rows(&page);
        let sizes = rows.iter().map(|row| serde_json::to_string(row).map_or(0, |row| row.len()));
        bytes += sizes.sum::<usize>();
        reply.edges.extend(rows);
        reply.next = page.next;
    }
    Ok(reply)
}

/// Converts a page of edges of one kind.
fn edge_rows(page: &EdgePage) -> Vec<EdgeRow> {
    match &page.edges {
        Edges::Calls(edges) => edges.iter().map(call_row).collect(),
        Edges::Implements(edges) => edges.iter().map(implements_row).collect(),
        Edges::Imports(edges) => edges.iter().map(import_row).collect(),
    }
}

/// Converts a call.
fn call_row(edge: &CallEdge) -> EdgeRow {
    // Code outside of every definition is the file's own.
    let top_level =
        || EdgeEnd { path: edge.site.path.to_string(), line: Some(1), symbol: Some(String::new()) };
    EdgeRow::Call(CallEdgeRow {
        site: edge_site(&edge.site),
        callees: edge.callees.iter().map(edge_end).collect(),
        confidence: edge.evidence.confidence.as_str().into(),
        reason: edge.evidence.reason.as_str().into(),
        caller: edge.caller.as_ref().map_or_else(top_level, edge_end),
    })
}

/// Converts a heritage edge.
fn implements_row(edge: &ImplementsEdge) -> EdgeRow {
    EdgeRow::Implements(ImplementsRow {
        subject: edge_end(&edge.subject),
        interface: edge_end(&edge.interface),
        how: edge.kind.as_str().into(),
    })
}

/// Converts an import. A module without a definition of its own is its file.
fn import_row(edge: &ImportEdge) -> EdgeRow {
    let file = || EdgeEnd { path: edge.path.to_string(), line: None, symbol: None };
    EdgeRow::Import(ImportRow {
        site: edge_site(&edge.site),
        target: edge.definition.as_ref().map_or_else(file, edge_end),
        confidence: edge.evidence.confidence.as_str().into(),
        reason: edge.evidence.reason.as_str().into(),
    })
}

/// Converts the place of a reference.
fn edge_site(site: &Site) -> EdgeSite {
    EdgeSite { path: site.path.to_string(), line: site.line, name: site.name.to_string() }
}

/// Converts a definition.
fn edge_end(found: &Definition) -> EdgeEnd {
    EdgeEnd {
        path: found.path.to_string(),
        line: Some(found.symbol.line),
        symbol: Some(qualified_name(&found.symbol)),
    }
}
