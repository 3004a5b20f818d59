//! Arguments, checked against the operation's schema before it runs. The MCP library has a check of
//! its own, but it answers in a shape that two of the five contracts forbid.
//!
//! The check covers what the schemas of this program use: `type`, `enum`, `minimum`, `maximum`,
//! `items` and `required`. It is not a general JSON Schema validator: there are no references and
//! no combinators.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{OpError, nearest};

/// Arguments that fit the schema of their operation. Only [`Args::check`] makes one, so an
/// operation that gets one need not check types or ranges again.
#[derive(Debug)]
pub struct Args(Value);

impl Args {
    /// Checks raw arguments against a schema.
    ///
    /// `null` for an optional argument means that it was not given, because models often send it.
    /// Arguments that the schema does not name are dropped. A name may be spelled `topK` where the
    /// schema has `top_k`, and the other way round; the exact spelling wins.
    pub fn check(schema: &Value, raw: &Value) -> Result<Args, OpError> {
        let nothing = Map::new();
        let given = match raw {
            Value::Object(map) => map,
            Value::Null => &nothing,
            other => {
                let found = describe_value(other);
                return Err(OpError::bad_argument(format!(
                    "arguments must be an object, not {found}"
                )));
            }
        };
        let properties = schema["properties"].as_object();
        let mut checked = Map::new();
        for (name, property) in properties.into_iter().flatten() {
            let value = given.get(name).or_else(|| find_respelled(given, name));
            if let Some(value) = value.filter(|value| !value.is_null()) {
                let value = to_whole_number(property, value);
                check_value(name, property, &value)?;
                checked.insert(name.clone(), value);
            }
        }
        let required = schema["required"].as_array().into_iter().flatten();
        for name in required.filter_map(Value::as_str) {
            if !checked.contains_key(name) {
                let expected = describe_type(&schema["properties"][name]);
                return Err(OpError::bad_argument(format!("`{name}` is required ({expected})")));
            }
        }
        Ok(Args(Value::Object(checked)))
    }

    /// Parses the arguments into the operation's own type, without a copy of the JSON. An error
    /// here means that the schema and the type disagree.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, OpError> {
        T::deserialize(&self.0).map_err(|error| OpError::bad_argument(error.to_string()))
    }
}

/// Returns an error for the first argument that the schema of `whose` lacks, with the nearest known
/// name.
///
/// Separate from [`Args::check`], because only some entry points refuse such arguments: agents over
/// MCP often add some, and dropping them does less harm than an error.
pub fn find_unknown_argument(whose: &str, schema: &Value, given: &Value) -> Option<OpError> {
    let known = schema["properties"].as_object();
    let known: Vec<&str> = known.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    let is_known = |name: &str| {
        let folded = fold_name(name);
        known.iter().any(|known| fold_name(known) == folded)
    };
    let mut given = given.as_object()?.keys();
    let unknown = given.find(|name| !is_known(name))?;
    let message = format!("{whose} has no argument `{unknown}`");
    let hint = match (nearest(unknown, known.iter().copied()).first(), known.as_slice()) {
        (Some(nearest), _) => format!("did you mean `{nearest}`?"),
        (None, []) => "it takes none".to_string(),
        (None, known) => format!("it takes {}", known.join(", ")),
    };
    Some(OpError::bad_argument(message).hint(hint))
}

/// Returns the argument that has this name in the other spelling.
fn find_respelled<'a>(given: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    let folded = fold_name(name);
    let mut others = given.iter();
    let other = others.find(|(other, _)| fold_name(other) == folded);
    other.map(|(_, value)| value)
}

/// Folds a name, so that `filePath` and `file_path` are equal.
///
/// Models mix the two spellings, and the contracts of the originals do so too. Folding drops
/// underscores and case, which no two arguments of one operation differ by.
pub fn fold_name(name: &str) -> String {
    let letters = name.chars().filter(|letter| *letter != '_');
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Converts a path or a pattern of paths to a glob. Paths are relative to the root, so a leading
/// `/` is dropped. A path without wildcards matches itself and everything below it.
///
/// For example, `./src/` becomes `{src,src/**}`, and `src/*.rs` stays as it is.
pub fn path_pattern(text: &str) -> String {
    let text = text.trim_start_matches("./").trim_start_matches('/');
    // A comma is refused too: it would separate the two alternatives that are made below.
    if text.contains(['*', '?', '[', '{', ',']) {
        text.to_string()
    } else {
        let text = text.trim_end_matches('/');
        format!("{{{text},{text}/**}}")
    }
}

/// Converts `3.0` to `3`, because JSON Schema and some clients take it for a whole number. A number
/// beyond the range, such as `1e30`, becomes the greatest `i64`, which `maximum` then refuses.
fn to_whole_number(property: &Value, value: &Value) -> Value {
    let is_meant = value.is_f64() && property["type"] == "integer";
    match value.as_f64().filter(|_| is_meant) {
        Some(number) if number.fract() == 0.0 => Value::from(number as i64),
        _ => value.clone(),
    }
}

/// Checks one value: type, then allowed values, then range, then the items of a list. The first
/// mismatch is the error, so a message names exactly one cause.
fn check_value(name: &str, property: &Value, value: &Value) -> Result<(), OpError> {
    let wrong = |expected: String| {
        let found = describe_value(value);
        OpError::bad_argument(format!("`{name}` must be {expected}, not {found}"))
    };
    if !has_type(property["type"].as_str().unwrap_or_default(), value) {
        return Err(wrong(describe_type(property)));
    }
    if let Some(allowed) = property["enum"].as_array()
        && !allowed.contains(value)
    {
        return Err(wrong(describe_type(property)));
    }
    let number = value.as_f64();
    if let (Some(number), Some(least)) = (number, property["minimum"].as_f64())
        && number < least
    {
        return Err(wrong(format!("at least {least}")));
    }
    if let (Some(number), Some(most)) = (number, property["maximum"].as_f64())
        && number > most
    {
        return Err(wrong(format!("at most {most}")));
    }
    for item in value.as_array().into_iter().flatten() {
        // `tags[]` names an item of the list `tags`.
        check_value(&format!("{name}[]"), &property["items"], item)?;
    }
    Ok(())
}

/// True if a value has a type of JSON Schema. A property without a type accepts anything.
fn has_type(expected: &str, value: &Value) -> bool {
    match expected {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => true,
    }
}

/// Describes what a property accepts, for an error message: `one of a, b` or `a whole number`.
fn describe_type(property: &Value) -> String {
    if let Some(allowed) = property["enum"].as_array() {
        let allowed: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
        return format!("one of {}", allowed.join(", "));
    }
    match property["type"].as_str() {
        Some("integer") => "a whole number".to_string(),
        Some("array") => "a list".to_string(),
        Some("object") => "an object".to_string(),
        Some(other) => format!("a {other}"),
        None => "a value".to_string(),
    }
}

/// Quotes a value in an error message, cut to 60 characters: a caller may have sent a whole file.
///
/// The value is shown as JSON, so that `"3"` and `3` can be told apart.
fn describe_value(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    text.chars().take(60).chain("…".chars()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(raw: Value, expected: Result<Value, &str>) {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string"},
            "depth": {"type": "integer", "minimum": 0},
            "kinds": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
        }});
        let checked = Args::check(&schema, &raw);
        let checked = checked.map(|args| args.0).map_err(|error| error.message);
        assert_eq!(checked, expected.map_err(str::to_string));
    }

    #[test]
    fn accepts_what_fits() {
        check(json!({"name": "x", "depth": 3.0}), Ok(json!({"name": "x", "depth": 3})));
        check(json!({"name": "x", "depth": 1e30}), Ok(json!({"name": "x", "depth": i64::MAX})));
        check(json!({"name": "x", "depth": u64::MAX}), Ok(json!({"name": "x", "depth": u64::MAX})));
        check(json!({"name": "x"}), Ok(json!({"name": "x"})));
        check(json!({"name": "x", "depth": null, "other": 1}), Ok(json!({"name": "x"})));
    }

    #[test]
    fn both_spellings_are_one_name() {
        let schema = json!({"type": "object", "required": ["collectionName"], "properties": {
            "collectionName": {"type": "string"}, "top_k": {"type": "integer"},
        }});
        let raw = json!({"collection_name": "app", "topK": 3});
        let checked = Args::check(&schema, &raw).unwrap();
        let expected = json!({"collectionName": "app", "top_k": 3});
        assert_eq!(checked.0, expected);
    }

    #[test]
    fn patterns_are_what_users_mean() {
        for (given, meant) in [
            ("Sources/Auth/**", "Sources/Auth/**"),
            ("/src/search/*", "src/search/*"),
            ("./src", "{src,src/**}"),
            ("src/", "{src,src/**}"),
        ] {
            assert_eq!(path_pattern(given), meant);
        }
    }

    #[test]
    fn names_what_does_not() {
        check(json!({}), Err("`name` is required (a string)"));
        check(Value::Null, Err("`name` is required (a string)"));
        check(json!({"name": 3}), Err("`name` must be a string, not 3"));
        check(json!([1]), Err("arguments must be an object, not [1]"));
        check(json!({"name": "x", "depth": 1.5}), Err("`depth` must be a whole number, not 1.5"));
        check(json!({"name": "x", "depth": -1}), Err("`depth` must be at least 0, not -1"));
        check(
            json!({"name": "x", "kinds": ["c"]}),
            Err("`kinds[]` must be one of a, b, not \"c\""),
        );
    }
}
