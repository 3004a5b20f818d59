//! `/skill`: one skill as an agent reads it, with its front matter.

use maud::html;
use serde_json::json;

use super::page_request::PageRequest;
use super::{Page, PageView, markdown};
use crate::ops::skills::skill;
use crate::ops::{OpError, Reply};

/// The page.
pub const PAGE: Page = Page { path: "/skill", menu: None, show };

/// Shows the skill.
fn show(request: &PageRequest) -> Result<PageView, OpError> {
    let name = request.required_value("name")?;
    let loaded = match request.call(&skill::OP, json!({ "name": name }))? {
        Reply::Text(text) => text,
        other => other.contents().0,
    };
    let (head, body) = loaded.split_once("\n\n").unwrap_or(("", &loaded));
    let directory = head.lines().find_map(|line| line.strip_prefix("Base directory: "));
    let (front, rest) = front_matter(body);
    Ok(PageView {
        title: name.to_string(),
        main: html! {
            header class="page-head" {
                p class="crumb" { a href=(request.page_url("/skills", &[])) { "Skills" } }
                h1 { bdi { (name) } }
                @if let Some(directory) = directory { p class="facts" { code { bdi { (directory) } } } }
            }
            @if !front.is_empty() { pre class="front-matter" { code { (front) } } }
            article class="prose" { (markdown::render_markdown(rest, 1, &|_| html! {})) }
        },
    })
}

/// Splits a text into its front matter, between two lines of dashes at the top, and the rest.
fn front_matter(text: &str) -> (&str, &str) {
    let inner = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---"));
    match inner {
        Some((front, rest)) => (front, rest.trim_start_matches(['-', '\r', '\n'])),
        None => ("", text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_parted_from_the_text() {
        assert_eq!(front_matter("---\nname: a\n---\n\n# A"), ("name: a", "# A"));
        assert_eq!(front_matter("# A\n---\n"), ("", "# A\n---\n"));
    }
}
