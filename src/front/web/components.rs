//! Small components that several pages show: labels, counts, notices. Everything that comes from a
//! repository is escaped by the template engine and isolated in its text direction.

use maud::{Markup, html};

pub use crate::front::human_format::{count_noun, group_digits};
use crate::ops::code::reply_parts::{EdgeRef, Reliability};

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
pub fn confidence(edge: &EdgeRef) -> Markup {
    html! { span class={ "sure " (edge.confidence) } title=(edge.reason) { (edge.confidence) } }
}

/// Renders the notice of a reply, if it has one.
pub fn notice(notice: Option<&str>) -> Markup {
    html! {
        @if let Some(notice) = notice { p class="notice" role="status" { (notice) } }
    }
}

/// Renders the notice of a reply, and the number of its stale files.
pub fn trust(trust: &Reliability) -> Markup {
    let stale = trust.stale.len();
    html! {
        (notice(trust.notice.as_deref()))
        @if stale > 0 {
            p class="notice" role="status" {
                (count_noun(stale, "file")) " changed since it was indexed: lines may be off."
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
