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

/// A name, such as of a symbol or a package, on its own in which way it is written: one from right to left
/// must not reorder the line that it stands in.
pub fn name(name: &str) -> Markup {
    html! { bdi { (name) } }
}

/// What kind of thing it is, in a small frame.
pub fn kind(kind: &str) -> Markup {
    html! { span class="kind" { (kind) } }
}

/// How far an edge can be believed.
pub fn confidence(row: &Value) -> Markup {
    let confidence = text(&row["confidence"]);
    html! {
        @if !confidence.is_empty() {
            span class={ "sure " (confidence) } title=(text(&row["reason"])) { (confidence) }
        }
    }
}

/// What an answer says of itself: that it is stale, or not whole.
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

/// A path that may break after each directory. Each name is on its own in which way it is written: one
/// that turns the direction must not take what follows with it.
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
