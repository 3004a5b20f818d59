//! The common part of `callers` and `callees`: a breadth-first walk along resolved calls, shown as
//! a list.
//!
//! The walk itself is in `graph::traversal`. This file resolves the name, sets the bounds, groups
//! steps into rows, and says what is left out.

use std::borrow::Cow;
use std::collections::HashMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{
    EdgeRef, Reliability, SymbolRef, TOP_LEVEL, check_cancelled, find_definitions, join_notes,
    min_confidence, place_and_name, query_graph,
};
use super::token_budget;
use super::unresolved_lines::{
    FEW_EDGES, SHOWN_LINES, Unresolved, UnresolvedQuery, is_zero, list_unresolved, undefined_lines,
};
use crate::engine::CodeIndex;
use crate::graph::{
    Definition, Direction, Graph, GraphWalk, MentionKinds, TestCode, WalkNode, WalkRules, WalkStep,
    qualified_name,
};
use crate::ops::number_format::count_noun;
use crate::ops::{Args, Call, ErrorKind, OpError, Reply};
use kenning_model::EdgeTarget;

#[derive(Deserialize, JsonSchema)]
pub struct CallsArgs {
    /// A name, Type.member, or path:line of a place within it
    symbol: String,
    /// How many levels to follow
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 5))]
    depth: usize,
    /// The least confidence to show: exact, high, medium or low; what is less sure is counted
    #[serde(default)]
    confidence: MinConfidence,
    /// How many to list; the rest is counted
    #[serde(default)]
    #[schemars(with = "usize", range(min = 1, max = 1000), extend("default" = LIMIT))]
    limit: Option<usize>,
    /// About how many tokens to answer with at most; 3000 unless `limit` is given
    #[schemars(range(min = 100))]
    budget: Option<usize>,
    /// Leave out code that tests
    #[serde(default)]
    skip_tests: bool,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MinConfidence {
    Exact,
    High,
    #[default]
    Medium,
    Low,
}

impl MinConfidence {
    /// Returns the lowest confidence to follow.
    pub fn threshold(self) -> kenning_model::Confidence {
        min_confidence(Some(match self {
            MinConfidence::Exact => "exact",
            MinConfidence::High => "high",
            MinConfidence::Medium => "medium",
            MinConfidence::Low => "low",
        }))
    }
}

/// The default of `depth`: direct neighbours only.
fn default_depth() -> usize {
    1
}

/// The number of rows if the caller names none.
const LIMIT: usize = 50;

/// The number of definitions that are followed on each hop. Beyond it nobody reads the answer, and
/// the walk would grow exponentially.
const WIDTH: usize = 200;

/// The reply of `callers` and `callees`. Exactly one of the two lists is present.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallsReply {
    /// A remark about the name or about callers that the list may lack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The definitions that the name means; the walk follows all of them.
    pub definitions: Vec<SymbolRef>,
    /// The callers outside of tests, nearest first, and then those in tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callers: Option<Vec<CallRow>>,
    /// The callees, nearest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub callees: Option<Vec<CallRow>>,
    /// The callers or callees in tests, listed or not. They come last.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub test_count: usize,
    /// Lines that name it and have no edge.
    #[serde(flatten)]
    pub unresolved: Unresolved,
    /// The parts that are not shown, each with the argument that adds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Freshness of the files that the reply names.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// A neighbour with its call sites.
#[derive(Debug, Serialize, Deserialize)]
pub struct CallRow {
    /// Levels away, where more than one is followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hop: Option<usize>,
    /// The neighbour, or its file for code outside of every definition.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// The lines of the calls: in its own file, or in the caller's.
    pub at: Vec<u32>,
    /// The other end, where that is not clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<String>,
    /// The other end of a callee's edge, if it is not obvious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called_by: Option<String>,
    /// Confidence and reason of the last edge of the chain.
    #[serde(flatten)]
    pub edge: Option<EdgeRef>,
    /// The confidence of the whole chain, where it is lower than that of the last edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub way: Option<Cow<'static, str>>,
}

/// Runs the walk of one direction. Both operations differ only in `way`.
pub fn run(call: &Call, args: &Args, way: Direction) -> Result<Reply, OpError> {
    let arguments: CallsArgs = args.parse()?;
    let index = call.code(arguments.path.as_deref())?;
    let rules = WalkRules {
        direction: way,
        depth: arguments.depth,
        min_confidence: arguments.confidence.threshold(),
        tests: if arguments.skip_tests { TestCode::Skipped } else { TestCode::Followed },
        width: WIDTH,
    };
    let (starts, walk, unresolved, note) = query_graph(&index, |graph| {
        let found = match find_definitions(graph, &index, &arguments.symbol) {
            Err(error) if error.kind == ErrorKind::NotFound && way == Direction::Callers => {
                return undefined_callers(graph, &index, &arguments, rules.tests, error);
            }
            found => found?,
        };
        let starts = found.definitions;
        let walk = graph.walk(&starts, &rules, call.progress)?;
        let mut unresolved = Unresolved::default();
        let callers = walk.steps.iter().filter(|step| step.hop == 1);
        let in_code = callers.clone().filter(|step| !symbol_ref(step).test).count();
        if way == Direction::Callers {
            // Few callers often mean reads and function values, which are no edges.
            let is_few = callers.count() < FEW_EDGES;
            let kinds = if is_few { MentionKinds::All } else { MentionKinds::Calls };
            let query = UnresolvedQuery { kinds, tests: rules.tests, limit: SHOWN_LINES };
            unresolved = list_unresolved(graph, &index, &starts, query)?;
            unresolved.add_ends(graph, &walk, rules.depth, rules.tests)?;
        }
        let note = join_notes([unresolved.warning(in_code), found.note]);
        Ok::<_, OpError>((starts, walk, unresolved, note))
    })?;
    check_cancelled(call)?;
    let found = group_steps(&walk);
    let shown = found.iter().take(arguments.limit.unwrap_or(LIMIT));
    let rows = shown.map(|steps| call_row(&walk, steps, &rules, &starts));
    let allowed = token_budget::effective_budget(arguments.budget, arguments.limit);
    let rows = token_budget::take_fitting(rows.collect(), allowed);
    let shown = &found[..rows.len()];
    let paths = shown.iter().flatten().map(|step| step.node.path());
    let paths = paths.chain(starts.iter().map(|start| &start.path));
    let mut left_out = omission_notes(&walk, CutRows::count(&found[rows.len()..]));
    left_out.extend(unresolved.omission.clone());
    let (callers, callees) = match way {
        Direction::Callers => (Some(rows), None),
        _ => (None, Some(rows)),
    };
    Ok(Reply::object(CallsReply {
        definitions: starts.iter().map(SymbolRef::from_definition).collect(),
        trust: Reliability::check(&index, paths)?,
        note,
        left_out,
        callers,
        callees,
        test_count: CutRows::count(&found).tests,
        unresolved,
    }))
}

/// Answers for a name without a definition: the lines that call or mention it. Without any, the
/// error stands.
fn undefined_callers(
    graph: &Graph,
    index: &CodeIndex,
    arguments: &CallsArgs,
    tests: TestCode,
    error: OpError,
) -> Result<(Vec<Definition>, GraphWalk, Unresolved, Option<String>), OpError> {
    let query = UnresolvedQuery { kinds: MentionKinds::All, tests, limit: SHOWN_LINES };
    let (found, note) = undefined_lines(graph, index, &arguments.symbol, query, error)?;
    Ok((Vec::new(), GraphWalk::default(), found, Some(note)))
}

/// Groups the steps into rows, those outside of tests first, then the nearest. A budget cuts tests
/// before other code. A neighbour of several definitions of the name has a row for each. Steps at
/// one place in the text share a row, and so do overloads.
fn group_steps(walk: &GraphWalk) -> Vec<Vec<&WalkStep>> {
    let found = walk.steps.iter().filter(|step| step.hop > 0);
    let again = walk.repeats.iter().filter(|(step, _)| step.hop == 1);
    let mut found: Vec<&WalkStep> = found.chain(again.map(|(step, _)| step)).collect();
    // If several definitions have the name, the likeliest comes first.
    let start = |step: &WalkStep| step.from.filter(|_| step.hop == 1);
    found.sort_by_cached_key(|step| (symbol_ref(step).test, step.hop, start(step)));
    let mut rows: Vec<Vec<&WalkStep>> = Vec::new();
    let mut known: HashMap<(&str, Option<EdgeTarget>), Vec<usize>> = HashMap::new();
    for step in found {
        let definition = step.node.definition();
        // Only direct neighbours are merged: further away, each step keeps its own chain.
        let key = (step.node.path().as_str(), definition.map(|one| one.target));
        let same = known.entry(key).or_default();
        let is_told = |row: &&usize| {
            let mut told = rows[**row].iter().filter(|_| step.hop == 1);
            told.any(|told| {
                let is_same = step.sites.iter().all(|site| told.sites.contains(site));
                is_same || are_overloads(walk, told, step)
            })
        };
        match same.iter().find(is_told) {
            Some(&row) => rows[row].push(step),
            None => {
                same.push(rows.len());
                rows.push(vec![step]);
            }
        }
    }
    rows
}

/// True if two steps were reached from definitions of one name in one type.
fn are_overloads(walk: &GraphWalk, one: &WalkStep, other: &WalkStep) -> bool {
    let name = |step: &WalkStep| {
        let from = walk.steps[step.from?].node.definition()?;
        Some((from.path.clone(), qualified_name(&from.symbol)))
    };
    name(one) == name(other)
}

/// Builds a row from the steps that share it. The first step decides place and confidence; the
/// lines of all are merged.
fn call_row(
    walk: &GraphWalk,
    steps: &[&WalkStep],
    rules: &WalkRules,
    starts: &[Definition],
) -> CallRow {
    let step = steps[0];
    let mut others: Vec<&Definition> = Vec::new();
    for step in steps {
        let other = step.from.map(|from| &walk.steps[from].node);
        let other = other.and_then(WalkNode::definition);
        let is_new = |one: &&Definition| others.iter().all(|known| known.target != one.target);
        others.extend(other.filter(is_new));
    }
    // With one definition and one hop, the other end is the definition itself: it need not be
    // repeated.
    let is_clear = step.hop == 1 && starts.len() == 1;
    let other_name = others.first().filter(|_| !is_clear);
    let other_name = other_name.map(|one| match (step.hop, others.len()) {
        (1, 1) => place_and_name(one),
        (1, count) => format!("{} and {} more", place_and_name(one), count - 1),
        _ => qualified_name(&one.symbol),
    });
    let (calls, called_by) = match rules.direction {
        Direction::Callers => (other_name, None),
        _ => (None, other_name),
    };
    let is_weaker = step.evidence.is_some_and(|ground| step.confidence < ground.confidence);
    let mut at: Vec<u32> = steps.iter().flat_map(|step| site_lines(step)).collect();
    at.sort_unstable();
    at.dedup();
    CallRow {
        hop: (rules.depth > 1).then_some(step.hop),
        symbol: symbol_ref(step),
        at,
        calls,
        called_by,
        edge: step.evidence.map(|ground| EdgeRef::from_evidence(ground, &step.via)),
        way: is_weaker.then(|| step.confidence.as_str().into()),
    }
}

/// Returns the definition of a step, or the file for code outside of every definition.
pub fn symbol_ref(step: &WalkStep) -> SymbolRef {
    match &step.node {
        WalkNode::Definition(definition) => SymbolRef {
            test: step.is_test() || step.sites.iter().any(|site| site.is_test),
            ..SymbolRef::from_definition(definition)
        },
        WalkNode::File { path, is_test } => SymbolRef {
            symbol: TOP_LEVEL.to_string(),
            kind: "file".into(),
            path: path.to_string(),
            line: step.sites.first().map_or(1, |site| site.line),
            test: *is_test,
        },
    }
}

/// Returns the lines of the edge's text, sorted and each once.
pub fn site_lines(step: &WalkStep) -> Vec<u32> {
    let mut lines: Vec<u32> = step.sites.iter().map(|site| site.line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Notes the definitions beyond which a walk did not go, because it reached them through calls that
/// may mean other implementations.
pub fn vague_dispatch_note(count: usize) -> Option<String> {
    let reached = count_noun(count, "definition");
    (count > 0).then(|| {
        format!(
            "what lies beyond {reached} reached by a call that may mean other implementations; \
             set `confidence` to low to follow it"
        )
    })
}

/// The rows beyond the limit.
#[derive(Clone, Copy)]
pub struct CutRows {
    pub all: usize,
    /// Those of them that are in tests.
    pub tests: usize,
}

impl CutRows {
    /// Counts rows, each of which begins with its first step.
    fn count(rows: &[Vec<&WalkStep>]) -> CutRows {
        let tests = rows.iter().filter(|steps| symbol_ref(steps[0]).test).count();
        CutRows { all: rows.len(), tests }
    }

    /// Counts the rows, and those in tests apart.
    pub fn note(self) -> Option<String> {
        let tests = match (self.tests, self.all) {
            (_, 0) => return None,
            (0, _) => String::new(),
            (tests, all) if tests == all => ", all in tests".to_string(),
            (tests, _) => format!(", {tests} of them in tests"),
        };
        Some(format!("{} more{tests}", self.all))
    }
}

/// Lists the parts that the reply omits, each with the argument that adds it.
pub fn omission_notes(walk: &GraphWalk, cut: CutRows) -> Vec<String> {
    let mut left_out = Vec::new();
    if let Some(note) = cut.note() {
        left_out.push(format!("{note}; raise `limit` or `budget`"));
    }
    if walk.low_confidence_edges > 0 {
        let edges = count_noun(walk.low_confidence_edges, "edge");
        left_out.push(format!("{edges} less sure; set `confidence` to low to see them"));
    }
    left_out.extend(vague_dispatch_note(walk.vague_dispatch));
    if walk.skipped_tests > 0 {
        let places = count_noun(walk.skipped_tests, "place");
        left_out.push(format!("{places} in tests"));
    }
    if walk.unfollowed > 0 {
        let count = count_noun(walk.unfollowed, "definition");
        left_out.push(format!("{count} not followed further; ask for them by name"));
    }
    left_out
}
