//! `/file`: a range of a file, with its outline on one side and the callers of its definitions on
//! the other. Long files are shown in parts.

use maud::{Markup, html};
use serde_json::json;

use super::code_listing::{self, QueryWords};
use super::components::{count_noun, group_digits, path, trust};
use super::page_request::PageRequest;
use super::{Page, PageView};
use crate::engine::HighlightedLines;
use crate::ops::code::get_file_symbols::{self, FileSymbolRow, GetFileSymbolsReply};
use crate::ops::code::reply_parts::SymbolRef;
use crate::ops::{ErrorKind, OpError};

/// The page.
pub const PAGE: Page = Page { path: "/file", menu: None, show };

/// The lines of a part: as many as a browser lays out without a pause.
const LINES: u32 = 600;

/// The most definitions in the outline.
const OUTLINED: usize = 1200;

/// A token budget that no outline exceeds.
const WHOLE: usize = 1_000_000;

/// The lines before the requested one, for context.
const BEFORE: u32 = 60;

/// Shows the part around the requested line.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let file = request.required_value("path")?;
    let line = request.number("line").unwrap_or(1);
    let whole = json!({ "file": file, "budget": WHOLE });
    let outline: GetFileSymbolsReply = request.fetch_object(&get_file_symbols::OP, whole)?;
    let index = request.engine.code(None)?;
    // A stretch begins at a fixed place where it can, so that reading on does not shift it.
    let block_start = (line.saturating_sub(BEFORE) / LINES) * LINES + 1;
    let first =
        if line < block_start + LINES - BEFORE { block_start } else { line.saturating_sub(BEFORE) };
    let stretch = index.read_highlighted(file, first, LINES)?.ok_or_else(|| {
        OpError::new(ErrorKind::NotFound, format!("{file:?} is not in the index"))
    })?;
    let last = stretch.first_line + LINES - 1;
    // Callers cost a query for each definition, so they are fetched for the shown part only.
    let within = json!({
        "file": file, "callers": true, "first_line": stretch.first_line, "last_line": last,
        "budget": WHOLE,
    });
    let called: GetFileSymbolsReply = request.fetch_object(&get_file_symbols::OP, within)?;
    Ok(PageView {
        title: file.to_string(),
        main: html! {
            (head(request, file, &stretch, &outline))
            div class="reading" {
                (outline_of(request, file, &outline.symbols, stretch.first_line))
                div class="text" {
                    (render_paging(request, file, &stretch))
                    (render_listing(request, file, &stretch, &called.symbols, line))
                    (render_paging(request, file, &stretch))
                }
            }
        },
    })
}

/// Renders the name and the facts of the file.
fn head(
    request: &PageRequest,
    file: &str,
    stretch: &HighlightedLines,
    outline: &GetFileSymbolsReply,
) -> Markup {
    html! {
        header class="page-head" {
            h1 class="file-name" { (path(file)) }
            p class="facts" {
                span { (stretch.language) }
                span { (group_digits(stretch.total_lines)) " lines" }
                span { (count_noun(outline.count, "definition")) }
                @if let Some(package) = &stretch.package {
                    span { "in " a href=(request.page_url("/", &[("q", package), ("only", "packages")])) { bdi { (package) } } }
                }
            }
            (trust(&outline.trust))
        }
    }
}

/// Renders the position in the file, and links to the parts before and after it.
fn render_paging(request: &PageRequest, file: &str, stretch: &HighlightedLines) -> Markup {
    let (first, total) = (stretch.first_line, stretch.total_lines);
    let last = (first + stretch.lines.len() as u32).saturating_sub(1);
    if first == 1 && last >= total {
        return html! {};
    }
    let to = |line: u32| request.file_url(file, line.max(1));
    html! {
        nav class="turn" aria-label="Parts of the file" {
            @if first > 1 { a class="button" rel="prev" href=(to(first.saturating_sub(LINES))) { "↑ Earlier" } }
            span { "lines " (group_digits(first)) "–" (group_digits(last)) " of " (group_digits(total)) }
            @if last < total { a class="button" rel="next" href=(to(last + 1)) { "Later ↓" } }
            form action="/file" method="get" {
                input type="hidden" name="path" value=(file);
                @if let Some(name) = request.get("in") { input type="hidden" name="in" value=(name); }
                label { "Go to line " input type="number" name="line" min="1" max=(total) required; }
            }
        }
    }
}

/// Renders the outline; the script highlights the current definition.
fn outline_of(request: &PageRequest, file: &str, symbols: &[FileSymbolRow], first: u32) -> Markup {
    let symbols = symbols_near(symbols, first);
    html! {
        nav class="outline" aria-label="Outline" {
            @if !symbols.is_empty() {
                details open {
                    summary { "Outline" }
                    ul {
                        @for symbol in symbols {
                            @let line = first_line(symbol);
                            @let scope = symbol.scope.as_deref().unwrap_or_default();
                            @let depth = scope.split('.').filter(|part| !part.is_empty()).count();
                            li class={ "d" (depth.min(3)) } {
                                a href=(request.file_url(file, line)) title=(symbol.signature.as_deref().unwrap_or_default()) {
                                    span class={ "dot " (symbol.kind) } aria-hidden="true" {}
                                    bdi { (symbol.name) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the definitions around the first line, where a file has more than anybody reads.
fn symbols_near(symbols: &[FileSymbolRow], first: u32) -> &[FileSymbolRow] {
    let at = symbols.partition_point(|symbol| first_line(symbol) < first);
    let start = at.saturating_sub(OUTLINED / 4);
    &symbols[start..symbols.len().min(start + OUTLINED)]
}

/// Returns the first line of a symbol, whose lines are given as `12-40`.
fn first_line(symbol: &FileSymbolRow) -> u32 {
    let first = symbol.lines.split('-').next();
    first.and_then(|line| line.parse().ok()).unwrap_or(1)
}

/// Renders the lines, with the callers beside each definition.
fn render_listing(
    request: &PageRequest,
    file: &str,
    stretch: &HighlightedLines,
    notes: &[FileSymbolRow],
    asked: u32,
) -> Markup {
    let none = QueryWords::default();
    let note_at = |line: u32| notes.iter().find(|note| note.line == Some(line));
    html! {
        div class="code listing" {
            @for (place, pieces) in stretch.lines.iter().enumerate() {
                @let line = stretch.first_line + place as u32;
                div class={ "l" @if line == asked && asked > 1 { " asked" } } id={ "L" (line) } {
                    a class="no" href={ "#L" (line) } tabindex="-1" aria-label={ "Line " (line) } { (line) }
                    code { (code_listing::render_line(pieces, &none)) }
                    @if let Some(note) = note_at(line) { (margin_note(request, file, note)) }
                }
            }
        }
    }
}

/// Renders the callers of a definition beside its line.
fn margin_note(request: &PageRequest, file: &str, note: &FileSymbolRow) -> Markup {
    let count = note.callers.unwrap_or_default();
    let line = note.line.unwrap_or_default();
    html! {
        aside class="margin" {
            a class="margin-count" href=(request.symbol_url(file, line))
                aria-label={ (note.name) ": " (count_noun(count, "caller")) } {
                @if count == 0 { "graph" } @else { (count_noun(count, "caller")) }
            }
            @for caller in note.called_by.iter().take(2) {
                " " a class="margin-caller" href=(request.file_url(&caller.path, caller.line))
                    title={ (caller.path) ":" (caller.line) } { bdi { (caller_name(caller)) } }
            }
            @if count > 2 { span class="margin-more" { " +" (count - 2) } }
        }
    }
}

/// Returns the caller's symbol, or the file's name for code outside of every definition.
fn caller_name(caller: &SymbolRef) -> &str {
    if caller.kind == "file" {
        caller.path.rsplit('/').next().unwrap_or_default()
    } else {
        &caller.symbol
    }
}
