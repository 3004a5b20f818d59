//! Caveats about lines that name a definition without an edge. Reads of fields and functions that
//! are passed as values are no edges. Without the caveat, a reply with few edges would be taken for
//! the whole truth.

use crate::graph::{Definition, Graph, MentionBounds, TestCode, TextualMentions, UnresolvedCalls};
use crate::ops::OpError;
use crate::ops::number_format::count_noun;

/// A reply with fewer edges than this gets the caveat.
pub const FEW_EDGES: usize = 3;

/// The most files that are read to count lines. Beyond it only the files are counted.
const COUNTED_FILES: usize = 12;

/// The most files that are read to list lines.
pub const LISTED_FILES: usize = 60;

/// Returns the caveat for a reply with few edges. Definitions of several names get none: there
/// would be too many lines.
pub fn mention_caveat(
    graph: &Graph,
    definitions: &[Definition],
    calls: UnresolvedCalls,
    tests: TestCode,
) -> Result<Option<String>, OpError> {
    let name = definitions.first().map(|one| &one.symbol.name);
    if definitions.iter().any(|one| Some(&one.symbol.name) != name) {
        return Ok(None);
    }
    // All or none: a count of some of the files would look like a count of all.
    let bounds = MentionBounds { files: COUNTED_FILES, all_or_none: true, calls, tests };
    Ok(format_caveat(&graph.find_textual_mentions(definitions, &bounds)?))
}

/// Words the caveat; `None` if no other line has the name.
fn format_caveat(named: &TextualMentions) -> Option<String> {
    let why = "reads and uses as a value are no edges, and search_code_fulltext lists such lines";
    let lines = count_noun(named.lines.len(), "other line");
    match (named.lines.len(), named.unread) {
        (0, 0) => None,
        (count, 0) => {
            let verb = if count == 1 { "names" } else { "name" };
            let files = count_noun(named.files, "file");
            Some(format!("{lines} in {files} {verb} it without an edge; {why}"))
        }
        (_, unread) => {
            let files = count_noun(unread, "file");
            Some(format!("{files} have its name in them; {why}"))
        }
    }
}
