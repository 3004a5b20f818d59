//! Code that an operation found, whichever it was, as `ken search` shows it. Which operations find code,
//! and how each names what it says of a piece.

use serde_json::{Value, json};

use super::search_output::{self, OutputStyle};
use crate::ops::{OpEntry, Reply};

/// The answer for people, if it is one of those that are made of code.
pub fn text(op: &OpEntry, arguments: &Value, reply: &Reply) -> Option<String> {
    let answer = match (op.name, reply) {
        ("search_code", Reply::Object(answer)) => answer.to_json(),
        (
            "search_code_semantic" | "search_code_fulltext" | "search_code_by_payload",
            Reply::List(rows),
        ) => json!({ "results": rows_of(rows.to_json().as_array()?) }),
        _ => return None,
    };
    let question = ["query", "text"].map(|name| arguments[name].as_str());
    let question = question.into_iter().flatten().next().unwrap_or_default();
    Some(search_output::text(&answer, question, &OutputStyle::here()))
}

/// Where several collections answer, each row says which.
fn rows_of(rows: &[Value]) -> Vec<Value> {
    let first = rows.first().map(|row| &row["collectionName"]);
    let are_mixed = rows.iter().any(|row| Some(&row["collectionName"]) != first);
    let told = rows.iter().map(|row| {
        let mut told = same_words(row);
        if are_mixed {
            told["collection"] = row["collectionName"].clone();
        }
        told
    });
    told.collect()
}

/// A row of a collection in the words of `search_code`.
fn same_words(row: &Value) -> Value {
    let names = [
        ("path", "filePath"),
        ("content", "text"),
        ("startLine", "startLine"),
        ("kind", "kind"),
        ("symbol", "symbol"),
        ("scope", "scope"),
        ("language", "language"),
        ("package", "package"),
        ("score", "score"),
        ("outline", "outline"),
        ("isTest", "isTest"),
        ("stale", "stale"),
        ("found", "match"),
    ];
    let fields = names.iter().filter(|(_, theirs)| !row[theirs].is_null());
    let fields = fields.map(|(ours, theirs)| (ours.to_string(), row[theirs].clone()));
    Value::Object(fields.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops;

    #[test]
    fn a_row_of_a_collection_looks_like_any_other_hit() {
        let row = json!({ "score": 0.9, "filePath": "src/a.rs", "startLine": 7, "language": "rust",
            "kind": "function", "symbol": "go", "match": "exact", "text": "fn go() {}" });
        let op = ops::find("search_code_fulltext").unwrap();
        let arguments = json!({ "query": "go" });
        let shown = text(op, &arguments, &Reply::list([row])).unwrap();
        assert_eq!(shown, "src/a.rs:7  function  go  score 0.9  rust  exact\n    7  fn go() {}");
        let other = ops::find("list_packages").unwrap();
        assert_eq!(text(other, &json!({}), &Reply::list(Vec::<Value>::new())), None);
    }
}
