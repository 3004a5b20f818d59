//! The home page, shown without a query: the repository's counts, its freshness, sample questions.

use maud::{Markup, html};
use serde_json::{Value, json};

use crate::front::web::components::{grouped, number, text};
use crate::front::web::page_request::PageRequest;

pub fn show(visit: &PageRequest) -> Markup {
    let index = visit.engine.code(None).ok();
    let brief = index.and_then(|index| index.brief().ok());
    let count = |op: &str, key: &str| visit.list(op, json!({}), key).len() as u64;
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
                (tile(visit, "/packages", count("list_packages", "results"), "packages"))
                (tile(visit, "/specs", count("list_specs", "specs"), "specs"))
                (tile(visit, "/skills", count("list_skills", "skills"), "skills"))
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
    let status = visit.ask("status", json!({})).unwrap_or_default();
    html! {
        (languages(&status))
        @if status["files"].is_number() { (freshness(visit, &status)) }
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

fn tile(visit: &PageRequest, path: &str, count: u64, word: &str) -> Markup {
    html! {
        div class="tile" {
            dt { a href=(visit.href(path, &[])) { (word) } }
            dd { (grouped(count)) }
        }
    }
}

/// How the files divide; a bar for each, as long as its share.
fn languages(status: &Value) -> Markup {
    let languages = status["languages"].as_object();
    let languages: Vec<(&String, u64)> =
        languages.into_iter().flatten().map(|(name, files)| (name, number(files))).collect();
    let most = languages.iter().map(|(_, files)| *files).max().unwrap_or(1).max(1);
    html! {
        @if !languages.is_empty() {
            section class="languages" aria-label="Languages" {
                @for (name, files) in languages.iter().take(8) {
                    div class="language" {
                        span class="language-name" { (name) }
                        // Styles may not be written into the page; a meter brings its own length.
                        meter min="0" max=(most) value=(files) aria-label=(format!("Files in {name}")) {}
                        span class="language-count" { (grouped(*files)) }
                    }
                }
            }
        }
    }
}

fn freshness(visit: &PageRequest, status: &Value) -> Markup {
    let changed = number(&status["changedFiles"]);
    html! {
        p class="freshness" {
            "Indexed " time datetime=(text(&status["indexedAt"])) data-ago { (text(&status["indexedAt"])) }
            @if changed > 0 {
                "; " a href=(visit.href("/status", &[])) { (changed) " files changed since" }
            } @else {
                "; no known file has changed since"
            }
            "."
        }
    }
}
