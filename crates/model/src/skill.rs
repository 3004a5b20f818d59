//! A skill: instructions in a folder of their own, for an agent that needs them.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// One skill as it was read: name, description and content come from the same reading of the
/// same file, so they always agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skill {
    /// As its frontmatter says.
    pub name: String,
    /// The name by which it is listed and loaded: `plugin:name` for a plugin's, else the name.
    pub full_name: String,
    /// The description in its frontmatter, which may have several lines.
    pub description: String,
    pub tier: SkillTier,
    /// The folder that holds it, absolute, as it was found: a link stays a link.
    pub directory: PathBuf,
    /// The name of its file in that folder, nearly always `SKILL.md`.
    pub file_name: String,
    /// The file, byte for byte.
    pub content: Arc<str>,
}

/// The origin of a skill, in the order in which origins are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkillTier {
    /// A folder that the user named.
    Named,
    Project,
    User,
    Plugin,
}

impl SkillTier {
    /// The word for the tier in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            SkillTier::Named => "named",
            SkillTier::Project => "project",
            SkillTier::User => "user",
            SkillTier::Plugin => "plugin",
        }
    }
}

/// A problem of a skill's file, or of a file that lists where skills are. Such files may lie
/// outside of the repository, so the path is a file system path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillProblem {
    pub path: PathBuf,
    /// 1-based, when it is known.
    pub line: Option<u32>,
    pub message: String,
}

impl SkillProblem {
    /// A problem of a whole file.
    pub fn new(path: impl Into<PathBuf>, message: impl Into<String>) -> SkillProblem {
        SkillProblem { path: path.into(), line: None, message: message.into() }
    }

    /// The same problem with its 1-based line, if it is known.
    pub fn at_line(self, line: Option<u32>) -> SkillProblem {
        SkillProblem { line, ..self }
    }
}

impl fmt::Display for SkillProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match self.line {
            Some(line) => write!(formatter, "{path}:{line}: {}", self.message),
            None => write!(formatter, "{path}: {}", self.message),
        }
    }
}
