//! `/`: the search across everything, and before anything is asked, what there is.

mod facets;
mod files;
mod hits;
mod home;
mod other_results;

use maud::{Markup, html};
use serde_json::json;

use super::components::counted;
use super::page_request::PageRequest;
use super::{Page, View};
use crate::ops::OpError;
use crate::ops::code::search_code::{self, SearchCodeReply};
use facets::Facets;
use other_results::Beside;

pub const PAGE: Page = Page { path: "/", menu: Some("Search"), show };

/// The number of hits at first and with each step, and the most in all.
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
    let code = wants_code.then(|| code(visit, question, &facets, limit.min(MOST)));
    let beside = Beside::ask(visit, question, only);
    html! {
        (tabs(visit, only))
        div class={ "found" @if only != "all" { " one" } } {
            @if let Some(code) = &code {
                section class="found-code" aria-label="Code" {
                    @match code {
                        Ok(answer) => {
                            (facets.show(visit, &answer.results))
                            (hits::show(visit, question, answer))
                            (more(visit, answer.results.len(), limit))
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
) -> Result<SearchCodeReply, OpError> {
    let mut arguments = json!({ "query": question, "limit": limit });
    facets.restrict(&mut arguments);
    visit.ask(&search_code::OP, arguments)
}

fn more(visit: &PageRequest, shown: usize, limit: usize) -> Markup {
    let is_full = shown >= limit && limit < MOST;
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
    counted(count, "result")
}
