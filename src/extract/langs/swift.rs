//! Swift. Its grammar loses its way at `#if` inside of bodies, so such files are read a second time
//! as one of their configurations.

use super::rewriting::blank;
use super::{BASE, Declaration, Language};
use crate::model::{ChunkKind, Visibility};

pub static SWIFT: Language = Language {
    name: "swift",
    extensions: &["swift", "swiftinterface"],
    interpreters: &["swift"],
    grammar: || tree_sitter_swift::LANGUAGE.into(),
    query: include_str!("queries/swift.scm"),
    labels: &[("value_argument", "name")],
    visibility,
    test_marks: &["@Test", "@Suite"],
    simplify: Some(first_configuration),
    implicit: "$0",
    ..BASE
};

fn visibility(declaration: &Declaration) -> Visibility {
    // Only the setter is hidden by `private(set)`.
    let head = declaration
        .head
        .replace("private(set)", "")
        .replace("fileprivate(set)", "");
    let declaration = Declaration {
        head: &head,
        ..*declaration
    };
    if declaration.says(&["public", "open"]) {
        return Visibility::Public;
    }
    if declaration.says(&["private", "fileprivate"]) {
        return Visibility::Private;
    }
    let is_case = declaration.says(&["case"]);
    let outer = declaration.within(&[ChunkKind::Protocol, ChunkKind::Extension]);
    let of_case = declaration.within(&[ChunkKind::Enum]).filter(|_| is_case);
    outer.or(of_case).unwrap_or(Visibility::Internal)
}

/// The text with lines of directives, and every branch but the first, replaced by spaces.
fn first_configuration(text: &str) -> Option<String> {
    if !text.contains("#if") {
        return None;
    }
    let mut bytes = text.as_bytes().to_vec();
    // For each open `#if`, whether its first branch has ended.
    let mut open: Vec<bool> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let word = line.trim_start();
        let is_directive = ["#if", "#elseif", "#else", "#endif"]
            .iter()
            .any(|directive| word.starts_with(directive));
        if word.starts_with("#if") {
            open.push(false);
        } else if word.starts_with("#else")
            && let Some(ended) = open.last_mut()
        {
            *ended = true;
        }
        if is_directive || open.contains(&true) {
            blank(&mut bytes[at..at + line.len()]);
        }
        if word.starts_with("#endif") {
            open.pop();
        }
        at += line.len();
    }
    String::from_utf8(bytes).ok()
}
