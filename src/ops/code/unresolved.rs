//! Lines that name a definition and have no edge: calls that could not be resolved, reads, and uses
//! as a value. They are listed by file, so that an answer never knows less than a text search.
//!
//! Every operation lists them through [`list_unresolved`], within the same bounds.

use serde::{Deserialize, Serialize};

use crate::engine::CodeIndex;
use crate::graph::{
    Definition, Graph, MentionBounds, MentionKinds, MentionLine, TestCode, TextualMentions,
};
use crate::ops::OpError;
use crate::ops::number_format::count_noun;

/// A reply with fewer edges than this lists other mentions beside unresolved calls.
pub const FEW_EDGES: usize = 3;

/// The most files that are read for lines.
const MAX_FILES: usize = 60;

/// The number of lines that are listed unless the caller asks for another.
pub const SHOWN_LINES: usize = 20;

/// The characters of a line that are shown.
const MAX_TEXT: usize = 100;

/// The lines of one file that name the symbol and have no edge.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct UnresolvedFile {
    /// The file.
    pub path: String,
    /// True for test code.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub test: bool,
    /// Calls that lead to no known definition, each as `12: text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// Reads, uses as a value and others, each as `12: text`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<String>,
}

/// The unresolved lines of a name, as replies contain them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unresolved {
    /// All lines that name it and have no edge, listed or not. They may mean something else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unresolved_count: usize,
    /// The first of these lines, by file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<UnresolvedFile>,
    /// Skipped files that contain the name, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<String>,
    /// The number of unresolved calls outside of tests.
    #[serde(skip)]
    pub calls: usize,
    /// A note on lines and files that are not listed.
    #[serde(skip)]
    pub omission: Option<String>,
}

/// True for a count that JSON leaves out.
pub fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// The lines that a reply wants.
#[derive(Clone, Copy)]
pub struct UnresolvedQuery {
    pub kinds: MentionKinds,
    pub tests: TestCode,
    /// The most lines.
    pub limit: usize,
}

/// Lists the lines that name these definitions and have no edge. Definitions of several names have
/// no such list: there would be too many lines.
pub fn list_unresolved(
    graph: &Graph,
    index: &CodeIndex,
    definitions: &[Definition],
    query: UnresolvedQuery,
) -> Result<Unresolved, OpError> {
    let Some(name) = definitions.first().map(|one| one.symbol.name.as_str()) else {
        return Ok(Unresolved::default());
    };
    if definitions.iter().any(|one| one.symbol.name != name) {
        return Ok(Unresolved::default());
    }
    list_lines(graph, index, name, definitions, query)
}

/// Lists the lines that contain a name without a definition here, and the note that says so.
/// Returns the error of the lookup if there are none, or if the text is a place or a member of a
/// known type.
pub fn undefined_lines(
    graph: &Graph,
    index: &CodeIndex,
    text: &str,
    query: UnresolvedQuery,
    error: OpError,
) -> Result<(Unresolved, String), OpError> {
    let Some(name) = graph.undefined_name(text)? else {
        return Err(error);
    };
    let found = list_lines(graph, index, &name, &[], query)?;
    if found.unresolved.is_empty() && found.skipped_files.is_empty() {
        return Err(error);
    }
    let near = error.hint.map(|hint| format!("; {hint}")).unwrap_or_default();
    let note = format!("nothing here defines {name}: these lines contain the name{near}");
    Ok((found, note))
}

/// Finds the lines and groups them by file.
fn list_lines(
    graph: &Graph,
    index: &CodeIndex,
    name: &str,
    definitions: &[Definition],
    query: UnresolvedQuery,
) -> Result<Unresolved, OpError> {
    let bounds = MentionBounds { files: MAX_FILES, kinds: query.kinds, tests: query.tests };
    let found = graph.find_textual_mentions(name, definitions, &bounds)?;
    let shown = &found.lines[..found.lines.len().min(query.limit)];
    let mut files: Vec<UnresolvedFile> = Vec::new();
    for line in shown {
        add_line(&mut files, line);
    }
    Ok(Unresolved {
        unresolved_count: found.lines.len(),
        calls: found.lines.iter().filter(|line| line.is_call && !line.is_test).count(),
        omission: omission_note(&found, shown.len()),
        unresolved: files,
        skipped_files: index.skipped_files_naming(name)?,
    })
}

/// Adds a line to its file.
fn add_line(files: &mut Vec<UnresolvedFile>, line: &MentionLine) {
    let is_same =
        |file: &&mut UnresolvedFile| file.path == line.path.as_str() && file.test == line.is_test;
    let text: String = line.text.chars().take(MAX_TEXT).collect();
    let text = format!("{}: {text}", line.line);
    let file = match files.iter_mut().find(is_same) {
        Some(file) => file,
        None => {
            files.push(UnresolvedFile {
                path: line.path.to_string(),
                test: line.is_test,
                calls: Vec::new(),
                mentions: Vec::new(),
            });
            let last = files.len() - 1;
            &mut files[last]
        }
    };
    if line.is_call {
        file.calls.push(text);
    } else {
        file.mentions.push(text);
    }
}

/// Counts the lines that are not listed, and the files that were not read for them.
fn omission_note(found: &TextualMentions, shown: usize) -> Option<String> {
    let lines = count_noun(found.lines.len() - shown, "more unresolved line");
    let files = count_noun(found.unread, "more file");
    let what = match (found.lines.len() - shown, found.unread) {
        (0, 0) => return None,
        (_, 0) => lines,
        (0, _) => format!("{files} with its name"),
        _ => format!("{lines}, and {files} with its name"),
    };
    Some(format!("{what}; search_code_fulltext lists them"))
}

impl Unresolved {
    /// Returns the warning that a list of `edges` callers may lack the main one.
    pub fn missing_callers_warning(&self, edges: usize) -> Option<String> {
        (edges == 0 && self.calls > 0).then(|| {
            let calls = count_noun(self.calls, "call");
            let verb = if self.calls == 1 { "is" } else { "are" };
            format!(
                "no caller outside of tests is resolved, but {calls} of this name {verb} \
                 unresolved: the main caller may be among them (see `unresolved`)"
            )
        })
    }

    /// Formats the files as lines of an outline.
    pub fn outline(&self) -> Vec<String> {
        let lines = self.unresolved.iter().map(|file| {
            let all = file.calls.iter().chain(&file.mentions);
            let all: Vec<&str> = all.map(String::as_str).collect();
            format!("? {}  {}", file.path, all.join("; "))
        });
        lines.collect()
    }
}
