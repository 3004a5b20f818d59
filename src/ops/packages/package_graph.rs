//! `package_graph`: the package graph as a document in four formats. `graph packages` draws the
//! same with links; this one belongs to the packages family, so that the toolset alone can draw.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{find_packages, package_not_found};
use crate::ops::diagram_reply::{
    Boxes, DrawingExtent, DrawingFormat, render_document, restrict_drawing,
};
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_packages::query::{DiagramView, TraversalScope};

/// Replies with a document in the chosen format. An unknown package is a notice.
pub static OP: OpEntry = OpEntry {
    name: "package_graph",
    family: Family::Packages,
    origin: Origin::Kenning,
    summary: "The package graph as a document: Mermaid, Graphviz DOT, JSON, or SVG for people. \
              Of the whole repository, or from one package down to `depth`; cycles are marked. More \
              than 120 packages are gathered by folder and by how their names begin (not in JSON); \
              `under` opens a box, `all` draws each.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<PackageGraphArgs>),
    reply: ReplyType::TEXT,
    examples: &[
        "ken packages graph --format svg",
        "ken packages graph --name web --depth 2 --format mermaid",
        "ken packages graph --under packages/",
    ],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct PackageGraphArgs {
    /// What to write
    #[serde(default)]
    format: DrawingFormat,
    /// Only what this package needs; without it, all packages
    name: Option<String>,
    /// How many levels to follow from `name`
    #[serde(default = "default_depth")]
    depth: u32,
    /// Only packages of this ecosystem, such as npm or cargo
    kind: Option<String>,
    /// External dependencies too
    #[serde(default)]
    external: bool,
    /// Only those in a folder (`packages/`) or beginning alike (`packages/web-*`), and their neighbours
    under: Option<String>,
    /// A box for each package, however many there are
    #[serde(default)]
    all: bool,
}

/// The largest depth. No chain of packages that a person follows is longer.
const MAX_DEPTH: u32 = 1000;

/// The default of `depth`.
fn default_depth() -> u32 {
    20
}

/// Draws the packages. An unknown name is a notice, as in the other operations of the family.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: PackageGraphArgs = args.parse()?;
    let view = call.packages()?;
    let kind = arguments.kind.as_deref();
    let focus = match &arguments.name {
        Some(name) => find_packages(&view.graph, name, kind),
        None => Vec::new(),
    };
    if let (Some(name), true) = (&arguments.name, focus.is_empty()) {
        return Ok(package_not_found(&view.graph, name));
    }
    let drawing = view.graph.draw_view(&DiagramView {
        title: title(&arguments),
        focus,
        depth: arguments.depth.min(MAX_DEPTH) as usize,
        scope: if arguments.external {
            TraversalScope::Everything
        } else {
            TraversalScope::InternalOnly
        },
        kind,
    });
    let extent = DrawingExtent {
        under: arguments.under.as_deref(),
        boxes: if arguments.all { Boxes::Each } else { Boxes::Readable },
        noun: "packages",
        opening: "`under` with its name opens one, `all` draws each",
    };
    let drawing = restrict_drawing(drawing, arguments.format, &extent)?;
    Ok(render_document(&drawing, arguments.format))
}

/// The title of the drawing.
fn title(arguments: &PackageGraphArgs) -> String {
    match (&arguments.name, &arguments.kind) {
        (Some(name), _) => format!("What {name} needs"),
        (None, Some(kind)) => format!("Packages ({kind})"),
        (None, None) => "Packages".to_string(),
    }
}
