//! `graph`: packages, the surroundings of a symbol, or specs as a picture, or as text for other
//! tools. What each picture holds is in a file of its own; here is only what they share.

mod cluster;
mod packages;
mod specs;
mod symbols;

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Args, Call, Effect, Family, OpEntry, OpError, Origin, Reply, ReplyType, percent, schema,
};
use crate::ops::diagram_reply::{Boxes, Extent, Format, document, within};
use kenning_draw::{Drawing, Node};

pub static OP: OpEntry = OpEntry {
    name: "graph",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "A picture of packages, of a symbol (who calls it, what it calls, what implements it), \
              or of specs (the changes under way, or of one spec the code and tests of each \
              requirement): Mermaid, Graphviz DOT, JSON, or SVG for people. What does not fit is \
              gathered by file and directory, and counted; of packages, `under` opens a box.",
    effect: Effect::Reads,
    schema: LazyLock::new(schema::derived::<GraphArgs>),
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
    of: Subject,
    /// The symbol (a name, Type.member or path:line); or only what this package needs; or only this
    /// spec
    name: Option<String>,
    /// What to write
    #[serde(default)]
    format: Format,
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
enum Subject {
    #[default]
    Packages,
    Symbols,
    Specs,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: GraphArgs = args.parse()?;
    let drawing = match arguments.of {
        Subject::Packages => packages::draw(call, &arguments)?,
        Subject::Symbols => symbols::draw(call, &arguments)?,
        Subject::Specs => specs::draw(call, &arguments)?,
    };
    let mut drawing = within(drawing, arguments.format, &arguments.extent())?;
    drawing.link_nodes(|node| {
        let is_linked = arguments.links.is_some();
        let opening = || arguments.opening(node);
        is_linked.then(|| node.link.clone().or_else(opening))?
    });
    Ok(document(&drawing, arguments.format))
}

impl GraphArgs {
    fn extent(&self) -> Extent<'_> {
        let (noun, opening) = match (self.of, &self.links) {
            (Subject::Packages, Some(_)) => ("packages", "a click on one opens it"),
            (Subject::Packages, None) => {
                ("packages", "`under` with its name opens one, `all` draws each")
            }
            (Subject::Symbols, _) => ("symbols", "`all` draws each"),
            (Subject::Specs, _) => ("nodes", "`all` draws each"),
        };
        Extent {
            under: self.under.as_deref(),
            boxes: if self.all { Boxes::Each } else { Boxes::Readable },
            noun,
            opening,
        }
    }

    /// Where a click on several packages in one box leads.
    fn opening(&self, node: &Node) -> Option<String> {
        let place = node.place.as_deref().filter(|_| node.members > 1)?;
        let mut pairs = vec![("under", place)];
        pairs.extend(self.kind.as_deref().map(|kind| ("kind", kind)));
        pairs.extend(self.external.then_some(("external", "yes")));
        match self.of {
            Subject::Packages => self.address("packages", &pairs),
            Subject::Symbols | Subject::Specs => None,
        }
    }

    /// Where the page of something is.
    fn address(&self, page: &str, pairs: &[(&str, &str)]) -> Option<String> {
        let links = self.links.as_deref()?;
        let (base, more) = links.split_once('?').unwrap_or((links, ""));
        let base = base.trim_end_matches('/');
        let pairs = pairs.iter();
        let pairs = pairs.map(|(name, value)| format!("{name}={}", percent::encode(value)));
        let more = Some(more.to_string()).filter(|more| !more.is_empty());
        let pairs: Vec<String> = pairs.chain(more).collect();
        Some(format!("{base}/{page}?{}", pairs.join("&")))
    }

    fn name(&self, example: &str) -> Result<&str, OpError> {
        self.name.as_deref().ok_or_else(|| {
            OpError::bad_argument("`name` is required to draw symbols").hint(example)
        })
    }
}

/// A drawing of nothing says so instead of being empty.
fn unless_empty(drawing: Drawing, message: &str, hint: &str) -> Result<Drawing, OpError> {
    if drawing.nodes().is_empty() {
        Err(OpError::new(super::ErrorKind::NotFound, message).hint(hint))
    } else {
        Ok(drawing)
    }
}
