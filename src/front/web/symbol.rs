//! `/symbol`: a definition, who calls it, what it calls, what implements it; as a picture and as
//! lists, each with how sure it is.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::code::{self, Words};
use super::components::{confidence, counted, items, kind, notice, number, path, text};
use super::page_request::PageRequest;
use super::{Page, View, drawing};
use crate::engine::shaded;
use crate::ops::OpError;

pub const PAGE: Page = Page { path: "/symbol", menu: None, show };

/// Lines of code that are shown of it, and neighbours in each list.
const LINES: u32 = 40;
const LISTED: usize = 100;

fn show(visit: &PageRequest) -> Result<View, OpError> {
    let at = visit.required("at")?;
    let found = visit.ask("get_symbol", json!({ "symbol": at, "lines": LINES }))?;
    let definitions = items(&found["definitions"]);
    let first = definitions.first().cloned().unwrap_or_default();
    let low = json!({ "symbol": at, "limit": LISTED, "confidence": "low" });
    let callers = visit.ask("callers", low.clone())?;
    let callees = visit.ask("callees", low)?;
    // Nobody calls a type; it is mentioned.
    let mentions = if items(&callers["callers"]).is_empty() {
        visit.ask("find_references", json!({ "symbol": at, "limit": LISTED }))
    } else {
        Ok(Value::Null)
    };
    let mentions = mentions.unwrap_or_default();
    let implementations = visit.ask("implementations", json!({ "symbol": at }));
    let implementations = implementations.unwrap_or_default();
    let picture = drawing::stage(
        visit,
        &format!("Graph around {}", text(&first["symbol"])),
        json!({ "of": "symbols", "name": at }),
    )?;
    Ok(View {
        title: text(&first["symbol"]).to_string(),
        main: html! {
            @for definition in definitions { (head(visit, definition)) }
            (notice(&found))
            section aria-label="Graph" { (picture) }
            div class="columns" {
                @if items(&callers["callers"]).is_empty() && !mentions.is_null() {
                    (list(visit, "Mentions", &mentions, "references", "Nothing that is indexed mentions it."))
                } @else {
                    (list(visit, "Callers", &callers, "callers", "Nothing that is indexed calls it."))
                }
                (list(visit, "Callees", &callees, "callees", "It calls nothing that is indexed."))
                @if !items(&implementations["implementations"]).is_empty() {
                    (list(visit, "Implementations", &implementations, "implementations", ""))
                }
            }
            @for definition in definitions { (body(visit, definition)) }
        },
    })
}

fn head(visit: &PageRequest, one: &Value) -> Markup {
    let (file, line) = (text(&one["path"]), number(&one["line"]));
    let name = text(&one["symbol"]);
    let (scope, own) = name.rsplit_once('.').unwrap_or(("", name));
    html! {
        header class="page-head" {
            h1 class="symbol-name" {
                @if !scope.is_empty() { span class="scope" { bdi { (scope) } "." } }
                bdi { (own) } " " (kind(text(&one["kind"])))
            }
            p class="facts" {
                a href=(visit.file(file, line)) { (path(file)) ":" (line) }
                span { (counted(number(&one["callers"]), "caller")) }
                span { (counted(number(&one["references"]), "reference")) }
                @if number(&one["implementations"]) > 0 {
                    span { (counted(number(&one["implementations"]), "implementation")) }
                }
                @if let Some(package) = one["package"].as_str() { span { "package " bdi { (package) } } }
                @if let Some(visibility) = one["visibility"].as_str() { span { (visibility) } }
            }
            @for base in items(&one["kindOf"]) {
                @let (at, name) = text(base).split_once(' ').unwrap_or((text(base), text(base)));
                p class="kind-of" { "is a kind of " a href=(visit.href("/symbol", &[("at", at)])) { bdi { (name) } } }
            }
        }
    }
}

fn list(visit: &PageRequest, title: &str, answer: &Value, key: &str, empty: &str) -> Markup {
    let rows = items(&answer[key]);
    html! {
        section {
            h2 { (title) " " span class="count" { (rows.len()) } }
            @if rows.is_empty() { p class="empty" { (empty) } }
            ul class="rows" {
                @for row in rows { li { (neighbour(visit, row)) } }
            }
            @for left_out in items(&answer["leftOut"]) {
                p class="left-out" { (without_advice(text(left_out))) }
            }
        }
    }
}

/// Removes the advice on how to see more, which names arguments of operations.
fn without_advice(text: &str) -> &str {
    text.split(';').next().unwrap_or(text)
}

fn neighbour(visit: &PageRequest, row: &Value) -> Markup {
    let (file, line) = (text(&row["path"]), number(&row["line"]));
    // Code outside of every definition is named after its file.
    let symbol = if row["kind"] == "file" { "" } else { text(&row["symbol"]) };
    let names = [symbol, text(&row["inside"]), file];
    let name = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default();
    let lines: Vec<u64> = items(&row["at"]).iter().map(number).collect();
    html! {
        a data-row href=(visit.symbol(file, line)) {
            span class="row-name" {
                bdi { (name) } " " (confidence(row))
                @if row["test"] == true { " " span class="kind test" { "test" } }
                @for key in ["how", "as"] {
                    @if let Some(word) = row[key].as_str() { " " (kind(word)) }
                }
            }
            span class="row-place" {
                (path(file)) ":" (lines.first().copied().unwrap_or(line))
                @if lines.len() > 1 { " and " (lines.len() - 1) " more" }
                @if let Some(through) = row["through"].as_str() { " · " bdi { (through) } }
            }
        }
    }
}

fn body(visit: &PageRequest, one: &Value) -> Markup {
    let (file, first) = (text(&one["path"]), number(&one["startLine"]));
    let index = visit.engine.code(None).ok();
    let stretch = index.and_then(|index| index.stretch(file, 1, 1).ok().flatten());
    let language = stretch.map(|stretch| stretch.language).unwrap_or_default();
    let lines = shaded(&language, text(&one["content"]));
    let href = visit.file(file, first);
    let plain = href.split('#').next().unwrap_or_default();
    html! {
        section class="definition" {
            h2 { "Definition" }
            (code::lines(&lines, first, &Words::default(), plain))
            @if number(&one["moreLines"]) > 0 {
                p { a class="button" href=(href) { (number(&one["moreLines"])) " more lines" } }
            }
            @if !items(&one["members"]).is_empty() { (members(visit, file, &one["members"])) }
        }
    }
}

/// `14 fn login()`, or `other.rs:3 fn more()`.
fn members(visit: &PageRequest, file: &str, members: &Value) -> Markup {
    html! {
        h2 { "Members " span class="count" { (items(members).len()) } }
        ul class="rows dense" {
            @for member in items(members) {
                @let (at, signature) = text(member).split_once(' ').unwrap_or((text(member), ""));
                @let at = if at.contains(':') { at.to_string() } else { format!("{file}:{at}") };
                li { a href=(visit.href("/symbol", &[("at", &at)])) { code { (signature) } } }
            }
        }
    }
}
