//! `/packages`: the package graph as a diagram, the cycles, and all packages as a list.

use maud::{Markup, html};
use serde_json::json;

use super::components::{count_noun, kind, path};
use super::page_request::PageRequest;
use super::{Page, PageView, drawing};
use crate::ops::OpError;
use crate::ops::packages::list_packages;
use crate::ops::packages::package_cycles::{self, CycleInfo};
use crate::ops::packages::reply_parts::PackageInfo;

/// The page.
pub const PAGE: Page = Page { path: "/packages", menu: Some("Packages"), show };

/// Shows the packages, filtered by the query string.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let packages: Vec<PackageInfo> = request.fetch_list(&list_packages::OP, json!({}))?;
    // The page is useful without cycles, so their failure is ignored.
    let cycles: Vec<CycleInfo> =
        request.fetch_list(&package_cycles::OP, json!({})).unwrap_or_default();
    let chosen = request.get("kind");
    let is_external = request.get("external").is_some();
    let mut arguments = json!({ "of": "packages", "external": is_external });
    for (name, value) in [("kind", chosen), ("under", request.get("under"))] {
        if let Some(value) = value {
            arguments[name] = json!(value);
        }
    }
    if request.get("all").is_some() {
        arguments["all"] = json!(true);
    }
    let main = html! {
        header class="page-head" {
            h1 { "Packages" }
            p class="facts" {
                span { (count_noun(packages.len(), "package")) }
                @match cycles.len() {
                    0 => span { "no cycles" },
                    count => a class="warn" href="#cycles" { (count_noun(count, "cycle")) },
                }
            }
        }
        @if packages.is_empty() {
            p class="empty" { "No manifest of a package was found here." }
        } @else {
            (choices(request, &packages, chosen, is_external))
            (drawing::render_stage(request, "Package graph", arguments)?)
            (cycle_list(&cycles))
            h2 { "All packages" }
            ul class="rows cards" {
                @for package in &packages { li { (row(request, package)) } }
            }
        }
    };
    Ok(PageView { title: "Packages".to_string(), main })
}

/// Renders the filters: the ecosystem, external packages, and the extent of the diagram.
fn choices(
    request: &PageRequest,
    packages: &[PackageInfo],
    chosen: Option<&str>,
    is_external: bool,
) -> Markup {
    let mut kinds: Vec<&str> = packages.iter().map(|one| one.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let next = if is_external { None } else { Some("yes") };
    html! {
        div class="facets" {
            @if kinds.len() > 1 {
                a class={ "chip" @if chosen.is_none() { " chosen" } } href=(request.this_page_with("kind", None)) { "all" }
                @for kind in kinds {
                    a class={ "chip" @if chosen == Some(kind) { " chosen" } } href=(request.this_page_with("kind", Some(kind))) { (kind) }
                }
            }
            a class={ "chip" @if is_external { " chosen" } } href=(request.this_page_with("external", next)) {
                @if is_external { "With external ×" } @else { "External too" }
            }
            (extent(request, packages.len()))
        }
    }
}

/// The number of packages above which the diagram groups them. It must equal the operation's bound,
/// else the chip would be wrong.
const GATHERED_ABOVE: usize = 120;

/// Renders the filters for the extent: the group that was opened, and one box for each package.
fn extent(request: &PageRequest, packages: usize) -> Markup {
    html! {
        @if let Some(under) = request.get("under") {
            a class="chip chosen" href=(request.this_page_with("under", None)) { "Below " bdi { (under) } " ×" }
        }
        @if request.get("all").is_some() {
            a class="chip chosen" href=(request.this_page_with("all", None)) { "A box for each ×" }
        } @else if packages > GATHERED_ABOVE {
            a class="chip" href=(request.this_page_with("all", Some("yes"))) { "A box for each" }
        }
    }
}

/// Renders the cycles, if there are some.
fn cycle_list(cycles: &[CycleInfo]) -> Markup {
    html! {
        @if !cycles.is_empty() {
            section id="cycles" class="notice bad" {
                h2 { "Cycles" }
                ul {
                    @for cycle in cycles { li { bdi { (cycle.circle) } } }
                }
            }
        }
    }
}

/// Renders one package.
fn row(request: &PageRequest, package: &PackageInfo) -> Markup {
    html! {
        a data-row href=(request.package_url(&package.name, &package.kind)) {
            span class="row-name" {
                bdi { (package.name) } " "
                @if let Some(version) = &package.version { span class="version" { (version) } " " }
                (kind(&package.kind))
            }
            span class="row-place" {
                @match &package.description {
                    Some(description) => bdi { (description) },
                    None => (path(&package.path)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_shown_as_its_chain() {
        let cycle = CycleInfo {
            kind: "hard".into(),
            circle: "a → b → a".to_string(),
            member_count: 2,
            members: vec!["a".to_string(), "b".to_string()],
            tree: None,
        };
        let shown = cycle_list(&[cycle]).into_string();
        assert!(shown.contains("<li><bdi>a → b → a</bdi></li>"), "{shown}");
    }
}
