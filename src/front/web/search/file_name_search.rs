//! Finds files by name, the quickest way to a file whose name is known. It scans the list of
//! indexed files and does not search content.

use crate::front::web::page_request::PageRequest;

/// The most words of a query that can be a file name.
const MOST_WORDS: usize = 3;

/// Finds indexed files whose path has every word of the query, best first.
pub fn find_files(request: &PageRequest, question: &str, most: usize) -> Vec<String> {
    let words: Vec<String> = question.split_whitespace().map(str::to_lowercase).collect();
    if words.len() > MOST_WORDS {
        return Vec::new();
    }
    let index = request.engine.code(None).ok();
    let files = index.and_then(|index| index.files().ok()).unwrap_or_default();
    rank_files(files, &words, most)
}

/// Ranks files: those whose own name has all the words first, then shorter paths.
fn rank_files(mut files: Vec<String>, words: &[String], most: usize) -> Vec<String> {
    files.retain(|path| {
        let path = path.to_lowercase();
        words.iter().all(|word| path.contains(word.as_str()))
    });
    files.sort_by_cached_key(|path| {
        let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
        let is_named = words.iter().all(|word| name.contains(word.as_str()));
        (!is_named, path.len(), path.clone())
    });
    files.truncate(most);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_before_directories() {
        let files = ["walk/mod.rs", "src/deep/Walk.rs", "src/walk.rs", "other.rs"];
        let files = || files.iter().map(ToString::to_string).collect();
        let check = |words: &[&str], expected: &[&str]| {
            let words: Vec<String> = words.iter().map(ToString::to_string).collect();
            assert_eq!(rank_files(files(), &words, 3), expected);
        };
        check(&["walk"], &["src/walk.rs", "src/deep/Walk.rs", "walk/mod.rs"]);
        check(&["deep", "walk"], &["src/deep/Walk.rs"]);
        check(&["nothing"], &[]);
    }
}
