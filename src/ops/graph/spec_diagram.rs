//! The diagram of specs: all of them with the changes under way, or one with its requirements and
//! the traced code and tests. It asks the operations, so that a picture never says more than a
//! reply.

use serde_json::json;

use super::GraphArgs;
use crate::ops::number_format::count_noun;
use crate::ops::specs::WHERE_THEY_LIVE;
use crate::ops::specs::list_changes::{self, ListChangesReply, TaskProgress};
use crate::ops::specs::list_specs::{self, ListSpecsReply};
use crate::ops::specs::trace::{self, TraceReply};
use crate::ops::{Call, OpError};
use kenning_draw::{Drawing, Edge, Emphasis, Node, NodeIndex, Style};

/// Draws all specs, or the one that is named.
pub fn draw(call: &Call, arguments: &GraphArgs) -> Result<Drawing, OpError> {
    let drawing = match arguments.name.as_deref() {
        Some(name) => draw_one_spec(call, arguments, name)?,
        None => draw_all_specs(call, arguments)?,
    };
    super::require_nodes(drawing, "there are no specs here", WHERE_THEY_LIVE)
}

/// Draws the specs, and each change with the specs that it changes.
fn draw_all_specs(call: &Call, arguments: &GraphArgs) -> Result<Drawing, OpError> {
    let nothing = json!({});
    let ListSpecsReply { specs, .. } = list_specs::OP.fetch_object(call, &nothing)?;
    let ListChangesReply { changes, .. } = list_changes::OP.fetch_object(call, &nothing)?;
    let mut drawing = Drawing::new("Specs and the changes under way");
    drawing.legend = vec![(Style::Solid, "changes".to_string())];
    for spec in specs {
        let detail = count_noun(spec.requirement_count, "requirement");
        add_spec(&mut drawing, arguments, &spec.id, detail);
    }
    for change in changes {
        let TaskProgress { completed, total } = change.task_progress;
        let from = drawing.add_node(Node {
            detail: Some(format!("{completed} of {total} tasks")),
            group: Some("change".to_string()),
            place: Some(format!("changes/{}", change.id)),
            ..Node::new(format!("change {}", change.id), change.id.as_str())
        });
        for spec in &change.specs {
            // A change may bring a spec that is not there yet.
            let to = add_spec(&mut drawing, arguments, spec, "new".to_string());
            drawing.add_edge(Edge::new(from, to));
        }
    }
    Ok(drawing)
}

/// Adds the node of a spec, or returns the existing one. The detail `new` marks a spec that only a
/// change mentions.
fn add_spec(drawing: &mut Drawing, arguments: &GraphArgs, id: &str, detail: String) -> NodeIndex {
    let is_new = detail == "new";
    drawing.add_node(Node {
        detail: Some(detail),
        group: Some("spec".to_string()),
        emphasis: if is_new { Emphasis::Faint } else { Emphasis::Normal },
        link: if is_new { None } else { arguments.page_url("spec", &[("id", id)]) },
        place: Some(format!("specs/{id}")),
        ..Node::new(format!("spec {id}"), id)
    })
}

/// Draws the requirements of a spec, with the places that each was traced to.
fn draw_one_spec(call: &Call, arguments: &GraphArgs, id: &str) -> Result<Drawing, OpError> {
    let traced = match trace::OP.fetch_object(call, &json!({ "spec_id": id }))? {
        TraceReply::Spec(traced) => traced,
        _ => return Err(OpError::internal("the trace of a spec is about something else")),
    };
    let mut drawing = Drawing::new(format!("The spec {id}"));
    drawing.legend = vec![
        (Style::Solid, "requires".to_string()),
        (Style::Dashed, "traced to, by name and meaning".to_string()),
    ];
    let spec = add_spec(&mut drawing, arguments, &traced.spec_id, String::new());
    for requirement in &traced.requirements {
        let name = requirement.requirement.as_str();
        let node = drawing.add_node(Node {
            group: Some("requirement".to_string()),
            link: arguments.page_url("spec", &[("id", id)]),
            ..Node::new(format!("requirement {name}"), name)
        });
        drawing.add_edge(Edge::new(spec, node));
        for (places, group) in [(&requirement.code, "code"), (&requirement.tests, "tests")] {
            for place in places {
                let to = add_place(&mut drawing, arguments, place, group);
                let style = Style::Dashed;
                drawing.add_edge(Edge { style, ..Edge::new(node, to) });
            }
        }
    }
    Ok(drawing)
}

/// Adds the node of a place, which a trace writes as `src/a.rs:12 name (0.7)`.
fn add_place(drawing: &mut Drawing, arguments: &GraphArgs, place: &str, group: &str) -> NodeIndex {
    let place = match place.rsplit_once(" (") {
        Some((place, _)) => place,
        None => place,
    };
    let (at, name) = split_place(place);
    let label = if name.is_empty() { at } else { name };
    let file = at.rsplit('/').next().unwrap_or(at);
    drawing.add_node(Node {
        detail: (!name.is_empty()).then(|| file.to_string()),
        group: Some(group.to_string()),
        link: arguments.page_url("symbol", &[("at", at)]),
        // The line after the path is of no use to gather by.
        place: Some(at.rsplit_once(':').map_or(at, |(path, _)| path).to_string()),
        ..Node::new(format!("place {at}"), label)
    })
}

/// Splits a place and a name. A path may contain spaces, so the first space after a line number
/// separates them.
fn split_place(place: &str) -> (&str, &str) {
    let ends = place.match_indices(' ').map(|(at, _)| at);
    let mut ends = ends.filter(|at| {
        let line = place[..*at].rsplit_once(':');
        line.is_some_and(|(_, line)| !line.is_empty() && line.bytes().all(|b| b.is_ascii_digit()))
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
    fn places_with_and_without_names() {
        for (place, at, name) in [
            ("src/a.rs:12 go", "src/a.rs:12", "go"),
            ("my file.rs:3 should do it", "my file.rs:3", "should do it"),
            ("src/a.rs:1", "src/a.rs:1", ""),
            ("src/a.rs", "src/a.rs", ""),
        ] {
            assert_eq!(split_place(place), (at, name));
        }
    }
}
