//! Specs and changes as their files state them. Text is kept as written, Markdown and all; lines
//! are 1-based. Parsing and validation are in `kenning_knowledge`.

use super::RepoPath;

/// One spec file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spec {
    /// The name of its folder.
    pub id: String,
    pub path: RepoPath,
    /// The id, where the file has no title.
    pub title: String,
    /// Empty where the file has no such section.
    pub purpose: String,
    /// The line where that section begins.
    pub purpose_line: Option<u32>,
    pub requirements: Vec<Requirement>,
    /// Everything else: introductions, notes, sections of the writer's own.
    pub sections: Vec<Section>,
}

/// Something that the system shall do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    pub name: String,
    pub line: u32,
    /// The last line that belongs to it.
    pub last_line: u32,
    /// The operation of a change on it; `None` in a spec that simply states it.
    pub operation: Option<Operation>,
    /// The name that it had, if a change renames it.
    pub renamed_from: Option<String>,
    /// The text before the first scenario.
    pub description: String,
    pub scenarios: Vec<Scenario>,
    /// The text after the scenarios, under a heading of its own.
    pub notes: String,
}

/// One example of how the system behaves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    pub name: String,
    pub line: u32,
    /// The text before the first clause.
    pub introduction: String,
    pub clauses: Vec<Clause>,
    /// The whole body as it was written.
    pub text: String,
}

/// A step of a scenario, with everything that belongs to it: wrapped lines, bullets, tables, code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    pub keyword: Keyword,
    pub line: u32,
    pub text: String,
}

/// The keyword that begins a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyword {
    Given,
    When,
    Then,
    And,
    But,
}

impl Keyword {
    /// Every keyword.
    pub const ALL: [Keyword; 5] =
        [Keyword::Given, Keyword::When, Keyword::Then, Keyword::And, Keyword::But];

    /// The keyword as specs write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Keyword::Given => "GIVEN",
            Keyword::When => "WHEN",
            Keyword::Then => "THEN",
            Keyword::And => "AND",
            Keyword::But => "BUT",
        }
    }

    /// True if a clause of this kind continues the one before it.
    pub fn continues(self) -> bool {
        matches!(self, Keyword::And | Keyword::But)
    }
}

/// A part of a file under a heading that has no meaning for Kenning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Empty for the text before the first heading.
    pub heading: String,
    pub line: u32,
    pub text: String,
}

/// The operation of a change on a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    Added,
    Modified,
    Removed,
    Renamed,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 4] =
        [Operation::Added, Operation::Modified, Operation::Removed, Operation::Renamed];

    /// The operation as changes write it in headings.
    pub fn as_str(self) -> &'static str {
        match self {
            Operation::Added => "ADDED",
            Operation::Modified => "MODIFIED",
            Operation::Removed => "REMOVED",
            Operation::Renamed => "RENAMED",
        }
    }
}

/// A proposed change of specs, with the plan to carry it out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The name of its folder.
    pub id: String,
    pub path: RepoPath,
    /// The id, where the proposal has no title.
    pub title: String,
    pub proposal: Option<Document>,
    pub design: Option<Document>,
    /// `tasks.md` as written, and the tasks that it lists.
    pub tasks_file: Option<Document>,
    pub tasks: Vec<Task>,
    /// The text of `tasks.md` beside its tasks.
    pub task_notes: String,
    pub deltas: Vec<Delta>,
    /// True if its writers said that it changes no spec.
    pub skips_specs: bool,
}

/// The difference that a change makes to one spec: requirements with an [`Operation`] each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// The id of the spec that is changed.
    pub capability: String,
    pub spec: Spec,
    /// The file as it was written.
    pub text: String,
}

/// A file of prose, by its headings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    pub path: RepoPath,
    pub title: Option<String>,
    /// The text before the first section.
    pub preamble: String,
    pub sections: Vec<Section>,
    pub text: String,
}

impl Document {
    /// The text under a heading, whatever its case.
    pub fn section(&self, heading: &str) -> Option<&Section> {
        let mut sections = self.sections.iter();
        sections.find(|section| section.heading.eq_ignore_ascii_case(heading))
    }
}

/// A line to be ticked off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    /// `1.2`, if the writer numbers tasks.
    pub number: Option<String>,
    pub text: String,
    pub is_done: bool,
    pub line: u32,
    /// The heading above it.
    pub group: String,
}
