//! The prompts of all families as one list, in the protocol's own JSON. Knows neither the families
//! nor the MCP library.

use serde_json::{Map, Value, json};

use super::profile::Profile;
use super::resources::cut_page;
use crate::ops::{Family, OpError, Prompt, find_prompt};

/// `prompts/list`.
pub fn list_prompts(profile: &Profile, cursor: Option<String>) -> Result<Value, OpError> {
    let prompts = profile.prompts().into_iter().map(prompt_entry);
    cut_page("prompts", prompts.collect(), cursor.as_deref())
}

/// `prompts/get`.
pub fn get_prompt(
    profile: &Profile,
    name: &str,
    given: &Map<String, Value>,
) -> Result<Value, OpError> {
    let prompt = find_prompt(&profile.prompts(), name)?;
    let families: Vec<Family> = profile.tools.iter().map(|op| op.family).collect();
    let text = prompt.text(&families, given)?;
    let content = json!({ "type": "text", "text": text });
    Ok(json!({
        "resultType": "complete",
        "description": prompt.description,
        "messages": [{ "role": "user", "content": content }],
    }))
}

/// One prompt in the protocol's JSON.
fn prompt_entry(prompt: &Prompt) -> Value {
    let arguments = prompt.arguments.iter().map(|argument| {
        json!({ "name": argument.name, "description": argument.description, "required": true })
    });
    json!({
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": arguments.collect::<Vec<_>>(),
    })
}
