//! Parses `payload`, the metadata filter of the collections family, into a filter that applies
//! inside of a search.
//!
//! A list means any of its values; fields are combined with AND. An unknown field matches nothing,
//! as in the original: its store simply has no such key.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use crate::engine::{Exported, Filter, Tests};
use crate::ops::OpError;
use crate::ops::args::{fold_name, path_pattern};
use kenning_model::ChunkKind;

/// The description of `payload` in two schemas.
pub const DESCRIPTION: &str = "Metadata that must match, by field: filePath (a path or a glob such \
    as src/**), language, kind, symbol, scope, package, startLine, endLine, text, isTest, \
    isExported. A list means any of; a number may be a range {\"gte\": 1, \"lt\": 50}";

/// The filter that a payload describes.
#[derive(Debug, Default, PartialEq)]
pub struct PayloadFilter {
    /// The conditions on chunks.
    pub filter: Filter,
    /// The condition on test code; `None` if the payload does not mention it.
    pub tests: Option<Tests>,
}

/// The fields, whatever their spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PayloadField {
    /// A path or glob.
    Path,
    /// A language, in any case of letters.
    Language,
    /// The kind of the chunk.
    Kind,
    /// The main symbol, exactly.
    Symbol,
    /// The enclosing definition, exactly.
    Scope,
    /// The package, exactly.
    Package,
    /// The first line, or a range of it.
    StartLine,
    /// The last line, or a range of it.
    EndLine,
    /// A text that the chunk contains.
    Text,
    /// Test code only, or none.
    Test,
    /// Public symbols only, or none.
    Exported,
    /// The collection itself: matches all of it or nothing.
    Collection,
}

/// The fields by their names, folded by [`fold_name`].
const FIELDS: &[(&str, PayloadField)] = &[
    ("filepath", PayloadField::Path),
    ("path", PayloadField::Path),
    ("language", PayloadField::Language),
    ("kind", PayloadField::Kind),
    ("symbolkind", PayloadField::Kind),
    ("symbol", PayloadField::Symbol),
    ("symbolname", PayloadField::Symbol),
    ("scope", PayloadField::Scope),
    ("package", PayloadField::Package),
    ("startline", PayloadField::StartLine),
    ("endline", PayloadField::EndLine),
    ("text", PayloadField::Text),
    ("content", PayloadField::Text),
    ("istest", PayloadField::Test),
    ("isexported", PayloadField::Exported),
    ("repo", PayloadField::Collection),
    ("repository", PayloadField::Collection),
    ("collectionname", PayloadField::Collection),
];

/// Parses a payload; `None` if no chunk can match, such as with an unknown field.
///
/// A field that is given in both spellings is an error, because the two could contradict each
/// other.
pub fn parse_payload(
    payload: &Map<String, Value>,
    collection: &str,
) -> Result<Option<PayloadFilter>, OpError> {
    let mut narrowed = PayloadFilter::default();
    let mut seen: Vec<(PayloadField, &str)> = Vec::new();
    let mut can_match = true;
    for (key, value) in payload.iter().filter(|(_, value)| !value.is_null()) {
        let plain = fold_name(key);
        let Some((_, field)) = FIELDS.iter().find(|(name, _)| *name == plain) else {
            can_match = false;
            continue;
        };
        if let Some((_, other)) = seen.iter().find(|(known, _)| known == field) {
            let message = format!("`{other}` and `{key}` are the same field; give one of them");
            return Err(OpError::bad_argument(message));
        }
        seen.push((*field, key));
        can_match &= narrowed.add_field(*field, key, value, collection)?;
    }
    Ok(can_match.then_some(narrowed))
}

impl PayloadFilter {
    /// Adds one condition. Returns false if nothing can match any more.
    fn add_field(
        &mut self,
        field: PayloadField,
        key: &str,
        value: &Value,
        collection: &str,
    ) -> Result<bool, OpError> {
        let filter = &mut self.filter;
        match field {
            PayloadField::Path => {
                let patterns = parse_texts(key, value)?;
                filter.globs = patterns.iter().map(|text| path_pattern(text)).collect();
                Ok(!patterns.is_empty())
            }
            PayloadField::Language => {
                filter.languages = parse_texts(key, value)?;
                filter.languages.iter_mut().for_each(|name| *name = name.to_lowercase());
                Ok(!filter.languages.is_empty())
            }
            PayloadField::Kind => {
                filter.chunk_kinds =
                    parse_texts(key, value)?.iter().filter_map(|text| parse_kind(text)).collect();
                Ok(!filter.chunk_kinds.is_empty())
            }
            PayloadField::Symbol => set_list(&mut filter.symbols, parse_texts(key, value)?),
            PayloadField::Scope => set_list(&mut filter.scopes, parse_texts(key, value)?),
            PayloadField::Package => set_list(&mut filter.packages, parse_texts(key, value)?),
            PayloadField::Text => set_list(&mut filter.texts, parse_texts(key, value)?),
            PayloadField::StartLine => set_list(&mut filter.start_lines, parse_ranges(key, value)?),
            PayloadField::EndLine => set_list(&mut filter.end_lines, parse_ranges(key, value)?),
            PayloadField::Test => {
                self.tests =
                    Some(if parse_flag(key, value)? { Tests::Only } else { Tests::Excluded });
                Ok(true)
            }
            PayloadField::Exported => {
                filter.exported =
                    if parse_flag(key, value)? { Exported::Only } else { Exported::Not };
                Ok(true)
            }
            PayloadField::Collection => {
                Ok(parse_texts(key, value)?.iter().any(|name| name == collection))
            }
        }
    }
}

/// Sets a list of alternatives. An empty list matches nothing.
fn set_list<T>(list: &mut Vec<T>, values: Vec<T>) -> Result<bool, OpError> {
    *list = values;
    Ok(!list.is_empty())
}

/// Parses a kind in our words, or in code-indexer's where they differ.
fn parse_kind(text: &str) -> Option<ChunkKind> {
    match text.to_lowercase().as_str() {
        "type" => Some(ChunkKind::TypeAlias),
        "group" => Some(ChunkKind::File),
        text => ChunkKind::parse(text),
    }
}

/// A single value is a list of one.
fn alternatives(value: &Value) -> &[Value] {
    match value {
        Value::Array(values) => values,
        value => std::slice::from_ref(value),
    }
}

/// Parses a text or a list of texts.
fn parse_texts(key: &str, value: &Value) -> Result<Vec<String>, OpError> {
    let texts = alternatives(value).iter().map(|value| {
        let text = value.as_str().map(str::to_string);
        text.ok_or_else(|| type_error(key, "text, or a list of texts"))
    });
    texts.collect()
}

/// Parses a flag. Text is accepted, because some clients send `"true"`.
fn parse_flag(key: &str, value: &Value) -> Result<bool, OpError> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        Value::String(text) if text == "true" => Ok(true),
        Value::String(text) if text == "false" => Ok(false),
        _ => Err(type_error(key, "true or false")),
    }
}

/// Parses a number, a range, or a list of either.
fn parse_ranges(key: &str, value: &Value) -> Result<Vec<RangeInclusive<u32>>, OpError> {
    let ranges = alternatives(value).iter().map(|value| match value {
        Value::Object(bounds) => parse_range(bounds),
        value => value.as_f64().map(|number| (number, number)),
    });
    let ranges = ranges.map(|range| {
        let expected = "a number, a range such as {\"gte\": 1, \"lt\": 50}, or a list of them";
        let (low, high) = range.ok_or_else(|| type_error(key, expected))?;
        // `as` saturates: a number out of bounds becomes the nearest bound.
        Ok(low.ceil() as u32..=high.floor() as u32)
    });
    ranges.collect()
}

/// Returns the bounds of a range, both inclusive; `None` for an unknown operator. Fractions round
/// inwards.
///
/// For example, `{"gt": 1, "lt": 50}` gives 2 to 49. Several bounds of one side are intersected.
fn parse_range(bounds: &Map<String, Value>) -> Option<(f64, f64)> {
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

/// The error for a value of the wrong type.
fn type_error(key: &str, expected: &str) -> OpError {
    OpError::bad_argument(format!("`payload.{key}` must be {expected}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parsed(payload: Value) -> Result<Option<PayloadFilter>, String> {
        let payload = payload.as_object().unwrap().clone();
        parse_payload(&payload, "app").map_err(|error| error.message)
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
