//! `/symbol`: a definition with its callers, callees and implementations, as a diagram and as lists
//! with confidences.

use maud::{Markup, html};
use serde_json::json;

use super::code_listing::{self, QueryWords};
use super::components::{confidence, count_noun, kind, path, trust};
use super::page_request::PageRequest;
use super::{Page, PageView, drawing};
use crate::engine::highlight_lines;
use crate::ops::OpError;
use crate::ops::code::call_hierarchy::{CallRow, CallsReply};
use crate::ops::code::find_references::{self, FindReferencesReply, ReferenceRow};
use crate::ops::code::get_symbol::{self, GetSymbolReply, SymbolDetails};
use crate::ops::code::implementations::{self, ImplementationRow, ImplementationsReply};
use crate::ops::code::reply_parts::{EdgeRef, SymbolRef};
use crate::ops::code::{callees, callers};

/// The page.
pub const PAGE: Page = Page { path: "/symbol", menu: None, show };

/// Lines of code that are shown.
const LINES: u32 = 40;
/// Neighbours in each list.
const LISTED: usize = 100;

/// Shows the symbol. It includes low confidence, which people can judge and agents should not
/// follow.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let at = request.required_value("at")?;
    let details = json!({ "symbol": at, "lines": LINES });
    let found: GetSymbolReply = request.fetch_object(&get_symbol::OP, details)?;
    let definitions = &found.definitions;
    let name = definitions.first().map_or("", |first| &first.symbol.symbol);
    // Low confidence too: the page shows how sure each row is.
    let low = json!({ "symbol": at, "limit": LISTED, "confidence": "low" });
    let called_by: CallsReply = request.fetch_object(&callers::OP, low.clone())?;
    let calls: CallsReply = request.fetch_object(&callees::OP, low)?;
    let rows: Vec<CallRow> = called_by.callers.unwrap_or_default();
    let arguments = json!({ "symbol": at, "limit": LISTED });
    // Nobody calls a type; it is mentioned.
    let mentions: Option<FindReferencesReply> = if rows.is_empty() {
        request.fetch_object(&find_references::OP, arguments).ok()
    } else {
        None
    };
    let implementations = request
        .fetch_object(&implementations::OP, json!({ "symbol": at }))
        .ok()
        .filter(|found: &ImplementationsReply| !found.implementations.is_empty());
    let picture = drawing::render_stage(
        request,
        &format!("Graph around {name}"),
        json!({ "of": "symbols", "name": at }),
    )?;
    Ok(PageView {
        title: name.to_string(),
        main: html! {
            @for definition in definitions { (head(request, definition)) }
            (trust(&found.trust))
            section aria-label="Graph" { (picture) }
            div class="columns" {
                @if let Some(found) = &mentions {
                    (list(request, "Mentions", &found.references, &found.left_out, "Nothing that is indexed mentions it."))
                } @else {
                    (list(request, "Callers", &rows, &called_by.left_out, "Nothing that is indexed calls it."))
                }
                (list(request, "Callees", &calls.callees.unwrap_or_default(), &calls.left_out, "It calls nothing that is indexed."))
                @if let Some(found) = &implementations {
                    (list(request, "Implementations", &found.implementations, &found.left_out, ""))
                }
            }
            @for definition in definitions { (body(request, definition)) }
        },
    })
}

/// Renders name, place and counts.
fn head(request: &PageRequest, one: &SymbolDetails) -> Markup {
    let SymbolRef { symbol: name, path: file, line, .. } = &one.symbol;
    let (scope, own) = name.rsplit_once('.').unwrap_or(("", name.as_str()));
    html! {
        header class="page-head" {
            h1 class="symbol-name" {
                @if !scope.is_empty() { span class="scope" { bdi { (scope) } "." } }
                bdi { (own) } " " (kind(&one.symbol.kind))
            }
            p class="facts" {
                a href=(request.file_url(file, *line)) { (path(file)) ":" (line) }
                span { (count_noun(one.callers, "caller")) }
                span { (count_noun(one.references, "reference")) }
                @if one.implementations > 0 {
                    span { (count_noun(one.implementations, "implementation")) }
                }
                @if let Some(package) = &one.package { span { "package " bdi { (package) } } }
                @if let Some(visibility) = &one.visibility { span { (visibility) } }
            }
            @for base in &one.kind_of {
                @let (at, name) = base.split_once(' ').unwrap_or((base, base));
                p class="kind-of" { "is a kind of " a href=(request.page_url("/symbol", &[("at", at)])) { bdi { (name) } } }
            }
        }
    }
}

/// Renders a list of neighbours, whatever their reply type.
fn list<'r, T>(
    request: &PageRequest,
    title: &str,
    rows: &'r [T],
    left_out: &[String],
    empty: &str,
) -> Markup
where
    Neighbour<'r>: From<&'r T>,
{
    html! {
        section {
            h2 { (title) " " span class="count" { (rows.len()) } }
            @if rows.is_empty() { p class="empty" { (empty) } }
            ul class="rows" {
                @for row in rows { li { (neighbour(request, &row.into())) } }
            }
            @for left_out in left_out {
                p class="left-out" { (without_advice(left_out)) }
            }
        }
    }
}

/// Removes the advice on how to see more, which names arguments of operations.
fn without_advice(text: &str) -> &str {
    text.split(';').next().unwrap_or(text)
}

/// A symbol or place at the other end of an edge.
struct Neighbour<'r> {
    /// The symbol; empty for code outside of every definition.
    name: &'r str,
    /// The path of the file.
    file: &'r str,
    /// The line that the row links to.
    line: u32,
    /// The lines of the edge.
    at: &'r [u32],
    /// Confidence and reason, if it is an edge.
    edge: Option<&'r EdgeRef>,
    /// True for test code.
    is_test: bool,
    /// The kind of the mention or of the implementation.
    label: Option<&'r str>,
    /// The symbol or base that the edge goes through.
    through: Option<&'r str>,
}

impl<'r> Neighbour<'r> {
    /// A neighbour without an edge.
    fn of_symbol(symbol: &'r SymbolRef) -> Neighbour<'r> {
        Neighbour {
            name: if symbol.kind == "file" { "" } else { &symbol.symbol },
            file: &symbol.path,
            line: symbol.line,
            at: &[],
            edge: None,
            is_test: symbol.test,
            label: None,
            through: None,
        }
    }
}

impl<'r> From<&'r CallRow> for Neighbour<'r> {
    fn from(row: &'r CallRow) -> Neighbour<'r> {
        Neighbour {
            at: &row.at,
            edge: row.edge.as_ref(),
            through: row.edge.as_ref().and_then(|edge| edge.through.as_deref()),
            ..Neighbour::of_symbol(&row.symbol)
        }
    }
}

impl<'r> From<&'r ReferenceRow> for Neighbour<'r> {
    fn from(row: &'r ReferenceRow) -> Neighbour<'r> {
        Neighbour {
            name: row.inside.as_deref().unwrap_or_default(),
            file: &row.path,
            line: row.line,
            at: &[],
            edge: Some(&row.edge),
            is_test: row.test,
            label: Some(&row.mention),
            through: row.edge.through.as_deref(),
        }
    }
}

impl<'r> From<&'r ImplementationRow> for Neighbour<'r> {
    fn from(row: &'r ImplementationRow) -> Neighbour<'r> {
        Neighbour {
            label: Some(&row.how),
            through: row.through.as_deref(),
            ..Neighbour::of_symbol(&row.symbol)
        }
    }
}

/// Renders one neighbour.
fn neighbour(request: &PageRequest, row: &Neighbour) -> Markup {
    let name = if row.name.is_empty() { row.file } else { row.name };
    html! {
        a data-row href=(request.symbol_url(row.file, row.line)) {
            span class="row-name" {
                bdi { (name) } " "
                @if let Some(edge) = row.edge { (confidence(edge)) }
                @if row.is_test { " " span class="kind test" { "test" } }
                @if let Some(label) = row.label { " " (kind(label)) }
            }
            span class="row-place" {
                (path(row.file)) ":" (row.at.first().copied().unwrap_or(row.line))
                @if row.at.len() > 1 { " and " (row.at.len() - 1) " more" }
                @if let Some(through) = row.through { " · " bdi { (through) } }
            }
        }
    }
}

/// Renders the code and the members.
fn body(request: &PageRequest, one: &SymbolDetails) -> Markup {
    let (file, first) = (one.symbol.path.as_str(), one.start_line);
    let index = request.engine.code(None).ok();
    let stretch = index.and_then(|index| index.read_highlighted(file, 1, 1).ok().flatten());
    let language = stretch.map(|stretch| stretch.language).unwrap_or_default();
    let lines = highlight_lines(&language, &one.content);
    let href = request.file_url(file, first);
    let plain = href.split('#').next().unwrap_or_default();
    html! {
        section class="definition" {
            h2 { "Definition" }
            (code_listing::render_lines(&lines, first, &QueryWords::default(), plain))
            @if one.more_lines > 0 {
                p { a class="button" href=(href) { (one.more_lines) " more lines" } }
            }
            @if !one.members.is_empty() { (members(request, file, &one.members)) }
        }
    }
}

/// Renders the members, each given as `14 fn login()` or `other.rs:3 fn more()`.
fn members(request: &PageRequest, file: &str, members: &[String]) -> Markup {
    html! {
        h2 { "Members " span class="count" { (members.len()) } }
        ul class="rows dense" {
            @for member in members {
                @let (at, signature) = member.split_once(' ').unwrap_or((member, ""));
                @let at = if at.contains(':') { at.to_string() } else { format!("{file}:{at}") };
                li { a href=(request.page_url("/symbol", &[("at", &at)])) { code { (signature) } } }
            }
        }
    }
}
