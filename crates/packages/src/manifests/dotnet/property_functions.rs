//! The few property functions of MSBuild that compute paths. All others stay as written, and so
//! make a value unknown.
//!
//! [MSBuild documents them](https://learn.microsoft.com/visualstudio/msbuild/property-functions).

use super::evaluation::Evaluation;
use super::paths::{locate, to_rooted, to_rooted_directory};
use kenning_model::RepoPath;

/// Calls `[Type]::Function(arguments)`, written in `file`. `None` if the function is not supported
/// or its result leaves the repository. `fill` fills the placeholders of an argument.
pub fn call_function(
    evaluation: &Evaluation,
    expression: &str,
    file: usize,
    fill: &mut dyn FnMut(&str) -> String,
) -> Option<String> {
    let (function, rest) = expression.split_once('(')?;
    let list = rest.trim_end().strip_suffix(')')?;
    let filled: Vec<String> = split_arguments(list).into_iter().map(fill).collect();
    let arguments: Vec<&str> = filled.iter().map(String::as_str).collect();
    let files = evaluation.files;
    let project = &files.all[evaluation.project].directory;
    let function = function.split_whitespace().collect::<String>();
    match (function.to_lowercase().as_str(), arguments.as_slice()) {
        ("[msbuild]::getpathoffileabove", [name]) => {
            let found = files.find_above(&files.all[file].directory, name)?;
            Some(to_rooted(files.all[found].path))
        }
        ("[msbuild]::getpathoffileabove", [name, start]) => {
            let found = files.find_above(&locate(start, project)?, name)?;
            Some(to_rooted(files.all[found].path))
        }
        ("[msbuild]::getdirectorynameoffileabove", [start, name]) => {
            let found = files.find_above(&locate(start, project)?, name);
            // Repositories mark their root with files that are not read here, such as a solution or
            // `global.json`.
            Some(found.map_or("/".to_string(), |found| to_rooted(&files.all[found].directory)))
        }
        ("[msbuild]::normalizedirectory", parts) => {
            Some(to_rooted_directory(&join_parts(parts, project)?))
        }
        ("[msbuild]::normalizepath" | "[system.io.path]::getfullpath", parts) => {
            let path = join_parts(parts, project)?;
            // `GetFullPath` keeps a separator at the end, and later concatenations rely on it.
            Some(if parts.last()?.ends_with(['/', '\\']) {
                to_rooted_directory(&path)
            } else {
                to_rooted(&path)
            })
        }
        ("[system.io.path]::combine", parts) => Some(combine_parts(parts)),
        ("[msbuild]::ensuretrailingslash", [path]) => {
            Some(to_rooted_directory(&locate(path, project)?))
        }
        _ => None,
    }
}

/// Joins paths, starting at the project's directory. A rooted part starts over, as for
/// `Path.Combine`.
fn join_parts(parts: &[&str], project: &RepoPath) -> Option<RepoPath> {
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts.into_iter().try_fold(project.clone(), |path, part| locate(part, &path))
}

/// Joins parts to a text. The result stays relative if no part is rooted.
fn combine_parts(parts: &[&str]) -> String {
    let start = parts.iter().rposition(|part| part.starts_with(['/', '\\']));
    parts[start.unwrap_or(0)..].join("/")
}

/// Splits arguments and strips their quotes. Commas inside of quotes or parentheses do not
/// separate.
fn split_arguments(arguments: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    let mut quoted = None;
    for (place, letter) in arguments.char_indices() {
        match letter {
            '\'' | '"' | '`' if quoted == Some(letter) => quoted = None,
            '\'' | '"' | '`' if quoted.is_none() => quoted = Some(letter),
            _ if quoted.is_some() => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&arguments[start..place]);
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&arguments[start..]);
    parts.into_iter().map(|part| part.trim().trim_matches(['\'', '"', '`'])).collect()
}
