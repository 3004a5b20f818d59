//! `/spec`: one spec as it is written, and below each requirement the traced code and tests.

use maud::{Markup, html};
use serde_json::json;

use super::components::notice;
use super::page_request::PageRequest;
use super::{Page, PageView, drawing, markdown, specs};
use crate::ops::specs::get_spec;
use crate::ops::specs::specs_coverage::{self, SpecsCoverageReply};
use crate::ops::specs::trace::{self, TraceReply, TraceRow};
use crate::ops::{OpError, Reply};

/// The page.
pub const PAGE: Page = Page { path: "/spec", menu: None, show };

/// Shows the spec. Without a code index, it is shown without traces.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let id = request.required_value("id")?;
    let written = match request.call(&get_spec::OP, json!({ "spec_id": id }))? {
        Reply::Document { text, .. }
        | Reply::Text(text)
        | Reply::Notice(text)
        | Reply::NotFound { text, .. } => text,
        Reply::Object(_) | Reply::List(_) => String::new(),
    };
    // Without an index of the code there is a spec all the same.
    let traced = match request.fetch_object(&trace::OP, json!({ "spec_id": id })) {
        Ok(TraceReply::Spec(traced)) => Some(traced),
        _ => None,
    };
    let covered: Option<SpecsCoverageReply> =
        request.fetch_object(&specs_coverage::OP, json!({ "spec_id": id })).ok();
    let picture = drawing::render_stage(
        request,
        &format!("Requirements of {id}, with code and tests"),
        json!({ "of": "specs", "name": id }),
    );
    let requirements = traced.as_ref().map_or(&[][..], |traced| &traced.requirements);
    let after = |heading: &str| {
        let name = heading.strip_prefix("Requirement:").unwrap_or(heading).trim();
        let found = requirements.iter().find(|one| one.requirement == name);
        html! { @if let Some(found) = found { (places(request, found)) } }
    };
    Ok(PageView {
        title: id.to_string(),
        main: html! {
            header class="page-head" {
                p class="crumb" { a href=(request.page_url("/specs", &[])) { "Specs" } }
                h1 { bdi { (id) } }
                @if let Some(traced) = &traced {
                    p class="facts" { a href=(request.file_url(&traced.path, 1)) { bdi { (traced.path) } } }
                }
                @if let Some(covered) = &covered { (specs::coverage_bars(&covered.totals)) }
                (notice(traced.as_ref().and_then(|traced| traced.notice.as_deref())))
            }
            @if let Ok(picture) = picture {
                details class="fold" { summary { "Picture" } (picture) }
            }
            article class="prose" { (markdown::render_markdown(&written, 0, &after)) }
        },
    })
}

/// Renders the places of one requirement.
fn places(request: &PageRequest, requirement: &TraceRow) -> Markup {
    html! {
        div class="traced" {
            @for (found, word) in [(&requirement.code, "Code"), (&requirement.tests, "Tests")] {
                p {
                    strong { (word) } " "
                    @if found.is_empty() { span class="warn" { "none found" } }
                    @for place in found { (place_link(request, place)) }
                }
            }
        }
    }
}

/// Renders a place that a trace writes as `src/a.rs:12 name (0.7)`.
fn place_link(request: &PageRequest, place: &str) -> Markup {
    let (place, score) = place.rsplit_once(" (").unwrap_or((place, ""));
    let (at, name) = split_place(place);
    let (file, line) = at.rsplit_once(':').unwrap_or((at, "1"));
    let line = line.parse().unwrap_or(1);
    let short = file.rsplit('/').next().unwrap_or(file);
    html! {
        a class="chip" href=(request.file_url(file, line)) title={ (at) " · " (score.trim_end_matches(')')) } {
            @if name.is_empty() { bdi { (short) } ":" (line) } @else { bdi { (name) } }
        }
        " "
    }
}

/// Splits a place and a name. A path may contain spaces, so the first space after a line number
/// separates them.
fn split_place(place: &str) -> (&str, &str) {
    let mut ends = place.match_indices(' ').map(|(at, _)| at).filter(|at| {
        let line = place[..*at].rsplit_once(':');
        line.is_some_and(|(_, line)| line.parse::<u32>().is_ok())
    });
    match ends.next() {
        Some(at) => (&place[..at], &place[at + 1..]),
        None => (place, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_with_spaces_in_its_path() {
        assert_eq!(split_place("a/b.rs:12 go"), ("a/b.rs:12", "go"));
        assert_eq!(split_place("my file.rs:3 does it"), ("my file.rs:3", "does it"));
        assert_eq!(split_place("a/b.rs:1"), ("a/b.rs:1", ""));
    }
}
