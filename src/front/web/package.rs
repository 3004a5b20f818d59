//! `/package`: one package with its dependencies, its dependents and a diagram. A name may have
//! packages of several ecosystems; all of them are shown.

use maud::{Markup, html};
use serde_json::json;

use super::components::{kind, path};
use super::page_request::PageRequest;
use super::{Page, PageView, drawing};
use crate::ops::packages::reply_parts::{DependencyInfo, PackageInfo};
use crate::ops::packages::{get_package, package_dependencies, package_dependents};
use crate::ops::{ErrorKind, OpError, Reply};

/// The page.
pub const PAGE: Page = Page { path: "/package", menu: None, show };

/// Shows the package.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let name = request.required_value("name")?;
    let mut arguments = json!({ "name": name });
    if let Some(kind) = request.get("kind") {
        arguments["kind"] = json!(kind);
    }
    let found: Vec<PackageInfo> = match request.call(&get_package::OP, arguments.clone())? {
        reply @ Reply::Object(_) => vec![reply.into_object()?],
        reply @ Reply::List(_) => reply.into_list()?,
        _ => {
            let message = format!("there is no package {name:?}");
            return Err(OpError::new(ErrorKind::NotFound, message));
        }
    };
    // A notice in place of a list means that there is none.
    let needs = request.fetch_list(&package_dependencies::OP, arguments.clone());
    let needed_by = request.fetch_list(&package_dependents::OP, arguments.clone());
    arguments["of"] = json!("packages");
    let picture = drawing::render_stage(request, &format!("What {name} needs"), arguments)?;
    Ok(PageView {
        title: name.to_string(),
        main: html! {
            @for package in &found { (head(request, package)) }
            (picture)
            div class="columns" {
                (list(request, "Needs", &needs.unwrap_or_default(), |row| &row.dependency))
                (list(request, "Needed by", &needed_by.unwrap_or_default(), |row| &row.package))
            }
        },
    })
}

/// Renders name, description and facts.
fn head(request: &PageRequest, package: &PackageInfo) -> Markup {
    let directory = package.path.as_str();
    html! {
        header class="page-head" {
            h1 { bdi { (package.name) } " " (kind(&package.kind)) }
            @if let Some(description) = &package.description { p class="lead" dir="auto" { (description) } }
            p class="facts" {
                @if let Some(version) = &package.version { span { "version " (version) } }
                span { @if directory.is_empty() { "at the root" } @else { (path(directory)) } }
                a href=(request.page_url("/", &[("q", &package.name), ("only", "symbols")])) { "Symbols" }
            }
        }
    }
}

/// Renders dependencies; `name` takes the end that is not the package of the page.
fn list(
    request: &PageRequest,
    title: &str,
    rows: &[DependencyInfo],
    name: fn(&DependencyInfo) -> &str,
) -> Markup {
    html! {
        section {
            h2 { (title) " " span class="count" { (rows.len()) } }
            @if rows.is_empty() { p class="empty" { "Nothing." } }
            ul class="rows" {
                @for row in rows {
                    @let name = name(row);
                    li {
                        @if row.is_internal {
                            a data-row href=(request.page_url("/package", &[("name", name)])) { (entry(name, row)) }
                        } @else {
                            span class="row outside" { (entry(name, row)) }
                        }
                    }
                }
            }
        }
    }
}

/// Renders one dependency.
fn entry(name: &str, row: &DependencyInfo) -> Markup {
    html! {
        span class="row-name" {
            bdi { (name) } " "
            @if row.dep_kind != "runtime" { (kind(&row.dep_kind)) }
        }
        span class="row-place" {
            (row.version_req.as_deref().unwrap_or_default())
            @if !row.is_internal { " · external" }
        }
    }
}
