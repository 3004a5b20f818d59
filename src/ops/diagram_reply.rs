//! A drawing as a document, in the format that was asked for, of what was asked for, and of no more
//! boxes than can be read.

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

pub fn render_document(drawing: &Drawing, format: DrawingFormat) -> Reply {
    let (text, format) = match format {
        DrawingFormat::Json => (drawing.to_json().to_string(), "json"),
        DrawingFormat::Mermaid => (drawing.to_mermaid(), "mermaid"),
        DrawingFormat::Dot => (drawing.to_dot(), "dot"),
        DrawingFormat::Svg => (drawing.to_svg(&SvgOptions::default()), "svg"),
    };
    Reply::Document { text, format }
}

/// How much of a drawing is wanted.
pub struct DrawingExtent<'a> {
    /// Only what lies below this place.
    pub under: Option<&'a str>,
    pub boxes: Boxes,
    /// What the nodes are together, such as `packages`.
    pub noun: &'a str,
    /// What opens a box, as a sentence of the note below the picture.
    pub opening: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Boxes {
    /// Of many nodes, those that lie together become one box.
    Readable,
    /// A box for each.
    Each,
}

/// Programs that read JSON count for themselves, so nothing is gathered there.
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
