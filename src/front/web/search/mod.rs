//! `/`: the search across everything, and without a query the home page. The script fetches only
//! the results while somebody types.

mod facets;
mod file_name_search;
mod hits;
mod home;
mod other_results;

use maud::{Markup, html};
use serde_json::json;

use super::components::count_noun;
use super::page_request::PageRequest;
use super::{Page, PageView};
use crate::ops::OpError;
use crate::ops::code::search_code::{self, SearchCodeReply};
use facets::Facets;
use other_results::OtherResults;

/// The page.
pub const PAGE: Page = Page { path: "/", menu: Some("Search"), show };

/// Hits at first, and with each further step.
const SHOWN: usize = 20;
/// The most hits.
const MOST: usize = 100;

/// Shows the results, or the home page.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let question = request.get("q").map(str::trim);
    let title = question.unwrap_or_default().to_string();
    let found = match (request.get("part"), question) {
        (Some("about"), _) => home::render_index_facts(request),
        (_, Some(question)) => results(request, question),
        (_, None) => home::show(request),
    };
    let main = if request.wants_part() {
        found
    } else {
        html! {
            h1 class="visually-hidden" { "Search" }
            div id="results" data-results aria-live="polite" { (found) }
        }
    };
    Ok(PageView { title, main })
}

/// Renders the tabs, the code and the other results.
fn results(request: &PageRequest, question: &str) -> Markup {
    let only = request.get("only").unwrap_or("all");
    let facets = Facets::from_request(request);
    let wants_code = ["all", "code"].contains(&only);
    let limit = request.number("limit").map_or(SHOWN, |limit| limit as usize);
    // A failure of the code search must not hide packages, specs and skills.
    let code = wants_code.then(|| run_search(request, question, &facets, limit.min(MOST)));
    let beside = OtherResults::search(request, question, only);
    html! {
        (tabs(request, only))
        div class={ "found" @if only != "all" { " one" } } {
            @if let Some(code) = &code {
                section class="found-code" aria-label="Code" {
                    @match code {
                        Ok(answer) => {
                            (facets.show(request, &answer.results))
                            (hits::show(request, question, answer))
                            (more_link(request, answer.results.len(), limit))
                        },
                        Err(error) => (search_error(request, error)),
                    }
                }
            }
            (beside.show(request, only))
        }
    }
}

/// Searches code with the chosen facets.
fn run_search(
    request: &PageRequest,
    question: &str,
    facets: &Facets,
    limit: usize,
) -> Result<SearchCodeReply, OpError> {
    let mut arguments = json!({ "query": question, "limit": limit });
    facets.apply_to(&mut arguments);
    request.fetch_object(&search_code::OP, arguments)
}

/// Renders the link to more hits, if there may be more.
fn more_link(request: &PageRequest, shown: usize, limit: usize) -> Markup {
    let is_full = shown >= limit && limit < MOST;
    let next = (limit + SHOWN).to_string();
    html! {
        @if is_full {
            p { a class="button" data-more href=(request.this_page_with("limit", Some(&next))) { "Show more" } }
        }
    }
}

/// Renders the error of the code search; the other results are still shown.
fn search_error(request: &PageRequest, error: &OpError) -> Markup {
    html! {
        (super::error_page::error_message(error))
        @if error.kind == crate::ops::ErrorKind::NoIndex {
            p { a class="button" href=(request.page_url("/status", &[])) { "Index this repository" } }
        }
    }
}

/// Renders the choice of what to search.
fn tabs(request: &PageRequest, only: &str) -> Markup {
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
                a href=(request.this_page_with("only", target)) aria-current=[(value == only).then_some("true")] { (word) }
            }
        }
    }
}

/// Formats `3 results`.
fn result_count(count: usize) -> String {
    count_noun(count, "result")
}
