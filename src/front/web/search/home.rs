//! The home page, shown without a query: the repository's counts, its freshness, sample questions.

use std::fmt::Display;

use maud::{Markup, html};
use serde_json::json;

use crate::front::web::components::group_digits;
use crate::front::web::page_request::PageRequest;
use crate::ops::code::status::{self, StatusReply};
use crate::ops::packages::list_packages;
use crate::ops::packages::reply_parts::PackageInfo;
use crate::ops::skills::list_skills::{self, ListSkillsReply};
use crate::ops::specs::list_specs::{self, ListSpecsReply};

/// Renders the home page.
pub fn show(request: &PageRequest) -> Markup {
    // This call brings the index up to date, so the summary comes after it.
    let packages = request.fetch_list::<PackageInfo>(&list_packages::OP, json!({}));
    let index = request.engine.code(None).ok();
    let brief = index.and_then(|index| index.summary().ok());
    // Each family may be missing; a missing one counts as zero.
    let specs = request.fetch_object::<ListSpecsReply>(&list_specs::OP, json!({}));
    let skills = request.fetch_object::<ListSkillsReply>(&list_skills::OP, json!({}));
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
                Some(_) => (questions(request)),
                None => p { a class="button" href=(request.page_url("/status", &[])) { "Index this repository" } },
            }
            dl class="tiles" {
                @if let Some(brief) = &brief {
                    (tile(request, "/status", brief.files, "files"))
                    (tile(request, "/status", brief.chunks, "pieces of code"))
                }
                (tile(request, "/packages", packages.map_or(0, |found| found.len()), "packages"))
                (tile(request, "/specs", specs.map_or(0, |found| found.specs.len()), "specs"))
                (tile(request, "/skills", skills.map_or(0, |found| found.skills.len()), "skills"))
            }
            @if brief.is_some() {
                // Loaded later: checking every file for changes takes too long for this page.
                div class="about" data-load=(request.this_page_with("part", Some("about"))) {}
            }
        }
    }
}

/// Renders the languages and the freshness, which needs a check of every file.
pub fn render_index_facts(request: &PageRequest) -> Markup {
    let status = request.fetch_object::<StatusReply>(&status::OP, json!({}));
    html! {
        @if let Ok(status) = &status {
            (languages(status))
            (freshness(request, status))
        }
    }
}

/// Renders sample questions that most repositories can answer.
fn questions(request: &PageRequest) -> Markup {
    let questions = [
        "where does it start",
        "how are errors handled",
        "what can be configured",
        "how is it tested",
    ];
    html! {
        nav class="try" aria-label="Questions to begin with" {
            @for question in questions {
                a class="chip" data-row href=(request.page_url("/", &[("q", question)])) { (question) }
            }
        }
    }
}

/// Renders one count.
fn tile(request: &PageRequest, path: &str, count: impl Display, word: &str) -> Markup {
    html! {
        div class="tile" {
            dt { a href=(request.page_url(path, &[])) { (word) } }
            dd { (group_digits(count)) }
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
                        span class="language-count" { (group_digits(files)) }
                    }
                }
            }
        }
    }
}

/// Renders the time of the last run, and the number of files that changed since.
fn freshness(request: &PageRequest, status: &StatusReply) -> Markup {
    let changed = status.changed_files;
    let indexed_at = status.indexed_at.as_deref().unwrap_or_default();
    html! {
        p class="freshness" {
            "Indexed " time datetime=(indexed_at) data-ago { (indexed_at) }
            @if changed > 0 {
                "; " a href=(request.page_url("/status", &[])) { (changed) " files changed since" }
            } @else {
                "; no known file has changed since"
            }
            "."
        }
    }
}
