//! Translates a selection into a Qdrant filter. Directories and extensions are stored as arrays of
//! keywords, because Qdrant has neither globs nor prefixes.

use serde_json::{Value, json};

use super::{match_any, match_value};
use crate::backends::remote_api::{PathCondition, Selection};
use crate::code::{Exported, Tests};

/// Returns the conditions, which must all hold.
pub fn conditions(selection: &Selection) -> Vec<Value> {
    let mut must = Vec::new();
    if let Some(places) = &selection.paths {
        must.push(path_condition(places));
    }
    for (key, names) in [
        ("language", &selection.languages),
        ("package", &selection.packages),
        ("symbol", &selection.symbols),
        ("scope", &selection.scopes),
    ] {
        if !names.is_empty() {
            must.push(match_any(key, names));
        }
    }
    if !selection.kinds.is_empty() {
        let kinds: Vec<&str> = selection.kinds.iter().map(|kind| kind.as_str()).collect();
        must.push(match_any("kind", &kinds));
    }
    match selection.tests {
        Tests::Included => {}
        Tests::Excluded => must.push(match_value("test", false)),
        Tests::Only => must.push(match_value("test", true)),
    }
    match selection.exported {
        Exported::Either => {}
        Exported::Only => must.push(match_value("exported", true)),
        Exported::Not => must.push(match_value("exported", false)),
    }
    for (key, ranges) in
        [("start_line", &selection.start_lines), ("end_line", &selection.end_lines)]
    {
        let range = |range: &std::ops::RangeInclusive<u32>| {
            let (first, last) = (range.start(), range.end());
            json!({ "key": key, "range": { "gte": first, "lte": last } })
        };
        if !ranges.is_empty() {
            must.push(require_any(ranges.iter().map(range).collect()));
        }
    }
    if let Some(only) = &selection.only {
        let at: Vec<String> =
            only.iter().map(|(path, ordinal)| chunk_key(path, *ordinal)).collect();
        must.push(match_any("chunk_key", &at));
    }
    must
}

/// Returns the key of a chunk, `path#ordinal`, by which single chunks are selected.
pub fn chunk_key(path: &str, ordinal: u32) -> String {
    format!("{path}#{ordinal}")
}

/// Returns a filter that all conditions must pass.
pub fn require_all(must: Vec<Value>) -> Value {
    json!({ "must": must })
}

/// Returns a filter that one condition must pass.
fn require_any(should: Vec<Value>) -> Value {
    json!({ "should": should })
}

/// Returns the filter that one of the alternatives passes. Without alternatives it matches nothing.
fn path_condition(places: &[PathCondition]) -> Value {
    let mut files: Vec<&str> = Vec::new();
    let mut parts = Vec::new();
    for place in places {
        match place {
            PathCondition::File(path) => files.push(path),
            PathCondition::Under(directory) => parts.push(match_value("dirs", directory.as_str())),
            PathCondition::Ending(None, ending) => {
                parts.push(match_value("endings", ending.as_str()))
            }
            PathCondition::Ending(Some(directory), ending) => parts.push(require_all(vec![
                match_value("endings", ending.as_str()),
                match_value("dirs", directory.as_str()),
            ])),
        }
    }
    if !files.is_empty() || parts.is_empty() {
        parts.push(match_any("path", &files));
    }
    require_any(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_is_a_condition() {
        assert!(conditions(&Selection::default()).is_empty());
        let selection = Selection {
            paths: Some(vec![
                PathCondition::Under("src".to_string()),
                PathCondition::Ending(Some("a".to_string()), "rs".to_string()),
            ]),
            start_lines: vec![1..=5],
            only: Some(vec![("a/b.rs".to_string(), 3)]),
            ..Selection::default()
        };
        let shown = Value::from(conditions(&selection)).to_string();
        let expected = r#"[{"should":[{"key":"dirs","match":{"value":"src"}},{"must":[{"key":"endings","match":{"value":"rs"}},{"key":"dirs","match":{"value":"a"}}]}]},{"should":[{"key":"start_line","range":{"gte":1,"lte":5}}]},{"key":"chunk_key","match":{"any":["a/b.rs#3"]}}]"#;
        assert_eq!(shown, expected);
    }
}
