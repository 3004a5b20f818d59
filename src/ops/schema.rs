//! Schemas of our own operations, derived from their argument types. Contract tools do not use
//! this: theirs are written out, because they are frozen to the byte.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// The schema of an operation without arguments.
pub fn empty_schema() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// Derives the schema of `T`, reduced to what every client accepts. It has no references, no
/// nullable types (optional means *not required*), no titles and no formats.
pub fn derive_schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::default().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let schema = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut schema) = schema.to_value() else {
        return json!({"type": "object", "properties": {}});
    };
    schema.remove("title");
    schema.remove("description");
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    for property in properties.as_object_mut().into_iter().flat_map(Map::values_mut) {
        simplify_property(property);
    }
    Value::Object(schema)
}

/// Removes from a property what some clients reject: `format`, a `null` default, and `null` among
/// types and allowed values.
fn simplify_property(property: &mut Value) {
    let Some(property) = property.as_object_mut() else {
        return;
    };
    property.remove("format");
    if property.get("default") == Some(&Value::Null) {
        property.remove("default");
    }
    let only_type = property.get("type").and_then(Value::as_array).and_then(|types| {
        let mut types = types.iter().filter(|name| *name != "null");
        types.next().cloned()
    });
    if let Some(only_type) = only_type {
        property.insert("type".to_string(), only_type);
    }
    if let Some(allowed) = property.get_mut("enum").and_then(Value::as_array_mut) {
        allowed.retain(|value| !value.is_null());
    }
    if let Some(items) = property.get_mut("items") {
        simplify_property(items);
    }
}
