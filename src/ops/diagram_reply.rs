//! A drawing as the reply of an operation. It writes the requested format, restricts the drawing to
//! the requested part, and groups boxes until a reader can take them in. It does not decide which
//! nodes there are: `ops::graph` and `package_graph` do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ErrorKind, OpError, Reply};
use kenning_draw::{Drawing, SvgOptions};

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DrawingFormat {
    #[default]
    Mermaid,
    Dot,
    Json,
    Svg,
}

/// Renders a drawing in one format. SVG has the default options, so that the same drawing gives the
/// same bytes.
pub fn render_document(drawing: &Drawing, format: DrawingFormat) -> Reply {
    let (text, format) = match format {
        DrawingFormat::Json => (drawing.to_json().to_string(), "json"),
        DrawingFormat::Mermaid => (drawing.to_mermaid(), "mermaid"),
        DrawingFormat::Dot => (drawing.to_dot(), "dot"),
        DrawingFormat::Svg => (drawing.to_svg(&SvgOptions::default()), "svg"),
    };
    Reply::Document { text, format }
}

/// The wanted part of a drawing, and the words for what is left out.
pub struct DrawingExtent<'a> {
    /// Only nodes below this folder, or with this beginning if it ends in `*`.
    pub under: Option<&'a str>,
    /// One box for each node, or grouped boxes.
    pub boxes: Boxes,
    /// The plural of what a node is, such as `packages`.
    pub noun: &'a str,
    /// How a reader opens a grouped box, as a clause of the note below the picture.
    pub opening: &'a str,
}

/// The grouping of nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Boxes {
    /// Many nodes are grouped by folder and by the beginning of their names.
    Readable,
    /// A box for each node, however many there are.
    Each,
}

/// Restricts a drawing to `extent.under` and groups its nodes. JSON is never grouped: programs
/// count for themselves, and a grouped node would hide its members from them.
pub fn restrict_drawing(
    drawing: Drawing,
    format: DrawingFormat,
    extent: &DrawingExtent,
) -> Result<Drawing, OpError> {
    let mut drawing = match extent.under {
        Some(place) => part_below(&drawing, place, extent)?,
        None => drawing,
    };
    if extent.boxes == Boxes::Each || format == DrawingFormat::Json {
        return Ok(drawing);
    }
    // The drawing decides if it has too many nodes; `None` means that it can be read as it is.
    if let Some(gathered) = drawing.cluster(extent.noun) {
        drawing.notes.push(format!(
            "{} of {} {} are gathered into {}, by folder and by how their names begin; {}.",
            gathered.nodes,
            gathered.of,
            extent.noun,
            match gathered.boxes {
                1 => "one box".to_string(),
                boxes => format!("{boxes} boxes"),
            },
            extent.opening
        ));
    }
    Ok(drawing)
}

/// Returns the nodes below a place with their neighbours. An empty part is an error, because an
/// empty picture would look like a fact.
fn part_below(drawing: &Drawing, place: &str, extent: &DrawingExtent) -> Result<Drawing, OpError> {
    let mut part = drawing.part_below(place);
    if part.nodes().is_empty() {
        let message = format!("there are no {} below {place:?}", extent.noun);
        return Err(OpError::new(ErrorKind::NotFound, message).hint(
            "`under` is a folder such as `packages/`, or a beginning such as `packages/web-*`",
        ));
    }
    part.title = format!("{} below {place}, and what they have to do with", part.title);
    Ok(part)
}
