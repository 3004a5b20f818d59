//! Parses YAML manifests to JSON values in which every scalar is the text as written. `1.10` stays
//! `1.10`, which a YAML number would not. Only `true`, `false` and null keep their types.
//!
//! It has no schema and no policy about fields: [`super::lenient_json`] has those.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::Spanned;

/// The reason why a text is no valid YAML, with its line if that is known.
#[derive(Debug)]
pub struct YamlError {
    pub line: Option<u32>,
    pub message: String,
}

/// The deepest nesting of a document. It is far beyond any manifest, and within the stack of any
/// thread: the parser takes up to 36 KB for each level.
const MAX_DEPTH: usize = 24;

/// Parses one YAML document; an empty text is null. The parser's budget of 250,000 nodes bounds its
/// size.
pub fn parse_yaml(text: &str) -> Result<Value, YamlError> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH },
        // A licence header of more than 32 comment lines would otherwise exceed the budget.
        emit_comments: false,
        duplicate_keys: serde_saphyr::DuplicateKeyPolicy::LastWins,
        non_finite_float_policy: serde_saphyr::NonFiniteFloatPolicy::PassThrough,
        strict_booleans: true,
        with_snippet: false,
    };
    match serde_saphyr::from_str_with_options::<Spanned<YamlNode>>(text, options) {
        Ok(node) => Ok(to_json(node, text)),
        Err(error) => Err(YamlError {
            line: error
                .location()
                .and_then(|location| u32::try_from(location.line()).ok())
                .filter(|line| *line > 0),
            message: error.to_string(),
        }),
    }
}

/// A node as the parser returns it. A number is only marked as one, because its text is taken from
/// the source.
enum YamlNode {
    Null,
    Bool(bool),
    Number,
    Text(String),
    List(Vec<Spanned<YamlNode>>),
    Table(Vec<(String, Spanned<YamlNode>)>),
}

/// Converts a node. The recursion is bounded by `MAX_DEPTH`.
fn to_json(node: Spanned<YamlNode>, source: &str) -> Value {
    match node.value {
        YamlNode::Null => Value::Null,
        YamlNode::Bool(value) => Value::Bool(value),
        // `defined` and not `referenced`: at an alias the latter spans `*anchor`.
        YamlNode::Number => Value::String(source_text(source, node.defined.span())),
        YamlNode::Text(text) => Value::String(text),
        YamlNode::List(items) => items.into_iter().map(|item| to_json(item, source)).collect(),
        YamlNode::Table(entries) => {
            let entries = entries.into_iter();
            Value::Object(entries.map(|(key, value)| (key, to_json(value, source))).collect())
        }
    }
}

/// The source text of a span, trimmed.
fn source_text(source: &str, span: serde_saphyr::Span) -> String {
    let written = || {
        let start = usize::try_from(span.byte_offset()?).ok()?;
        let length = usize::try_from(span.byte_len()?).ok()?;
        source.get(start..start.checked_add(length)?)
    };
    written().unwrap_or_default().trim().to_string()
}

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<YamlNode, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

/// Builds a node from whatever the parser finds. Anchors and aliases are resolved by the parser.
struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = YamlNode;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a YAML node")
    }

    fn visit_unit<E>(self) -> Result<YamlNode, E> {
        Ok(YamlNode::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlNode, E> {
        Ok(YamlNode::Bool(value))
    }

    fn visit_i64<E>(self, _: i64) -> Result<YamlNode, E> {
        Ok(YamlNode::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<YamlNode, E> {
        Ok(YamlNode::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<YamlNode, E> {
        Ok(YamlNode::Number)
    }

    fn visit_str<E>(self, text: &str) -> Result<YamlNode, E> {
        Ok(YamlNode::Text(text.to_string()))
    }

    fn visit_string<E>(self, text: String) -> Result<YamlNode, E> {
        Ok(YamlNode::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<YamlNode, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(YamlNode::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<YamlNode, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(YamlNode::Table(entries))
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&match parse_yaml(text) {
            Ok(value) => value.to_string(),
            Err(error) => format!("{:?}: {}", error.line, error.message),
        });
    }

    #[test]
    fn scalars_stay_as_written() {
        check(
            "a: 1.10\nb: 0x1F\nc: 'q'\nd: yes\ne: ~\nf:\ng: true\nh: .nan\ni: 1e999\n1.20: 12_000\nj: -01 # c\nk: >-\n  folded\n  text\nl: 2020-01-01",
            expect![[
                r#"{"a":"1.10","b":"0x1F","c":"q","d":"yes","e":null,"f":null,"g":true,"h":".nan","i":"1e999","1.20":"12_000","j":"-01","k":"folded text","l":"2020-01-01"}"#
            ]],
        );
    }

    #[test]
    fn anchors_merges_and_flows() {
        check(
            "a: &v 1.10\nb: *v\nc: &t {x: 1.0, y: [2.0, *v]}\nd:\n  <<: *t\n  y: z\n  y: w",
            expect![[
                r#"{"a":"1.10","b":"1.10","c":{"x":"1.0","y":["2.0","1.10"]},"d":{"y":"w","x":"1.0"}}"#
            ]],
        );
        check("", expect!["null"]);
        check(&"# licence\n".repeat(100), expect!["null"]);
        check(
            &("a:\n".to_string() + &"  # why\n".repeat(100) + "  - 1\n"),
            expect![[r#"{"a":["1"]}"#]],
        );
        check("ключ: 1.50\nä: 2.0", expect![[r#"{"ключ":"1.50","ä":"2.0"}"#]]);
    }

    #[test]
    fn nonsense_is_an_error_with_its_line() {
        check(
            "a: b\n  c: [",
            expect!["Some(2): mapping values are not allowed in this context at line 2, column 4"],
        );
        check("a: [1, 2", expect!["Some(1): unclosed bracket '[' at line 1, column 4"]);
        check(
            "a: *nowhere",
            expect!["Some(1): alias references unknown anchor at line 1, column 4"],
        );
        check("\ta: b", expect![[r#"{"a":"b"}"#]]);
        check(
            &"[".repeat(100_000),
            expect!["Some(1): recursion limit exceeded at line 1, column 256"],
        );
        check(
            &"- ".repeat(100_000),
            expect!["Some(1): budget breached: Depth { depth: 25 } at line 1, column 49"],
        );
        check(
            &"{a: ".repeat(100_000),
            expect!["Some(1): recursion limit exceeded at line 1, column 1021"],
        );
        check(
            "a: 1\n---\nb: 2",
            expect![
                "Some(3): multiple YAML documents detected; use from_str_multiple or from_str_multiple_with_options at line 3, column 1"
            ],
        );
        check(
            "\u{0}\u{1}",
            expect![[r#"Some(1): unexpected character: `\u{0}' at line 1, column 1"#]],
        );
    }
}
