//! Before anything is asked: what this repository has, how fresh that is, and where to begin.

use maud::{Markup, html};
use serde_json::{Value, json};

use crate::front::web::visit::Visit;
use crate::front::web::words::{grouped, number, text};

pub fn show(visit: &Visit) -> Markup {
    let status = visit.ask("status", json!({})).unwrap_or_default();
    let overview = visit.ask("overview", json!({})).unwrap_or_default();
    let is_indexed = status["files"].is_number();
    html! {
        section class="welcome" {
            p class="welcome-line" {
                @if is_indexed {
                    "Ask in plain words, or give a name. "
                    kbd { "/" } " to search, " kbd { "↓" } " " kbd { "↑" } " to choose, " kbd { "Enter" } " to open."
                } @else {
                    "This repository is not indexed yet."
                }
            }
            @if !is_indexed {
                p { a class="button" href=(visit.href("/status", &[])) { "Index this repository" } }
            }
            dl class="tiles" {
                @if is_indexed {
                    (tile(visit, "/status", &grouped(number(&status["files"])), "files"))
                    (tile(visit, "/status", &grouped(number(&status["symbols"])), "symbols"))
                }
                (tile(visit, "/packages", first(&overview["packages"]), "packages"))
                (tile(visit, "/specs", first(&overview["specs"]), "specs"))
                (tile(visit, "/skills", first(&overview["skills"]), "skills"))
            }
            (languages(&status))
            @if is_indexed { (freshness(visit, &status)) }
        }
    }
}

/// `12 packages; …` begins with the number; anything else means that there are none.
fn first(sentence: &Value) -> &str {
    let word = text(sentence).split(' ').next().unwrap_or_default();
    match word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty() {
        true => word,
        false => "0",
    }
}

fn tile(visit: &Visit, path: &str, count: &str, word: &str) -> Markup {
    html! {
        div class="tile" {
            dt { a href=(visit.href(path, &[])) { (word) } }
            dd { (count) }
        }
    }
}

/// How the files divide; a bar for each, as long as its share.
fn languages(status: &Value) -> Markup {
    let languages = status["languages"].as_object();
    let languages: Vec<(&String, u64)> = languages
        .into_iter()
        .flatten()
        .map(|(name, files)| (name, number(files)))
        .collect();
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

fn freshness(visit: &Visit, status: &Value) -> Markup {
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
