//! `payload`: what must be true of a piece of code, by field. From what people write, in either
//! spelling, to a filter that applies inside of a search.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::engine::{Exported, Filter, Tests};
use crate::ops::OpError;
use crate::ops::args::{path_pattern, plain_name};
use kenning_model::ChunkKind;

pub const DESCRIPTION: &str = "Metadata that must match, by field: filePath (a path or a glob such \
    as src/**), language, kind, symbol, scope, package, startLine, endLine, text, isTest, \
    isExported. A list means any of; a number may be a range {\"gte\": 1, \"lt\": 50}";

/// What a payload asks for.
#[derive(Debug, Default, PartialEq)]
pub struct Narrowed {
    pub filter: Filter,
    /// `None` if it says nothing of tests.
    pub tests: Option<Tests>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Path,
    Language,
    Kind,
    Symbol,
    Scope,
    Package,
    StartLine,
    EndLine,
    Text,
    Test,
    Exported,
    Collection,
}

/// Names as [`plain_name`] has them.
const FIELDS: &[(&str, Field)] = &[
    ("filepath", Field::Path),
    ("path", Field::Path),
    ("language", Field::Language),
    ("kind", Field::Kind),
    ("symbolkind", Field::Kind),
    ("symbol", Field::Symbol),
    ("symbolname", Field::Symbol),
    ("scope", Field::Scope),
    ("package", Field::Package),
    ("startline", Field::StartLine),
    ("endline", Field::EndLine),
    ("text", Field::Text),
    ("content", Field::Text),
    ("istest", Field::Test),
    ("isexported", Field::Exported),
    ("repo", Field::Collection),
    ("repository", Field::Collection),
    ("collectionname", Field::Collection),
];

/// The filter; nothing if no code can fit, as when a field is asked for that does not exist.
pub fn parse(payload: &Map<String, Value>, collection: &str) -> Result<Option<Narrowed>, OpError> {
    let mut narrowed = Narrowed::default();
    let mut seen: Vec<(Field, &str)> = Vec::new();
    let mut can_match = true;
    for (key, value) in payload.iter().filter(|(_, value)| !value.is_null()) {
        let plain = plain_name(key);
        let Some((_, field)) = FIELDS.iter().find(|(name, _)| *name == plain) else {
            can_match = false;
            continue;
        };
        if let Some((_, other)) = seen.iter().find(|(known, _)| known == field) {
            let message = format!("`{other}` and `{key}` are the same field; give one of them");
            return Err(OpError::bad_argument(message));
        }
        seen.push((*field, key));
        can_match &= narrowed.add(*field, key, value, collection)?;
    }
    Ok(can_match.then_some(narrowed))
}

impl Narrowed {
    /// Whether anything can still fit.
    fn add(
        &mut self,
        field: Field,
        key: &str,
        value: &Value,
        collection: &str,
    ) -> Result<bool, OpError> {
        let filter = &mut self.filter;
        match field {
            Field::Path => {
                let patterns = texts(key, value)?;
                filter.globs = patterns.iter().map(|text| path_pattern(text)).collect();
                Ok(!patterns.is_empty())
            }
            Field::Language => {
                filter.languages = texts(key, value)?;
                filter.languages.iter_mut().for_each(|name| *name = name.to_lowercase());
                Ok(!filter.languages.is_empty())
            }
            Field::Kind => {
                filter.chunk_kinds =
                    texts(key, value)?.iter().filter_map(|text| kind(text)).collect();
                Ok(!filter.chunk_kinds.is_empty())
            }
            Field::Symbol => put(&mut filter.symbols, texts(key, value)?),
            Field::Scope => put(&mut filter.scopes, texts(key, value)?),
            Field::Package => put(&mut filter.packages, texts(key, value)?),
            Field::Text => put(&mut filter.texts, texts(key, value)?),
            Field::StartLine => put(&mut filter.start_lines, ranges(key, value)?),
            Field::EndLine => put(&mut filter.end_lines, ranges(key, value)?),
            Field::Test => {
                self.tests = Some(if flag(key, value)? { Tests::Only } else { Tests::Excluded });
                Ok(true)
            }
            Field::Exported => {
                filter.exported = if flag(key, value)? { Exported::Only } else { Exported::Not };
                Ok(true)
            }
            Field::Collection => Ok(texts(key, value)?.iter().any(|name| name == collection)),
        }
    }
}

/// An empty list fits nothing.
fn put<T>(list: &mut Vec<T>, values: Vec<T>) -> Result<bool, OpError> {
    *list = values;
    Ok(!list.is_empty())
}

/// A kind in the words of ours, or of code-indexer's for what we call otherwise.
fn kind(text: &str) -> Option<ChunkKind> {
    match text.to_lowercase().as_str() {
        "type" => Some(ChunkKind::TypeAlias),
        "group" => Some(ChunkKind::File),
        text => ChunkKind::parse(text),
    }
}

fn alternatives(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        value => std::slice::from_ref(value),
    }
}

fn texts(key: &str, value: &Value) -> Result<Vec<String>, OpError> {
    let texts = alternatives(value).iter().map(|value| {
        let text = value.as_str().map(str::to_string);
        text.ok_or_else(|| wrong(key, "text, or a list of texts"))
    });
    texts.collect()
}

fn flag(key: &str, value: &Value) -> Result<bool, OpError> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        _ => Err(wrong(key, "true or false")),
    }
}

fn ranges(key: &str, value: &Value) -> Result<Vec<RangeInclusive<u32>>, OpError> {
    let ranges = alternatives(value).iter().map(|value| match value {
        Value::Object(bounds) => range(bounds),
        value => value.as_f64().map(|number| (number, number)),
    });
    let ranges = ranges.map(|range| {
        let expected = "a number, a range such as {\"gte\": 1, \"lt\": 50}, or a list of them";
        let (low, high) = range.ok_or_else(|| wrong(key, expected))?;
        // Out of bounds, a number becomes the nearest one in them.
        Ok(low.ceil() as u32..=high.floor() as u32)
    });
    ranges.collect()
}

/// The least and the greatest number that fit.
fn range(bounds: &Map<String, Value>) -> Option<(f64, f64)> {
    let (mut low, mut high) = (0.0_f64, f64::from(u32::MAX));
    if bounds.is_empty() {
        return None;
    }
    for (name, value) in bounds {
        let number = value.as_f64()?;
        match name.as_str() {
            "gte" | "min" => low = low.max(number),
            "gt" => low = low.max(number.floor() + 1.0),
            "lte" | "max" => high = high.min(number),
            "lt" => high = high.min(number.ceil() - 1.0),
            _ => return None,
        }
    }
    Some((low, high))
}

fn wrong(key: &str, expected: &str) -> OpError {
    OpError::bad_argument(format!("`payload.{key}` must be {expected}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(payload: Value) -> Result<Option<Narrowed>, String> {
        let payload = payload.as_object().unwrap().clone();
        parse(&payload, "app").map_err(|error| error.message)
    }

    fn filter(payload: Value) -> Filter {
        parsed(payload).unwrap().unwrap().filter
    }

    #[test]
    fn both_spellings_and_lists() {
        for payload in [
            json!({"filePath": "/src/search/*", "symbolName": ["a", "b"]}),
            json!({"file_path": "src/search/*", "symbol": ["a", "b"]}),
            json!({"path": ["./src/search/*"], "symbol_name": ["a", "b"], "language": null}),
        ] {
            let filter = filter(payload);
            assert_eq!(filter.globs, ["src/search/*"]);
            assert_eq!(filter.symbols, ["a", "b"]);
        }
        let kinds =
            filter(json!({"symbol_kind": ["Class", "type", "group", "no such"]})).chunk_kinds;
        let expected = [ChunkKind::Class, ChunkKind::TypeAlias, ChunkKind::File];
        assert_eq!(kinds, expected);
        assert_eq!(filter(json!({"language": "Rust"})).languages, ["rust"]);
    }

    #[test]
    fn numbers_are_ranges() {
        for (value, expected) in [
            (json!(7), vec![7..=7]),
            (json!({"gte": 3, "lt": 10}), vec![3..=9]),
            (json!({"gt": 3}), vec![4..=u32::MAX]),
            (json!([1, {"lte": 5}]), vec![1..=1, 0..=5]),
            (json!({"gte": -4}), vec![0..=u32::MAX]),
        ] {
            let filter = filter(json!({"start_line": value}));
            assert_eq!(filter.start_lines, expected);
        }
    }

    #[test]
    fn what_cannot_fit_matches_nothing() {
        for payload in [
            json!({"colour": "blue"}),
            json!({"language": []}),
            json!({"kind": "no such"}),
            json!({"repo": "another", "language": "rust"}),
        ] {
            assert_eq!(parsed(payload.clone()), Ok(None), "{payload}");
        }
        assert!(parsed(json!({"repo": "app"})).unwrap().is_some());
    }

    #[test]
    fn wrong_types_are_named() {
        for (payload, words) in [
            (json!({"language": 5}), "`payload.language` must be text"),
            (json!({"startLine": "x"}), "`payload.startLine` must be a number"),
            (json!({"startLine": {"near": 1}}), "a range such as"),
            (json!({"isTest": 1}), "`payload.isTest` must be true or false"),
            (json!({"path": "a", "filePath": "b"}), "are the same field"),
        ] {
            let error = parsed(payload).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
