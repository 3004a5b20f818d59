//! The Skills extension of MCP (`io.modelcontextprotocol/skills`): skills as entries with every file
//! and its digest, so that a host can show, approve and verify them before it reads anything.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::uri;
use crate::engine::Engine;
use crate::ops::{Extension, Method, OpError, resource_not_found};
use kenning_model::Skill;

pub static SKILLS: Extension = Extension {
    id: "io.modelcontextprotocol/skills",
    settings: || json!({ "directoryRead": true }),
    methods: &[
        Method { name: "skills/list", run: list_skills },
        Method { name: "skills/get", run: get_skill },
        Method { name: "resources/directory/read", run: read_directory },
    ],
};

/// What every host accepts of one skill, says the specification. A larger one is not listed.
const MAX_FILES: usize = 512;
pub const MAX_FILE: u64 = 16 << 20;

/// Entries of a page: each holds digests of all its files.
const PAGE: usize = 100;

/// For how long a host may take an answer for current. File events are seen sooner, but a host
/// that does not listen has to ask.
const FRESH_MS: u64 = 5000;

fn list_skills(engine: &Engine, params: &Value) -> Result<Value, OpError> {
    let view = engine.skills();
    let start = cursor_param(params)?;
    // A page is cut from the names, which cost nothing; what cannot be listed leaves it shorter.
    let names = view.skills.iter().filter(|skill| is_listed(skill));
    let names: Vec<&Skill> = names.collect();
    let page = names.iter().skip(start).take(PAGE);
    let skills: Vec<Value> = page.filter_map(|skill| skill_entry(engine, skill).ok()).collect();
    let mut answer = mark_cacheable(json!({ "skills": skills }));
    if names.len() > start + PAGE {
        answer["nextCursor"] = Value::from((start + PAGE).to_string());
    }
    Ok(answer)
}

fn get_skill(engine: &Engine, params: &Value) -> Result<Value, OpError> {
    let uri = uri_param(params)?;
    let view = engine.skills();
    let (skill, path) = uri::find_skill(&view.skills, uri)?;
    if path != skill.file_name {
        return Err(resource_not_found(uri));
    }
    Ok(mark_cacheable(json!({ "skill": skill_entry(engine, skill)? })))
}

/// The direct children of a folder of a skill.
fn read_directory(engine: &Engine, params: &Value) -> Result<Value, OpError> {
    let uri = uri_param(params)?;
    let view = engine.skills();
    let (skill, path) = uri::find_skill(&view.skills, uri)?;
    let prefix = match path.as_str() {
        "" => String::new(),
        path => format!("{path}/"),
    };
    let files = engine.skill_files(skill)?;
    let below = files.iter().filter_map(|file| Some((file, file.path.strip_prefix(&prefix)?)));
    let mut folders = BTreeSet::new();
    let mut resources = Vec::new();
    for (file, rest) in below {
        match rest.split_once('/') {
            Some((folder, _)) => {
                folders.insert(folder.to_string());
            }
            None => resources.push(json!({
                "uri": uri::file_uri(skill, &file.path),
                "name": rest,
                "mimeType": mime_type(rest),
                "size": file.size,
            })),
        }
    }
    resources.extend(folders.iter().map(|folder| {
        json!({
            "uri": uri::file_uri(skill, &format!("{prefix}{folder}")),
            "name": folder,
            "mimeType": "inode/directory",
        })
    }));
    if resources.is_empty() {
        let message = format!("{uri} is not a directory resource");
        return Err(OpError::bad_argument(message));
    }
    Ok(json!({ "resultType": "complete", "resources": resources }))
}

/// One skill as the extension describes it.
fn skill_entry(engine: &Engine, skill: &Skill) -> Result<Value, OpError> {
    let files = engine.skill_files(skill)?;
    let total: u64 = files.iter().map(|file| file.size).sum();
    if files.len() > MAX_FILES || total > MAX_FILE {
        let message = format!(
            "{} has {} files of {total} bytes, more than hosts accept",
            skill.full_name,
            files.len()
        );
        tracing::debug!("{message}");
        return Err(OpError::bad_argument(message));
    }
    let mut resources = Vec::new();
    for file in files {
        let bytes = engine.skill_file(skill, &file.path, MAX_FILE)?;
        let digest = Sha256::digest(&bytes);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        resources.push(json!({
            "uri": uri::file_uri(skill, &file.path),
            "digest": format!("sha256:{digest}"),
            "size": bytes.len(),
        }));
    }
    Ok(json!({
        "uri": uri::file_uri(skill, &skill.file_name),
        "frontmatter": engine.skill_frontmatter(skill),
        "resources": resources,
    }))
}

/// The specification wants names that Agent Skills allows, at the end of the address. The others
/// are still tools' and resources' to load.
fn is_listed(skill: &Skill) -> bool {
    let is_allowed = |c: char| c == '-' || c.is_alphanumeric() && !c.is_uppercase();
    let name = &skill.name;
    name.chars().all(is_allowed)
        && !(name.starts_with('-') || name.ends_with('-') || name.contains("--"))
        && name.chars().count() <= 64
        && skill.file_name == "SKILL.md"
}

fn mark_cacheable(mut answer: Value) -> Value {
    answer["resultType"] = Value::from("complete");
    answer["ttlMs"] = Value::from(FRESH_MS);
    // They are the user's own files.
    answer["cacheScope"] = Value::from("private");
    answer
}

fn uri_param(params: &Value) -> Result<&str, OpError> {
    let uri = params["uri"].as_str();
    uri.ok_or_else(|| OpError::bad_argument("`uri` is required (a string)"))
}

fn cursor_param(params: &Value) -> Result<usize, OpError> {
    match &params["cursor"] {
        Value::Null => Ok(0),
        cursor => {
            let start = cursor.as_str().and_then(|cursor| cursor.parse().ok());
            start.ok_or_else(|| {
                OpError::bad_argument(format!("{cursor} is not a cursor of this server"))
                    .hint("begin again without one")
            })
        }
    }
}

const MIME_TYPES: [(&str, &str); 16] = [
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("js", "text/javascript"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("py", "text/x-python"),
    ("svg", "image/svg+xml"),
    ("xml", "application/xml"),
    ("yaml", "application/yaml"),
    ("yml", "application/yaml"),
];

/// By the ending of the name; a file without one that is known is most likely text.
pub fn mime_type(path: &str) -> &'static str {
    let ending = path.rsplit('/').next().and_then(|name| name.rsplit_once('.'));
    let ending = ending.map(|(_, ending)| ending.to_lowercase());
    let known = MIME_TYPES.iter().find(|(known, _)| Some(*known) == ending.as_deref());
    match (known, ending.as_deref()) {
        (Some((_, mime_type)), _) => mime_type,
        (
            None,
            Some("zip" | "ttf" | "otf" | "woff" | "woff2" | "xlsx" | "docx" | "pptx" | "gz"),
        ) => "application/octet-stream",
        (None, _) => "text/plain",
    }
}
