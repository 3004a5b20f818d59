//! Values of a build script that are known except for some names: `"com.acme:core:$coreVersion"`.
//! The names are resolved when all files are known.

use serde::{Deserialize, Serialize};

/// A text with names in it, stored as its parts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Template(Vec<TemplatePart>);

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TemplatePart {
    Text(String),
    /// The path of a property, such as `versions.kotlin`.
    Reference(String),
    /// A value that only running the script would yield.
    Computed,
}

/// The placeholder for an unknown part in a filled template. It cannot occur in literal text,
/// because templates remove it.
pub const HOLE: char = '\u{0}';

impl Template {
    /// A template of these parts.
    pub fn new(pieces: Vec<TemplatePart>) -> Template {
        Template(pieces)
    }

    /// A template without names.
    pub fn text(text: &str) -> Template {
        Template(vec![TemplatePart::Text(text.replace(HOLE, ""))])
    }

    /// A template whose value is unknown.
    pub fn unknown_value() -> Template {
        Template(vec![TemplatePart::Computed])
    }

    /// A template that is the value of one property.
    pub fn reference(path: String) -> Template {
        Template(vec![TemplatePart::Reference(path)])
    }

    /// The text, if it contains no name.
    pub fn as_text(&self) -> Option<String> {
        let filled = self.fill(|_| None);
        (!filled.contains(HOLE)).then_some(filled)
    }

    /// The name, if the template consists of nothing else.
    pub fn as_reference(&self) -> Option<&str> {
        match &self.0[..] {
            [TemplatePart::Reference(path)] => Some(path),
            _ => None,
        }
    }

    /// The concatenation of two templates.
    pub fn join(mut self, other: Template) -> Template {
        self.0.extend(other.0);
        self
    }

    /// The text, with each name replaced by the result of `value`, or by a [`HOLE`].
    pub fn fill(&self, mut value: impl FnMut(&str) -> Option<String>) -> String {
        let mut text = String::new();
        for piece in &self.0 {
            match piece {
                TemplatePart::Text(part) => text += part,
                TemplatePart::Reference(path) => match value(path) {
                    Some(part) => text += &part,
                    None => text.push(HOLE),
                },
                TemplatePart::Computed => text.push(HOLE),
            }
        }
        text
    }
}
