//! `/status`: the indexed files, their freshness, the skipped files with reasons, and a button that
//! updates the index and shows the progress.

use maud::{Markup, html};
use serde_json::json;

use super::components::{count_noun, group_digits};
use super::page_request::PageRequest;
use super::{Page, PageView};
use crate::ops::code::status::{self, StatusReply};
use crate::ops::doctor::{self, FindingRow};
use crate::ops::{ErrorKind, OpError};

/// The page.
pub const PAGE: Page = Page { path: "/status", menu: Some("Index"), show };

/// The most skipped files and problems; the rest is counted. A longer page would be slow to lay
/// out.
const LISTED: usize = 500;

/// Shows the state of the index. A repository that is not indexed yet has the page, too.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let status = match request.fetch_object::<StatusReply>(&status::OP, json!({ "skipped": true }))
    {
        Ok(status) => Some(status),
        Err(error) if error.kind == ErrorKind::NoIndex => None,
        Err(error) => return Err(error),
    };
    let health: Vec<FindingRow> = request.fetch_list(&doctor::OP, json!({})).unwrap_or_default();
    let root = request.engine.root().display().to_string();
    Ok(PageView {
        title: "Index".to_string(),
        main: html! {
            header class="page-head" {
                h1 { "Index" }
                p class="facts" { code { bdi { (root) } } }
            }
            (run(&root, status.as_ref()))
            @if let Some(status) = &status {
                (facts(status))
                (skipped_files(request, status))
            }
            (checks(&health))
        },
    })
}

/// Renders the button, and the place in which the script shows the progress.
fn run(root: &str, status: Option<&StatusReply>) -> Markup {
    let state = match status {
        None => ("bad", "This repository is not indexed yet.".to_string()),
        Some(status) if status.incomplete => {
            ("warn", "The last run did not end: more files are to come.".to_string())
        }
        Some(status) if status.changed_files > 0 => (
            "warn",
            format!("{} changed since it was indexed.", count_noun(status.changed_files, "file")),
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

/// Renders counts, model and commits.
fn facts(status: &StatusReply) -> Markup {
    let short =
        |commit: &Option<String>| commit.iter().flat_map(|text| text.chars()).take(12).collect();
    let indexed_at = status.indexed_at.as_deref().unwrap_or_default();
    let rows = [
        ("Files", group_digits(status.files)),
        ("Pieces of code", group_digits(status.chunks)),
        ("Symbols", group_digits(status.symbols)),
        ("Size of the index", size(status.index_bytes)),
        ("Model", format!("{}, {}", status.provider, status.model)),
        ("Indexed commit", short(&status.indexed_commit)),
        ("Current commit", short(&status.current_commit)),
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
                    dd { time datetime=(indexed_at) data-ago { (indexed_at) } }
                }
            }
        }
    }
}

/// Formats a size in kB or MB.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// Renders the skipped files and the problems.
fn skipped_files(request: &PageRequest, status: &StatusReply) -> Markup {
    let files = &status.skipped_files;
    let problems = &status.problem_list;
    html! {
        section {
            h2 { "Passed over " span class="count" { (files.len()) } }
            @if files.is_empty() { p class="empty" { "No file was skipped." } }
            @else {
                p class="facts" {
                    @for (reason, count) in &status.skipped {
                        span { (reason) ": " (count) }
                    }
                }
                details class="fold" {
                    summary { "Every file, with the reason" }
                    div class="scroll" { table {
                        thead { tr { th { "File" } th { "Reason" } } }
                        tbody { @for file in files.iter().take(LISTED) {
                            tr { td { code { bdi { (file.path) } } } td { (file.reason) } }
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
                @for problem in problems.iter().take(LISTED) { li { (problem_line(request, problem)) } }
            }
        }
    }
}

/// Renders a problem, given as `path: message` or `path:line: message`.
fn problem_line(request: &PageRequest, problem: &str) -> Markup {
    match problem.split_once(": ") {
        Some((place, message)) => {
            let file = place.rsplit_once(':').map_or(place, |(file, _)| file);
            let line = place.rsplit_once(':').and_then(|(_, line)| line.parse().ok());
            html! { a href=(request.file_url(file, line.unwrap_or(1))) { code { bdi { (place) } } } " " bdi { (message) } }
        }
        None => html! { (problem) },
    }
}

/// Renders the findings of `doctor`.
fn checks(health: &[FindingRow]) -> Markup {
    html! {
        section {
            h2 { "Health" }
            ul class="checks" {
                @for check in health {
                    li class=(check.verdict) {
                        strong { (check.check) } " "
                        span class={ "kind " (check.verdict) } { (check.verdict) }
                        p { (check.says) }
                        @if let Some(remedy) = &check.remedy { p class="hint" { code { (remedy) } } }
                    }
                }
            }
        }
    }
}
