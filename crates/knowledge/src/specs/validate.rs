//! Validates specs and changes by the rules that spox and OpenSpec share. Each finding has a file
//! and, where possible, a line.
//!
//! Parsing is lenient; validation is strict. Nothing here changes what a search finds.

use std::collections::HashSet;

use super::lookup::find_requirement;
use kenning_model::{
    Change, Delta, Document, Keyword, Operation, RepoPath, Requirement, Scenario, Spec,
};
use kenning_text::case_folding;

/// One rule that a spec or a change violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecFinding {
    pub severity: Severity,
    pub path: RepoPath,
    /// The line from 1, if the finding has one.
    pub line: Option<u32>,
    pub message: String,
}

/// The weight of a finding. `Error` sorts before `Warning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A finding that fails the validation.
    Error,
    /// A finding that fails only in strict mode.
    Warning,
}

/// The least length of a purpose or of a reason, in characters. OpenSpec has the same limit.
const MIN_PROSE_LENGTH: usize = 50;

/// Returns the problems of a spec, by line.
pub fn validate_spec(spec: &Spec) -> Vec<SpecFinding> {
    let mut findings = FindingCollector::new(&spec.path);
    // A missing section is reported at the first line of the file.
    let line = spec.purpose_line.unwrap_or(1);
    match spec.purpose.chars().count() {
        0 => findings.add_error(Some(line), "there is no `## Purpose`, or nothing in it"),
        1..MIN_PROSE_LENGTH => {
            findings.add_warning(Some(line), "the purpose is shorter than 50 characters")
        }
        _ => {}
    }
    if spec.requirements.is_empty() {
        findings.add_error(Some(1), "there is no `### Requirement: …`");
    }
    for requirement in &spec.requirements {
        if requirement.operation.is_some() {
            let message = "only a change may have ADDED, MODIFIED, REMOVED or RENAMED requirements";
            findings.add_warning(Some(requirement.line), message);
        }
        check_requirement(requirement, Severity::Warning, &mut findings);
    }
    check_names(spec, &mut findings);
    findings.into_sorted()
}

/// Returns the problems of a change, given the specs that it changes.
pub fn validate_change(change: &Change, specs: &[&Spec]) -> Vec<SpecFinding> {
    let mut findings = FindingCollector::new(&change.path);
    match &change.proposal {
        None => findings.add_error(None, "there is no proposal.md"),
        Some(proposal) => check_proposal(proposal, &mut findings),
    }
    check_tasks(change, &mut findings);
    if change.deltas.is_empty() && !change.skips_specs {
        findings.path = change.path.clone();
        findings.add_error(None, "there is no delta: specs/<spec>/spec.md changes nothing");
    }
    for delta in &change.deltas {
        let target = specs.iter().find(|spec| spec.id == delta.capability);
        check_delta(delta, target.copied(), &mut findings);
    }
    findings.into_sorted()
}

/// Checks the two sections that OpenSpec requires of a proposal.
fn check_proposal(proposal: &Document, findings: &mut FindingCollector) {
    findings.path = proposal.path.clone();
    for heading in ["Why", "What Changes"] {
        match proposal.section(heading) {
            None => findings.add_error(None, format!("there is no `## {heading}`")),
            Some(section) if section.text.is_empty() => {
                findings.add_error(Some(section.line), format!("`## {heading}` says nothing"));
            }
            Some(section)
                if heading == "Why" && section.text.chars().count() < MIN_PROSE_LENGTH =>
            {
                let message = "the reason is shorter than 50 characters";
                findings.add_warning(Some(section.line), message);
            }
            Some(_) => {}
        }
    }
}

/// Checks that there is a task list with at least one task, and that tasks have numbers to refer
/// to.
fn check_tasks(change: &Change, findings: &mut FindingCollector) {
    let Some(file) = &change.tasks_file else {
        findings.path = change.path.clone();
        return findings.add_error(None, "there is no tasks.md");
    };
    findings.path = file.path.clone();
    if change.tasks.is_empty() {
        findings.add_error(None, "there is no task: write `- [ ] 1.1 …`");
    }
    for task in &change.tasks {
        if task.number.is_none() {
            findings.add_warning(Some(task.line), "this task has no number");
        }
    }
}

/// Checks one delta on its own, and against the spec that it changes. `target` is `None` if that
/// spec does not exist yet.
fn check_delta(delta: &Delta, target: Option<&Spec>, findings: &mut FindingCollector) {
    let spec = &delta.spec;
    findings.path = spec.path.clone();
    if spec.requirements.is_empty() {
        let message = "there is no requirement below `## ADDED Requirements` or its like";
        findings.add_error(None, message);
    }
    for requirement in &spec.requirements {
        let line = Some(requirement.line);
        match requirement.operation {
            None => {
                let message = "what happens to it? It stands below none of `## ADDED`, \
                               `MODIFIED`, `REMOVED` or `RENAMED Requirements`";
                findings.add_error(line, message);
            }
            Some(Operation::Added | Operation::Modified) => {
                // A removal or a rename need not repeat the requirement, so only these two are
                // checked in full.
                check_requirement(requirement, Severity::Error, findings);
            }
            Some(Operation::Renamed) if requirement.renamed_from.is_none() => {
                findings.add_error(line, "a rename needs both names: `- FROM: …` and `- TO: …`");
            }
            Some(Operation::Removed | Operation::Renamed) => {}
        }
        check_target(requirement, delta, target, findings);
    }
    check_names(spec, findings);
}

/// Checks that the spec has the requirements that a delta changes, and lacks those that it adds.
fn check_target(
    requirement: &Requirement,
    delta: &Delta,
    target: Option<&Spec>,
    findings: &mut FindingCollector,
) {
    let Some(operation) = requirement.operation else {
        return;
    };
    let line = Some(requirement.line);
    // A rename must find the old name in the spec; the new one is free.
    let old_name = requirement.renamed_from.as_ref();
    let name = old_name.unwrap_or(&requirement.name);
    // One delta may rename a requirement and modify it under the new name.
    let mut renamed =
        delta.spec.requirements.iter().filter(|other| other.operation == Some(Operation::Renamed));
    let is_renamed = operation == Operation::Modified && renamed.any(|other| other.name == *name);
    let exists = target.is_some_and(|spec| find_requirement(spec, name).is_some());
    let capability = &delta.capability;
    match operation {
        Operation::Added if exists => {
            let message = format!("{capability} already has the requirement {name:?}");
            findings.add_error(line, message);
        }
        Operation::Added => {}
        _ if exists || is_renamed => {}
        _ => {
            let message = format!("{capability} has no requirement {name:?} to change");
            findings.add_error(line, message);
        }
    }
}

/// Checks the name, the wording and the scenarios of a requirement. `lacking` is the severity of
/// having no scenario: a new requirement needs one, an old one should have one.
fn check_requirement(
    requirement: &Requirement,
    lacking: Severity,
    findings: &mut FindingCollector,
) {
    let line = Some(requirement.line);
    let text = &requirement.description;
    if requirement.name.is_empty() {
        findings.add_error(line, "this requirement has no name");
    }
    if text.is_empty() {
        findings.add_error(line, "this requirement says nothing before its scenarios");
    } else if !["SHALL", "MUST"].iter().any(|word| has_word(text, word)) {
        findings.add_warning(line, "this requirement says neither SHALL nor MUST");
    }
    if requirement.scenarios.is_empty() {
        findings.add(lacking, line, "this requirement has no scenario");
    }
    for scenario in &requirement.scenarios {
        check_scenario(scenario, findings);
    }
    let names =
        requirement.scenarios.iter().map(|scenario| (scenario.name.as_str(), scenario.line));
    for (name, line) in find_repeated_names(names) {
        let message = format!("this requirement has two scenarios {name:?}");
        findings.add_warning(Some(line), message);
    }
}

/// Checks that a scenario has a name, a WHEN and a THEN, and that no clause is empty. GIVEN is
/// optional.
fn check_scenario(scenario: &Scenario, findings: &mut FindingCollector) {
    let line = Some(scenario.line);
    if scenario.name.is_empty() {
        findings.add_error(line, "this scenario has no name");
    }
    for keyword in [Keyword::When, Keyword::Then] {
        let mut clauses = scenario.clauses.iter();
        if !clauses.any(|clause| clause.keyword == keyword) {
            let message = format!("this scenario has no {}", keyword.as_str());
            findings.add_error(line, message);
        }
    }
    for clause in scenario.clauses.iter().filter(|clause| clause.text.is_empty()) {
        let message = format!("nothing follows {}", clause.keyword.as_str());
        findings.add_error(Some(clause.line), message);
    }
}

/// Checks that requirement names are unique. Renames are exempt, because a delta may rename a
/// requirement and modify it.
fn check_names(spec: &Spec, findings: &mut FindingCollector) {
    let requirements =
        spec.requirements.iter().filter(|one| one.operation != Some(Operation::Renamed));
    let names = requirements.map(|requirement| (requirement.name.as_str(), requirement.line));
    for (name, line) in find_repeated_names(names) {
        findings.add_error(Some(line), format!("there are two requirements {name:?}"));
    }
}

/// Returns the second and later occurrences of each name. Case does not distinguish names.
fn find_repeated_names<'a>(names: impl Iterator<Item = (&'a str, u32)>) -> Vec<(&'a str, u32)> {
    let mut seen = HashSet::new();
    names.filter(|(name, _)| !seen.insert(case_folding::fold(name))).collect()
}

/// True if `text` has `word` as a whole word. SHALL and MUST count only in capitals, as in RFC
/// 2119.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|found| found == word)
}

/// Collects findings. Checks set `path` when they move on to another file.
struct FindingCollector {
    path: RepoPath,
    all: Vec<SpecFinding>,
}

impl FindingCollector {
    fn new(path: &RepoPath) -> FindingCollector {
        FindingCollector { path: path.clone(), all: Vec::new() }
    }

    fn add(&mut self, severity: Severity, line: Option<u32>, message: impl Into<String>) {
        self.all.push(SpecFinding {
            severity,
            path: self.path.clone(),
            line,
            message: message.into(),
        });
    }

    fn add_error(&mut self, line: Option<u32>, message: impl Into<String>) {
        self.add(Severity::Error, line, message);
    }

    fn add_warning(&mut self, line: Option<u32>, message: impl Into<String>) {
        self.add(Severity::Warning, line, message);
    }

    /// The findings by path and line. Those without a line come first.
    fn into_sorted(mut self) -> Vec<SpecFinding> {
        self.all.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::{Clause, Section, Task};

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn scenario(line: u32, keywords: &[Keyword]) -> Scenario {
        let clause = |keyword: &Keyword| Clause { keyword: *keyword, line, text: "x".to_string() };
        Scenario {
            name: "works".to_string(),
            line,
            clauses: keywords.iter().map(clause).collect(),
            ..Scenario::default()
        }
    }

    fn requirement(line: u32, name: &str, operation: Option<Operation>) -> Requirement {
        Requirement {
            name: name.to_string(),
            line,
            operation,
            description: "It SHALL work.".to_string(),
            scenarios: vec![scenario(line + 1, &[Keyword::When, Keyword::Then])],
            ..Requirement::default()
        }
    }

    fn spec(id: &str, requirements: Vec<Requirement>) -> Spec {
        Spec {
            id: id.to_string(),
            path: path("spec.md"),
            purpose: "A purpose that is long enough to say what this is for.".to_string(),
            requirements,
            ..Spec::default()
        }
    }

    fn shown(findings: &[SpecFinding]) -> Vec<String> {
        let shown = findings.iter().map(|finding| {
            let line = finding.line.map_or("-".to_string(), |line| line.to_string());
            let mark = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            format!("{}:{line} {mark}: {}", finding.path, finding.message)
        });
        shown.collect()
    }

    fn check(change: impl FnOnce(&mut Spec), expected: &[&str]) {
        let mut sample = spec("a", vec![requirement(3, "Heat", None)]);
        change(&mut sample);
        assert_eq!(shown(&validate_spec(&sample)), expected);
    }

    #[test]
    fn a_spec_line_by_line() {
        check(|_| {}, &[]);
        check(
            |spec| {
                spec.purpose.clear();
                spec.requirements.clear();
            },
            &[
                "spec.md:1 error: there is no `## Purpose`, or nothing in it",
                "spec.md:1 error: there is no `### Requirement: …`",
            ],
        );
        check(
            |spec| {
                spec.purpose = "Short.".to_string();
                spec.purpose_line = Some(7);
            },
            &["spec.md:7 warning: the purpose is shorter than 50 characters"],
        );
        check(
            |spec| {
                let first = &mut spec.requirements[0];
                first.description = "It shall MUSTARD.".to_string();
                first.scenarios.clear();
                spec.requirements.push(requirement(9, "heat", None));
            },
            &[
                "spec.md:3 warning: this requirement says neither SHALL nor MUST",
                "spec.md:3 warning: this requirement has no scenario",
                "spec.md:9 error: there are two requirements \"heat\"",
            ],
        );
        check(
            |spec| {
                let first = &mut spec.requirements[0];
                first.description.clear();
                first.scenarios = vec![
                    scenario(5, &[Keyword::When, Keyword::And]),
                    scenario(8, &[Keyword::Then]),
                ];
                first.scenarios[0].clauses[1].text.clear();
            },
            &[
                "spec.md:3 error: this requirement says nothing before its scenarios",
                "spec.md:5 error: this scenario has no THEN",
                "spec.md:5 error: nothing follows AND",
                "spec.md:8 error: this scenario has no WHEN",
                "spec.md:8 warning: this requirement has two scenarios \"works\"",
            ],
        );
    }

    fn document(name: &str, sections: &[(&str, &str)]) -> Document {
        let section = |(heading, text): &(&str, &str)| Section {
            heading: heading.to_string(),
            line: 3,
            text: text.to_string(),
        };
        Document {
            path: path(name),
            sections: sections.iter().map(section).collect(),
            ..Document::default()
        }
    }

    #[test]
    fn a_change_needs_its_files_and_says_what_it_changes() {
        let target = spec("a", vec![requirement(3, "Heat", None)]);
        let empty = Change { path: path("c"), ..Change::default() };
        assert_eq!(
            shown(&validate_change(&empty, &[&target])),
            [
                "c:- error: there is no proposal.md",
                "c:- error: there is no tasks.md",
                "c:- error: there is no delta: specs/<spec>/spec.md changes nothing",
            ]
        );
        let mut renamed = requirement(20, "Boil", Some(Operation::Renamed));
        renamed.renamed_from = Some("Heat".to_string());
        let delta = spec(
            "a",
            vec![
                requirement(1, "Heat", Some(Operation::Added)),
                requirement(5, "Cool", Some(Operation::Modified)),
                requirement(10, "Boil", Some(Operation::Modified)),
                requirement(15, "Pour", Some(Operation::Renamed)),
                renamed,
                requirement(30, "Lost", None),
            ],
        );
        let full = Change {
            proposal: Some(document("p.md", &[("Why", "Because."), ("What changes", "")])),
            tasks_file: Some(document("t.md", &[])),
            tasks: vec![Task { line: 4, ..Task::default() }],
            deltas: vec![Delta { capability: "a".to_string(), spec: delta, text: String::new() }],
            ..empty
        };
        assert_eq!(
            shown(&validate_change(&full, &[&target])),
            [
                "p.md:3 warning: the reason is shorter than 50 characters",
                "p.md:3 error: `## What Changes` says nothing",
                "spec.md:1 error: a already has the requirement \"Heat\"",
                "spec.md:5 error: a has no requirement \"Cool\" to change",
                "spec.md:15 error: a rename needs both names: `- FROM: …` and `- TO: …`",
                "spec.md:15 error: a has no requirement \"Pour\" to change",
                "spec.md:30 error: what happens to it? It stands below none of `## ADDED`, \
                 `MODIFIED`, `REMOVED` or `RENAMED Requirements`",
                "t.md:4 warning: this task has no number",
            ]
        );
        let mut without = Change { deltas: Vec::new(), proposal: None, ..full };
        // The change lacks a delta, and not the last of its files.
        let findings = shown(&validate_change(&without, &[]));
        let missing = "c:- error: there is no delta: specs/<spec>/spec.md changes nothing";
        assert!(findings.iter().any(|one| one == missing), "{findings:?}");
        without.skips_specs = true;
        let findings = shown(&validate_change(&without, &[]));
        assert!(!findings.iter().any(|one| one == missing), "{findings:?}");
    }
}
