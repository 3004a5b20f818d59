//! `/specs`: every spec with how much of it was traced to code and tests, and the changes under way.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::components::{counted, items, number, text};
use super::page_request::PageRequest;
use super::{Page, View};
use crate::ops::OpError;

pub const PAGE: Page = Page { path: "/specs", menu: Some("Specs"), show };

fn show(visit: &PageRequest) -> Result<View, OpError> {
    let title = "Specs".to_string();
    // Tracing every requirement takes seconds where there are hundreds; the list need not wait.
    if visit.get("part") == Some("coverage") {
        let main = coverage(visit)?;
        return Ok(View { title, main });
    }
    let specs = visit.ask("list_specs", json!({})).unwrap_or_default();
    let specs = items(&specs["specs"]);
    let changes = visit.list("list_changes", json!({}), "changes");
    let requirements: u64 = specs.iter().map(|spec| number(&spec["requirement_count"])).sum();
    let main = html! {
        header class="page-head" {
            h1 { "Specs" }
            p class="facts" {
                span { (counted(specs.len() as u64, "spec")) }
                span { (counted(requirements, "requirement")) }
                span { (counted(changes.len() as u64, "change")) " under way" }
            }
        }
        @if specs.is_empty() {
            p class="empty" { "No specs were found here. They live in openspec/ or specs/, in Markdown." }
        } @else {
            div data-load=(visit.here("part", Some("coverage"))) {
                p class="loading" role="status" { "Tracing requirements to code and tests …" }
                ul class="rows cards" {
                    @for spec in specs { li { (row(visit, spec)) } }
                }
            }
        }
        @if !changes.is_empty() {
            h2 { "Changes under way" }
            ul class="rows" { @for change in &changes { li { (of_change(visit, change)) } } }
        }
    };
    Ok(View { title, main })
}

fn row(visit: &PageRequest, spec: &Value) -> Markup {
    html! {
        a data-row href=(visit.href("/spec", &[("id", text(&spec["id"]))])) {
            span class="row-name" { bdi { (text(&spec["id"])) } }
            span class="row-place" dir="auto" { (text(&spec["purpose"])) }
            span class="row-fact" { (counted(number(&spec["requirement_count"]), "requirement")) }
        }
    }
}

fn coverage(visit: &PageRequest) -> Result<Markup, OpError> {
    let covered = visit.ask("specs_coverage", json!({}))?;
    let specs = visit.ask("list_specs", json!({}))?;
    let totals = &covered["totals"];
    Ok(html! {
        p class="totals" {
            strong { (number(&totals["with_code"])) } " of " (number(&totals["requirements"]))
            " requirements have code, " strong { (number(&totals["with_tests"])) } " have tests, "
            strong { (number(&totals["with_neither"])) } " have neither."
        }
        ul class="rows cards" {
            @for spec in items(&specs["specs"]) {
                @let counts = items(&covered["specs"]).iter().find(|one| one["spec_id"] == spec["id"]);
                li {
                    (row(visit, spec))
                    @if let Some(counts) = counts { (bars(counts)) }
                }
            }
        }
    })
}

/// Two meters, one for code and one for tests.
pub fn bars(counts: &Value) -> Markup {
    let all = number(&counts["requirements"]).max(1);
    html! {
        div class="bars" {
            @for (key, word) in [("with_code", "code"), ("with_tests", "tests")] {
                @let count = number(&counts[key]);
                span class="bar" {
                    span { (word) }
                    meter min="0" max=(all) value=(count) aria-label=(format!("Requirements with {word}")) {}
                    span { (count) "/" (all) }
                }
            }
        }
    }
}

fn of_change(visit: &PageRequest, change: &Value) -> Markup {
    let progress = &change["task_progress"];
    let (done, total) = (number(&progress["completed"]), number(&progress["total"]));
    html! {
        div class="row" {
            span class="row-name" { bdi { (text(&change["title"])) } }
            span class="row-place" {
                @for (place, spec) in items(&change["specs"]).iter().enumerate() {
                    @if place > 0 { ", " }
                    a href=(visit.href("/spec", &[("id", text(spec))])) { bdi { (text(spec)) } }
                }
            }
            @if total > 0 {
                span class="bar" {
                    meter min="0" max=(total) value=(done) aria-label="Tasks done" {}
                    span { (done) "/" (total) " tasks" }
                }
            }
        }
    }
}
