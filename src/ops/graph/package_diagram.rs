//! The diagram of packages: all of them, or those that one needs. `package_graph` draws the same;
//! this one has links and is one of three subjects.

use super::GraphArgs;
use crate::ops::packages::find_packages;
use crate::ops::{Call, ErrorKind, OpError};
use kenning_draw::{Drawing, Emphasis};
use kenning_packages::query::{DiagramView, TraversalScope};

/// The levels by default. No chain of dependencies that people read is longer.
const DEPTH: u32 = 20;

/// Draws the packages. An unknown name is an error with a hint.
pub fn draw(call: &Call, arguments: &GraphArgs) -> Result<Drawing, OpError> {
    let view = call.packages()?;
    let kind = arguments.kind.as_deref();
    let focus = match &arguments.name {
        Some(name) => find_packages(&view.graph, name, kind),
        None => Vec::new(),
    };
    if let (Some(name), true) = (&arguments.name, focus.is_empty()) {
        let message = format!("there is no package {name:?}");
        return Err(OpError::new(ErrorKind::NotFound, message)
            .hint("search_packages finds one by a part of its name"));
    }
    let title = match (&arguments.name, kind) {
        (Some(name), _) => format!("What {name} needs"),
        (None, Some(kind)) => format!("Packages ({kind})"),
        (None, None) => "Packages".to_string(),
    };
    let mut drawing = view.graph.draw_view(&DiagramView {
        title,
        focus,
        depth: arguments.depth.unwrap_or(DEPTH) as usize,
        scope: if arguments.external {
            TraversalScope::Everything
        } else {
            TraversalScope::InternalOnly
        },
        kind,
    });
    drawing.link_nodes(|node| {
        let group = node.group.as_deref()?;
        // External packages are faint and have no page.
        let is_internal = node.emphasis != Emphasis::Faint;
        let pairs = [("name", node.label.as_str()), ("kind", group)];
        is_internal.then(|| arguments.page_url("package", &pairs))?
    });
    super::require_nodes(drawing, "there are no packages here", "run `ken index` first")
}
