//! The rules of the Agent Skills specification (agentskills.io), checked strictly, with the line of
//! each violation.
//!
//! Loading a skill does not depend on these rules: `parse_skill` accepts far more. Each check adds
//! findings and none stops the others.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::frontmatter::{self, SplitSkill};

/// One violation of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFinding {
    pub severity: Severity,
    /// 1-based.
    pub line: u32,
    pub message: String,
}

/// The weight of a finding. `Error` sorts before `Warning`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The specification forbids it.
    Error,
    /// It is allowed, but some agent handles it badly.
    Warning,
}

impl Severity {
    /// The word that reports show.
    pub fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// All fields that the specification defines.
const SPECIFIED_FIELDS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Fields that Claude Code accepts in addition to the specification's.
const CLAUDE_CODE_FIELDS: [&str; 12] = [
    "argument-hint",
    "arguments",
    "agent",
    "context",
    "disable-model-invocation",
    "effort",
    "hooks",
    "model",
    "paths",
    "shell",
    "user-invocable",
    "when_to_use",
];

/// Limits of the specification, in characters; the last one, in lines, is its recommendation.
const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;
const MAX_BODY_LINES: usize = 500;

/// Returns the findings for the text of a `SKILL.md` in a folder called `folder`, by line. Empty if
/// the skill follows all rules.
pub fn check_skill(folder: &str, text: &str) -> Vec<SkillFinding> {
    let split = match frontmatter::split_frontmatter(text) {
        Ok(split) => split,
        Err(fault) => return vec![error_at(fault.line.unwrap_or(1), fault.message)],
    };
    let mut findings = Vec::new();
    // The YAML of a file that begins with `---` starts on line 2.
    if split.yaml_line > 2 {
        let message = "blank lines before the frontmatter; it must begin the file";
        findings.push(error_at(1, message.to_string()));
    }
    check_keys(&split, &mut findings);
    match frontmatter::parse_yaml(&split) {
        Ok(fields) => check_fields(folder, &split, &fields, &mut findings),
        Err(fault) => findings.push(error_at(fault.line.unwrap_or(1), fault.message)),
    }
    check_body(&split, &mut findings);
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// Checks the values of known fields, the presence of required ones, and the names of all others.
fn check_fields(
    folder: &str,
    split: &SplitSkill,
    fields: &Map<String, Value>,
    findings: &mut Vec<SkillFinding>,
) {
    let mut report = |key: &str, complaint: Option<String>| {
        findings.extend(complaint.map(|message| error_at(find_key_line(split, key), message)));
    };
    for key in ["name", "description"] {
        if !fields.contains_key(key) {
            report(key, Some(format!("`{key}` is missing")));
        }
    }
    for (key, value) in fields {
        match key.as_str() {
            "name" => report(key, name_complaint(folder, value)),
            "description" => report(key, text_complaint(key, value, MAX_DESCRIPTION)),
            "compatibility" => report(key, text_complaint(key, value, MAX_COMPATIBILITY)),
            "license" | "allowed-tools" => report(key, text_complaint(key, value, usize::MAX)),
            "metadata" => report(key, metadata_complaint(value)),
            _ => {}
        }
    }
    for key in fields.keys().filter(|key| !SPECIFIED_FIELDS.contains(&key.as_str())) {
        let line = find_key_line(split, key);
        findings.push(if CLAUDE_CODE_FIELDS.contains(&key.as_str()) {
            warning_at(line, format!("`{key}` is Claude Code's own; others ignore it"))
        } else {
            error_at(
                line,
                format!("`{key}` is not a field of Agent Skills; put it under `metadata`"),
            )
        });
    }
    let description = fields.get("description").and_then(Value::as_str);
    if description.is_some_and(|text| text.contains(['<', '>'])) {
        let message = "`description` has `<` or `>`, which some agents refuse";
        findings.push(warning_at(find_key_line(split, "description"), message.to_string()));
    }
}

/// Returns the first rule that a name violates. The specification ties the name to the folder, so
/// that a skill is found under one name.
fn name_complaint(folder: &str, value: &Value) -> Option<String> {
    let complaint = text_complaint("name", value, MAX_NAME);
    let (None, Some(name)) = (&complaint, value.as_str()) else {
        return complaint;
    };
    // Letters of any script are allowed, as long as they are not upper case.
    let is_allowed = |c: char| c == '-' || c.is_alphanumeric() && !c.is_uppercase();
    if let Some(bad) = name.chars().find(|c| !is_allowed(*c)) {
        return Some(format!(
            "`name` has {bad:?}; only lowercase letters, digits and `-` are allowed"
        ));
    }
    if name.starts_with('-') || name.ends_with('-') || name.contains("--") {
        return Some("`name` begins or ends with `-`, or has two in a row".to_string());
    }
    (name != folder).then(|| format!("`name` is {name:?}, but the folder is called {folder:?}"))
}

/// Returns the error of a value that is not a text, is empty, or has more than `longest`
/// characters.
fn text_complaint(key: &str, value: &Value, longest: usize) -> Option<String> {
    let Some(text) = value.as_str() else {
        return Some(format!("`{key}` must be text"));
    };
    let length = text.trim().chars().count();
    if length == 0 {
        return Some(format!("`{key}` is empty"));
    }
    (length > longest).then(|| format!("`{key}` has {length} characters; {longest} are allowed"))
}

/// Returns the first entry of `metadata` that is not a text. An unquoted `version: 1.0` is a number
/// in YAML.
fn metadata_complaint(value: &Value) -> Option<String> {
    let Some(entries) = value.as_object() else {
        return Some("`metadata` must be a list of `key: value`".to_string());
    };
    let mut entries = entries.iter();
    let (key, _) = entries.find(|(_, value)| !value.is_string())?;
    Some(format!("`metadata.{key}` must be text; put it in quotes"))
}

/// Warns about a missing body and about a long one. An agent loads the whole body at once, so
/// length costs context.
fn check_body(split: &SplitSkill, findings: &mut Vec<SkillFinding>) {
    if split.body.trim().is_empty() {
        let message = "there are no instructions after the frontmatter".to_string();
        findings.push(warning_at(split.body_line, message));
    }
    let lines = split.body.lines().count();
    if lines > MAX_BODY_LINES {
        let line = split.body_line + MAX_BODY_LINES as u32;
        findings.push(warning_at(
            line,
            format!("{lines} lines; beyond {MAX_BODY_LINES}, move detail to files beside this one"),
        ));
    }
}

/// Reports repeated fields. Parsers disagree on them: some take the first, some the last, some
/// reject the file.
fn check_keys(split: &SplitSkill, findings: &mut Vec<SkillFinding>) {
    let mut seen = HashSet::new();
    for (line, text) in (split.yaml_line..).zip(split.yaml.lines()) {
        let key = text
            .split_once(':')
            .map(|(key, _)| key.trim_end())
            .filter(|key| !key.is_empty() && !key.starts_with([' ', '\t', '#', '-']))
            .map(|key| key.trim_matches(['"', '\'']));
        if let Some(key) = key.filter(|key| !seen.insert(*key)) {
            findings.push(error_at(line, format!("`{key}` stands there twice")));
        }
    }
}

/// The line on which a field begins. For a missing field it is the opening mark of the front
/// matter.
fn find_key_line(split: &SplitSkill, key: &str) -> u32 {
    let is_key = |line: &str| {
        let rest = line
            .trim_start_matches(['"', '\''])
            .strip_prefix(key)
            .map(|rest| rest.trim_start_matches(['"', '\'']).trim_start());
        rest.is_some_and(|rest| rest.starts_with(':'))
    };
    let index = split.yaml.lines().position(is_key);
    index.map_or(split.yaml_line - 1, |index| split.yaml_line + index as u32)
}

fn error_at(line: u32, message: String) -> SkillFinding {
    SkillFinding { severity: Severity::Error, line, message }
}

fn warning_at(line: u32, message: String) -> SkillFinding {
    SkillFinding { severity: Severity::Warning, line, message }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(folder: &str, text: &str, expected: Expect) {
        let findings = check_skill(folder, text);
        let lines = findings.iter().map(|finding| {
            let severity = finding.severity.as_str();
            format!("{}: {severity}: {}\n", finding.line, finding.message)
        });
        expected.assert_eq(&lines.collect::<String>());
    }

    fn with(fields: &str) -> String {
        format!("---\n{fields}\n---\nDo it.\n")
    }

    #[test]
    fn a_good_skill_has_no_findings() {
        let fields = "name: pdf-tools\ndescription: Reads PDF\nlicense: MIT\ncompatibility: any\n\
                      metadata:\n  version: '1.0'\nallowed-tools: Bash(git:*) Read";
        check("pdf-tools", &with(fields), expect![[""]]);
        check("résumé-工具", &with("name: résumé-工具\ndescription: x"), expect![[""]]);
    }

    #[test]
    fn names() {
        for (folder, name) in [
            ("a", "A"),
            ("a", "-a"),
            ("a", "a--b"),
            ("a b", "a b"),
            ("a", "b"),
            ("a", "plugin:a"),
            ("a", "''"),
            ("a", "[a]"),
        ] {
            let text = with(&format!("description: x\nname: {name}"));
            let findings = check_skill(folder, &text);
            assert_eq!(findings.len(), 1, "{name}: {findings:?}");
            assert_eq!(findings[0].line, 3, "{name}");
            assert_eq!(findings[0].severity, Severity::Error, "{name}");
        }
        let long = "a".repeat(65);
        let text = with(&format!("name: {long}\ndescription: x"));
        check(
            &long,
            &text,
            expect![[r#"
                2: error: `name` has 65 characters; 64 are allowed
            "#]],
        );
    }

    #[test]
    fn every_rule_with_its_line() {
        let long = "d".repeat(1025);
        let fields = format!(
            "# a comment\ndescription: {long}\nversion: 1\nmodel: opus\ncompatibility: ''\n\
             metadata:\n  version: 1.0\nlicense:\n  - MIT"
        );
        check(
            "a",
            &with(&fields),
            expect![[r#"
                1: error: `name` is missing
                3: error: `description` has 1025 characters; 1024 are allowed
                4: error: `version` is not a field of Agent Skills; put it under `metadata`
                5: warning: `model` is Claude Code's own; others ignore it
                6: error: `compatibility` is empty
                7: error: `metadata.version` must be text; put it in quotes
                9: error: `license` must be text
            "#]],
        );
        check(
            "a",
            "\n---\nname: a\ndescription: <b>\n---\n",
            expect![[r#"
            1: error: blank lines before the frontmatter; it must begin the file
            4: warning: `description` has `<` or `>`, which some agents refuse
            6: warning: there are no instructions after the frontmatter
        "#]],
        );
        check(
            "a",
            "---\nname: a\ndescription: x: y\n---\nDo.",
            expect![[r#"
                3: error: the frontmatter is not YAML (mapping values are not allowed in this context); put values in quotes
            "#]],
        );
        check(
            "a",
            "---\nname: b\ndescription: |\n  name: x\n  name: y\nname: a\n---\nDo.",
            expect![[r#"
                6: error: `name` stands there twice
            "#]],
        );
        check(
            "a",
            "# No\n",
            expect![[r#"
            1: error: no frontmatter; begin the file with `---`, `name: …`, `description: …`, `---`
        "#]],
        );
        let body = "line\n".repeat(501);
        let text = format!("---\nname: a\ndescription: x\n---\n{body}");
        check(
            "a",
            &text,
            expect![[r#"
            505: warning: 501 lines; beyond 500, move detail to files beside this one
        "#]],
        );
    }
}
