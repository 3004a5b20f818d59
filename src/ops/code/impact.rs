//! `impact`: everything that a change can break. It starts at a symbol, a file or the uncommitted
//! lines, and walks references inwards.
//!
//! Non-test code is ranked by risk; tests are listed apart, because they are the ones to run. The
//! walk is bounded by `depth` and `WIDTH`, and the reply says when a bound cut it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call_hierarchy::{CutRows, MinConfidence, omission_notes, symbol_ref};
use super::impact_risk::assess_risk;
use super::path_lookup;
use super::reply_parts::{
    NameMatch, Reliability, SymbolRef, check_cancelled, find_definitions, join_notes, query_graph,
};
use super::unresolved_lines::{
    FEW_EDGES, SHOWN_LINES, Unresolved, UnresolvedQuery, list_unresolved, undefined_lines,
};
use crate::engine::CodeIndex;
use crate::graph::{
    Definition, Direction, Graph, GraphWalk, MentionKinds, TestCode, WalkRules, WalkStep,
    qualified_name,
};
use crate::ops::{
    Args, Call, ErrorKind, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::{ChunkKind, RepoPath};

/// Replies with an [`ImpactReply`]. Without arguments it needs git, to find the uncommitted lines.
pub static OP: OpEntry = OpEntry {
    name: "impact",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "What a change can break: give `symbol`, or `file`, or neither for the uncommitted change. \
              Everything that depends on it, through calls, types and implementations, across \
              packages, riskiest first, each with its distance and chain; and the tests that reach \
              it, which are those to run.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<ImpactArgs>),
    reply: ReplyType::of::<ImpactReply>(),
    examples: &["ken impact", "ken impact Session.login", "ken impact src/session.rs --depth 2"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct ImpactArgs {
    /// What changes: a name, Type.member, path:line of a place within it, or a file's path
    symbol: Option<String>,
    /// Everything in this file changes; a path below the root
    file: Option<String>,
    /// How many levels to follow
    #[serde(default = "default_depth")]
    #[schemars(range(min = 1, max = 6))]
    depth: usize,
    /// The least confidence to follow: exact, high, medium or low; what is less sure is counted
    #[serde(default)]
    confidence: MinConfidence,
    /// How many to list of each; the rest is counted
    #[serde(default = "default_limit")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

/// The default of `depth`.
fn default_depth() -> usize {
    3
}

/// The default of `limit`, for each of the two lists.
fn default_limit() -> usize {
    40
}

/// The number of definitions that are followed on each hop.
const WIDTH: usize = 300;

/// The reply of `impact`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImpactReply {
    /// A remark about the name or about users that the list may lack, or that nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The definitions that change.
    pub changed: Vec<SymbolRef>,
    /// All affected definitions, listed or not.
    pub affected_count: usize,
    /// The number of files with affected code or tests.
    pub files: usize,
    /// By package, how many definitions.
    pub packages: BTreeMap<String, usize>,
    /// The affected definitions, riskiest first.
    pub affected: Vec<ImpactRow>,
    /// All tests that reach the change.
    pub test_count: usize,
    /// The first of these tests.
    pub tests: Vec<TestRow>,
    /// Lines that name the symbol and have no edge.
    #[serde(flatten)]
    pub unresolved: Unresolved,
    /// The parts that are not shown, each with the argument that adds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Freshness of the changed files.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// An affected definition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ImpactRow {
    /// From 0 to 1: how likely and how far-reaching.
    pub risk: f64,
    /// Name, kind and place.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// The distance in edges; 0 for an implementation of a changed type.
    pub hop: usize,
    /// The parts of the risk, in words.
    pub why: String,
    /// The path from the change, as `a → b → c`.
    pub chain: String,
}

/// A test that reaches the change.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestRow {
    /// Name, kind and place.
    #[serde(flatten)]
    pub symbol: SymbolRef,
    /// The distance in edges.
    pub hop: usize,
}

/// Finds the changed definitions, walks to everything that depends on them, and cuts both lists.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: ImpactArgs = args.parse()?;
    if arguments.symbol.is_some() && arguments.file.is_some() {
        return Err(OpError::bad_argument("give `symbol` or `file`, not both"));
    }
    let index = call.code(arguments.path.as_deref())?;
    let rules = WalkRules {
        direction: Direction::References,
        depth: arguments.depth,
        min_confidence: arguments.confidence.threshold(),
        tests: TestCode::Followed,
        width: WIDTH,
    };
    let reached = query_graph(&index, |graph| {
        let changed = match changed_definitions(call, graph, &index, &arguments) {
            Err(error) if error.kind == ErrorKind::NotFound => {
                return undefined_impact(graph, &index, &arguments, error);
            }
            changed => changed?,
        };
        find_affected(call, graph, &index, &arguments, changed, &rules)
    })?;
    let ImpactFindings { changed, walk, rows, unresolved, note } = reached;
    let packages = count_by_package(&rows.affected);
    let found = walk.steps.iter().filter(|step| step.hop > 0);
    let paths = found.map(|step| step.node.path().clone());
    let paths: BTreeSet<RepoPath> = paths.collect();
    let affected_count = rows.affected.len();
    let test_count = rows.tests.len();
    let affected = rows.affected.into_iter().map(|(row, _)| row);
    let affected: Vec<ImpactRow> = affected.take(arguments.limit).collect();
    let tests: Vec<TestRow> = rows.tests.into_iter().take(arguments.limit).collect();
    let cut_tests = test_count - tests.len();
    let cut = CutRows { all: affected_count - affected.len() + cut_tests, tests: cut_tests };
    let mut left_out = omission_notes(&walk, cut);
    left_out.extend(depth_note(&walk, arguments.depth));
    left_out.extend(unresolved.omission.clone());
    let has_changed = !changed.is_empty() || note.is_some();
    Ok(Reply::object(ImpactReply {
        note: if has_changed { note } else { Some("no definition has changed".to_string()) },
        trust: Reliability::check(&index, changed.iter().map(|one| &one.path))?,
        changed: changed.iter().take(arguments.limit).map(SymbolRef::from_definition).collect(),
        affected_count,
        files: paths.len(),
        packages,
        affected,
        test_count,
        tests,
        unresolved,
        left_out,
    }))
}

/// Notes that the last level has dependents of its own, which were not followed.
fn depth_note(walk: &GraphWalk, depth: usize) -> Option<String> {
    let goes_on = walk.steps.iter().any(|step| step.hop >= depth);
    goes_on.then(|| format!("what depends on it through more than {depth} others; raise `depth`"))
}

/// Counts the affected definitions of each package.
fn count_by_package(affected: &[(ImpactRow, Option<String>)]) -> BTreeMap<String, usize> {
    let mut packages = BTreeMap::new();
    for package in affected.iter().filter_map(|(_, package)| package.as_ref()) {
        *packages.entry(package.clone()).or_default() += 1;
    }
    packages.remove("");
    packages
}

/// The result of the walk, before it is cut.
struct ImpactFindings {
    /// The definitions that change.
    changed: Vec<Definition>,
    /// The steps of the walk.
    walk: GraphWalk,
    /// The rows made of the steps.
    rows: ImpactRows,
    /// Lines that name the symbol and have no edge.
    unresolved: Unresolved,
    /// A remark about the name or about what the list may lack.
    note: Option<String>,
}

/// Answers for a name without a definition: the lines that contain it.
fn undefined_impact(
    graph: &Graph,
    index: &CodeIndex,
    arguments: &ImpactArgs,
    error: OpError,
) -> Result<ImpactFindings, OpError> {
    let Some(symbol) = &arguments.symbol else {
        return Err(error);
    };
    let (unresolved, note) = undefined_lines(graph, index, symbol, QUERY, error)?;
    Ok(ImpactFindings {
        changed: Vec::new(),
        walk: GraphWalk::default(),
        rows: ImpactRows { affected: Vec::new(), tests: Vec::new() },
        unresolved,
        note: Some(note),
    })
}

/// The unresolved lines that a reply with few edges lists.
const QUERY: UnresolvedQuery =
    UnresolvedQuery { kinds: MentionKinds::All, tests: TestCode::Followed, limit: SHOWN_LINES };

/// Walks from the changed definitions and collects the rows.
fn find_affected(
    call: &Call,
    graph: &Graph,
    index: &CodeIndex,
    arguments: &ImpactArgs,
    found: NameMatch,
    rules: &WalkRules,
) -> Result<ImpactFindings, OpError> {
    let changed = found.definitions;
    // Git reports lines, and they already select the members. A named type stands for all of its
    // members.
    let own = match arguments.symbol {
        Some(_) => add_members(graph, &changed)?,
        None => changed.clone(),
    };
    let starts = add_implementations(graph, &own)?;
    let walk = graph.walk(&starts, rules, call.progress)?;
    check_cancelled(call)?;
    let rows = impact_rows(graph, &walk, &own)?;
    let is_little = rows.affected.len() + rows.tests.len() < FEW_EDGES;
    let kinds = if is_little { MentionKinds::All } else { MentionKinds::Calls };
    // A test may call what it likes: no call reaches it.
    let callable: Vec<Definition> =
        changed.iter().filter(|one| !one.symbol.is_test).cloned().collect();
    let query = UnresolvedQuery { kinds, ..QUERY };
    let mut unresolved = list_unresolved(graph, index, &callable, query)?;
    unresolved.add_ends(graph, &walk, rules.depth, TestCode::Skipped)?;
    let direct = rows.affected.iter().filter(|(row, _)| row.hop == 1).count();
    let warnings =
        [unresolved.warning(direct), unresolved.tests_warning(rows.tests.len()), found.note];
    Ok(ImpactFindings { note: join_notes(warnings), unresolved, changed, walk, rows })
}

/// Returns the definitions that change: of a symbol, of a file, or around the uncommitted lines.
fn changed_definitions(
    call: &Call,
    graph: &Graph,
    index: &CodeIndex,
    arguments: &ImpactArgs,
) -> Result<NameMatch, OpError> {
    let without_note = |definitions| NameMatch { definitions, note: None };
    if let Some(symbol) = &arguments.symbol {
        return match find_only_file(graph, path_lookup::strip_root(index, symbol))? {
            Some(path) => Ok(without_note(file_definitions(graph, index, path.as_str())?)),
            None => find_definitions(graph, index, symbol),
        };
    }
    if let Some(file) = &arguments.file {
        return Ok(without_note(file_definitions(graph, index, file)?));
    }
    let files = call.engine.uncommitted_lines(index)?.ok_or_else(|| {
        OpError::new(ErrorKind::NotFound, "git cannot list what changed here")
            .hint("give `symbol` or `file`")
    })?;
    let mut found: Vec<Definition> = Vec::new();
    for file in files {
        for (first, last) in file.lines {
            for definition in graph.definitions_touching(&file.path, first, last)? {
                if !found.iter().any(|known| known.target == definition.target) {
                    found.push(definition);
                }
            }
        }
    }
    Ok(without_note(graph.merge_declarations(found)?))
}

/// Returns the file that a text names, so that `ken impact src/session.rs` works. A text without
/// `/` or `.` is never a file.
fn find_only_file(graph: &Graph, text: &str) -> Result<Option<RepoPath>, OpError> {
    let path = RepoPath::new(text.trim()).filter(|path| !path.as_str().is_empty());
    let Some(path) = path.filter(|path| path.as_str().contains(['/', '.'])) else {
        return Ok(None);
    };
    let mut files = graph.files_with_suffix(&path)?;
    Ok((files.len() == 1).then(|| files.remove(0)))
}

/// Returns the definitions of a file. Extensions are left out: their members are in the list
/// themselves.
fn file_definitions(
    graph: &Graph,
    index: &CodeIndex,
    file: &str,
) -> Result<Vec<Definition>, OpError> {
    let path = path_lookup::find_file(graph, index, file)?;
    let mut found = graph.definitions_in_file(&path)?;
    found.retain(|one| one.symbol.kind != ChunkKind::Extension);
    Ok(found)
}

/// Adds the members of types. A type is used through its members, so a caller of one depends on the
/// type.
pub fn add_members(graph: &Graph, changed: &[Definition]) -> Result<Vec<Definition>, OpError> {
    let mut own = changed.to_vec();
    for definition in changed.iter().filter(|one| one.is_type()) {
        for member in graph.all_members(definition)? {
            if own.iter().all(|known| known.target != member.target) {
                own.push(member);
            }
        }
    }
    Ok(own)
}

/// Adds the implementations of types and of their requirements, which change with them.
pub fn add_implementations(
    graph: &Graph,
    changed: &[Definition],
) -> Result<Vec<Definition>, OpError> {
    let mut starts = changed.to_vec();
    for definition in changed {
        let types = graph.implementations(definition)?.into_iter();
        let types = types.map(|found| found.definition);
        starts.extend(types.chain(graph.implementations_of_member(definition)?));
    }
    Ok(starts)
}

/// The rows of non-test code and of tests.
pub struct ImpactRows {
    /// Each with its package, riskiest first.
    pub affected: Vec<(ImpactRow, Option<String>)>,
    /// The tests, in the order of the walk.
    pub tests: Vec<TestRow>,
}

/// Converts steps to rows. Changed definitions, and imports of files that are listed anyway, get
/// none.
pub fn impact_rows(
    graph: &Graph,
    walk: &GraphWalk,
    changed: &[Definition],
) -> Result<ImpactRows, OpError> {
    let mut home: BTreeSet<Option<String>> = BTreeSet::new();
    for definition in changed {
        home.insert(graph.package_of(&definition.path)?);
    }
    let is_changed = |step: &WalkStep| {
        let target = step.node.definition().map(|one| one.target);
        changed.iter().any(|one| Some(one.target) == target)
    };
    let mut rows = ImpactRows { affected: Vec::new(), tests: Vec::new() };
    let definitions = walk.steps.iter().filter(|step| !is_changed(step));
    let definitions = definitions.filter(|step| step.node.definition().is_some());
    let named: BTreeSet<&RepoPath> = definitions.map(|step| step.node.path()).collect();
    for (place, step) in walk.steps.iter().enumerate() {
        // That a file imports it says nothing more, where its definitions are listed.
        let is_said = step.node.definition().is_none() && named.contains(step.node.path());
        if is_changed(step) || is_said {
            continue;
        }
        let symbol = symbol_ref(step);
        if symbol.test && symbol.kind == ChunkKind::Module.as_str() {
            // A module imports for its tests, which are listed themselves.
            continue;
        }
        if symbol.test {
            rows.tests.push(TestRow { symbol, hop: step.hop });
            continue;
        }
        let package = graph.package_of(step.node.path())?;
        let is_elsewhere = package.is_some() && !home.contains(&package);
        // More dependents of a definition make it riskier.
        let dependents = walk.edges.iter().filter(|(near, _)| *near == place).count();
        let (risk, why) = assess_risk(step, is_elsewhere, dependents);
        rows.affected.push((
            ImpactRow { risk, symbol, hop: step.hop, why, chain: format_chain(walk, place) },
            package,
        ));
    }
    rows.affected.sort_by(|(a, _), (b, _)| {
        // Ties are broken by place, so that the order does not depend on the walk.
        let order = b.risk.total_cmp(&a.risk).then(a.hop.cmp(&b.hop));
        order.then_with(|| (&a.symbol.path, a.symbol.line).cmp(&(&b.symbol.path, b.symbol.line)))
    });
    Ok(rows)
}

/// Formats the path from the change to a step.
fn format_chain(walk: &GraphWalk, to: usize) -> String {
    let mut chain = walk.path_to(to);
    chain.reverse();
    let names = chain.into_iter().map(|place| match walk.steps[place].node.definition() {
        Some(one) => qualified_name(&one.symbol),
        None => walk.steps[place].node.path().to_string(),
    });
    names.collect::<Vec<_>>().join(" → ")
}
