//! `graph`: packages, the surroundings of a symbol, or specs as a diagram. Each kind of diagram has
//! a file of its own; this file has the arguments, the links and the grouping.
//!
//! It replies with text only: a drawing is a document, not data.

mod group_neighbours;
mod package_diagram;
mod spec_diagram;
mod symbol_diagram;

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, percent_encoding,
    schema,
};
use crate::ops::diagram_reply::{
    Boxes, DrawingExtent, DrawingFormat, render_document, restrict_drawing,
};
use kenning_draw::{Drawing, Node};

/// Replies with a document in the chosen format. A subject without nodes is an error of the kind
/// `NotFound`.
pub static OP: OpEntry = OpEntry {
    name: "graph",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "A picture of packages, of a symbol (who calls it, what it calls, what implements it), \
              or of specs (the changes under way, or of one spec the code and tests of each \
              requirement): Mermaid, Graphviz DOT, JSON, or SVG for people. What does not fit is \
              gathered by file and directory, and counted; of packages, `under` opens a box.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<GraphArgs>),
    reply: ReplyType::TEXT,
    examples: &[
        "ken graph packages --format svg",
        "ken graph symbols Session.login --format mermaid",
        "ken graph specs auth --format dot",
    ],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct GraphArgs {
    /// What to draw
    #[serde(default)]
    of: GraphSubject,
    /// The symbol (a name, Type.member or path:line); or only what this package needs; or only this
    /// spec
    name: Option<String>,
    /// What to write
    #[serde(default)]
    format: DrawingFormat,
    /// How many levels to follow: of calls (1 unless told, 3 at most), or of packages
    #[schemars(range(min = 1, max = 1000))]
    depth: Option<u32>,
    /// Of packages: only this ecosystem, such as npm or cargo
    kind: Option<String>,
    /// Of packages: external dependencies too
    #[serde(default)]
    external: bool,
    /// Of packages: only those in a folder (`packages/`) or beginning alike (`packages/web-*`)
    under: Option<String>,
    /// Of packages and specs: a box for each; else more than 120 are gathered by folder and name
    #[serde(default)]
    all: bool,
    /// In SVG, make each box a link to the page that `ken http` serves at this address, such as
    /// http://127.0.0.1:3000
    links: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum GraphSubject {
    #[default]
    Packages,
    Symbols,
    Specs,
}

/// Draws the subject, restricts and groups the drawing, adds links, and renders the format.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: GraphArgs = args.parse()?;
    let drawing = match arguments.of {
        GraphSubject::Packages => package_diagram::draw(call, &arguments)?,
        GraphSubject::Symbols => symbol_diagram::draw(call, &arguments)?,
        GraphSubject::Specs => spec_diagram::draw(call, &arguments)?,
    };
    let mut drawing = restrict_drawing(drawing, arguments.format, &arguments.drawing_extent())?;
    // Links exist only for the web page, which passes its own address.
    drawing.link_nodes(|node| {
        let is_linked = arguments.links.is_some();
        let opening = || arguments.box_link(node);
        is_linked.then(|| node.link.clone().or_else(opening))?
    });
    Ok(render_document(&drawing, arguments.format))
}

impl GraphArgs {
    /// The wanted part of the drawing, with the words for its note.
    fn drawing_extent(&self) -> DrawingExtent<'_> {
        let (noun, opening) = match (self.of, &self.links) {
            (GraphSubject::Packages, Some(_)) => ("packages", "a click on one opens it"),
            (GraphSubject::Packages, None) => {
                ("packages", "`under` with its name opens one, `all` draws each")
            }
            (GraphSubject::Symbols, _) => ("symbols", "`all` draws each"),
            (GraphSubject::Specs, _) => ("nodes", "`all` draws each"),
        };
        DrawingExtent {
            under: self.under.as_deref(),
            boxes: if self.all { Boxes::Each } else { Boxes::Readable },
            noun,
            opening,
        }
    }

    /// The URL that opens a grouped box of packages.
    fn box_link(&self, node: &Node) -> Option<String> {
        let place = node.place.as_deref().filter(|_| node.members > 1)?;
        let mut pairs = vec![("under", place)];
        pairs.extend(self.kind.as_deref().map(|kind| ("kind", kind)));
        pairs.extend(self.external.then_some(("external", "yes")));
        match self.of {
            GraphSubject::Packages => self.page_url("packages", &pairs),
            GraphSubject::Symbols | GraphSubject::Specs => None,
        }
    }

    /// The URL of a page about one node. A query in `links`, such as `?in=app`, is kept.
    ///
    /// For example, `links` of `http://127.0.0.1:3000/?in=app` gives
    /// `http://127.0.0.1:3000/symbol?at=…&in=app`.
    fn page_url(&self, page: &str, pairs: &[(&str, &str)]) -> Option<String> {
        let links = self.links.as_deref()?;
        let (base, more) = links.split_once('?').unwrap_or((links, ""));
        let base = base.trim_end_matches('/');
        let pairs = pairs.iter();
        let pairs =
            pairs.map(|(name, value)| format!("{name}={}", percent_encoding::encode(value)));
        let more = Some(more.to_string()).filter(|more| !more.is_empty());
        let pairs: Vec<String> = pairs.chain(more).collect();
        Some(format!("{base}/{page}?{}", pairs.join("&")))
    }

    /// Returns `name`, which the diagram of a symbol needs.
    fn required_name(&self, example: &str) -> Result<&str, OpError> {
        self.name.as_deref().ok_or_else(|| {
            OpError::bad_argument("`name` is required to draw symbols").hint(example)
        })
    }
}

/// Refuses an empty drawing, which would look like a fact.
fn require_nodes(drawing: Drawing, message: &str, hint: &str) -> Result<Drawing, OpError> {
    if drawing.nodes().is_empty() {
        Err(OpError::new(super::ErrorKind::NotFound, message).hint(hint))
    } else {
        Ok(drawing)
    }
}
