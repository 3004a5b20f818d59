//! The dependents of a change: what may break, the tests that reach each definition, and the lines
//! that still name a removed one.

use std::collections::{BTreeMap, BTreeSet};

use super::definition_diff::{DefinitionDifference, DifferenceKind};
use super::reply::DanglingReferences;
use crate::engine::CodeIndex;
use crate::graph::{
    Definition, Direction, Graph, GraphWalk, MentionBounds, MentionKinds, TestCode, WalkRules,
    qualified_name,
};
use crate::ops::code::call_hierarchy::symbol_ref;
use crate::ops::code::impact::{ImpactRow, TestRow, add_implementations, impact_rows};
use crate::ops::code::reply_parts::{check_cancelled, min_confidence};
use crate::ops::code::unresolved_lines::{
    SHOWN_LINES, Unresolved, UnresolvedQuery, list_unresolved,
};
use crate::ops::{Call, OpError};
use kenning_model::{ChunkKind, EdgeTarget};

/// The number of definitions that are followed on each hop.
const WIDTH: usize = 300;

/// The most files that are read for lines with a removed name.
const MAX_FILES: usize = 60;

/// A removed name with more lines is a common word: its lines say nothing.
const MAX_LINES: usize = 40;

/// The dependents and tests that a change reaches.
pub struct ChangeImpact {
    /// Non-test code that depends on a changed or removed definition, riskiest first.
    pub affected: Vec<ImpactRow>,
    /// The tests that reach the change, nearest first.
    pub tests: Vec<TestRow>,
    /// By definition, the number of direct dependents and of tests.
    pub counts: BTreeMap<EdgeKey, ReachCounts>,
    /// Lines that still call a removed definition.
    pub left: Vec<DanglingReferences>,
    /// Calls of the changed names that lead to no definition.
    pub unresolved: Unresolved,
    /// The packages of the changed definitions.
    pub packages: BTreeSet<String>,
    /// True if the walk was cut, so that a count may be too low.
    pub is_cut: bool,
}

/// A definition of the graph, as a key.
pub type EdgeKey = (i64, String, u32);

/// The reach of one definition.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReachCounts {
    /// Definitions and files that use it directly.
    pub dependents: usize,
    /// Tests that reach it.
    pub tests: usize,
}

/// Returns the key of a definition.
pub fn edge_key(definition: &Definition) -> EdgeKey {
    let EdgeTarget { file, .. } = definition.target;
    (file, qualified_name(&definition.symbol), definition.symbol.line)
}

/// Walks once from all changed definitions, and then assigns the dependents to each of them.
pub fn find_reached(
    call: &Call,
    graph: &Graph,
    index: &CodeIndex,
    differences: &[DefinitionDifference],
    depth: usize,
) -> Result<ChangeImpact, OpError> {
    let changed: Vec<(DifferenceKind, Definition)> = differences
        .iter()
        .filter_map(|one| Some((one.kind, one.after.as_ref()?.definition.clone()?)))
        .collect();
    let definitions: Vec<Definition> = changed.iter().map(|(_, one)| one.clone()).collect();
    let starts = add_implementations(graph, &definitions)?;
    let rules = WalkRules {
        direction: Direction::References,
        depth,
        min_confidence: min_confidence(None),
        tests: TestCode::Followed,
        width: WIDTH,
    };
    let walk = graph.walk(&starts, &rules, call.progress)?;
    check_cancelled(call)?;
    let neighbours = neighbours(&walk);
    let mut counts = BTreeMap::new();
    let mut at_risk = BTreeSet::new();
    for (kind, definition) in &changed {
        // An implementation changes with its interface, so its dependents count too.
        let own = add_implementations(graph, std::slice::from_ref(definition))?;
        let starts = own.iter().filter_map(|one| find_start_step(&walk, one));
        let starts: BTreeSet<usize> = starts.collect();
        let reached = reachable(&neighbours, &starts);
        let tests = reached.iter().filter(|place| symbol_ref(&walk.steps[**place]).test).count();
        let direct = starts.iter().filter_map(|start| neighbours.get(start)).flatten();
        let dependents = direct.collect::<BTreeSet<_>>().len();
        counts.insert(edge_key(definition), ReachCounts { dependents, tests });
        // Nothing depended on a new definition before the change.
        if *kind != DifferenceKind::Added {
            at_risk.extend(reached);
        }
    }
    let at_risk = places_of_steps(&walk, at_risk);
    let rows = impact_rows(graph, &walk, &definitions)?;
    let affected = rows.affected.into_iter().map(|(row, _)| row);
    let affected = affected.filter(|row| {
        at_risk.contains(&(row.symbol.path.clone(), row.symbol.line)) || row.hop == 0
    });
    Ok(ChangeImpact {
        affected: affected.collect(),
        tests: rows.tests,
        counts,
        left: find_dangling_references(graph, differences)?,
        unresolved: find_unresolved(graph, index, &definitions, &walk, depth)?,
        packages: find_packages(graph, differences)?,
        is_cut: walk.unfollowed + walk.vague_dispatch > 0
            || walk.steps.iter().any(|step| step.hop >= depth),
    })
}

/// Returns the path and line of each step of a walk.
fn places_of_steps(walk: &GraphWalk, steps: BTreeSet<usize>) -> BTreeSet<(String, u32)> {
    let symbols = steps.into_iter().map(|step| symbol_ref(&walk.steps[step]));
    symbols.map(|symbol| (symbol.path, symbol.line)).collect()
}

/// Finds the calls of the changed definitions that lead to no definition, and those at which the
/// walk ends. A definition that is a test has no callers.
fn find_unresolved(
    graph: &Graph,
    index: &CodeIndex,
    definitions: &[Definition],
    walk: &GraphWalk,
    depth: usize,
) -> Result<Unresolved, OpError> {
    let product = definitions.iter().filter(|one| !one.symbol.is_test).cloned();
    let product: Vec<Definition> = product.collect();
    let (kinds, tests) = (MentionKinds::Calls, TestCode::Followed);
    let query = UnresolvedQuery { kinds, tests, limit: SHOWN_LINES };
    let mut unresolved = list_unresolved(graph, index, &product, query)?;
    unresolved.add_ends(graph, walk, depth, TestCode::Skipped)?;
    Ok(unresolved)
}

/// Returns the packages of the changed definitions.
fn find_packages(
    graph: &Graph,
    differences: &[DefinitionDifference],
) -> Result<BTreeSet<String>, OpError> {
    let mut packages = BTreeSet::new();
    for one in differences {
        let side = one.after.as_ref().or(one.before.as_ref());
        packages.extend(side.map(|side| graph.package_of(&side.path)).transpose()?.flatten());
    }
    packages.remove("");
    Ok(packages)
}

/// Returns for each step the steps that depend on it directly.
fn neighbours(walk: &GraphWalk) -> BTreeMap<usize, Vec<usize>> {
    let mut found: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (near, far) in &walk.edges {
        found.entry(*near).or_default().insert(*far);
    }
    found.into_iter().map(|(near, far)| (near, far.into_iter().collect())).collect()
}

/// Returns the step of a start.
fn find_start_step(walk: &GraphWalk, definition: &Definition) -> Option<usize> {
    walk.steps.iter().position(|step| {
        step.hop == 0 && step.node.definition().is_some_and(|one| one.target == definition.target)
    })
}

/// Returns all steps that lead to one of these, over any number of edges.
fn reachable(
    neighbours: &BTreeMap<usize, Vec<usize>>,
    starts: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let mut known = BTreeSet::new();
    let mut open = Vec::from_iter(starts.iter().copied());
    while let Some(place) = open.pop() {
        for next in neighbours.get(&place).into_iter().flatten() {
            if !starts.contains(next) && known.insert(*next) {
                open.push(*next);
            }
        }
    }
    known
}

/// Finds the calls of removed definitions that no longer resolve. Each name is searched once.
fn find_dangling_references(
    graph: &Graph,
    differences: &[DefinitionDifference],
) -> Result<Vec<DanglingReferences>, OpError> {
    let removed = differences.iter().filter(|one| one.kind == DifferenceKind::Removed);
    let removed = removed.filter_map(|one| one.before.as_ref());
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for before in removed {
        let name = &before.symbol.name;
        let is_common = before.symbol.kind == ChunkKind::Initializer;
        if is_common || !known.insert(name.clone()) {
            continue;
        }
        // A type is mentioned, a function is called. Other mentions of a function's name are often
        // of something else.
        let is_mentioned = before.symbol.kind.names_type();
        let kinds = if is_mentioned { MentionKinds::All } else { MentionKinds::Calls };
        let bounds = MentionBounds { files: MAX_FILES, kinds, tests: TestCode::Followed };
        let lines = graph.find_textual_mentions(name, &[], &bounds)?.lines;
        if lines.is_empty() || lines.len() > MAX_LINES {
            continue;
        }
        let places = lines.iter().map(|line| format!("{}:{}", line.path, line.line));
        let mut places: Vec<String> = places.collect();
        places.sort();
        places.dedup();
        found.push(DanglingReferences { symbol: qualified_name(&before.symbol), lines: places });
    }
    Ok(found)
}
