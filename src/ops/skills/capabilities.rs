//! What the skills family offers beside its tools: a description that lists the skills of the
//! moment, `skill://` resources, the Skills extension, and the refresh behind all of them.

use std::sync::Arc;

use super::{description, extension, one_line, uri};
use crate::engine::{Engine, SkillView};
use crate::ops::format::counted;
use crate::ops::{
    Body, Change, Contents, ErrorKind, Extension, Family, Offering, OpError, Resource, Running,
    Tell, Template,
};

#[derive(Debug)]
pub struct SkillsOffering;

impl Offering for SkillsOffering {
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

    fn read(&self, engine: &Engine, uri: &str) -> Result<Contents, OpError> {
        let view = engine.skills();
        let (skill, path) = uri::find(&view.skills, uri)?;
        if path.is_empty() {
            let file = uri::of_file(skill, &skill.file_name);
            let message = format!("{uri} is a folder, and only files can be read");
            let error = OpError::new(ErrorKind::NotFound, message);
            return Err(error.hint(format!("{file} is its skill")));
        }
        let bytes = engine.skill_file(skill, &path, extension::MAX_FILE)?;
        let mime_type = extension::mime_type(&path);
        Ok(match String::from_utf8(bytes) {
            Ok(text) => Contents { mime_type, body: Body::Text(text) },
            Err(error) => Contents {
                // Whatever its name says, this is no text.
                mime_type: if mime_type.starts_with("text/") {
                    "application/octet-stream"
                } else {
                    mime_type
                },
                body: Body::Bytes(error.into_bytes()),
            },
        })
    }

    fn extension(&self) -> Option<&'static Extension> {
        Some(&extension::SKILLS)
    }

    fn description(&self, engine: &Engine, tool: &str, client: &str) -> Option<String> {
        if tool != super::skill::OP.name {
            return None;
        }
        let limit = limit(engine).unwrap_or_else(|| limit_of(client));
        let described = description::describe(&engine.skills().skills, limit);
        report(described.trimmed);
        Some(described.text)
    }

    fn start(&self, engine: &Arc<Engine>, tell: Tell) -> Option<Running> {
        let view = engine.skills();
        let limit = limit(engine).unwrap_or_default();
        report(description::loss(&view.skills, limit, CUT));
        let watch = engine.watch_skills(move |before, now| announce(before, now, limit, &tell));
        match watch {
            Ok(watch) => Some(Running { began: began(&view), guard: Box::new(watch) }),
            Err(error) => {
                tracing::error!("skills are not kept fresh: {error}");
                None
            }
        }
    }
}

/// Where some clients cut the description of a tool.
const CUT: u64 = 2048;

/// Those that do, by what they call themselves.
const CUTTING: [&str; 1] = ["claude-code"];

/// What the user set, if anything.
fn limit(engine: &Engine) -> Option<u64> {
    engine.config().number("skills.description_limit")
}

/// Whole descriptions for whoever can read them; where the end would be lost, all names come first.
fn limit_of(client: &str) -> u64 {
    let cuts = CUTTING.iter().any(|known| client.eq_ignore_ascii_case(known));
    if cuts { CUT } else { 0 }
}

fn began(view: &SkillView) -> String {
    let problems = match view.problems.len() {
        0 => String::new(),
        count => format!(", {}", counted(count, "problem")),
    };
    let skills = counted(view.skills.len(), "skill");
    let folders = counted(view.folders, "folder");
    format!("{skills} loaded from {folders}{problems}")
}

fn report(trimmed: Option<String>) {
    if let Some(trimmed) = trimmed {
        tracing::warn!("{trimmed}");
    }
}

/// Tells only what clients would see differently.
fn announce(before: &SkillView, now: &SkillView, limit: u64, tell: &Tell) {
    let old = description::describe(&before.skills, limit);
    let new = description::describe(&now.skills, limit);
    if old.text != new.text {
        tell(Change::Tools);
    }
    if entries(before) != entries(now) {
        tell(Change::Resources);
    }
}

/// What makes the list of resources; another size is no other list.
fn entries(view: &SkillView) -> Vec<(&str, &str)> {
    let skills = view.skills.iter();
    let entries = skills.map(|skill| (skill.full_name.as_str(), skill.description.as_str()));
    entries.collect()
}

fn resources(view: &SkillView) -> Vec<Resource> {
    let skills = view.skills.iter();
    let resources = skills.map(|skill| Resource {
        uri: uri::of_file(skill, &skill.file_name),
        name: skill.name.clone(),
        title: (skill.full_name != skill.name).then(|| skill.full_name.clone()),
        description: Some(one_line(&skill.description)),
        mime_type: "text/markdown",
        size: Some(skill.content.len() as u64),
    });
    resources.collect()
}
