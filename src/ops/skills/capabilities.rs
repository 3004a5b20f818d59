//! The offering of the skills family: a tool description that lists the current skills, `skill://`
//! resources, the Skills extension, and the watch that keeps all of them fresh.

use std::sync::Arc;

use super::{mcp_extension, to_one_line, tool_description, uri};
use crate::engine::{Engine, SkillView};
use crate::ops::number_format::count_noun;
use crate::ops::{
    BackgroundWork, ChangeNotifier, ErrorKind, Extension, Family, FamilyCapabilities, ListChange,
    OpError, Resource, ResourceBody, ResourceContents, Template,
};

/// The offering of the skills family. It has no state: the engine caches the skills.
#[derive(Debug)]
pub struct SkillCapabilities;

impl FamilyCapabilities for SkillCapabilities {
    fn family(&self) -> Family {
        Family::Skills
    }

    fn scheme(&self) -> Option<&'static str> {
        Some(uri::SCHEME)
    }

    fn resources(&self, engine: &Engine) -> Result<Vec<Resource>, OpError> {
        Ok(resources(&engine.skills()))
    }

    fn templates(&self) -> Vec<Template> {
        vec![Template {
            uri_template: "skill://{+skill}/{+file}",
            name: "skill-file",
            description: "A file of a skill: skill://NAME/SKILL.md, or skill://PLUGIN/NAME/SKILL.md, \
                          and the files beside it",
            mime_type: None,
        }]
    }

    fn read(&self, engine: &Engine, uri: &str) -> Result<ResourceContents, OpError> {
        // A view is immutable: the skills cannot change between lookup and read.
        let view = engine.skills();
        let (skill, path) = uri::find_skill(&view.skills, uri)?;
        if path.is_empty() {
            let file = uri::file_uri(skill, &skill.file_name);
            let message = format!("{uri} is a folder, and only files can be read");
            let error = OpError::new(ErrorKind::NotFound, message);
            return Err(error.hint(format!("{file} is its skill")));
        }
        let bytes = engine.skill_file(skill, &path, mcp_extension::MAX_FILE)?;
        let mime_type = mcp_extension::mime_type(&path);
        Ok(match String::from_utf8(bytes) {
            Ok(text) => ResourceContents { mime_type, body: ResourceBody::Text(text) },
            Err(error) => ResourceContents {
                // Whatever its name says, this is no text.
                // Whatever its name says, bytes that are no UTF-8 are no text.
                mime_type: if mime_type.starts_with("text/") {
                    "application/octet-stream"
                } else {
                    mime_type
                },
                body: ResourceBody::Bytes(error.into_bytes()),
            },
        })
    }

    fn extension(&self) -> Option<&'static Extension> {
        Some(&mcp_extension::SKILLS)
    }

    fn description(&self, engine: &Engine, tool: &str, client: &str) -> Option<String> {
        if tool != super::skill::OP.name {
            return None;
        }
        // The user's setting wins over what is known of the client.
        let limit = configured_limit(engine).unwrap_or_else(|| client_limit(client));
        let described = tool_description::describe_skills(&engine.skills().skills, limit);
        log_trimming(described.trimmed);
        Some(described.text)
    }

    fn start(&self, engine: &Arc<Engine>, tell: ChangeNotifier) -> Option<BackgroundWork> {
        let view = engine.skills();
        let limit = configured_limit(engine).unwrap_or_default();
        log_trimming(tool_description::describe_loss(&view.skills, limit, CLIENT_CUT));
        let watch =
            engine.watch_skills(move |before, now| announce_changes(before, now, limit, &tell));
        match watch {
            Ok(watch) => {
                Some(BackgroundWork { start_message: start_message(&view), guard: Box::new(watch) })
            }
            Err(error) => {
                tracing::error!("skills are not kept fresh: {error}");
                None
            }
        }
    }
}

/// The length in characters at which some clients cut a tool's description.
const CLIENT_CUT: u64 = 2048;

/// The clients that do so, by the name that they give themselves.
const CUTTING_CLIENTS: [&str; 1] = ["claude-code"];

/// The limit that the user set, if any.
fn configured_limit(engine: &Engine) -> Option<u64> {
    engine.config().number("skills.description_limit")
}

/// The limit for a client; 0 is none. Clients that cut get all names first, others whole
/// descriptions.
fn client_limit(client: &str) -> u64 {
    let cuts = CUTTING_CLIENTS.iter().any(|known| client.eq_ignore_ascii_case(known));
    if cuts { CLIENT_CUT } else { 0 }
}

/// The line for the log when a server starts.
fn start_message(view: &SkillView) -> String {
    let problems = match view.problems.len() {
        0 => String::new(),
        count => format!(", {}", count_noun(count, "problem")),
    };
    let skills = count_noun(view.skills.len(), "skill");
    let folders = count_noun(view.folders, "folder");
    format!("{skills} loaded from {folders}{problems}")
}

/// Logs that descriptions were shortened.
fn log_trimming(trimmed: Option<String>) {
    if let Some(trimmed) = trimmed {
        tracing::warn!("{trimmed}");
    }
}

/// Notifies clients of what they would see differently, and of nothing else.
fn announce_changes(before: &SkillView, now: &SkillView, limit: u64, tell: &ChangeNotifier) {
    let old = tool_description::describe_skills(&before.skills, limit);
    let new = tool_description::describe_skills(&now.skills, limit);
    if old.text != new.text {
        tell(ListChange::Tools);
    }
    if listed_entries(before) != listed_entries(now) {
        tell(ListChange::Resources);
    }
}

/// The parts of a skill that the resource list shows. A changed size alone is no changed list.
fn listed_entries(view: &SkillView) -> Vec<(&str, &str)> {
    let skills = view.skills.iter();
    let entries = skills.map(|skill| (skill.full_name.as_str(), skill.description.as_str()));
    entries.collect()
}

fn resources(view: &SkillView) -> Vec<Resource> {
    let skills = view.skills.iter();
    let resources = skills.map(|skill| Resource {
        uri: uri::file_uri(skill, &skill.file_name),
        name: skill.name.clone(),
        title: (skill.full_name != skill.name).then(|| skill.full_name.clone()),
        description: Some(to_one_line(&skill.description)),
        mime_type: "text/markdown",
        size: Some(skill.content.len() as u64),
    });
    resources.collect()
}
