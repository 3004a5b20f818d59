//! Kotlin. Its grammar misses the end of what stands on one line with a bracket that closes, and takes a
//! variable for a modifier; such files are read a second time.

use super::rewriting::{code_of, next_word, rename};
use super::{BASE, Declaration, Language};
use crate::model::Visibility;

pub static KOTLIN: Language = Language {
    name: "kotlin",
    extensions: &["kt", "kts"],
    grammar: || tree_sitter_kotlin_ng::LANGUAGE.into(),
    query: include_str!("queries/kotlin.scm"),
    visibility,
    test_marks: &["@Test", "@ParameterizedTest"],
    implicit: "it",
    prepare: Some(ended),
    simplify: Some(simplify),
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    if declaration.says(&["private"]) {
        return Visibility::Private;
    }
    match declaration.says(&["internal", "protected"]) {
        true => Visibility::Internal,
        false => Visibility::Public,
    }
}

/// Members that end before a brace end in a line of their own, and variables that are called `final` are
/// called otherwise.
fn simplify(text: &str) -> Option<String> {
    let code = code_of(text);
    let mut bytes = text.as_bytes().to_vec();
    for at in 1..code.len() {
        if code[at] == b'}' && code[at - 1] == b' ' && bytes[at - 1] == b' ' {
            bytes[at - 1] = b'\n';
        }
    }
    let simpler = String::from_utf8(bytes).ok()?;
    let is_name = |after: &[u8]| {
        let (word, first) = next_word(after);
        word.is_empty() && first != Some(b'\n')
    };
    let renamed = rename(&simpler, "final", is_name).unwrap_or(simpler);
    (renamed != text).then_some(renamed)
}

/// What looks for the end of an annotation in this grammar looks past the end of the text, for ever: one
/// in a last line that does not end is none.
fn ended(text: &str) -> Option<String> {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let last = &text[start..];
    last.contains('@')
        .then(|| format!("{}{}", &text[..start], last.replace('@', " ")))
}
