//! The facets that narrow a code search: language, kind, package, tests. The choices come from the
//! hits, so that none leads to an empty page.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::result_count;
use crate::front::web::components::{items, text};
use crate::front::web::page_request::PageRequest;

/// The facets, each with its name in the URL and in the operation, and its label.
const FACETS: [(&str, &str); 3] =
    [("language", "Language"), ("kind", "Kind"), ("package", "Package")];

/// The most choices of a facet.
const OFFERED: usize = 8;

pub struct Facets {
    chosen: Vec<(&'static str, String)>,
    tests: Option<bool>,
}

impl Facets {
    pub fn of(visit: &PageRequest) -> Facets {
        let chosen = FACETS.iter().filter_map(|(name, _)| {
            let value = visit.get(name)?;
            Some((*name, value.to_string()))
        });
        Facets { chosen: chosen.collect(), tests: visit.get("tests").map(|value| value == "yes") }
    }

    /// Puts what was chosen into the arguments of a search.
    pub fn restrict(&self, arguments: &mut Value) {
        for (name, value) in &self.chosen {
            arguments[*name] = json!(value);
        }
        if let Some(tests) = self.tests {
            arguments["include_tests"] = json!(tests);
        }
    }

    pub fn show(&self, visit: &PageRequest, answer: &Value) -> Markup {
        let hits = items(&answer["results"]);
        html! {
            div class="facets" {
                span class="facets-count" { (result_count(hits.len())) }
                @for (name, word) in FACETS {
                    (self.one(visit, name, word, hits))
                }
                (self.of_tests(visit))
            }
        }
    }

    fn one(&self, visit: &PageRequest, name: &'static str, word: &str, hits: &[Value]) -> Markup {
        let chosen = self.chosen.iter().find(|(known, _)| *known == name);
        let chosen = chosen.map(|(_, value)| value.as_str());
        let counts = counts(name, hits);
        html! {
            @if let Some(value) = chosen {
                a class="chip chosen" href=(visit.here(name, None)) {
                    span class="visually-hidden" { "Remove the filter " } (word) ": " (value) " ×"
                }
            } @else if counts.len() > 1 {
                details class="facet" {
                    summary class="chip" { (word) }
                    div class="sheet" {
                        @for (value, count) in counts.iter().take(OFFERED) {
                            a href=(visit.here(name, Some(value))) { bdi { (value) } small { (count) } }
                        }
                    }
                }
            }
        }
    }

    fn of_tests(&self, visit: &PageRequest) -> Markup {
        let is_on = self.tests == Some(true);
        let next = if is_on { None } else { Some("yes") };
        html! {
            a class={ "chip" @if is_on { " chosen" } } href=(visit.here("tests", next)) {
                @if is_on { "With tests ×" } @else { "Tests too" }
            }
        }
    }
}

/// How many hits have each value, the most first.
fn counts<'h>(name: &str, hits: &'h [Value]) -> Vec<(&'h str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for hit in hits {
        let value = text(&hit[name]);
        if !value.is_empty() {
            *counts.entry(value).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
