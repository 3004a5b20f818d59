//! `/`: the search across everything, and before anything is asked, what there is.

mod facets;
mod files;
mod hits;
mod home;
mod other_results;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::components::{counted, items};
use super::page_request::PageRequest;
use super::{Page, View};
use crate::ops::OpError;
use facets::Facets;
use other_results::Beside;

pub const PAGE: Page = Page { path: "/", menu: Some("Search"), show };

/// So many pieces of code are shown, and so many more when they are asked for.
const SHOWN: usize = 20;
const MOST: usize = 100;

fn show(visit: &PageRequest) -> Result<View, OpError> {
    let question = visit.get("q").map(str::trim);
    let title = question.unwrap_or_default().to_string();
    let found = match (visit.get("part"), question) {
        (Some("about"), _) => home::about(visit),
        (_, Some(question)) => results(visit, question),
        (_, None) => home::show(visit),
    };
    let main = if visit.wants_part() {
        found
    } else {
        html! {
            h1 class="visually-hidden" { "Search" }
            div id="results" data-results aria-live="polite" { (found) }
        }
    };
    Ok(View { title, main })
}

fn results(visit: &PageRequest, question: &str) -> Markup {
    let only = visit.get("only").unwrap_or("all");
    let facets = Facets::of(visit);
    let wants_code = ["all", "code"].contains(&only);
    let limit = visit.number("limit").map_or(SHOWN, |limit| limit as usize);
    let code =
        if wants_code { code(visit, question, &facets, limit.min(MOST)) } else { Ok(Value::Null) };
    let beside = Beside::ask(visit, question, only);
    html! {
        (tabs(visit, only))
        div class={ "found" @if only != "all" { " one" } } {
            @if wants_code {
                section class="found-code" aria-label="Code" {
                    @match &code {
                        Ok(answer) => {
                            (facets.show(visit, answer))
                            (hits::show(visit, question, answer))
                            (more(visit, answer, limit))
                        },
                        Err(error) => (no_code(visit, error)),
                    }
                }
            }
            (beside.show(visit, only))
        }
    }
}

fn code(
    visit: &PageRequest,
    question: &str,
    facets: &Facets,
    limit: usize,
) -> Result<Value, OpError> {
    let mut arguments = json!({ "query": question, "limit": limit });
    facets.restrict(&mut arguments);
    visit.ask("search_code", arguments)
}

fn more(visit: &PageRequest, answer: &Value, limit: usize) -> Markup {
    let is_full = items(&answer["results"]).len() >= limit && limit < MOST;
    let next = (limit + SHOWN).to_string();
    html! {
        @if is_full {
            p { a class="button" data-more href=(visit.here("limit", Some(&next))) { "Show more" } }
        }
    }
}

fn no_code(visit: &PageRequest, error: &OpError) -> Markup {
    html! {
        (super::error_page::message(error))
        @if error.kind == crate::ops::ErrorKind::NoIndex {
            p { a class="button" href=(visit.href("/status", &[])) { "Index this repository" } }
        }
    }
}

fn tabs(visit: &PageRequest, only: &str) -> Markup {
    let tabs = [
        ("all", "All"),
        ("code", "Code"),
        ("symbols", "Symbols"),
        ("files", "Files"),
        ("packages", "Packages"),
        ("specs", "Specs"),
        ("skills", "Skills"),
    ];
    html! {
        nav class="tabs" aria-label="What to search" {
            @for (value, word) in tabs {
                @let target = Some(value).filter(|value| *value != "all");
                a href=(visit.here("only", target)) aria-current=[(value == only).then_some("true")] { (word) }
            }
        }
    }
}

/// `3 results`.
fn result_count(count: usize) -> String {
    counted(count as u64, "result")
}
