//! `/skills`: the skills that agents find here, and the breaches of the rules.

use maud::{Markup, html};
use serde_json::json;

use super::components::{count_noun, kind};
use super::page_request::PageRequest;
use super::{Page, PageView};
use crate::ops::OpError;
use crate::ops::skills::list_skills::{self, ListSkillsReply, SkillInfo};
use crate::ops::skills::validate_skills::{self, ValidateSkillsReply};

/// The page.
pub const PAGE: Page = Page { path: "/skills", menu: Some("Skills"), show };

/// Shows the skills. If validation fails, the list is shown without it.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let ListSkillsReply { skills, .. } = request.fetch_object(&list_skills::OP, json!({}))?;
    let checked: Option<ValidateSkillsReply> =
        request.fetch_object(&validate_skills::OP, json!({})).ok();
    let errors = checked.as_ref().map_or(0, |checked| checked.error_count);
    Ok(PageView {
        title: "Skills".to_string(),
        main: html! {
            header class="page-head" {
                h1 { "Skills" }
                p class="facts" {
                    span { (count_noun(skills.len(), "skill")) }
                    @if errors > 0 {
                        a class="warn" href="#findings" { (count_noun(errors, "error")) }
                    }
                }
            }
            @if skills.is_empty() {
                p class="empty" { "No skills were found, neither here nor in your home directory." }
            }
            ul class="rows cards" {
                @for skill in &skills { li { (row(request, skill)) } }
            }
            @if let Some(checked) = &checked { (findings(checked)) }
        },
    })
}

/// Renders one skill.
fn row(request: &PageRequest, skill: &SkillInfo) -> Markup {
    html! {
        a data-row href=(request.page_url("/skill", &[("name", &skill.name)])) {
            span class="row-name" { bdi { (skill.name) } " " (kind(&skill.tier)) }
            span class="row-place" dir="auto" { (skill.description) }
        }
    }
}

/// Renders the breaches.
fn findings(checked: &ValidateSkillsReply) -> Markup {
    let findings = &checked.findings;
    html! {
        @if !findings.is_empty() {
            section id="findings" {
                h2 { "What could be better" }
                ul class="findings" {
                    @for finding in findings {
                        li {
                            span class={ "kind " (finding.severity) } { (finding.severity) }
                            " " bdi { (finding.message) } " "
                            code { bdi { (finding.path) } ":" (finding.line.unwrap_or_default()) }
                        }
                    }
                }
            }
        }
    }
}
