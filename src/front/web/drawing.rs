//! A picture in a page: as the operation drew it, without the styles that a page may not hold, and
//! with what moves it about.

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::page_request::{PageRequest, REPOSITORY};
use crate::ops::{OpError, Reply, graph};

/// A picture with buttons, that can be dragged, zoomed and filtered.
pub fn stage(visit: &PageRequest, label: &str, arguments: Value) -> Result<Markup, OpError> {
    let svg = svg(visit, arguments)?;
    Ok(html! {
        div class="stage" data-stage {
            div class="stage-tools" role="toolbar" aria-label="Picture" {
                input type="search" data-filter placeholder="Filter" aria-label="Filter the picture by name"
                    autocomplete="off" spellcheck="false";
                span class="stage-count" data-count role="status" {}
                button type="button" data-zoom="out" aria-label="Smaller" { "−" }
                button type="button" data-zoom="in" aria-label="Larger" { "+" }
                button type="button" data-zoom="fit" { "Fit" }
            }
            div class="stage-view" data-view tabindex="0" role="group" aria-label=(label) { (svg) }
            p class="stage-help" { "Drag to move; pinch, or Ctrl and the wheel, to zoom; by keyboard, arrows and + − 0. Every box is a link." }
        }
    })
}

/// The picture alone.
fn svg(visit: &PageRequest, mut arguments: Value) -> Result<Markup, OpError> {
    arguments["format"] = json!("svg");
    let repository = visit.get(REPOSITORY);
    let links = repository.map_or("/".to_string(), |name| {
        super::query_string::Pairs::default().with(REPOSITORY, Some(name)).at("/")
    });
    arguments["links"] = json!(links);
    match visit.reply(&graph::OP, arguments)? {
        Reply::Document { text, .. } => Ok(PreEscaped(without_styles(&text))),
        _ => Ok(html! {}),
    }
}

/// The drawing escapes all texts itself. Links in it are to be found by those who cannot see it, so
/// it is no image to them but a group.
fn without_styles(svg: &str) -> String {
    let start = svg.find("<style>");
    let end = svg.find("</style>").map(|end| end + "</style>".len());
    let plain = match (start, end) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &svg[..start], &svg[end..]),
        _ => svg.to_string(),
    };
    plain.replacen("role=\"img\"", "role=\"group\"", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_are_left_out() {
        let svg = "<svg role=\"img\"><style>a{}</style><g/></svg>";
        assert_eq!(without_styles(svg), "<svg role=\"group\"><g/></svg>");
        assert_eq!(without_styles("<svg/>"), "<svg/>");
    }
}
