//! Two walks that reuse `impact`: the users of a file, and the tests that reach a definition.

use std::collections::HashSet;

use super::definition_choice::is_bare_module;
use super::findings::{Findings, MAX_MAP, ResearchScope};
use super::outline::{OutlineLine, definition_line, dependency_map};
use crate::graph::{Definition, Direction, Graph, TestCode, WalkRules};
use crate::ops::OpError;
use crate::ops::code::impact;
use crate::ops::code::reply_parts::TOP_LEVEL;
use crate::ops::number_format::count_noun;
use crate::search::intent::Intent;
use kenning_model::{ChunkKind, RepoPath};

/// The definitions of a file that are followed.
const WIDTH: usize = 400;

/// The least depth for tests, which rarely call what they test directly.
const TEST_DEPTH: usize = 3;

/// Collects the definitions of a file and their users, or what they use.
pub fn research_file(
    scope: &ResearchScope,
    graph: &Graph,
    asking: Intent,
    path: &RepoPath,
) -> Result<Findings, OpError> {
    let mut definitions = graph.definitions_in_file(path)?;
    definitions.retain(|one| one.symbol.kind != ChunkKind::Extension);
    if asking == Intent::Tests {
        return research_tests(scope, graph, &definitions, path.as_str());
    }
    let levels = count_noun(scope.depth, "level");
    let (name, way, took) = match asking {
        Intent::Uses | Intent::Callees | Intent::Supertypes => (
            "dependencies",
            Direction::Uses,
            format!("what the definitions of {path} use, and what that uses, {levels} down"),
        ),
        _ => (
            "references",
            Direction::References,
            format!("what mentions the definitions of {path}, and what mentions that, {levels} up"),
        ),
    };
    let listed = match asking {
        Intent::Definition | Intent::Overview => defined_lines(&definitions),
        _ => Vec::new(),
    };
    let starts = keep_with_outside_edges(scope, graph, definitions, way)?;
    let walk = scope.walk(graph, &starts, way, scope.depth, 0, scope.depth)?;
    let mut findings = Findings {
        walk: name,
        took,
        map: dependency_map(graph, &[(&walk, way)], MAX_MAP)?,
        ..Findings::default()
    };
    findings.lines.push(OutlineLine {
        indent: 0,
        text: format!("{path}  file"),
        hop: 0,
        path: Some(path.clone()),
    });
    findings.lines.extend(listed);
    findings.add_walk(&walk, way, 1, scope.depth);
    drop_imports(&mut findings.lines);
    findings.add_site_excerpts(&walk);
    findings.users = (way == Direction::References).then_some(walk);
    Ok(findings)
}

/// Lists the definitions of a file that nothing encloses, at most so many.
fn defined_lines(definitions: &[Definition]) -> Vec<OutlineLine> {
    const LISTED: usize = 20;
    let outer = definitions.iter().filter(|one| one.symbol.scope.is_none() && !is_bare_module(one));
    let lines = outer.take(LISTED).map(|one| {
        let (name, kind, line) = (&one.symbol.name, one.symbol.kind.as_str(), one.symbol.line);
        let text = format!("defines {name}  {kind}  line {line}");
        OutlineLine { indent: 1, text, hop: 1, path: None }
    });
    lines.collect()
}

/// Drops the imports of files whose definitions are listed anyway: the import adds nothing.
fn drop_imports(lines: &mut Vec<OutlineLine>) {
    let is_import = |line: &OutlineLine| line.text.starts_with(&format!("← {TOP_LEVEL}"));
    let named = lines.iter().filter(|line| line.hop > 0 && !is_import(line));
    let named: HashSet<RepoPath> = named.filter_map(|line| line.path.clone()).collect();
    lines.retain(|line| !is_import(line) || !line.path.iter().any(|path| named.contains(path)));
}

/// Keeps the definitions of a file that have an edge to another file.
fn keep_with_outside_edges(
    scope: &ResearchScope,
    graph: &Graph,
    definitions: Vec<Definition>,
    way: Direction,
) -> Result<Vec<Definition>, OpError> {
    let rules = WalkRules {
        direction: way,
        depth: 1,
        min_confidence: scope.least,
        tests: scope.tests,
        width: WIDTH,
    };
    let walk = graph.walk(&definitions, &rules, scope.call.progress)?;
    let own = |place: usize| walk.steps[place].node.path();
    let out = walk.edges.iter().filter(|(near, far)| own(*near) != own(*far));
    let out: Vec<usize> = out.map(|(near, _)| *near).collect();
    let steps = walk.steps.iter().enumerate();
    let steps = steps.filter(|(place, step)| step.hop == 0 && out.contains(place));
    let leading = steps.filter_map(|(_, step)| step.node.definition().cloned());
    Ok(leading.collect())
}

/// Finds the tests that reach these definitions, nearest first.
pub fn research_tests(
    scope: &ResearchScope,
    graph: &Graph,
    definitions: &[Definition],
    name: &str,
) -> Result<Findings, OpError> {
    let depth = scope.depth.max(TEST_DEPTH);
    let rules = WalkRules {
        direction: Direction::References,
        depth,
        min_confidence: scope.least,
        tests: TestCode::Followed,
        width: WIDTH,
    };
    let own = impact::add_members(graph, definitions)?;
    let starts = impact::add_implementations(graph, &own)?;
    let walk = graph.walk(&starts, &rules, scope.call.progress)?;
    let mut found = impact::impact_rows(graph, &walk, &own)?.tests;
    found.sort_by_key(|row| row.hop);
    let mut findings = Findings {
        walk: "tests",
        took: format!("the tests that reach {name} through at most {}", count_noun(depth, "level")),
        unsure: walk.low_confidence_edges,
        vague_dispatch: walk.vague_dispatch,
        unfollowed: walk.unfollowed,
        ..Findings::default()
    };
    findings.lines.extend(definitions.iter().take(1).map(definition_line));
    for row in found {
        let symbol = row.symbol;
        let far = match row.hop {
            1 => "direct".to_string(),
            hop => format!("{hop} levels away"),
        };
        findings.lines.push(OutlineLine {
            indent: 1,
            text: format!(
                "← {}  {}  {}:{}  [{far}]",
                symbol.symbol, symbol.kind, symbol.path, symbol.line
            ),
            hop: row.hop,
            path: RepoPath::new(&symbol.path),
        });
    }
    findings.add_site_excerpts(&walk);
    Ok(findings)
}
