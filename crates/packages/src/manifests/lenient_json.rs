//! Reads the fields of a JSON or YAML manifest one by one. It keeps what has the expected type and
//! reports what has not: one odd field must not lose the rest.
//!
//! `serde` on typed structs would reject a whole file for one field. This module knows no
//! ecosystem.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{ParsedManifest, yaml};
use kenning_model::{Problem, RepoPath};

/// An object of a JSON or YAML manifest.
pub type JsonTable = Map<String, Value>;

/// The file that is being read, and its problems so far.
pub struct JsonFields<'a> {
    path: &'a RepoPath,
    pub problems: Vec<Problem>,
}

/// Parses a JSON manifest and returns its top level. `serde_json` itself refuses to nest deeper
/// than 128 levels.
pub fn read_json<'a>(
    path: &'a RepoPath,
    text: &str,
) -> Result<(JsonFields<'a>, JsonTable), Problem> {
    match serde_json::from_str(text) {
        Ok(value) => JsonFields::from_root(path, value),
        Err(error) => {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
            Err(Problem::new(path, error.to_string()).at_line(line))
        }
    }
}

/// Parses a YAML manifest and returns its top level. An empty file is an empty table, as YAML tools
/// treat it.
pub fn read_yaml<'a>(
    path: &'a RepoPath,
    text: &str,
) -> Result<(JsonFields<'a>, JsonTable), Problem> {
    match yaml::parse_yaml(text) {
        Ok(Value::Null) => JsonFields::from_root(path, Value::Object(JsonTable::new())),
        Ok(value) => JsonFields::from_root(path, value),
        Err(error) => Err(Problem { path: path.clone(), line: error.line, message: error.message }),
    }
}

/// Turns the result of [`read_json`] or [`read_yaml`] into facts by calling `facts` with the top
/// level.
pub fn parse_fields<F>(
    read: Result<(JsonFields, JsonTable), Problem>,
    facts: impl FnOnce(&mut JsonFields, &JsonTable) -> F,
) -> ParsedManifest<F> {
    match read {
        Ok((mut reader, table)) => {
            let facts = facts(&mut reader, &table);
            ParsedManifest::with_problems(facts, reader.problems)
        }
        Err(problem) => ParsedManifest::from_problem(problem),
    }
}

impl<'a> JsonFields<'a> {
    /// Accepts only an object as the top level.
    fn from_root(path: &'a RepoPath, value: Value) -> Result<(JsonFields<'a>, JsonTable), Problem> {
        let problems = Vec::new();
        match value {
            Value::Object(table) => Ok((JsonFields { path, problems }, table)),
            other => {
                let message = format!("its top level is {}, not an object", type_name(&other));
                Err(Problem::new(path, message))
            }
        }
    }

    /// Reports a problem of the file. JSON values carry no position, so it has no line.
    pub fn add_problem(&mut self, message: impl Into<String>) {
        self.problems.push(Problem::new(self.path, message));
    }

    /// Reads a text. An empty text counts as absent. A number is reported, and taken as it is
    /// written.
    pub fn text(&mut self, table: &JsonTable, key: &str) -> Option<String> {
        let value = table.get(key)?;
        if let Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_) = value {
            self.add_problem(format!("`{key}` is {}, not a text", type_name(value)));
        }
        match value {
            Value::String(text) => Some(text.trim().to_string()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
        .filter(|text| !text.is_empty())
    }

    /// Reads an object. Null counts as absent, and so does an empty list, which PHP programs write
    /// for an empty object.
    pub fn table<'t>(&mut self, table: &'t JsonTable, key: &str) -> Option<&'t JsonTable> {
        match table.get(key)? {
            Value::Object(entries) => Some(entries),
            Value::Null => None,
            Value::Array(items) if items.is_empty() => None,
            other => {
                self.add_problem(format!("`{key}` is {}, not an object", type_name(other)));
                None
            }
        }
    }

    /// Reads an object of texts, such as names and version requirements. Entries of another type
    /// are reported and skipped.
    pub fn texts(&mut self, table: &JsonTable, key: &str) -> BTreeMap<String, String> {
        let mut texts = BTreeMap::new();
        for (name, value) in self.table(table, key).into_iter().flatten() {
            match value {
                Value::String(text) => {
                    texts.insert(name.clone(), text.trim().to_string());
                }
                other => self.add_problem(format!(
                    "`{name}` in `{key}` is {}, not a text",
                    type_name(other)
                )),
            }
        }
        texts
    }

    /// Reads a list of texts. A single text counts as a list of one.
    pub fn list(&mut self, table: &JsonTable, key: &str) -> Vec<String> {
        let items = match table.get(key) {
            None | Some(Value::Null) => return Vec::new(),
            Some(Value::String(text)) => return vec![text.clone()],
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.add_problem(format!("`{key}` is {}, not a list", type_name(other)));
                return Vec::new();
            }
        };
        let mut texts = Vec::new();
        for item in items {
            match item {
                Value::String(text) => texts.push(text.clone()),
                other => {
                    self.add_problem(format!("`{key}` lists {}, not a text", type_name(other)))
                }
            }
        }
        texts
    }
}

/// The type of a value, as problems state it.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
