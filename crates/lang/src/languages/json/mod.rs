//! JSON, by entry of its outermost object. Half of the bytes of some repositories are JSON, and it
//! needs no grammar. Strict JSON is read here, at a tenth of the cost of the grammar.
//!
//! The reader makes the same nodes as the grammar would, so the query applies to both. It checks
//! the structure strictly, but not the digits of numbers. Comments, bare names and mistakes are
//! left to the grammar, as in any other language.

use std::sync::LazyLock;

use super::{BASE, Language, LanguageRole};
use crate::code::FlatTree;

/// The language. Its reader is tried first; the grammar reads the rest.
pub static JSON: Language = Language {
    name: "json",
    extensions: &["json", "jsonc", "json5", "geojson", "webmanifest"],
    role: LanguageRole::Config,
    grammar: || tree_sitter_json::LANGUAGE.into(),
    query: include_str!("query.scm"),
    separators: &[],
    read_without_grammar: Some(read_json),
    ..BASE
};

/// The grammar's numbers for node kinds, and for the field `key`.
struct NodeKinds {
    document: u16,
    object: u16,
    array: u16,
    pair: u16,
    string: u16,
    number: u16,
    /// `true`, `false` or `null`: the query does not distinguish them.
    word: u16,
    key: u16,
}

/// Looked up once; the names are those of the grammar.
static KINDS: LazyLock<NodeKinds> = LazyLock::new(|| {
    let grammar: tree_sitter::Language = (JSON.grammar)();
    let kind = |name| grammar.id_for_node_kind(name, true);
    NodeKinds {
        document: kind("document"),
        object: kind("object"),
        array: kind("array"),
        pair: kind("pair"),
        string: kind("string"),
        number: kind("number"),
        word: kind("null"),
        key: grammar.field_id_for_name("key").map_or(0, Into::into),
    }
});

/// The tokens that may come next. With the innermost open node, this is the whole state of the
/// reader.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExpectedToken {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    Colon,
    CommaOrEnd,
    EndOfText,
}

/// Reads a text that is one value and nothing else. `None` for any other text.
fn read_json(text: &str) -> Option<FlatTree> {
    let mut flat = FlatTree::default();
    flat.begin_node(KINDS.document, 0, 0);
    let mut next = ExpectedToken::Value;
    let mut at = 0;
    while at < text.len() {
        (next, at) = read_token(text.as_bytes(), at, next, &mut flat)?;
    }
    (next == ExpectedToken::EndOfText).then(|| {
        flat.end_node(text.len());
        flat
    })
}

/// Reads the token at `start`, or one byte of white space. Returns what may come next, and the
/// position after the token.
fn read_token(
    bytes: &[u8],
    start: usize,
    next: ExpectedToken,
    flat: &mut FlatTree,
) -> Option<(ExpectedToken, usize)> {
    let kinds = &*KINDS;
    let inside = flat.innermost_open_kind();
    let mut at = start + 1;
    let next = match (next, bytes[start]) {
        (_, b' ' | b'\n' | b'\r' | b'\t') => next,
        (ExpectedToken::Colon, b':') => ExpectedToken::Value,
        (ExpectedToken::CommaOrEnd, b',') if inside == Some(kinds.object) => ExpectedToken::Key,
        (ExpectedToken::CommaOrEnd, b',') => ExpectedToken::Value,
        (ExpectedToken::Key | ExpectedToken::KeyOrEnd, b'"') => {
            at = find_string_end(bytes, at)?;
            flat.begin_node(kinds.pair, 0, start);
            flat.add_leaf(kinds.string, kinds.key, start..at);
            ExpectedToken::Colon
        }
        (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b'{') => {
            flat.begin_node(kinds.object, 0, start);
            ExpectedToken::KeyOrEnd
        }
        (ExpectedToken::Value | ExpectedToken::ValueOrEnd, b'[') => {
            flat.begin_node(kinds.array, 0, start);
            ExpectedToken::ValueOrEnd
        }
        (ExpectedToken::KeyOrEnd | ExpectedToken::CommaOrEnd, b'}')
            if inside == Some(kinds.object) =>
        {
            flat.end_node(at);
            end_value(flat, at)
        }
        (ExpectedToken::ValueOrEnd | ExpectedToken::CommaOrEnd, b']')
            if inside == Some(kinds.array) =>
        {
            flat.end_node(at);
            end_value(flat, at)
        }
        (ExpectedToken::Value | ExpectedToken::ValueOrEnd, _) => {
            let kind;
            (kind, at) = read_scalar(bytes, start)?;
            flat.add_leaf(kind, 0, start..at);
            end_value(flat, at)
        }
        _ => return None,
    };
    Some((next, at))
}

/// Ends the pair that the value belongs to, if any. Returns what may follow.
fn end_value(flat: &mut FlatTree, at: usize) -> ExpectedToken {
    if flat.innermost_open_kind() == Some(KINDS.pair) {
        flat.end_node(at);
    }
    if flat.innermost_open_kind() == Some(KINDS.document) {
        ExpectedToken::EndOfText
    } else {
        ExpectedToken::CommaOrEnd
    }
}

/// Returns the kind and the end of a value without parts.
fn read_scalar(bytes: &[u8], start: usize) -> Option<(u16, usize)> {
    let rest = &bytes[start..];
    let words: [&[u8]; 3] = [b"true", b"false", b"null"];
    match rest.first()? {
        b'"' => Some((KINDS.string, find_string_end(bytes, start + 1)?)),
        b'-' | b'0'..=b'9' => {
            let is_part =
                |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-');
            let length = rest.iter().take_while(is_part).count();
            Some((KINDS.number, start + length))
        }
        _ => {
            let word = words.into_iter().find(|word| rest.starts_with(word))?;
            Some((KINDS.word, start + word.len()))
        }
    }
}

/// Returns the position after the closing quotation mark. `None` if the string does not end on its
/// line.
fn find_string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += memchr::memchr3(b'"', b'\\', b'\n', bytes.get(at..)?)?;
        match bytes[at] {
            b'"' => return Some(at + 1),
            b'\\' if bytes.get(at + 1) != Some(&b'\n') => at += 2,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code;
    use kenning_model::{CodeFacts, RepoPath};

    fn facts(text: &str) -> CodeFacts {
        code::read(&RepoPath::new("a.json").unwrap(), text)
    }

    fn facts_by_grammar(text: &str) -> CodeFacts {
        // A comment is not strict JSON, so the grammar reads the text; it changes no fact.
        let mut facts = facts(&format!("{text}//"));
        if let Some(chunk) = facts.chunks.last_mut() {
            chunk.span.end_byte -= 2;
        }
        facts
    }

    #[test]
    fn the_reader_agrees_with_the_grammar() {
        let long: Vec<String> = (0..300)
            .map(|n| {
                format!("    {{\"number\": {n}, \"text\": \"\\\"{n}\\\\\", \"more\": [1, 2]}}")
            })
            .collect();
        let long = format!("{{\n  \"name\": \"x\",\n  \"list\": [\n{}\n  ]\n}}", long.join(",\n"));
        let wide = long.replace('\n', " ");
        for text in [
            "{}",
            "[]",
            "3",
            " {\"a\": 1.5e-3, \"b\": {\"c\": [true, false, null, {}]},\n \"d\": \"größe\"} ",
            &long,
            &wide,
        ] {
            assert!(read_json(text).is_some(), "{text}");
            assert_eq!(facts(text), facts_by_grammar(text), "{text}");
        }
    }

    #[test]
    fn the_reader_refuses_what_is_not_strict_json() {
        for text in [
            "",
            "{",
            "{}}",
            "[1,]",
            "[\"a\\\nb\"]",
            "{\"a\":}",
            "{a: 1}",
            "[1 2]",
            "{\"a\": 1]",
            "[\"a\nb\"]",
            "// no\n{}",
            "[\"",
            "[\"\\",
            "nul",
            "{\"a\" 1}",
            "{} {}",
        ] {
            assert!(read_json(text).is_none(), "{text}");
        }
    }
}
