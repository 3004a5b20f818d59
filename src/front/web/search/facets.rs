//! The facets that narrow a code search: language, kind, package, tests. The choices come from the
//! hits, so that none leads to an empty page.

use std::collections::BTreeMap;

use maud::{Markup, html};
use serde_json::{Value, json};

use super::result_count;
use crate::front::web::page_request::PageRequest;
use crate::ops::code::search_code::CodeHit;

/// A property of hits that narrows a search.
struct Facet {
    /// The name in the URL and in the operation.
    name: &'static str,
    /// The label of the facet.
    label: &'static str,
    /// Its value of a hit.
    value: fn(&CodeHit) -> Option<&str>,
}

/// The facets, in the order of the page.
const FACETS: [Facet; 3] = [
    Facet { name: "language", label: "Language", value: |hit| Some(&hit.language) },
    Facet { name: "kind", label: "Kind", value: |hit| Some(&hit.kind) },
    Facet { name: "package", label: "Package", value: |hit| hit.package.as_deref() },
];

/// The most choices of a facet. Rarer values are found by typing them.
const OFFERED: usize = 8;

/// The choices of one request.
pub struct Facets {
    /// The chosen values.
    chosen: Vec<(&'static str, String)>,
    /// The choice about tests, if there is one.
    tests: Option<bool>,
}

impl Facets {
    /// Reads the choices from the query string.
    pub fn from_request(request: &PageRequest) -> Facets {
        let chosen = FACETS.iter().filter_map(|facet| {
            let value = request.get(facet.name)?;
            Some((facet.name, value.to_string()))
        });
        Facets { chosen: chosen.collect(), tests: request.get("tests").map(|value| value == "yes") }
    }

    /// Adds the choices to the arguments of a search.
    pub fn apply_to(&self, arguments: &mut Value) {
        for (name, value) in &self.chosen {
            arguments[*name] = json!(value);
        }
        if let Some(tests) = self.tests {
            arguments["include_tests"] = json!(tests);
        }
    }

    /// Renders the facets. A chosen one becomes a chip that removes it.
    pub fn show(&self, request: &PageRequest, hits: &[CodeHit]) -> Markup {
        html! {
            div class="facets" {
                span class="facets-count" { (result_count(hits.len())) }
                @for facet in &FACETS { (self.render_facet(request, facet, hits)) }
                (self.render_tests_toggle(request))
            }
        }
    }

    /// Renders one facet, if it has a choice to offer.
    fn render_facet(&self, request: &PageRequest, facet: &Facet, hits: &[CodeHit]) -> Markup {
        let Facet { name, label, .. } = facet;
        let chosen =
            self.chosen.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let counts = count_values(facet, hits);
        html! {
            @if let Some(value) = chosen {
                a class="chip chosen" href=(request.this_page_with(name, None)) {
                    span class="visually-hidden" { "Remove the filter " } (label) ": " (value) " ×"
                }
            } @else if counts.len() > 1 {
                details class="facet" {
                    summary class="chip" { (label) }
                    div class="sheet" {
                        @for (value, count) in counts.iter().take(OFFERED) {
                            a href=(request.this_page_with(name, Some(value))) { bdi { (value) } small { (count) } }
                        }
                    }
                }
            }
        }
    }

    /// Renders the switch for test code.
    fn render_tests_toggle(&self, request: &PageRequest) -> Markup {
        let is_on = self.tests == Some(true);
        let next = if is_on { None } else { Some("yes") };
        html! {
            a class={ "chip" @if is_on { " chosen" } } href=(request.this_page_with("tests", next)) {
                @if is_on { "With tests ×" } @else { "Tests too" }
            }
        }
    }
}

/// Counts the hits with each value, the most frequent first.
fn count_values<'h>(facet: &Facet, hits: &'h [CodeHit]) -> Vec<(&'h str, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for value in hits.iter().filter_map(facet.value).filter(|value| !value.is_empty()) {
        *counts.entry(value).or_default() += 1;
    }
    let mut by_count: Vec<(&str, usize)> = counts.into_iter().collect();
    by_count.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    by_count
}
