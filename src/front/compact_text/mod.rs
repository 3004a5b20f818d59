//! Replies as compact text for a model, because every token costs: each path once, confidence and
//! reason once for each group, no keys. Replies without a form here are compact JSON.
//!
//! Programs ask for structured content instead; see `mcp`.

mod edge_groups;
mod source_text;

use crate::ops::Reply;
use crate::ops::ReplyData;
use crate::ops::code::call_hierarchy::CallsReply;
use crate::ops::code::code_research::CodeResearchReply;
use crate::ops::code::find_references::FindReferencesReply;
use crate::ops::code::get_symbol::GetSymbolReply;
use crate::ops::code::implementations::ImplementationsReply;
use crate::ops::code::search_code::SearchCodeReply;
use crate::ops::code::search_symbols::SearchSymbolsReply;

/// Formats a reply; `None` if it has no compact form.
pub fn format_reply(reply: &Reply) -> Option<String> {
    let Reply::Object(data) = reply else {
        return None;
    };
    format_as::<CallsReply>(&**data, edge_groups::format_calls)
        .or_else(|| format_as::<FindReferencesReply>(&**data, edge_groups::format_references))
        .or_else(|| format_as::<ImplementationsReply>(&**data, edge_groups::format_implementations))
        .or_else(|| format_as::<SearchSymbolsReply>(&**data, edge_groups::format_symbols))
        .or_else(|| format_as::<GetSymbolReply>(&**data, source_text::format_definitions))
        .or_else(|| format_as::<SearchCodeReply>(&**data, source_text::format_hits))
        .or_else(|| format_as::<CodeResearchReply>(&**data, source_text::format_research))
}

/// Formats the data of a reply if it is a `T`.
fn format_as<T: 'static>(data: &dyn ReplyData, format: fn(&T) -> Lines) -> Option<String> {
    data.downcast_ref::<T>().map(|reply| format(reply).0.join("\n"))
}

/// The lines of a text.
#[derive(Default)]
struct Lines(Vec<String>);

impl Lines {
    /// Adds a line.
    fn add(&mut self, line: impl Into<String>) {
        self.0.push(line.into());
    }

    /// Adds a labelled line if there is a text.
    fn add_labelled(&mut self, label: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.add(format!("{label}: {text}"));
        }
    }

    /// Adds a heading and its lines, if there are any.
    fn add_list(&mut self, heading: &str, items: &[String]) {
        if !items.is_empty() {
            self.add(format!("{heading}:"));
            self.0.extend(items.iter().cloned());
        }
    }

    /// Adds texts after a label, in one line.
    fn add_joined(&mut self, label: &str, items: &[String]) {
        if !items.is_empty() {
            self.add(format!("{label}: {}", items.join("; ")));
        }
    }
}
