//! Paths as MSBuild files write them, and as properties hold them. In a property, `/` at the start
//! is the root of the repository, because its place on a machine is not known.

use super::super::interpolate::{PlaceholderSyntax, has_placeholder, split_at_placeholder};
use kenning_model::RepoPath;

/// Resolves a path relative to `directory`. `None` if it leaves the repository, or contains a
/// wildcard, an item list or an unknown property.
pub fn locate(path: &str, directory: &RepoPath) -> Option<RepoPath> {
    let path = path.trim();
    if path.is_empty() || path.contains([':', '*', '?', '@', '%']) || is_unknown(path) {
        return None;
    }
    if path.starts_with(['/', '\\']) { RepoPath::new(path) } else { directory.join(path) }
}

/// Resolves a path that starts with an unknown placeholder, on the assumption that it is the
/// repository's root. Mostly it is: `$(RepoRoot)src/App/App.csproj`.
pub fn locate_from_root(path: &str) -> Option<RepoPath> {
    let (before, _, rest) = split_at_placeholder(path.trim(), PlaceholderSyntax::Parentheses)?;
    let rest = rest.trim_start_matches(['/', '\\']);
    match before {
        "" => locate(rest, &RepoPath::default()),
        _ => None,
    }
}

/// True if a property is left that nothing in the repository sets.
pub fn is_unknown(text: &str) -> bool {
    has_placeholder(text, PlaceholderSyntax::Parentheses)
}

/// A file name without its extension.
pub fn file_stem(file_name: &str) -> &str {
    file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem)
}

/// A path in the form that properties hold.
pub fn to_rooted(path: &RepoPath) -> String {
    format!("/{path}")
}

/// Like [`to_rooted`], with the `/` at the end that MSBuild gives to directories.
pub fn to_rooted_directory(path: &RepoPath) -> String {
    if path.is_root() { "/".to_string() } else { format!("/{path}/") }
}
