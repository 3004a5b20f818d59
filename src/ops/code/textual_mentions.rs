//! What an answer that goes by edges says of lines that only name a definition: reads of fields and
//! functions that are passed on are no edges, and a flat nothing would be taken for the truth.

use crate::graph::{CallsNamed, Definition, Graph, NamedBounds, NamedLines, TestCode};
use crate::ops::OpError;
use crate::ops::format::count_noun;

/// An answer with fewer edges says what else names the definition.
pub const FEW_EDGES: usize = 3;

/// So many files are read to count lines; of more, they themselves are counted.
const COUNTED_FILES: usize = 12;

/// So many are read to list them.
pub const LISTED_FILES: usize = 60;

/// Said of an answer with few edges. Definitions of several names are too many to look for.
pub fn mention_caveat(
    graph: &Graph,
    definitions: &[Definition],
    calls: CallsNamed,
    tests: TestCode,
) -> Result<Option<String>, OpError> {
    let name = definitions.first().map(|one| &one.symbol.name);
    if definitions.iter().any(|one| Some(&one.symbol.name) != name) {
        return Ok(None);
    }
    let bounds = NamedBounds { files: COUNTED_FILES, all_or_none: true, calls, tests };
    Ok(format_caveat(&graph.named_lines(definitions, &bounds)?))
}

fn format_caveat(named: &NamedLines) -> Option<String> {
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
