//! A diagram in a page: the SVG of the operation without its inline styles, which the page's policy
//! forbids, and with controls to move and filter it.

use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use super::page_request::{PageRequest, REPOSITORY};
use crate::ops::{OpError, Reply, graph};

/// Renders a diagram that can be dragged, zoomed and filtered. The script adds the behaviour.
pub fn render_stage(
    request: &PageRequest,
    label: &str,
    arguments: Value,
) -> Result<Markup, OpError> {
    let svg = render_svg(request, arguments)?;
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

/// Renders the diagram alone, with links to pages of the same repository.
fn render_svg(request: &PageRequest, mut arguments: Value) -> Result<Markup, OpError> {
    arguments["format"] = json!("svg");
    let repository = request.get(REPOSITORY);
    let links = repository.map_or("/".to_string(), |name| {
        super::query_string::QueryPairs::default().with_value(REPOSITORY, Some(name)).to_url("/")
    });
    arguments["links"] = json!(links);
    match request.call(&graph::OP, arguments)? {
        Reply::Document { text, .. } => Ok(PreEscaped(strip_styles(&text))),
        _ => Ok(html! {}),
    }
}

/// Removes the inline styles; the stylesheet of the page has them. The role becomes `group`,
/// because an image would hide its links from screen readers. The drawing has already escaped all
/// texts.
fn strip_styles(svg: &str) -> String {
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
        assert_eq!(strip_styles(svg), "<svg role=\"group\"><g/></svg>");
        assert_eq!(strip_styles("<svg/>"), "<svg/>");
    }
}
