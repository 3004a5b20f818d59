//! `/status`: the indexed files, their freshness, the skipped files with reasons, and a button that
//! updates the index and shows the progress.

use maud::{Markup, html};
use serde_json::{Value, json};

use super::components::{counted, grouped, items, number, text};
use super::page_request::PageRequest;
use super::{Page, View};
use crate::ops::{ErrorKind, OpError};

pub const PAGE: Page = Page { path: "/status", menu: Some("Index"), show };

/// More skipped files than this are counted and not listed.
const LISTED: usize = 500;

fn show(visit: &PageRequest) -> Result<View, OpError> {
    let status = match visit.ask("status", json!({ "skipped": true })) {
        Ok(status) => Some(status),
        Err(error) if error.kind == ErrorKind::NoIndex => None,
        Err(error) => return Err(error),
    };
    let health = visit.list("doctor", json!({}), "results");
    let root = visit.engine.root().display().to_string();
    Ok(View {
        title: "Index".to_string(),
        main: html! {
            header class="page-head" {
                h1 { "Index" }
                p class="facts" { code { bdi { (root) } } }
            }
            (run(&root, status.as_ref()))
            @if let Some(status) = &status {
                (facts(status))
                (passed_over(visit, status))
            }
            (checks(&health))
        },
    })
}

/// Renders the button, and the place in which the script shows the progress.
fn run(root: &str, status: Option<&Value>) -> Markup {
    let state = match status {
        None => ("bad", "This repository is not indexed yet.".to_string()),
        Some(status) if status["incomplete"] == true => {
            ("warn", "The last run did not end: more files are to come.".to_string())
        }
        Some(status) if number(&status["changedFiles"]) > 0 => (
            "warn",
            format!(
                "{} changed since it was indexed.",
                counted(number(&status["changedFiles"]), "file")
            ),
        ),
        Some(_) => ("good", "Up to date: no known file has changed.".to_string()),
    };
    html! {
        section class={ "run " (state.0) } data-index=(root) {
            p class="run-state" { (state.1) }
            button type="button" class="primary" data-start {
                @if status.is_some() { "Bring up to date" } @else { "Index this repository" }
            }
            div class="run-progress" data-progress hidden {
                progress aria-label="Indexing" {}
                p role="status" data-stage-text { "Starting …" }
            }
            noscript { p { "To index without scripts, run " code { "ken index" } " in a terminal." } }
        }
    }
}

fn facts(status: &Value) -> Markup {
    let short = |commit: &Value| text(commit).chars().take(12).collect::<String>();
    let rows = [
        ("Files", grouped(number(&status["files"]))),
        ("Pieces of code", grouped(number(&status["chunks"]))),
        ("Symbols", grouped(number(&status["symbols"]))),
        ("Size of the index", size(number(&status["indexBytes"]))),
        ("Model", format!("{}, {}", text(&status["provider"]), text(&status["model"]))),
        ("Indexed commit", short(&status["indexedCommit"])),
        ("Current commit", short(&status["currentCommit"])),
    ];
    html! {
        section {
            h2 { "What is known" }
            dl class="known" {
                @for (name, value) in rows {
                    @if !value.is_empty() { div { dt { (name) } dd { (value) } } }
                }
                div {
                    dt { "Indexed" }
                    dd { time datetime=(text(&status["indexedAt"])) data-ago { (text(&status["indexedAt"])) } }
                }
            }
        }
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn passed_over(visit: &PageRequest, status: &Value) -> Markup {
    let files = items(&status["skippedFiles"]);
    let problems = items(&status["problemList"]);
    html! {
        section {
            h2 { "Passed over " span class="count" { (files.len()) } }
            @if files.is_empty() { p class="empty" { "No file was passed over." } }
            @else {
                p class="facts" {
                    @for (reason, count) in status["skipped"].as_object().into_iter().flatten() {
                        span { (reason) ": " (number(count)) }
                    }
                }
                details class="fold" {
                    summary { "Every file, with the reason" }
                    div class="scroll" { table {
                        thead { tr { th { "File" } th { "Reason" } } }
                        tbody { @for file in files.iter().take(LISTED) {
                            tr { td { code { bdi { (text(&file["path"])) } } } td { (text(&file["reason"])) } }
                        } }
                    } }
                    @if files.len() > LISTED { p { "… and " (files.len() - LISTED) " more; " code { "ken status --skipped" } " lists all." } }
                }
            }
        }
        section {
            h2 { "Problems " span class="count" { (problems.len()) } }
            @if problems.is_empty() { p class="empty" { "Every file was read to the end." } }
            ul class="findings" {
                @for problem in problems.iter().take(LISTED) { li { (problem_line(visit, text(problem))) } }
            }
        }
    }
}

/// `path: what is wrong`, or `path:line: …`.
fn problem_line(visit: &PageRequest, problem: &str) -> Markup {
    match problem.split_once(": ") {
        Some((place, message)) => {
            let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
            let line = place.rsplit_once(':').and_then(|(_, line)| line.parse().ok());
            html! { a href=(visit.file(file, line.unwrap_or(1))) { code { bdi { (place) } } } " " bdi { (message) } }
        }
        None => html! { (problem) },
    }
}

fn checks(health: &[Value]) -> Markup {
    html! {
        section {
            h2 { "Health" }
            ul class="checks" {
                @for check in health {
                    li class=(text(&check["verdict"])) {
                        strong { (text(&check["check"])) } " "
                        span class={ "kind " (text(&check["verdict"])) } { (text(&check["verdict"])) }
                        p { (text(&check["says"])) }
                        @if let Some(remedy) = check["remedy"].as_str() { p class="hint" { code { (remedy) } } }
                    }
                }
            }
        }
    }
}
