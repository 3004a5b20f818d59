//! `impact`: everything that a change can break. It starts at a symbol, a file or the uncommitted
//! lines, and walks references inwards.
//!
//! Non-test code is ranked by risk; tests are listed apart, because they are the ones to run. The
//! walk is bounded by `depth` and `WIDTH`, and the reply says when a bound cut it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call_hierarchy::{MinConfidence, omission_notes, symbol_ref};
use super::dto::{
    Reliability, SymbolRef, check_cancelled, find_definitions, inheritance_note, query_graph,
};
use super::impact_risk::assess_risk;
use super::mention_caveat;
use super::path_lookup;
use crate::engine::CodeIndex;
use crate::graph::{
    Definition, Direction, Graph, GraphWalk, TestCode, UnresolvedCalls, WalkRules, WalkStep,
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
    /// The parts that are not shown, each with the argument that adds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// A remark about the name, or that nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Freshness of the changed files.
    #[serde(flatten)]
    pub trust: Reliability,
}

/// An affected definition.
#[derive(Debug, Serialize, Deserialize)]
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
#[derive(Debug, Serialize, Deserialize)]
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
    let index = call.engine.code(arguments.path.as_deref())?;
    let rules = WalkRules {
        direction: Direction::References,
        depth: arguments.depth,
        min_confidence: arguments.confidence.threshold(),
        tests: TestCode::Followed,
        width: WIDTH,
    };
    let reached = query_graph(&index, |graph| {
        let changed = changed_definitions(call, graph, &index, &arguments)?;
        find_affected(call, graph, &arguments, changed, &rules)
    })?;
    let ImpactFindings { changed, walk, rows, unseen, note } = reached;
    let packages = count_by_package(&rows.affected);
    let found = walk.steps.iter().filter(|step| step.hop > 0);
    let paths = found.map(|step| step.node.path().clone());
    let paths: BTreeSet<RepoPath> = paths.collect();
    let affected_count = rows.affected.len();
    let test_count = rows.tests.len();
    let affected = rows.affected.into_iter().map(|(row, _)| row);
    let affected: Vec<ImpactRow> = affected.take(arguments.limit).collect();
    let tests: Vec<TestRow> = rows.tests.into_iter().take(arguments.limit).collect();
    let cut = affected_count - affected.len() + test_count - tests.len();
    let mut left_out = omission_notes(&walk, cut);
    left_out.extend(depth_note(&walk, arguments.depth).into_iter().chain(unseen));
    Ok(Reply::object(ImpactReply {
        note: if changed.is_empty() { Some("no definition has changed".to_string()) } else { note },
        trust: Reliability::check(&index, changed.iter().map(|one| &one.path))?,
        changed: changed.iter().take(arguments.limit).map(SymbolRef::from_definition).collect(),
        affected_count,
        files: paths.len(),
        packages,
        affected,
        test_count,
        tests,
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
    /// A caveat about lines that only name it.
    unseen: Option<String>,
    /// The base that the name is inherited from.
    note: Option<String>,
}

/// Walks from the changed definitions and collects the rows.
fn find_affected(
    call: &Call,
    graph: &Graph,
    arguments: &ImpactArgs,
    changed: Vec<Definition>,
    rules: &WalkRules,
) -> Result<ImpactFindings, OpError> {
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
    let is_little = rows.affected.len() + rows.tests.len() < mention_caveat::FEW_EDGES;
    let symbol = arguments.symbol.as_deref();
    let unseen = symbol.filter(|_| is_little).map(|_| {
        mention_caveat::mention_caveat(graph, &changed, UnresolvedCalls::Listed, rules.tests)
    });
    let note = symbol.map(|symbol| inheritance_note(graph, symbol, &changed));
    Ok(ImpactFindings {
        unseen: unseen.transpose()?.flatten(),
        note: note.transpose()?.flatten(),
        changed,
        walk,
        rows,
    })
}

/// Returns the definitions that change: of a symbol, of a file, or around the uncommitted lines.
fn changed_definitions(
    call: &Call,
    graph: &Graph,
    index: &CodeIndex,
    arguments: &ImpactArgs,
) -> Result<Vec<Definition>, OpError> {
    if let Some(symbol) = &arguments.symbol {
        return match find_only_file(graph, path_lookup::strip_root(index, symbol))? {
            Some(path) => file_definitions(graph, index, path.as_str()),
            None => find_definitions(graph, index, symbol),
        };
    }
    if let Some(file) = &arguments.file {
        return file_definitions(graph, index, file);
    }
    let files = call.engine.uncommitted_lines(index)?.ok_or_else(|| {
        OpError::new(ErrorKind::NotFound, "git does not say what has changed here")
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
    Ok(found)
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
    affected: Vec<(ImpactRow, Option<String>)>,
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
