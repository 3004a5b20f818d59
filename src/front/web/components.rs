//! Small pieces that several pages show: labels, counts, notices.

use maud::{Markup, html};
use serde_json::Value;

pub use crate::front::human::{counted, grouped};

/// The text of a value, empty if it is none.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

pub fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Renders a name of a symbol or a package, isolated in its text direction: a right-to-left name
/// must not reorder the rest of the line.
pub fn name(name: &str) -> Markup {
    html! { bdi { (name) } }
}

/// Renders a kind as a small badge.
pub fn kind(kind: &str) -> Markup {
    html! { span class="kind" { (kind) } }
}

/// Renders the confidence of an edge, with the reason as its title.
pub fn confidence(row: &Value) -> Markup {
    let confidence = text(&row["confidence"]);
    html! {
        @if !confidence.is_empty() {
            span class={ "sure " (confidence) } title=(text(&row["reason"])) { (confidence) }
        }
    }
}

/// Renders an answer's notice, and the number of its stale files.
pub fn notice(answer: &Value) -> Markup {
    let stale = items(&answer["stale"]).len();
    html! {
        @if let Some(notice) = answer["notice"].as_str() {
            p class="notice" role="status" { (notice) }
        }
        @if stale > 0 {
            p class="notice" role="status" {
                (counted(stale as u64, "file")) " changed since it was indexed: lines may be off."
            }
        }
    }
}

/// Renders a path that may break after each directory. Each part is isolated in its text direction,
/// so that it cannot reorder the parts after it.
pub fn path(path: &str) -> Markup {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    html! {
        span class="path" {
            @for directory in directories.split('/').filter(|part| !part.is_empty()) {
                span class="directory" { bdi { (directory) } "/" } wbr;
            }
            bdi class="base" { (name) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_direction_to_themselves() {
        let path = path("a\u{202e}b/c\u{202e}d.rs").into_string();
        assert!(path.contains("<bdi>a\u{202e}b</bdi>/"), "{path}");
        assert!(path.contains("<bdi class=\"base\">c\u{202e}d.rs</bdi>"), "{path}");
    }
}
