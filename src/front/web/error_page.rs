//! The page for an error, with its remedy and links to similar names.

use std::time::Duration;

use axum::http::StatusCode;
use maud::{Markup, html};

use super::PageView;
use super::page_request::PageRequest;
use crate::ops::{ErrorKind, OpError};

/// The HTTP status of an error. Unlike the API, an ambiguous name is a success: the page offers the
/// choices.
pub fn error_status(error: &OpError) -> StatusCode {
    match error.kind {
        ErrorKind::BadArgument => StatusCode::BAD_REQUEST,
        ErrorKind::NotFound | ErrorKind::NoIndex => StatusCode::NOT_FOUND,
        // A choice between several matches is an answer.
        ErrorKind::Ambiguous => StatusCode::OK,
        ErrorKind::ProviderUnavailable | ErrorKind::Conflict | ErrorKind::Cancelled => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        ErrorKind::Busy => StatusCode::CONFLICT,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Renders an error as a page.
pub fn error_view(request: &PageRequest, error: &OpError) -> PageView {
    let title = match error.kind {
        ErrorKind::NoIndex => "Not indexed yet",
        ErrorKind::Ambiguous => "Which one?",
        ErrorKind::NotFound => "Not found",
        _ => "Not possible",
    };
    PageView {
        title: title.to_string(),
        main: html! {
            section class="failure" {
                h1 { (title) }
                (error_message(error))
                (suggestions(request, error))
                @if error.kind == ErrorKind::NoIndex {
                    p { a class="button" href=(request.page_url("/status", &[])) { "Index this repository" } }
                }
            }
        },
    }
}

/// Renders the message and the hint.
pub fn error_message(error: &OpError) -> Markup {
    html! {
        p class="notice bad" role="alert" { (error.message) }
        @if let Some(hint) = &error.hint { p class="hint" { (hint) "." } }
    }
}

/// Renders the possible matches and similar names as links.
fn suggestions(request: &PageRequest, error: &OpError) -> Markup {
    let details = error.details.as_deref();
    let matches = details.and_then(|details| details.matches.as_deref()).unwrap_or_default();
    let near = details.and_then(|details| details.suggestions.as_deref()).unwrap_or_default();
    html! {
        @if !matches.is_empty() {
            ul class="rows" {
                @for text in matches {
                    @let (at, name) = text.split_once(' ').unwrap_or((text.as_str(), text));
                    li { a data-row href=(request.page_url("/symbol", &[("at", at)])) {
                        span class="row-name" { bdi { (name) } }
                        span class="row-place" { bdi { (at) } }
                    } }
                }
            }
        }
        @if !near.is_empty() {
            p { "Near it:" }
            ul class="rows" {
                @for text in near {
                    li { a data-row href=(request.page_url("/", &[("q", text)])) { bdi { (text) } } }
                }
            }
        }
    }
}

/// The error of a page that took too long.
pub fn timeout_error(timeout: Duration) -> OpError {
    let seconds = timeout.as_secs_f32();
    OpError::new(ErrorKind::Cancelled, format!("this page took longer than {seconds} s"))
        .hint("ask for less, or raise http.timeout_ms")
}

/// Renders the message for an unknown path.
pub fn not_found_message(path: &str) -> Markup {
    html! {
        section class="failure" {
            h1 { "Not found" }
            p class="notice bad" role="alert" { "There is nothing at " code { bdi { (path) } } "." }
            p { a class="button" href="/" { "Search" } }
        }
    }
}
