//! Parses a spec file into its requirements and scenarios.
//!
//! Headings decide what a line belongs to. Text under an unknown heading becomes a section, so that
//! no line is lost. Parsing is lenient and cannot fail; problems report Markdown that parses
//! differently from what its author meant. `specs::validate` checks the rules.

mod delta_list;
mod steps;

use super::markdown::{Heading, HeadingForm, Markdown};
use kenning_model::{Operation, Problem, RepoPath, Requirement, Scenario, Section, Spec};
use steps::{BodyLine, parse_clauses};

/// Parses one spec, or one delta of a change: the grammar is the same. `id` is the title of a spec
/// that has none.
pub fn parse_spec(id: &str, path: &RepoPath, text: &str) -> (Spec, Vec<Problem>) {
    let markdown = Markdown::parse(text);
    let mut reader = SpecParser::new(id, path, &markdown);
    for heading in &markdown.headings {
        reader.read_heading(heading);
    }
    reader.close_target(markdown.lines.len());
    reader.report_likely_mistakes();
    (reader.spec, reader.problems)
}

/// The state of a parse: one target is open at a time, and lines go to it when it closes.
struct SpecParser<'a> {
    markdown: &'a Markdown,
    spec: Spec,
    problems: Vec<Problem>,
    /// True once a title was read. A second heading of level 1 is a section.
    has_title: bool,
    /// The operation that the current section applies to its requirements.
    operation: Option<Operation>,
    /// The destination of the lines since `since`.
    target: LineTarget,
    /// The first line, 0-based, that is not yet assigned.
    since: usize,
    /// The level of the heading that opened the target.
    level: usize,
    /// The level of the open requirement; 0 if none is open.
    requirement_level: usize,
}

/// A level deeper than any heading, so that no heading counts as nested.
const NO_LEVEL: usize = usize::MAX;

/// The destination of the lines below a heading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineTarget {
    Purpose,
    /// The last of the sections.
    Section,
    /// The description of the last requirement.
    Description,
    /// The last scenario of the last requirement.
    Scenario,
    /// The notes of the last requirement: text under a heading of the author's own.
    Notes,
}

/// The role of a heading in a spec.
enum HeadingRole {
    Title,
    Purpose,
    Requirements(Option<Operation>),
    Requirement(String),
    Scenario(String),
    /// A heading that the grammar does not know.
    Custom,
}

impl<'a> SpecParser<'a> {
    /// Starts with an untitled section, which takes the text before the first heading.
    fn new(id: &str, path: &RepoPath, markdown: &'a Markdown) -> SpecParser<'a> {
        SpecParser {
            markdown,
            spec: Spec {
                id: id.to_string(),
                path: path.clone(),
                title: id.to_string(),
                sections: vec![new_section("", 1)],
                ..Spec::default()
            },
            problems: Vec::new(),
            has_title: false,
            operation: None,
            target: LineTarget::Section,
            since: 0,
            level: NO_LEVEL,
            requirement_level: 0,
        }
    }

    /// Closes the open target and opens the one that the heading asks for.
    fn read_heading(&mut self, heading: &Heading) {
        let line = heading.lines.start as u32 + 1;
        match classify_heading(heading) {
            HeadingRole::Title if !self.has_title => {
                self.open_target(heading, LineTarget::Section);
                self.level = NO_LEVEL;
                self.has_title = true;
                self.spec.title = heading.text.clone();
                self.spec.sections.push(new_section("", line));
            }
            HeadingRole::Purpose => {
                self.open_target(heading, LineTarget::Purpose);
                self.spec.purpose_line.get_or_insert(line);
                self.operation = None;
            }
            HeadingRole::Requirements(operation) => {
                self.open_target(heading, LineTarget::Section);
                self.operation = operation;
                self.spec.sections.push(new_section(&heading.text, line));
            }
            HeadingRole::Requirement(name) => {
                self.open_target(heading, LineTarget::Description);
                self.requirement_level = heading.level;
                let requirement = delta_list::build_requirement(name, line, self.operation);
                self.spec.requirements.push(requirement);
            }
            HeadingRole::Scenario(name) => self.open_scenario(heading, name, line),
            HeadingRole::Title | HeadingRole::Custom => self.read_custom_heading(heading, line),
        }
    }

    /// Opens a scenario of the open requirement. Without one, the scenario is reported and read as
    /// a custom heading.
    fn open_scenario(&mut self, heading: &Heading, name: String, line: u32) {
        if self.requirement_level == 0 {
            self.report_problem(line, "this scenario stands under no requirement");
            return self.read_custom_heading(heading, line);
        }
        // `open_target` resets the level, but the requirement stays open below a scenario.
        let level = self.requirement_level;
        self.open_target(heading, LineTarget::Scenario);
        self.requirement_level = level;
        let scenario = Scenario { name, line, ..Scenario::default() };
        self.last_requirement().scenarios.push(scenario);
    }

    /// Handles a heading that the grammar does not know. Nested below the open target it is plain
    /// text; nested below a requirement it is notes; else it opens a section.
    fn read_custom_heading(&mut self, heading: &Heading, line: u32) {
        // A line of dashes below a sentence is more often meant as a rule than as a heading.
        let is_meant = heading.form == HeadingForm::Hashes && !heading.is_in_list;
        if !is_meant || heading.level > self.level {
            return;
        }
        let level = self.requirement_level;
        if level > 0 && heading.level > level {
            self.open_target(heading, LineTarget::Notes);
            self.since = heading.lines.start;
            self.requirement_level = level;
            return;
        }
        self.open_target(heading, LineTarget::Section);
        // A heading of the level of `## ADDED Requirements` ends that section and its operation.
        if heading.level <= 2 {
            self.operation = None;
        }
        self.spec.sections.push(new_section(&heading.text, line));
    }

    /// Closes the open target above the heading. The lines below the heading go to `target`.
    fn open_target(&mut self, heading: &Heading, target: LineTarget) {
        self.close_target(heading.lines.start);
        self.target = target;
        self.since = heading.lines.end;
        self.level = heading.level;
        self.requirement_level = 0;
    }

    /// Gives the lines from `since` to `end` to the open target. `end` is 0-based and exclusive.
    fn close_target(&mut self, end: usize) {
        let range = self.markdown.trim_range(self.since..end.max(self.since));
        let text = self.markdown.text(range.clone());
        if !matches!(self.target, LineTarget::Purpose | LineTarget::Section) {
            let last_line = range.end.max(self.since) as u32;
            self.last_requirement().last_line = last_line;
        }
        match self.target {
            LineTarget::Purpose => append_paragraph(&mut self.spec.purpose, &text),
            LineTarget::Section => {
                let listed =
                    delta_list::parse_listed_requirements(self.markdown, range, self.operation);
                self.spec.requirements.extend(listed);
                let section = self.spec.sections.last_mut().expect("one is open");
                section.text = text;
                if section.text.is_empty() && is_structural_heading(&section.heading) {
                    self.spec.sections.pop();
                }
            }
            LineTarget::Description => {
                let listed =
                    delta_list::parse_listed_requirements(self.markdown, range, self.operation);
                let requirement = self.last_requirement();
                requirement.description = text;
                delta_list::complete_rename(requirement, &listed);
            }
            LineTarget::Notes => append_paragraph(&mut self.last_requirement().notes, &text),
            LineTarget::Scenario => {
                let lines: Vec<BodyLine> = range.map(|line| self.body_line(line)).collect();
                let (introduction, clauses) = parse_clauses(&lines);
                let scenario = self.last_requirement().scenarios.last_mut().expect("one is open");
                scenario.text = text;
                scenario.introduction = introduction;
                scenario.clauses = clauses;
            }
        }
    }

    /// The open requirement. Only targets that belong to a requirement may ask for it.
    fn last_requirement(&mut self) -> &mut Requirement {
        self.spec.requirements.last_mut().expect("one is open")
    }

    /// The line at a 0-based index, as the step parser takes it.
    fn body_line(&self, index: usize) -> BodyLine<'a> {
        BodyLine {
            number: index as u32 + 1,
            text: &self.markdown.lines[index],
            is_literal: self.markdown.is_literal(index),
        }
    }

    /// Reports Markdown that parses differently from what its author meant: a code fence that never
    /// ends, or a heading without a blank after its `#`.
    fn report_likely_mistakes(&mut self) {
        if let Some(line) = self.markdown.open_fence {
            let message = "this code fence never ends, so everything below it is code";
            self.report_problem(line, message);
        }
        for (index, line) in self.markdown.lines.iter().enumerate() {
            let text = line.trim_start().trim_start_matches('#');
            let is_glued = line.trim_start().starts_with("##") && !self.markdown.is_literal(index);
            let labels = ["requirement", "scenario"];
            if is_glued && labels.iter().any(|label| parse_label(text, label).is_some()) {
                let is_heading = |heading: &Heading| heading.lines.contains(&index);
                if !self.markdown.headings.iter().any(is_heading) {
                    let message = "this is no heading: a blank is missing behind the #";
                    self.report_problem(index as u32 + 1, message);
                }
            }
        }
    }

    /// Adds a problem at a 1-based line.
    fn report_problem(&mut self, line: u32, message: &str) {
        let problem = Problem::new(&self.spec.path, message).at_line(line);
        self.problems.push(problem);
    }
}

/// True for an empty heading and for a heading of requirements. Such a section is dropped if it has
/// no text.
fn is_structural_heading(heading: &str) -> bool {
    heading.is_empty() || requirements_operation(heading).is_some()
}

fn new_section(heading: &str, line: u32) -> Section {
    Section { heading: heading.to_string(), line, text: String::new() }
}

/// Appends `more` as a paragraph of its own. A spec may have two `## Purpose`.
fn append_paragraph(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str("\n\n");
    }
    text.push_str(more);
}

/// Decides the role of a heading. Labels count at any level but the first; `## Purpose` and `##
/// Requirements` only at level 2 and outside of lists.
fn classify_heading(heading: &Heading) -> HeadingRole {
    if heading.level > 1 {
        if let Some(name) = parse_label(&heading.text, "requirement") {
            return HeadingRole::Requirement(name);
        }
        if let Some(name) = parse_label(&heading.text, "scenario") {
            return HeadingRole::Scenario(name);
        }
    }
    let known = match requirements_operation(&heading.text) {
        Some(operation) => Some(HeadingRole::Requirements(operation)),
        None => heading.text.eq_ignore_ascii_case("purpose").then_some(HeadingRole::Purpose),
    };
    match (heading.level, heading.is_in_list, known) {
        (2, false, Some(known)) => known,
        (1, false, _) => HeadingRole::Title,
        _ => HeadingRole::Custom,
    }
}

/// Parses `Requirement: name` to `name`. Case does not matter, and the colon may be the full-width
/// one of East Asian keyboards.
pub(super) fn parse_label(text: &str, word: &str) -> Option<String> {
    let head = text.get(..word.len())?;
    let rest = text[word.len()..].trim_start();
    let name = rest.strip_prefix([':', '：'])?.trim();
    head.eq_ignore_ascii_case(word).then(|| name.to_string())
}

/// Parses `Requirements`, or `ADDED Requirements` and the like. The outer `None` is any other
/// heading; the inner one is no operation.
fn requirements_operation(text: &str) -> Option<Option<Operation>> {
    let mut words = text.split_whitespace();
    let last = words.next_back()?;
    let first = words.next();
    if !last.eq_ignore_ascii_case("requirements") || words.next().is_some() {
        return None;
    }
    let Some(first) = first else {
        return Some(None);
    };
    let mut operations = Operation::ALL.into_iter();
    operations.find(|operation| operation.as_str().eq_ignore_ascii_case(first)).map(Some)
}

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod tests;
