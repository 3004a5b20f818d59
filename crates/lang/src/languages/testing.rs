//! Helpers for the tests of single languages.

use crate::code;
use kenning_model::{CodeFacts, RepoPath};

/// Reads a text as the file at this path.
pub(super) fn read(path: &str, text: &str) -> CodeFacts {
    code::read(&RepoPath::new(path).unwrap(), text)
}

/// Asserts that a file defines these names, in its order, and that nothing is wrong with it.
pub(super) fn check_names(path: &str, text: &str, expected: &str) {
    let facts = read(path, text);
    let names: Vec<&str> = facts.symbols.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names.join(" "), expected, "{text}");
    assert_eq!(facts.problems, [], "{text}");
}
