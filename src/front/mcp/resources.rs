//! The resources of all families as one list with pages, in the protocol's JSON. It knows neither
//! the families nor the MCP library.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::profile::Profile;
use crate::engine::Engine;
use crate::ops::{
    FamilyCapabilities, OpError, Resource, ResourceBody, Template, find_capabilities,
};

/// Entries on a page. A list of thousands in one line would hold up everything else.
const PAGE: usize = 500;

/// `resources/list`.
pub fn list_resources(
    engine: &Engine,
    profile: &Profile,
    cursor: Option<String>,
) -> Result<Value, OpError> {
    let mut resources = Vec::new();
    for offering in profile.resource_capabilities() {
        resources.extend(offering.resources(engine)?.iter().map(resource_json));
    }
    cut_page("resources", resources, cursor.as_deref())
}

/// `resources/templates/list`.
pub fn list_templates(profile: &Profile, cursor: Option<String>) -> Result<Value, OpError> {
    let offerings = profile.resource_capabilities().into_iter();
    let templates = offerings.flat_map(|offering| offering.templates());
    cut_page("resourceTemplates", templates.map(template_json).collect(), cursor.as_deref())
}

/// `resources/read`.
pub fn read_resource(
    engine: &Engine,
    offerings: &[&'static dyn FamilyCapabilities],
    uri: &str,
) -> Result<Value, OpError> {
    let contents = find_capabilities(offerings, uri)?.read(engine, uri)?;
    let mut shown = json!({ "uri": uri, "mimeType": contents.mime_type });
    match contents.body {
        ResourceBody::Text(text) => shown["text"] = Value::from(text),
        ResourceBody::Bytes(bytes) => shown["blob"] = Value::from(STANDARD.encode(bytes)),
    }
    Ok(json!({ "resultType": "complete", "contents": [shown] }))
}

/// Returns one page of a list, with a cursor if there are more. The cursor is the index of the next
/// entry.
///
/// Lists are rebuilt for each page, so an entry may be missed or repeated if the list changes in
/// between. Clients are notified of such changes and start again.
pub fn cut_page(name: &str, mut items: Vec<Value>, cursor: Option<&str>) -> Result<Value, OpError> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let start = cursor.parse().ok();
            start.ok_or_else(|| {
                OpError::bad_argument(format!("{cursor:?} is not a cursor of this server"))
                    .hint("begin again without one")
            })?
        }
    };
    // A cursor beyond the end gives an empty page: the list may have shrunk.
    let mut items = items.split_off(items.len().min(start));
    let mut answer = json!({ "resultType": "complete" });
    if items.len() > PAGE {
        items.truncate(PAGE);
        answer["nextCursor"] = Value::from((start + PAGE).to_string());
    }
    answer[name] = Value::from(items);
    Ok(answer)
}

/// One resource in the protocol's JSON.
fn resource_json(resource: &Resource) -> Value {
    let mut shown = json!({
        "uri": resource.uri,
        "name": resource.name,
        "mimeType": resource.mime_type,
    });
    let optional = [
        ("title", resource.title.clone().map(Value::from)),
        ("description", resource.description.clone().map(Value::from)),
        ("size", resource.size.map(Value::from)),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            shown[name] = value;
        }
    }
    shown
}

/// One template in the protocol's JSON.
fn template_json(template: Template) -> Value {
    let mut shown = json!({
        "uriTemplate": template.uri_template,
        "name": template.name,
        "description": template.description,
    });
    if let Some(mime_type) = template.mime_type {
        shown["mimeType"] = Value::from(mime_type);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_without_gap() {
        let items: Vec<Value> = (0..1201).map(Value::from).collect();
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let answer = cut_page("resources", items.clone(), cursor.as_deref()).unwrap();
            seen.extend(answer["resources"].as_array().unwrap().iter().cloned());
            match answer["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.to_string()),
                None => break,
            }
        }
        assert_eq!(seen, items);
        let beyond = cut_page("resources", items, Some("5000")).unwrap();
        assert_eq!(beyond["resources"], json!([]));
    }

    #[test]
    fn a_cursor_of_somebody_else_is_a_bad_argument() {
        let error = cut_page("resources", Vec::new(), Some("abc")).unwrap_err();
        assert_eq!(error.kind, crate::ops::ErrorKind::BadArgument);
    }
}
