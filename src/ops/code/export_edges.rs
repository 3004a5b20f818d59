//! `export_edges`: the resolved graph, a page at a time, for pipelines.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::model::Symbol;
use crate::ops::{Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply};
use crate::query::graph::{
    CallEdge, Definition, Edges, EdgesKind, ImplementsEdge, ImportEdge, Page, Site, qualified,
};

pub const OP: OpEntry = OpEntry {
    name: "export_edges",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "The resolved code graph as data, a page of files at a time: every call with what it \
              leads to, every type with what it implements, every import with what it means; each \
              with confidence and reason. For pipelines; to ask about one symbol use callers, \
              callees or implementations.",
    effect: Effect::Reads,
    schema,
    examples: &["ken export-edges --kind calls", "ken export-edges --kind implements --files 500"],
    run,
};

/// Files on a page unless told, and at most.
const FILES: usize = 100;
const MAX_FILES: usize = 2000;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "kind": {
                "type": "string",
                "enum": ["calls", "implements", "imports"],
                "default": "calls",
                "description": "Which edges"
            },
            "after": {
                "type": "string",
                "description": "Go on after this file: `next` of the page before"
            },
            "files": {
                "type": "integer",
                "minimum": 1,
                "maximum": MAX_FILES,
                "default": FILES,
                "description": "The edges of how many files"
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

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: ExportEdgesArgs = args.parse()?;
    let kind = match arguments.kind.as_deref() {
        None | Some("calls") => EdgesKind::Calls,
        Some("implements") => EdgesKind::Implements,
        Some(_) => EdgesKind::Imports,
    };
    let after = arguments.after.unwrap_or_default();
    let files = arguments.files.unwrap_or(FILES).clamp(1, MAX_FILES);
    let index = call.engine.code(arguments.path.as_deref())?;
    let page = index.graph(|graph| Ok::<_, OpError>(graph.edges(kind, &after, files)?))?;
    let mut reply = json!({ "edges": lines(&page) });
    if let Some(next) = page.next {
        reply["next"] = next.into();
    }
    Ok(Reply::Object(reply))
}

fn lines(page: &Page) -> Vec<Value> {
    match &page.edges {
        Edges::Calls(edges) => edges.iter().map(call_line).collect(),
        Edges::Implements(edges) => edges.iter().map(implements_line).collect(),
        Edges::Imports(edges) => edges.iter().map(import_line).collect(),
    }
}

fn call_line(edge: &CallEdge) -> Value {
    let callees: Vec<Value> = edge.callees.iter().map(definition).collect();
    let mut line = json!({
        "site": site(&edge.site),
        "callees": callees,
        "confidence": edge.ground.confidence.as_str(),
        "reason": edge.ground.reason.as_str(),
    });
    line["caller"] = match &edge.caller {
        Some(caller) => definition(caller),
        // Code outside of every definition is the file's own.
        None => json!({ "path": edge.site.path.as_str(), "line": 1, "symbol": "" }),
    };
    line
}

fn implements_line(edge: &ImplementsEdge) -> Value {
    json!({
        "type": definition(&edge.subject),
        "interface": definition(&edge.interface),
        "how": edge.how.as_str(),
    })
}

fn import_line(edge: &ImportEdge) -> Value {
    let target = match &edge.definition {
        Some(found) => definition(found),
        None => json!({ "path": edge.path.as_str() }),
    };
    json!({
        "site": site(&edge.site),
        "target": target,
        "confidence": edge.ground.confidence.as_str(),
        "reason": edge.ground.reason.as_str(),
    })
}

fn site(site: &Site) -> Value {
    json!({ "path": site.path.as_str(), "line": site.line, "name": site.name })
}

fn definition(found: &Definition) -> Value {
    let symbol: &Symbol = &found.symbol;
    json!({ "path": found.path.as_str(), "line": symbol.line, "symbol": qualified(symbol) })
}
