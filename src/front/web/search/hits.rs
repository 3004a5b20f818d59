//! Pieces of code that were found, each with the lines that matter, in context.

use maud::{Markup, html};
use serde_json::Value;

use crate::front::snippet::own_line;
use crate::front::web::code::{self, Excerpt, Words};
use crate::front::web::components::{items, kind, notice, number, path, text};
use crate::front::web::page_request::PageRequest;

/// Lines shown of each of the first hits, which are the most relevant, and of each other hit.
const LINES: [usize; 2] = [12, 6];
const FIRST: usize = 4;

pub fn show(visit: &PageRequest, question: &str, answer: &Value) -> Markup {
    let hits = items(&answer["results"]);
    let words = Words::new(question);
    html! {
        (notice(answer))
        @if hits.is_empty() {
            p class="empty" { "No code was found. Ask in other words, or give a name as it is written." }
        }
        ol class="hits" {
            @for (place, hit) in hits.iter().enumerate() {
                @let most = if place < FIRST { LINES[0] } else { LINES[1] };
                (one(visit, hit, most, &words))
            }
        }
    }
}

fn one(visit: &PageRequest, hit: &Value, most: usize, words: &Words) -> Markup {
    let (file, first) = (text(&hit["path"]), number(&hit["startLine"]));
    let excerpt = Excerpt::new(text(&hit["language"]), text(&hit["content"]), first, most, words);
    let href = visit.file(file, excerpt.first_line);
    let plain = href.split('#').next().unwrap_or_default();
    let outline = items(&hit["outline"]);
    html! {
        li class="hit" {
            div class="hit-head" {
                a class="hit-name" data-row href=(href) {
                    @match hit["symbol"].as_str() {
                        Some(symbol) => {
                            @if let Some(scope) = hit["scope"].as_str() { span class="scope" { bdi { (scope) } "." } }
                            strong { bdi { (symbol) } }
                        },
                        None => strong { (path(file)) },
                    }
                }
                (kind(text(&hit["kind"])))
                @if hit["isTest"] == true { span class="kind test" { "test" } }
                @if hit["stale"] == true { span class="kind stale" { "changed since" } }
                span class="hit-place" {
                    @if hit["symbol"].is_string() { (path(file)) }
                    span class="line" { ":" (first + own_line(hit) as u64) }
                }
                @if hit["symbol"].is_string() {
                    a class="hit-graph" href=(visit.symbol(file, first + own_line(hit) as u64)) title="Callers, callees, graph" {
                        "graph" span class="visually-hidden" { " of " bdi { (text(&hit["symbol"])) } }
                    }
                }
            }
            (code::lines(&excerpt.lines, excerpt.first_line, words, plain))
            @if !outline.is_empty() { (members(visit, file, outline)) }
            @if excerpt.lines_left_out > 0 {
                p class="hit-more" { (excerpt.lines_left_out) " more lines" }
            }
        }
    }
}

/// Renders the members of a large type, each given as `14: fn login(…)`.
fn members(visit: &PageRequest, file: &str, outline: &[Value]) -> Markup {
    html! {
        ul class="hit-members" {
            @for member in outline.iter().take(6) {
                @let (line, signature) = text(member).split_once(": ").unwrap_or(("", text(member)));
                li {
                    @match line.parse() {
                        Ok(line) => a href=(visit.file(file, line)) { code { (signature) } },
                        Err(_) => code { (signature) },
                    }
                }
            }
            @if outline.len() > 6 { li { "… and " (outline.len() - 6) " more" } }
        }
    }
}
