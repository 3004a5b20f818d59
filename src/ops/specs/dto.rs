//! The parts that replies about specs share.

use serde::{Deserialize, Serialize};

use crate::engine::Tracer;
use crate::ops::OpError;
use crate::ops::format::count_noun;
use kenning_knowledge::specs::{Finding, Severity};
use kenning_model::{Clause, Keyword, Problem, Scenario};

/// Nothing where there is no problem: a list that is always empty costs tokens.
pub fn problem_list(problems: &[Problem]) -> Option<Vec<String>> {
    let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
    (!shown.is_empty()).then_some(shown)
}

/// Says so where the code was indexed at another commit than is checked out.
pub fn commit_notice(tracer: &Tracer) -> Result<Option<String>, OpError> {
    let moved_on = tracer.moved_on()?;
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

/// The clauses of a scenario by what they are for. An AND or BUT is kept with the clause that it
/// follows: as a line of a GIVEN or WHEN, as a further item of THEN.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Steps {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    pub when: String,
    pub then: Vec<String>,
    /// The whole body, where the three above do not say everything in its order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Steps {
    pub fn new(scenario: &Scenario) -> Steps {
        let mut given = String::new();
        let mut when = String::new();
        let mut then: Vec<String> = Vec::new();
        let mut current = Keyword::Given;
        for clause in &scenario.clauses {
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

/// A BUT turns the sense around, so it stays; that an AND was an AND, its place in the list says.
fn then_item(clause: &Clause) -> String {
    match clause.keyword {
        Keyword::But => format!("BUT {}", clause.text),
        _ => clause.text.clone(),
    }
}

/// True if GIVEN, WHEN and THEN come in this order, once each, and nothing before them.
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
    pub valid: bool,
    pub errors: Vec<Remark>,
    pub warnings: Vec<Remark>,
    pub summary: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Remark {
    pub file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    pub description: String,
}

/// The severity that fails a validation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    Errors,
    Warnings,
}

impl Strictness {
    pub fn from_flag(strict: Option<bool>) -> Strictness {
        match strict {
            Some(true) => Strictness::Warnings,
            _ => Strictness::Errors,
        }
    }
}

impl SpecVerdict {
    /// On `checked` things, such as "3 specs". What could not be read is an error.
    pub fn new(
        checked: &str,
        findings: &[Finding],
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
