//! Finds the indexed file that a caller means by a path or by the end of one. Several operations
//! take such paths, and all fail with the same words. It does not open the file.

use crate::engine::CodeIndex;
use crate::graph::Graph;
use crate::ops::{ErrorDetails, ErrorKind, OpError};
use kenning_model::RepoPath;
use kenning_text::fuzzy_match::nearest;

/// The number of files that a message names.
const SHOWN: usize = 10;

/// Finds the file with this path, else the only one whose path ends with it. Fails if there is none
/// or several.
///
/// For example, `session.rs` finds `src/session.rs` if no other file has that name. An end always
/// begins at a `/`.
pub fn find_file(graph: &Graph, index: &CodeIndex, text: &str) -> Result<RepoPath, OpError> {
    let unknown = || unknown_file_error(text, &index.files().unwrap_or_default());
    let text = strip_root(index, text).trim_start_matches("./");
    let path = RepoPath::new(text).filter(|path| !path.as_str().is_empty());
    let mut files = graph.files_with_suffix(&path.ok_or_else(unknown)?)?;
    match files.len() {
        0 => Err(unknown()),
        1 => Ok(files.remove(0)),
        _ => Err(ambiguous_file_error(text, &files)),
    }
}

/// Converts an absolute path, as editors have it, to one below the root. Other texts are only
/// trimmed.
pub fn strip_root<'t>(index: &CodeIndex, text: &'t str) -> &'t str {
    let text = text.trim();
    let root = index.collection.root.to_str();
    let below = root.and_then(|root| text.strip_prefix(root)?.strip_prefix('/'));
    below.unwrap_or(text)
}

/// The error for an end that several paths share.
pub fn ambiguous_file_error(text: &str, files: &[RepoPath]) -> OpError {
    let matches: Vec<String> = files.iter().take(SHOWN).map(ToString::to_string).collect();
    let some = matches.join(", ");
    let count = files.len();
    let message = format!("{count} files end in the path of {text:?}: {some}");
    OpError::new(ErrorKind::Ambiguous, message)
        .hint("give more of the path")
        .details(ErrorDetails { count: Some(count), ..ErrorDetails::of_matches(matches) })
}

/// The error for a file that is not indexed. It suggests files of the same name, else of a similar
/// one.
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
    OpError::new(ErrorKind::NotFound, format!("{file:?} is not in the index")).hint(hint).details(
        ErrorDetails {
            path: Some(file.to_string()),
            ..ErrorDetails::of_suggestions(near.into_iter().cloned())
        },
    )
}
