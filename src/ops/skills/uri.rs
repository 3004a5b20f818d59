//! URIs of skills and their files: `skill://plugin/name/SKILL.md`, as the Skills extension of MCP
//! defines them. Each segment is percent-encoded.

use crate::ops::percent_encoding::{decode, encode};
use crate::ops::{OpError, resource_not_found};
use kenning_model::Skill;

/// The scheme.
pub const SCHEME: &str = "skill";

/// The URI of a skill's folder.
pub fn skill_uri(skill: &Skill) -> String {
    let segments = skill.full_name.split(':').map(encode);
    format!("{SCHEME}://{}", segments.collect::<Vec<_>>().join("/"))
}

/// The URI of a file of a skill; `path` is relative to its folder.
///
/// For example, the skill `docs:pdf` has the file `skill://docs/pdf/SKILL.md`.
pub fn file_uri(skill: &Skill, path: &str) -> String {
    let segments = path.split('/').map(encode);
    let path = segments.collect::<Vec<_>>().join("/");
    format!("{}/{path}", skill_uri(skill))
}

/// Finds the skill of a URI, and the path of the file inside of it. The path is empty for the
/// folder.
pub fn find_skill<'a>(skills: &'a [Skill], uri: &str) -> Result<(&'a Skill, String), OpError> {
    let rest = uri.split_once("://").map(|(_, rest)| rest);
    let segments = rest.and_then(|rest| rest.split('/').map(decode).collect());
    let segments: Vec<String> = segments.ok_or_else(|| resource_not_found(uri))?;
    // A plugin may have the name of a skill: the longer name is the more specific one.
    for length in (1..=segments.len()).rev() {
        let name = segments[..length].join(":");
        let found = skills.iter().find(|skill| skill.full_name == name);
        if let Some(skill) = found {
            return Ok((skill, segments[length..].join("/")));
        }
    }
    Err(resource_not_found(uri))
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::SkillTier;

    fn skills(names: &[&str]) -> Vec<Skill> {
        let skills = names.iter().map(|name| Skill {
            name: name.to_string(),
            full_name: name.to_string(),
            description: String::new(),
            tier: SkillTier::Project,
            directory: "/x".into(),
            file_name: "SKILL.md".to_string(),
            content: "".into(),
        });
        skills.collect()
    }

    #[test]
    fn there_and_back() {
        let names = ["pdf", "a:pdf", "用户", "with space/slash", "a", "%41"];
        let skills = skills(&names);
        for skill in &skills {
            for path in ["SKILL.md", "deep/file name.md", "ünï/100%.txt"] {
                let uri = file_uri(skill, path);
                assert!(uri.is_ascii() && !uri.contains(' '), "{uri}");
                let (found, rest) = find_skill(&skills, &uri).unwrap();
                assert_eq!((&found.full_name, rest.as_str()), (&skill.full_name, path));
            }
            let (found, rest) = find_skill(&skills, &skill_uri(skill)).unwrap();
            assert_eq!((&found.full_name, rest.as_str()), (&skill.full_name, ""));
        }
        for uri in ["skill://", "skill://nobody/SKILL.md", "skill://%zz", "skill://%ff", "x"] {
            assert!(find_skill(&skills, uri).is_err(), "{uri}");
        }
    }
}
