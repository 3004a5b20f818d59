//! The home page, shown without a query: the repository's counts, its freshness, sample questions.

use std::fmt::Display;

use maud::{Markup, html};
use serde_json::json;

use crate::front::web::components::grouped;
use crate::front::web::page_request::PageRequest;
use crate::ops::code::status::{self, StatusReply};
use crate::ops::packages::dto::PackageInfo;
use crate::ops::packages::list_packages;
use crate::ops::skills::list_skills::{self, ListSkillsReply};
use crate::ops::specs::list_specs::{self, ListSpecsReply};

pub fn show(visit: &PageRequest) -> Markup {
    let index = visit.engine.code(None).ok();
    let brief = index.and_then(|index| index.summary().ok());
    let packages = visit.ask_list::<PackageInfo>(&list_packages::OP, json!({}));
    let specs = visit.ask::<ListSpecsReply>(&list_specs::OP, json!({}));
    let skills = visit.ask::<ListSkillsReply>(&list_skills::OP, json!({}));
    html! {
        section class="welcome" {
            p class="welcome-line" {
                @if brief.is_some() {
                    "Ask in plain words, or give a name. "
                    kbd { "/" } " to search, " kbd { "↓" } " " kbd { "↑" } " to choose, " kbd { "Enter" } " to open."
                } @else {
                    "This repository is not indexed yet."
                }
            }
            @match &brief {
                Some(_) => (questions(visit)),
                None => p { a class="button" href=(visit.href("/status", &[])) { "Index this repository" } },
            }
            dl class="tiles" {
                @if let Some(brief) = &brief {
                    (tile(visit, "/status", brief.files, "files"))
                    (tile(visit, "/status", brief.chunks, "pieces of code"))
                }
                (tile(visit, "/packages", packages.map_or(0, |found| found.len()), "packages"))
                (tile(visit, "/specs", specs.map_or(0, |found| found.specs.len()), "specs"))
                (tile(visit, "/skills", skills.map_or(0, |found| found.skills.len()), "skills"))
            }
            @if brief.is_some() {
                // Loaded later: checking every file for changes takes too long for this page.
                div class="about" data-load=(visit.here("part", Some("about"))) {}
            }
        }
    }
}

/// Renders the languages and the freshness, which needs a check of every file.
pub fn about(visit: &PageRequest) -> Markup {
    let status = visit.ask::<StatusReply>(&status::OP, json!({}));
    html! {
        @if let Ok(status) = &status {
            (languages(status))
            (freshness(visit, status))
        }
    }
}

/// Renders sample questions that most repositories can answer.
fn questions(visit: &PageRequest) -> Markup {
    let questions = [
        "where does it start",
        "how are errors handled",
        "what can be configured",
        "how is it tested",
    ];
    html! {
        nav class="try" aria-label="Questions to begin with" {
            @for question in questions {
                a class="chip" data-row href=(visit.href("/", &[("q", question)])) { (question) }
            }
        }
    }
}

fn tile(visit: &PageRequest, path: &str, count: impl Display, word: &str) -> Markup {
    html! {
        div class="tile" {
            dt { a href=(visit.href(path, &[])) { (word) } }
            dd { (grouped(count)) }
        }
    }
}

/// Renders the languages, each with a bar for its share of the files.
fn languages(status: &StatusReply) -> Markup {
    let most = status.languages.iter().map(|(_, files)| *files).max().unwrap_or(1).max(1);
    html! {
        @if !status.languages.is_empty() {
            section class="languages" aria-label="Languages" {
                @for (name, files) in status.languages.iter().take(8) {
                    div class="language" {
                        span class="language-name" { (name) }
                        // Styles may not be written into the page; a meter brings its own length.
                        meter min="0" max=(most) value=(files) aria-label=(format!("Files in {name}")) {}
                        span class="language-count" { (grouped(files)) }
                    }
                }
            }
        }
    }
}

fn freshness(visit: &PageRequest, status: &StatusReply) -> Markup {
    let changed = status.changed_files;
    let indexed_at = status.indexed_at.as_deref().unwrap_or_default();
    html! {
        p class="freshness" {
            "Indexed " time datetime=(indexed_at) data-ago { (indexed_at) }
            @if changed > 0 {
                "; " a href=(visit.href("/status", &[])) { (changed) " files changed since" }
            } @else {
                "; no known file has changed since"
            }
            "."
        }
    }
}
