//! `/specs`: every spec with its coverage, and the changes under way. Coverage is loaded later,
//! because tracing takes seconds.

use maud::{Markup, html};
use serde_json::json;

use super::components::count_noun;
use super::page_request::PageRequest;
use super::{Page, PageView};
use crate::ops::OpError;
use crate::ops::specs::list_changes::{self, ChangeSummary, ListChangesReply, TaskProgress};
use crate::ops::specs::list_specs::{self, ListSpecsReply, SpecSummary};
use crate::ops::specs::specs_coverage::{self, CoverageCounts, SpecsCoverageReply};

/// The page.
pub const PAGE: Page = Page { path: "/specs", menu: Some("Specs"), show };

/// Shows the specs, or only the coverage if the script asks for that part.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let title = "Specs".to_string();
    // Tracing every requirement takes seconds where there are hundreds; the list need not wait.
    if request.get("part") == Some("coverage") {
        let main = coverage(request)?;
        return Ok(PageView { title, main });
    }
    let listed = request.fetch_object(&list_specs::OP, json!({}));
    let specs = listed.map_or_else(|_| Vec::new(), |listed: ListSpecsReply| listed.specs);
    let listed = request.fetch_object(&list_changes::OP, json!({}));
    let changes = listed.map_or_else(|_| Vec::new(), |listed: ListChangesReply| listed.changes);
    let requirements: usize = specs.iter().map(|spec| spec.requirement_count).sum();
    let main = html! {
        header class="page-head" {
            h1 { "Specs" }
            p class="facts" {
                span { (count_noun(specs.len(), "spec")) }
                span { (count_noun(requirements, "requirement")) }
                span { (count_noun(changes.len(), "change")) " under way" }
            }
        }
        @if specs.is_empty() {
            p class="empty" { "No specs were found here. They live in openspec/ or specs/, in Markdown." }
        } @else {
            div data-load=(request.this_page_with("part", Some("coverage"))) {
                p class="loading" role="status" { "Tracing requirements to code and tests …" }
                ul class="rows cards" {
                    @for spec in &specs { li { (row(request, spec)) } }
                }
            }
        }
        @if !changes.is_empty() {
            h2 { "Changes under way" }
            ul class="rows" { @for change in &changes { li { (change_row(request, change)) } } }
        }
    };
    Ok(PageView { title, main })
}

/// Renders one spec.
fn row(request: &PageRequest, spec: &SpecSummary) -> Markup {
    html! {
        a data-row href=(request.page_url("/spec", &[("id", &spec.id)])) {
            span class="row-name" { bdi { (spec.id) } }
            span class="row-place" dir="auto" { (spec.purpose) }
            span class="row-fact" { (count_noun(spec.requirement_count, "requirement")) }
        }
    }
}

/// Renders the specs with their coverage.
fn coverage(request: &PageRequest) -> Result<Markup, OpError> {
    let covered: SpecsCoverageReply = request.fetch_object(&specs_coverage::OP, json!({}))?;
    let ListSpecsReply { specs, .. } = request.fetch_object(&list_specs::OP, json!({}))?;
    let totals = &covered.totals;
    Ok(html! {
        p class="totals" {
            strong { (totals.with_code) } " of " (totals.requirements)
            " requirements have code, " strong { (totals.with_tests) } " have tests, "
            strong { (totals.with_neither) } " have neither."
        }
        ul class="rows cards" {
            @for spec in &specs {
                @let row_of_spec = covered.specs.iter().find(|one| one.spec_id == spec.id);
                li {
                    (row(request, spec))
                    @if let Some(found) = row_of_spec { (coverage_bars(&found.counts)) }
                }
            }
        }
    })
}

/// Renders two meters, one for code and one for tests.
pub fn coverage_bars(counts: &CoverageCounts) -> Markup {
    let all = counts.requirements.max(1);
    html! {
        div class="bars" {
            @for (count, word) in [(counts.with_code, "code"), (counts.with_tests, "tests")] {
                span class="bar" {
                    span { (word) }
                    meter min="0" max=(all) value=(count) aria-label=(format!("Requirements with {word}")) {}
                    span { (count) "/" (all) }
                }
            }
        }
    }
}

/// Renders one change with the progress of its tasks.
fn change_row(request: &PageRequest, change: &ChangeSummary) -> Markup {
    let TaskProgress { completed, total } = &change.task_progress;
    html! {
        div class="row" {
            span class="row-name" { bdi { (change.title) } }
            span class="row-place" {
                @for (place, spec) in change.specs.iter().enumerate() {
                    @if place > 0 { ", " }
                    a href=(request.page_url("/spec", &[("id", spec)])) { bdi { (spec) } }
                }
            }
            @if *total > 0 {
                span class="bar" {
                    meter min="0" max=(total) value=(completed) aria-label="Tasks done" {}
                    span { (completed) "/" (total) " tasks" }
                }
            }
        }
    }
}
