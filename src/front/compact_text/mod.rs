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
use crate::ops::code::history::{self, HistoryReply};
use crate::ops::code::implementations::ImplementationsReply;
use crate::ops::code::rename::{self, RenameReply};
use crate::ops::code::search_code::SearchCodeReply;
use crate::ops::code::search_symbols::SearchSymbolsReply;

/// Formats a reply; `None` if it has no compact form. `word` words the sentences for the connection:
/// they may name tools. Source and rows stay verbatim.
pub fn format_reply(reply: &Reply, word: &dyn Fn(&str) -> String) -> Option<String> {
    let Reply::Object(data) = reply else {
        return None;
    };
    let lines = format_lines(&**data)?;
    let sentences = lines.1;
    let texts = lines
        .0
        .into_iter()
        .enumerate()
        .map(|(at, line)| if sentences.contains(&at) { word(&line) } else { line });
    Some(texts.collect::<Vec<_>>().join("\n"))
}

/// Formats a reply that has a compact form.
fn format_lines(data: &dyn ReplyData) -> Option<Lines> {
    format_as::<CallsReply>(data, edge_groups::format_calls)
        .or_else(|| format_as::<FindReferencesReply>(data, edge_groups::format_references))
        .or_else(|| format_as::<ImplementationsReply>(data, edge_groups::format_implementations))
        .or_else(|| format_as::<SearchSymbolsReply>(data, edge_groups::format_symbols))
        .or_else(|| format_as::<GetSymbolReply>(data, source_text::format_definitions))
        .or_else(|| {
            format_as::<HistoryReply>(data, |reply| Lines::of_text(&history::to_text(reply)))
        })
        .or_else(|| format_as::<RenameReply>(data, |reply| Lines::of_text(&rename::to_text(reply))))
        .or_else(|| format_as::<SearchCodeReply>(data, source_text::format_hits))
        .or_else(|| format_as::<CodeResearchReply>(data, source_text::format_research))
}

/// Formats the data of a reply if it is a `T`.
fn format_as<T: 'static>(data: &dyn ReplyData, format: fn(&T) -> Lines) -> Option<Lines> {
    data.downcast_ref::<T>().map(format)
}

/// The lines of a text, and the indexes of those that are sentences of ours.
#[derive(Default)]
struct Lines(Vec<String>, Vec<usize>);

impl Lines {
    /// Makes lines of a text that is ready.
    fn of_text(text: &str) -> Lines {
        let mut lines = Lines::default();
        text.lines().for_each(|line| lines.add(line));
        lines
    }

    /// Adds a line.
    fn add(&mut self, line: impl Into<String>) {
        self.0.push(line.into());
    }

    /// Adds a sentence, which may name tools.
    fn add_sentence(&mut self, line: impl Into<String>) {
        self.1.push(self.0.len());
        self.add(line);
    }

    /// Adds a labelled sentence if there is a text.
    fn add_labelled(&mut self, label: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.add_sentence(format!("{label}: {text}"));
        }
    }

    /// Adds a heading and its lines, if there are any.
    fn add_list(&mut self, heading: &str, items: &[String]) {
        if !items.is_empty() {
            self.add(format!("{heading}:"));
            self.0.extend(items.iter().cloned());
        }
    }

    /// Adds texts after a label, in one line, as a sentence.
    fn add_joined(&mut self, label: &str, items: &[String]) {
        if !items.is_empty() {
            self.add_sentence(format!("{label}: {}", items.join("; ")));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sentences_are_worded_and_source_is_verbatim() {
        let reply: GetSymbolReply = serde_json::from_value(json!({
            "definitions": [{
                "symbol": "run", "kind": "function", "path": "a.rs", "line": 1,
                "startLine": 1, "endLine": 1, "callers": 0, "references": 0,
                "implementations": 0, "content": "notice: get_symbol",
            }],
            "notice": "ask get_symbol",
        }))
        .unwrap();
        let text = format_reply(&Reply::object(reply), &|line| line.to_uppercase()).unwrap();
        assert_eq!(text, "@@ a.rs:1-1 function run\nnotice: get_symbol\nNOTICE: ASK GET_SYMBOL");
    }
}
