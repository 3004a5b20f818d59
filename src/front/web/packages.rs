//! `/packages`: the package graph as a picture, and the packages as a list.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::components::{counted, items, kind, path, text};
use super::page_request::PageRequest;
use super::{Page, View, drawing};
use crate::ops::OpError;

pub const PAGE: Page = Page { path: "/packages", menu: Some("Packages"), show };

fn show(visit: &PageRequest) -> Result<View, OpError> {
    let all = visit.ask("list_packages", json!({}))?;
    let packages = items(&all["results"]);
    let cycles = visit.list("package_cycles", json!({}), "results");
    let chosen = visit.get("kind");
    let is_external = visit.get("external").is_some();
    let mut arguments = json!({ "of": "packages", "external": is_external });
    for (name, value) in [("kind", chosen), ("under", visit.get("under"))] {
        if let Some(value) = value {
            arguments[name] = json!(value);
        }
    }
    if visit.get("all").is_some() {
        arguments["all"] = json!(true);
    }
    let main = html! {
        header class="page-head" {
            h1 { "Packages" }
            p class="facts" {
                span { (counted(packages.len() as u64, "package")) }
                @match cycles.len() {
                    0 => span { "no cycles" },
                    count => a class="warn" href="#cycles" { (counted(count as u64, "cycle")) },
                }
            }
        }
        @if packages.is_empty() {
            p class="empty" { "No manifest of a package was found here." }
        } @else {
            (choices(visit, packages, chosen, is_external))
            (drawing::stage(visit, "Package graph", arguments)?)
            (cycle_list(visit, &cycles))
            h2 { "All packages" }
            ul class="rows cards" {
                @for package in packages { li { (row(visit, package)) } }
            }
        }
    };
    Ok(View { title: "Packages".to_string(), main })
}

/// Renders the filters: the ecosystem, external packages, and the extent of the diagram.
fn choices(
    visit: &PageRequest,
    packages: &[Value],
    chosen: Option<&str>,
    is_external: bool,
) -> Markup {
    let mut kinds: Vec<&str> = packages.iter().map(|one| text(&one["kind"])).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let next = if is_external { None } else { Some("yes") };
    html! {
        div class="facets" {
            @if kinds.len() > 1 {
                a class={ "chip" @if chosen.is_none() { " chosen" } } href=(visit.here("kind", None)) { "all" }
                @for kind in kinds {
                    a class={ "chip" @if chosen == Some(kind) { " chosen" } } href=(visit.here("kind", Some(kind))) { (kind) }
                }
            }
            a class={ "chip" @if is_external { " chosen" } } href=(visit.here("external", next)) {
                @if is_external { "With external ×" } @else { "External too" }
            }
            (extent(visit, packages.len()))
        }
    }
}

/// The number of packages above which the diagram groups them, as in the operation.
const GATHERED_ABOVE: usize = 120;

/// Renders the filters for the extent: the group that was opened, and one box for each package.
fn extent(visit: &PageRequest, packages: usize) -> Markup {
    html! {
        @if let Some(under) = visit.get("under") {
            a class="chip chosen" href=(visit.here("under", None)) { "Below " bdi { (under) } " ×" }
        }
        @if visit.get("all").is_some() {
            a class="chip chosen" href=(visit.here("all", None)) { "A box for each ×" }
        } @else if packages > GATHERED_ABOVE {
            a class="chip" href=(visit.here("all", Some("yes"))) { "A box for each" }
        }
    }
}

fn cycle_list(visit: &PageRequest, cycles: &[Value]) -> Markup {
    html! {
        @if !cycles.is_empty() {
            section id="cycles" class="notice bad" {
                h2 { "Cycles" }
                ul {
                    @for cycle in cycles { li { (cycle_names(visit, cycle)) } }
                }
            }
        }
    }
}

/// `a → b → a`, each a link.
fn cycle_names(visit: &PageRequest, cycle: &Value) -> Markup {
    let edges = items(&cycle["cycle"]);
    html! {
        @for (place, edge) in edges.iter().enumerate() {
            @if place == 0 { (cycle_name(visit, &edge["from"])) }
            " → " (cycle_name(visit, &edge["to"]))
        }
        @if edges.is_empty() { (cycle.to_string()) }
    }
}

fn cycle_name(visit: &PageRequest, name: &Value) -> Markup {
    html! { a href=(visit.href("/package", &[("name", text(name))])) { bdi { (text(name)) } } }
}

fn row(visit: &PageRequest, package: &Value) -> Markup {
    html! {
        a data-row href=(visit.package(text(&package["name"]), text(&package["kind"]))) {
            span class="row-name" {
                bdi { (text(&package["name"])) } " "
                @if let Some(version) = package["version"].as_str() { span class="version" { (version) } " " }
                (kind(text(&package["kind"])))
            }
            span class="row-place" {
                @match package["description"].as_str() {
                    Some(description) => bdi { (description) },
                    None => (path(text(&package["path"]))),
                }
            }
        }
    }
}
