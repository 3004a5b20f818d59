//! A drawing as a document, in the format that was asked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Reply;
use crate::query::drawing::{Drawing, SvgOptions};

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    #[default]
    Mermaid,
    Dot,
    Json,
    Svg,
}

pub fn document(drawing: &Drawing, format: Format) -> Reply {
    let (text, format) = match format {
        Format::Json => (drawing.to_json().to_string(), "json"),
        Format::Mermaid => (drawing.to_mermaid(), "mermaid"),
        Format::Dot => (drawing.to_dot(), "dot"),
        Format::Svg => (drawing.to_svg(&SvgOptions::default()), "svg"),
    };
    Reply::Document { text, format }
}
