//! Which indexed file somebody means who writes a path, or the end of one. What is in it is not
//! decided here.

use serde_json::json;

use crate::engine::CodeIndex;
use crate::graph::Graph;
use crate::ops::{ErrorKind, OpError};
use kenning_model::RepoPath;
use kenning_text::fuzzy::nearest;

/// How many files are named in a message.
const SHOWN: usize = 10;

/// The file of this path, else the only one whose path ends so.
pub fn find_file(graph: &Graph, index: &CodeIndex, text: &str) -> Result<RepoPath, OpError> {
    let unknown = || unknown_file_error(text, &index.files().unwrap_or_default());
    let text = strip_root(index, text).trim_start_matches("./");
    let path = RepoPath::new(text).filter(|path| !path.as_str().is_empty());
    let mut files = graph.files_ending(&path.ok_or_else(unknown)?)?;
    match files.len() {
        0 => Err(unknown()),
        1 => Ok(files.remove(0)),
        _ => Err(ambiguous_file_error(text, &files)),
    }
}

/// A path as an editor has it, from the root of the system, is taken for what it is below the
/// repository's. Everything else stays.
pub fn strip_root<'t>(index: &CodeIndex, text: &'t str) -> &'t str {
    let text = text.trim();
    let root = index.collection.root.to_str();
    let below = root.and_then(|root| text.strip_prefix(root)?.strip_prefix('/'));
    below.unwrap_or(text)
}

/// Several files' paths end so.
pub fn ambiguous_file_error(text: &str, files: &[RepoPath]) -> OpError {
    let matches: Vec<String> = files.iter().take(SHOWN).map(ToString::to_string).collect();
    let some = matches.join(", ");
    let count = files.len();
    let message = format!("{count} files end in the path of {text:?}: {some}");
    OpError::new(ErrorKind::Ambiguous, message)
        .hint("give more of the path")
        .data(json!({ "count": count, "matches": matches }))
}

/// A file that is not indexed, with those that may be meant: of the same name, else alike.
fn unknown_file_error(file: &str, known: &[String]) -> OpError {
    let name = file.rsplit('/').next().unwrap_or(file);
    let same = known.iter().filter(|known| known.rsplit('/').next() == Some(name));
    let mut near: Vec<&String> = same.take(5).collect();
    if near.is_empty() {
        let names = known.iter().map(|known| known.rsplit('/').next().unwrap_or(known));
        let alike = nearest(name, names);
        let ends = |known: &&String| alike.iter().any(|name| known.ends_with(name));
        near.extend(known.iter().filter(ends).take(5));
    }
    let hint = match near.first() {
        Some(first) => format!("did you mean {first:?}?"),
        None => {
            "paths are from the root of the repository; run index_codebase (or `ken index`) if \
                 it is new"
                .to_string()
        }
    };
    OpError::new(ErrorKind::NotFound, format!("{file:?} is not in the index"))
        .hint(hint)
        .data(json!({ "path": file, "suggestions": near }))
}
