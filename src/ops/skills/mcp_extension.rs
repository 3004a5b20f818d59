//! The Skills extension of MCP (`io.modelcontextprotocol/skills`). It lists skills with every file
//! and its SHA-256 digest, so that a host can show, approve and verify them before it reads
//! anything.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::uri;
use crate::engine::Engine;
use crate::ops::{Extension, Method, OpError, resource_not_found};
use kenning_model::Skill;

/// The extension and its methods, as a server declares them.
pub static SKILLS: Extension = Extension {
    id: "io.modelcontextprotocol/skills",
    settings: || json!({ "directoryRead": true }),
    methods: &[
        Method { name: "skills/list", run: list_skills },
        Method { name: "skills/get", run: get_skill },
        Method { name: "resources/directory/read", run: read_directory },
    ],
};

/// The most files of a skill that every host accepts, by the specification. A larger skill is not
/// listed.
const MAX_FILES: usize = 512;
/// The most bytes of one file, and of all files of a skill.
pub const MAX_FILE: u64 = 16 << 20;

/// Entries on a page. Each holds digests of all its files, so a page reads all of them.
const PAGE: usize = 100;

/// The time for which a host may consider an answer current, in milliseconds. File events are seen
/// sooner, but a host that does not listen has to ask.
const FRESH_MS: u64 = 5000;

/// `skills/list`: a page of skills. The cursor is the index of the first.
fn list_skills(engine: &Engine, params: &Value) -> Result<Value, OpError> {
    let view = engine.skills();
    let start = cursor_param(params)?;
    // Pages are cut by names, which cost nothing. A skill that cannot be read leaves its page
    // shorter.
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

/// `skills/get`: one skill by the URI of its file.
fn get_skill(engine: &Engine, params: &Value) -> Result<Value, OpError> {
    let uri = uri_param(params)?;
    let view = engine.skills();
    let (skill, path) = uri::find_skill(&view.skills, uri)?;
    if path != skill.file_name {
        return Err(resource_not_found(uri));
    }
    Ok(mark_cacheable(json!({ "skill": skill_entry(engine, skill)? })))
}

/// `resources/directory/read`: the direct children of a folder of a skill.
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

/// One skill as the extension describes it. Reads every file to compute its digest.
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

/// True if the name fits the rules of Agent Skills, which the specification requires. Other skills
/// can still be loaded as tools and resources.
fn is_listed(skill: &Skill) -> bool {
    let is_allowed = |c: char| c == '-' || c.is_alphanumeric() && !c.is_uppercase();
    let name = &skill.name;
    name.chars().all(is_allowed)
        && !(name.starts_with('-') || name.ends_with('-') || name.contains("--"))
        && name.chars().count() <= 64
        && skill.file_name == "SKILL.md"
}

/// Adds the caching fields. The scope is private, because these are the user's own files.
fn mark_cacheable(mut answer: Value) -> Value {
    answer["resultType"] = Value::from("complete");
    answer["ttlMs"] = Value::from(FRESH_MS);
    // They are the user's own files.
    answer["cacheScope"] = Value::from("private");
    answer
}

/// Returns the parameter `uri`.
fn uri_param(params: &Value) -> Result<&str, OpError> {
    let uri = params["uri"].as_str();
    uri.ok_or_else(|| OpError::bad_argument("`uri` is required (a string)"))
}

/// Returns the start of the page; a cursor of another server is an error.
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

/// Media types by the ending of a file name.
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

/// The media type by the ending of the name. A file without a known ending is most likely text.
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
