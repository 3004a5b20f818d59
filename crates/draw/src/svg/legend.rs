//! The legend: the meanings of the picture's colours and lines, in rows below its title.

use super::super::prune::PrunedDrawing;
use super::super::text_metrics::{clean, cut, width};
use super::super::{Drawing, GROUP_COLOURS};
use super::{NOTE_SIZE, arrows, escape, format_number, group_class};

const ROW_HEIGHT: f64 = 20.0;
const SWATCH: f64 = 12.0;
const SAMPLE: f64 = 26.0;
const TEXT_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;
/// A legend is at least allowed this width, however narrow the picture is.
const MIN_WIDTH: f64 = 420.0;
const ENTRY_WIDTH: f64 = 300.0;

/// The entries of a legend with their positions.
pub struct Legend {
    pub width: f64,
    pub height: f64,
    entries: Vec<PlacedEntry>,
}

/// An entry and its position relative to the legend.
struct PlacedEntry {
    x: f64,
    y: f64,
    entry: LegendEntry,
}

/// A sign and its meaning.
struct LegendEntry {
    sign: LegendSign,
    text: String,
}

/// A colour or a line.
enum LegendSign {
    Swatch { class: String },
    Line { class: String },
}

impl Drawing {
    /// Builds the legend of the groups and styles that the picture shows.
    pub(super) fn legend_of(&self, crop: &PrunedDrawing, width: f64) -> Legend {
        let mut entries = self.group_entries(crop);
        for (style, meaning) in &self.legend {
            if crop.arrows.iter().any(|arrow| arrow.style == *style) {
                entries.push(LegendEntry::line(arrows::class(*style, false), meaning));
            }
        }
        if crop.arrows.iter().any(|arrow| arrow.in_cycle) {
            let class = arrows::class(super::super::Style::Solid, true);
            entries.push(LegendEntry::line(class, "part of a cycle"));
        }
        Legend::new(entries, width.max(MIN_WIDTH))
    }

    /// Returns an entry for each visible group with a colour, and one for all others together.
    fn group_entries(&self, crop: &PrunedDrawing) -> Vec<LegendEntry> {
        let groups = self.groups();
        let is_shown = |group: &str| {
            let nodes = crop.nodes.iter().map(|&index| &self.nodes[index]);
            nodes.into_iter().any(|n| n.group.as_deref() == Some(group))
        };
        let shown: Vec<(usize, &str)> =
            groups.into_iter().enumerate().filter(|(_, group)| is_shown(group)).collect();
        let (own, others): (Vec<_>, Vec<_>) =
            shown.into_iter().partition(|(index, _)| *index < GROUP_COLOURS.len());
        let own = own.into_iter().map(|(index, group)| LegendEntry {
            sign: LegendSign::Swatch { class: group_class(Some(index)) },
            text: clean(group),
        });
        let mut entries: Vec<LegendEntry> = own.collect();
        if !others.is_empty() {
            let names: Vec<String> = others.iter().map(|(_, group)| clean(group)).collect();
            entries.push(LegendEntry {
                sign: LegendSign::Swatch { class: String::new() },
                text: names.join(", "),
            });
        }
        entries
    }
}

impl LegendEntry {
    /// Returns the entry of a line style.
    fn line(class: String, meaning: &str) -> LegendEntry {
        LegendEntry { sign: LegendSign::Line { class }, text: clean(meaning) }
    }

    /// Returns the distance from the sign's left edge to its text.
    fn text_x(&self) -> f64 {
        TEXT_GAP
            + match self.sign {
                LegendSign::Swatch { .. } => SWATCH,
                LegendSign::Line { .. } => SAMPLE,
            }
    }
}

impl Legend {
    /// Places entries from left to right, in rows of at most `limit` pixels.
    fn new(entries: Vec<LegendEntry>, limit: f64) -> Legend {
        let mut legend = Legend { width: 0.0, height: 0.0, entries: Vec::new() };
        let (mut x, mut y) = (0.0, 0.0);
        for mut entry in entries {
            entry.text = cut(&entry.text, NOTE_SIZE, ENTRY_WIDTH);
            let width = entry.text_x() + width(&entry.text, NOTE_SIZE);
            if x > 0.0 && x + width > limit {
                (x, y) = (0.0, y + ROW_HEIGHT);
            }
            legend.entries.push(PlacedEntry { x, y, entry });
            legend.width = legend.width.max(x + width);
            legend.height = y + ROW_HEIGHT + 12.0;
            x += width + ENTRY_GAP;
        }
        legend
    }

    /// Draws the legend.
    pub fn svg(&self, left: f64, top: f64) -> String {
        let mut svg = String::from("<g class=\"legend\">\n");
        for placed in &self.entries {
            let (x, middle) = (left + placed.x, top + placed.y + ROW_HEIGHT / 2.0);
            svg += &match &placed.entry.sign {
                LegendSign::Swatch { class } => format!(
                    "<g class=\"swatch{class}\"><rect class=\"bar\" x=\"{}\" y=\"{}\" width=\"{SWATCH}\" height=\"{SWATCH}\" rx=\"3\"/></g>",
                    format_number(x),
                    format_number(middle - SWATCH / 2.0),
                ),
                LegendSign::Line { class } => format!(
                    "<path class=\"{class}\" d=\"M{} {}h{SAMPLE}\"/>",
                    format_number(x),
                    format_number(middle),
                ),
            };
            svg += &format!(
                "<text x=\"{}\" y=\"{}\">{}</text>\n",
                format_number(x + placed.entry.text_x()),
                format_number(middle + 4.0),
                escape(&placed.entry.text),
            );
        }
        svg + "</g>\n"
    }
}
