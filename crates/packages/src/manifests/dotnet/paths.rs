//! Paths as MSBuild files write them, and as properties hold them: `/` at the start is the root of
//! the repository, since where that lies on a machine is not known.

use super::super::interpolate::{PlaceholderSyntax, has_placeholder, split_at_placeholder};
use kenning_model::RepoPath;

/// The path that is meant, if it is in the repository and nothing in it is unknown.
pub fn locate(path: &str, directory: &RepoPath) -> Option<RepoPath> {
    let path = path.trim();
    if path.is_empty() || path.contains([':', '*', '?', '@', '%']) || is_unknown(path) {
        return None;
    }
    if path.starts_with(['/', '\\']) { RepoPath::new(path) } else { directory.join(path) }
}

/// Where a path leads if the unknown placeholder that it starts with is the root of the repository,
/// as it mostly is: `$(RepoRoot)src/App/App.csproj`.
pub fn locate_from_root(path: &str) -> Option<RepoPath> {
    let (before, _, rest) = split_at_placeholder(path.trim(), PlaceholderSyntax::Parentheses)?;
    let rest = rest.trim_start_matches(['/', '\\']);
    match before {
        "" => locate(rest, &RepoPath::default()),
        _ => None,
    }
}

/// True if placeholders are left that nothing in the repository explains.
pub fn is_unknown(text: &str) -> bool {
    has_placeholder(text, PlaceholderSyntax::Parentheses)
}

/// A file name without its ending.
pub fn file_stem(file_name: &str) -> &str {
    file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem)
}

/// A path as properties hold it.
pub fn to_rooted(path: &RepoPath) -> String {
    format!("/{path}")
}

/// Like [`rooted`], with the `/` at the end that MSBuild gives to directories.
pub fn to_rooted_directory(path: &RepoPath) -> String {
    if path.is_root() { "/".to_string() } else { format!("/{path}/") }
}
