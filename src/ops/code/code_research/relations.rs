//! The relations of the chosen definitions: how they call each other, who calls them from outside,
//! and the tests that reach them. Each is a few lines with every path once.

use std::collections::BTreeMap;

use super::definition_choice::ChosenSource;
use super::findings::ResearchScope;
use crate::graph::{Definition, Direction, Graph, GraphLink, TestCode, WalkRules, qualified_name};
use crate::ops::OpError;
use crate::ops::code::impact;
use kenning_model::Silent;

/// The relations of the chosen definitions.
#[derive(Default)]
pub struct Relations {
    /// `Session.login → Store.open 14, 18`.
    pub calls: Vec<String>,
    /// `Session.login ← src/main.rs: run 12, main 30`.
    pub called_by: Vec<String>,
    /// `tests/session.rs: test_login 4, test_logout 19`.
    pub tests: Vec<String>,
}

/// The definitions whose callers are listed.
const MAX_CALLED: usize = 10;

/// The callers of one definition that are listed.
const MAX_CALLERS: usize = 6;

/// The definitions whose tests are searched.
const MAX_TESTED: usize = 6;

/// The levels between a test and a definition.
const TEST_DEPTH: usize = 3;

/// The definitions that the search for tests follows on each level.
const TEST_WIDTH: usize = 48;

/// The most tests.
const MAX_TESTS: usize = 16;

/// Collects the relations of the definitions that an answer shows.
pub fn collect_relations(
    scope: &ResearchScope,
    graph: &Graph,
    shown: &[&ChosenSource],
) -> Result<Relations, OpError> {
    let definitions: Vec<&Definition> =
        shown.iter().filter_map(|one| one.definition.as_ref()).collect();
    let is_shown = |one: &Definition| definitions.iter().any(|known| known.target == one.target);
    let mut relations = Relations::default();
    for definition in definitions.iter().filter(|one| !one.is_type()) {
        let links = graph.callees(definition)?;
        let inner = links.into_iter().filter(|link| {
            let is_other = |other: &Definition| other.target != definition.target;
            link.evidence.confidence >= scope.least
                && link.other.as_ref().is_some_and(|other| is_shown(other) && is_other(other))
        });
        relations.calls.extend(group_callees(definition, inner));
    }
    for definition in definitions.iter().take(MAX_CALLED) {
        let links = graph.callers(definition)?;
        let outer = links.into_iter().filter(|link| {
            link.evidence.confidence >= scope.least
                && !link.site.is_test
                && !link.other.as_ref().is_some_and(|other| is_shown(other) || other.symbol.is_test)
        });
        relations.called_by.extend(group_callers(definition, outer));
    }
    relations.tests = list_tests(scope, graph, &definitions)?;
    Ok(relations)
}

/// Formats the calls of a definition, one line for each callee.
fn group_callees(definition: &Definition, links: impl Iterator<Item = GraphLink>) -> Vec<String> {
    let mut lines: Vec<(String, Vec<u32>)> = Vec::new();
    for link in links {
        let Some(other) = &link.other else {
            continue;
        };
        add_line(&mut lines, qualified_name(&other.symbol), link.site.line);
    }
    let caller = qualified_name(&definition.symbol);
    let format_line = |(name, at): CallerLines| format!("{caller} → {name} {}", join(&at));
    lines.into_iter().map(format_line).collect()
}

/// A caller's name with the lines of its calls.
type CallerLines = (String, Vec<u32>);

/// Formats the callers of a definition in one line, grouped by file.
fn group_callers(
    definition: &Definition,
    links: impl Iterator<Item = GraphLink>,
) -> Option<String> {
    let mut files: Vec<(String, Vec<CallerLines>)> = Vec::new();
    let (mut count, mut more) = (0, 0);
    for link in links {
        let name = link.other.as_ref().map(|one| qualified_name(&one.symbol));
        let path = link.site.path.as_str();
        let file = files.iter().position(|(known, _)| known == path);
        let is_known = file.is_some_and(|at| {
            let mut names = files[at].1.iter();
            names.any(|(known, _)| Some(known) == name.as_ref())
        });
        if !is_known && count == MAX_CALLERS {
            more += 1;
            continue;
        }
        count += usize::from(!is_known);
        let file = file.unwrap_or_else(|| {
            files.push((path.to_string(), Vec::new()));
            files.len() - 1
        });
        add_line(&mut files[file].1, name.unwrap_or_default(), link.site.line);
    }
    if files.is_empty() {
        return None;
    }
    let format_name = |(name, at): CallerLines| format!("{name} {}", join(&at));
    let format_file = |(path, names): (String, Vec<CallerLines>)| {
        let names: Vec<String> = names.into_iter().map(format_name).collect();
        format!("{path}: {}", names.join(", ").trim_start())
    };
    let files: Vec<String> = files.into_iter().map(format_file).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!("{} ← {}{more}", qualified_name(&definition.symbol), files.join("; ")))
}

/// Adds a line to the entry of a name.
fn add_line(entries: &mut Vec<(String, Vec<u32>)>, name: String, line: u32) {
    match entries.iter_mut().find(|(known, _)| *known == name) {
        Some((_, lines)) if lines.contains(&line) => {}
        Some((_, lines)) => lines.push(line),
        None => entries.push((name, vec![line])),
    }
}

/// Joins line numbers, at most four.
fn join(lines: &[u32]) -> String {
    // Four show the pattern; the file has the rest.
    let shown: Vec<String> = lines.iter().take(4).map(ToString::to_string).collect();
    let more = if lines.len() > 4 { "…" } else { "" };
    shown.join(" ") + more
}

/// Lists the tests that reach the definitions, nearest first, grouped by file.
fn list_tests(
    scope: &ResearchScope,
    graph: &Graph,
    definitions: &[&Definition],
) -> Result<Vec<String>, OpError> {
    let rules = WalkRules {
        direction: Direction::Callers,
        depth: TEST_DEPTH,
        min_confidence: scope.least,
        tests: TestCode::Followed,
        width: TEST_WIDTH,
    };
    let starts = definitions.iter().filter(|one| !one.symbol.is_test).take(MAX_TESTED);
    let starts: Vec<Definition> = starts.map(|one| (*one).clone()).collect();
    let walk = graph.walk(&starts, &rules, &Silent)?;
    let mut found = impact::impact_rows(graph, &walk, &starts)?.tests;
    found.sort_by_key(|row| row.hop);
    let more = found.len().saturating_sub(MAX_TESTS);
    let mut files: BTreeMap<(usize, String), Vec<String>> = BTreeMap::new();
    let mut ranks: Vec<String> = Vec::new();
    for row in found.into_iter().take(MAX_TESTS) {
        let path = row.symbol.path;
        let rank = ranks.iter().position(|known| *known == path).unwrap_or_else(|| {
            ranks.push(path.clone());
            ranks.len() - 1
        });
        let test = format!("{} {}", row.symbol.symbol, row.symbol.line);
        files.entry((rank, path)).or_default().push(test);
    }
    let lines = files.into_iter().map(|((_, path), tests)| format!("{path}: {}", tests.join(", ")));
    let more = (more > 0).then(|| format!("and {more} more tests"));
    Ok(lines.chain(more).collect())
}
