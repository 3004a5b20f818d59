//! The parts that replies about specs share: problems, the steps of a scenario, and the verdict of
//! a validation.

use serde::{Deserialize, Serialize};

use crate::engine::Tracer;
use crate::ops::OpError;
use crate::ops::number_format::count_noun;
use kenning_knowledge::specs::{Severity, SpecFinding};
use kenning_model::{Clause, Keyword, Problem, Scenario};

/// Returns the problems as text; `None` if there are none, because an empty list costs tokens in
/// every reply.
pub fn problem_list(problems: &[Problem]) -> Option<Vec<String>> {
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    (!shown.is_empty()).then_some(shown)
}

/// Notes that the code was indexed at another commit than is checked out.
pub fn commit_notice(tracer: &Tracer) -> Result<Option<String>, OpError> {
    let moved_on = tracer.commit_drift()?;
    Ok(moved_on.map(|(indexed, current)| {
        let short = |commit: &str| commit.get(..12).unwrap_or(commit).to_string();
        format!(
            "the code index is of commit {}, and {} is checked out; run index_codebase (or `ken \
             index`) to refresh it",
            short(&indexed),
            short(&current)
        )
    }))
}

/// The steps of a scenario by keyword. An AND or BUT stays with the step that it follows: as a
/// further line of a GIVEN or WHEN, as a further item of THEN.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    /// The GIVEN steps, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    /// The WHEN steps; empty if there are none.
    pub when: String,
    /// The THEN steps.
    pub then: Vec<String>,
    /// The whole body, if the three fields above lose its order or its introduction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Steps {
    /// Groups the steps of a scenario.
    pub fn new(scenario: &Scenario) -> Steps {
        let mut given = String::new();
        let mut when = String::new();
        let mut then: Vec<String> = Vec::new();
        let mut current = Keyword::Given;
        for clause in &scenario.clauses {
            // AND and BUT belong to the keyword before them; before any keyword they count as
            // GIVEN.
            if !clause.keyword.continues() {
                current = clause.keyword;
            }
            match current {
                Keyword::When => add_line(&mut when, clause),
                Keyword::Then => then.push(then_item(clause)),
                _ => add_line(&mut given, clause),
            }
        }
        Steps {
            given: (!given.is_empty()).then_some(given),
            when,
            then,
            text: (!has_plain_order(scenario)).then(|| scenario.text.clone()),
        }
    }
}

/// Appends a step to a text; later ones keep their keyword.
fn add_line(text: &mut String, clause: &Clause) {
    if text.is_empty() {
        text.push_str(&clause.text);
    } else {
        text.push('\n');
        text.push_str(clause.keyword.as_str());
        text.push(' ');
        text.push_str(&clause.text);
    }
}

/// Formats a THEN step. A BUT reverses the sense, so it keeps its keyword; the place in the list
/// shows an AND.
fn then_item(clause: &Clause) -> String {
    match clause.keyword {
        Keyword::But => format!("BUT {}", clause.text),
        _ => clause.text.clone(),
    }
}

/// True if GIVEN, WHEN and THEN come in this order and nothing precedes them. Several THEN steps
/// may follow each other.
///
/// Such a scenario can be rebuilt from its three fields, so the reply omits the body.
fn has_plain_order(scenario: &Scenario) -> bool {
    let begun = scenario.clauses.iter().map(|clause| clause.keyword);
    let begun: Vec<Keyword> = begun.filter(|keyword| !keyword.continues()).collect();
    let orders: [&[Keyword]; 2] =
        [&[Keyword::Given, Keyword::When, Keyword::Then], &[Keyword::When, Keyword::Then]];
    let thens = begun.iter().rev();
    let thens = thens.take_while(|keyword| **keyword == Keyword::Then).count();
    let once = &begun[..begun.len() - thens.saturating_sub(1)];
    let starts_with_and = scenario.clauses.first().is_some_and(|first| first.keyword.continues());
    scenario.introduction.is_empty() && !starts_with_and && orders.contains(&once)
}

/// The outcome of a validation, as spox's users know it.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpecVerdict {
    /// False if something fails at the chosen strictness.
    pub valid: bool,
    /// Breaches, and files that could not be read.
    pub errors: Vec<Remark>,
    /// Weaknesses that fail only in strict mode.
    pub warnings: Vec<Remark>,
    /// The counts in one line.
    pub summary: String,
}

/// One finding.
#[derive(Debug, Serialize, Deserialize)]
pub struct Remark {
    /// The file below the root.
    pub file: String,
    /// The line, from 1, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The finding.
    pub description: String,
}

/// The severity that fails a validation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// Only errors fail.
    Errors,
    /// Warnings fail, too.
    Warnings,
}

impl Strictness {
    /// Converts the argument `strict`.
    pub fn from_flag(strict: Option<bool>) -> Strictness {
        match strict {
            Some(true) => Strictness::Warnings,
            _ => Strictness::Errors,
        }
    }
}

impl SpecVerdict {
    /// Builds a verdict about `checked`, such as "3 specs". A file that could not be read is an
    /// error.
    pub fn new(
        checked: &str,
        findings: &[SpecFinding],
        problems: &[Problem],
        strictness: Strictness,
    ) -> SpecVerdict {
        let remarks = |severity: Severity| {
            let findings = findings.iter().filter(move |one| one.severity == severity);
            findings.map(|finding| Remark {
                file: finding.path.to_string(),
                line: finding.line,
                description: finding.message.clone(),
            })
        };
        let unread = problems.iter().map(|problem| Remark {
            file: problem.path.to_string(),
            line: problem.line,
            description: problem.message.clone(),
        });
        let errors: Vec<Remark> = remarks(Severity::Error).chain(unread).collect();
        let warnings: Vec<Remark> = remarks(Severity::Warning).collect();
        let fails = match strictness {
            Strictness::Errors => errors.len(),
            Strictness::Warnings => errors.len() + warnings.len(),
        };
        SpecVerdict {
            valid: fails == 0,
            summary: format!(
                "{checked}: {}, {}",
                count_noun(errors.len(), "error"),
                count_noun(warnings.len(), "warning")
            ),
            errors,
            warnings,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(clauses: &[(Keyword, &str)], introduction: &str, expected: Value) {
        let clause = |(keyword, text): &(Keyword, &str)| Clause {
            keyword: *keyword,
            line: 1,
            text: text.to_string(),
        };
        let scenario = Scenario {
            introduction: introduction.to_string(),
            clauses: clauses.iter().map(clause).collect(),
            text: "as written".to_string(),
            ..Scenario::default()
        };
        let steps = serde_json::to_value(Steps::new(&scenario)).unwrap();
        assert_eq!(steps, expected);
    }

    #[test]
    fn clauses_are_kept_where_they_belong() {
        use Keyword::{And, But, Given, Then, When};

        check(
            &[(When, "a"), (Then, "b"), (And, "c"), (But, "d")],
            "",
            json!({"when": "a", "then": ["b", "c", "BUT d"]}),
        );
        check(
            &[(Given, "a"), (And, "b"), (When, "c"), (And, "d"), (Then, "e"), (Then, "f")],
            "",
            json!({"given": "a\nAND b", "when": "c\nAND d", "then": ["e", "f"]}),
        );
    }

    #[test]
    fn what_does_not_fit_is_told_as_it_was_written() {
        use Keyword::{And, Then, When};

        check(
            &[(When, "a"), (Then, "b"), (When, "c"), (Then, "d")],
            "",
            json!({"when": "a\nWHEN c", "then": ["b", "d"], "text": "as written"}),
        );
        check(
            &[(When, "a"), (Then, "b")],
            "First.",
            json!({"when": "a", "then": ["b"], "text": "as written"}),
        );
        check(&[], "Prose.", json!({"when": "", "then": [], "text": "as written"}));
        check(&[(When, "a")], "", json!({"when": "a", "then": [], "text": "as written"}));
        check(
            &[(And, "a"), (When, "b"), (Then, "c")],
            "",
            json!({"given": "a", "when": "b", "then": ["c"], "text": "as written"}),
        );
    }
}
