//! `/skills`: the skills that agents find here, and what is wrong with them.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::components::{counted, items, kind, number, text};
use super::page_request::PageRequest;
use super::{Page, View};
use crate::ops::OpError;

pub const PAGE: Page = Page { path: "/skills", menu: Some("Skills"), show };

fn show(visit: &PageRequest) -> Result<View, OpError> {
    let listed = visit.ask("list_skills", json!({}))?;
    let skills = items(&listed["skills"]);
    let checked = visit.ask("validate_skills", json!({})).unwrap_or_default();
    Ok(View {
        title: "Skills".to_string(),
        main: html! {
            header class="page-head" {
                h1 { "Skills" }
                p class="facts" {
                    span { (counted(skills.len() as u64, "skill")) }
                    @if number(&checked["error_count"]) > 0 {
                        a class="warn" href="#findings" { (counted(number(&checked["error_count"]), "error")) }
                    }
                }
            }
            @if skills.is_empty() {
                p class="empty" { "No skills were found, neither here nor in your home directory." }
            }
            ul class="rows cards" {
                @for skill in skills { li { (row(visit, skill)) } }
            }
            (findings(&checked))
        },
    })
}

fn row(visit: &PageRequest, skill: &Value) -> Markup {
    html! {
        a data-row href=(visit.href("/skill", &[("name", text(&skill["name"]))])) {
            span class="row-name" { bdi { (text(&skill["name"])) } " " (kind(text(&skill["tier"]))) }
            span class="row-place" dir="auto" { (text(&skill["description"])) }
        }
    }
}

fn findings(checked: &Value) -> Markup {
    let findings = items(&checked["findings"]);
    html! {
        @if !findings.is_empty() {
            section id="findings" {
                h2 { "What could be better" }
                ul class="findings" {
                    @for finding in findings {
                        li {
                            span class={ "kind " (text(&finding["severity"])) } { (text(&finding["severity"])) }
                            " " bdi { (text(&finding["message"])) } " "
                            code { bdi { (text(&finding["path"])) } ":" (number(&finding["line"])) }
                        }
                    }
                }
            }
        }
    }
}
