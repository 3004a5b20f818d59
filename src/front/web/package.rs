//! `/package`: one package, what it needs and what needs it.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::components::{items, kind, path, text};
use super::page_request::PageRequest;
use super::{Page, View, drawing};
use crate::ops::{ErrorKind, OpError, Reply};

pub const PAGE: Page = Page { path: "/package", menu: None, show };

fn show(visit: &PageRequest) -> Result<View, OpError> {
    let name = visit.required("name")?;
    let mut arguments = json!({ "name": name });
    if let Some(kind) = visit.get("kind") {
        arguments["kind"] = json!(kind);
    }
    let found = match visit.reply("get_package", arguments.clone())? {
        Reply::Object(package) => vec![package.to_json()],
        Reply::List(packages) => items(&packages.to_json()).to_vec(),
        _ => {
            let message = format!("there is no package {name:?}");
            return Err(OpError::new(ErrorKind::NotFound, message));
        }
    };
    let needs = visit.list("package_dependencies", arguments.clone(), "results");
    let needed_by = visit.list("package_dependents", arguments.clone(), "results");
    arguments["of"] = json!("packages");
    let picture = drawing::stage(visit, &format!("What {name} needs"), arguments)?;
    Ok(View {
        title: name.to_string(),
        main: html! {
            @for package in &found { (head(visit, package)) }
            (picture)
            div class="columns" {
                (list(visit, "Needs", &needs, "dependency"))
                (list(visit, "Needed by", &needed_by, "package"))
            }
        },
    })
}

fn head(visit: &PageRequest, package: &Value) -> Markup {
    let directory = text(&package["path"]);
    html! {
        header class="page-head" {
            h1 { bdi { (text(&package["name"])) } " " (kind(text(&package["kind"]))) }
            @if let Some(description) = package["description"].as_str() { p class="lead" dir="auto" { (description) } }
            p class="facts" {
                @if let Some(version) = package["version"].as_str() { span { "version " (version) } }
                span { @if directory.is_empty() { "at the root" } @else { (path(directory)) } }
                a href=(visit.href("/", &[("q", text(&package["name"])), ("only", "symbols")])) { "Symbols" }
            }
        }
    }
}

fn list(visit: &PageRequest, title: &str, rows: &[Value], key: &str) -> Markup {
    html! {
        section {
            h2 { (title) " " span class="count" { (rows.len()) } }
            @if rows.is_empty() { p class="empty" { "Nothing." } }
            ul class="rows" {
                @for row in rows {
                    @let name = text(&row[key]);
                    li {
                        @if row["is_internal"] == true {
                            a data-row href=(visit.href("/package", &[("name", name)])) { (entry(name, row)) }
                        } @else {
                            span class="row outside" { (entry(name, row)) }
                        }
                    }
                }
            }
        }
    }
}

fn entry(name: &str, row: &Value) -> Markup {
    html! {
        span class="row-name" {
            bdi { (name) } " "
            @if text(&row["dep_kind"]) != "runtime" { (kind(text(&row["dep_kind"]))) }
        }
        span class="row-place" {
            (text(&row["version_req"]))
            @if row["is_internal"] != true { " · external" }
        }
    }
}
