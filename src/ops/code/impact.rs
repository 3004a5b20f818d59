//! `impact`: what a change can break.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::call_hierarchy::{Sureness, left_out, symbol_ref};
use super::dto::{SymbolRef, Trust, ask, inherited, meant, unless_cancelled};
use super::path_lookup;
use super::risk::risk;
use super::textual_mentions;
use crate::engine::CodeIndex;
use crate::graph::{
    Definition, Direction, Graph, GraphWalk, TestCode, UnresolvedCalls, WalkRules, WalkStep,
    qualified_name,
};
use crate::ops::{
    Args, Call, Effect, ErrorKind, Family, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use kenning_model::{ChunkKind, RepoPath};

pub static OP: OpEntry = OpEntry {
    name: "impact",
    family: Family::Code,
    origin: Origin::Kenning,
    summary: "What a change can break: give `symbol`, or `file`, or neither for the uncommitted change. \
              Everything that depends on it, through calls, types and implementations, across \
              packages, riskiest first, each with its distance and chain; and the tests that reach \
              it, which are those to run.",
    effect: Effect::Reads,
    schema: LazyLock::new(schema::derived::<ImpactArgs>),
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
    #[serde(default = "three")]
    #[schemars(range(min = 1, max = 6))]
    depth: usize,
    /// The least confidence to follow: exact, high, medium or low; what is less sure is counted
    #[serde(default)]
    confidence: Sureness,
    /// How many to list of each; the rest is counted
    #[serde(default = "forty")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

fn three() -> usize {
    3
}

fn forty() -> usize {
    40
}

/// How many definitions are followed on each hop.
const WIDTH: usize = 300;

/// The reply of `impact`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImpactReply {
    pub changed: Vec<SymbolRef>,
    pub affected_count: usize,
    pub files: usize,
    /// By package, how many definitions.
    pub packages: BTreeMap<String, usize>,
    pub affected: Vec<ImpactRow>,
    pub test_count: usize,
    pub tests: Vec<TestRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(flatten)]
    pub trust: Trust,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ImpactRow {
    /// From 0 to 1: how likely and how far-reaching.
    pub risk: f64,
    #[serde(flatten)]
    pub symbol: SymbolRef,
    pub hop: usize,
    pub why: String,
    pub chain: String,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct TestRow {
    #[serde(flatten)]
    pub symbol: SymbolRef,
    pub hop: usize,
}

fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: ImpactArgs = args.parse()?;
    if arguments.symbol.is_some() && arguments.file.is_some() {
        return Err(OpError::bad_argument("give `symbol` or `file`, not both"));
    }
    let index = call.engine.code(arguments.path.as_deref())?;
    let rules = WalkRules {
        direction: Direction::References,
        depth: arguments.depth,
        min_confidence: arguments.confidence.least(),
        tests: TestCode::Followed,
        width: WIDTH,
    };
    let reached = ask(&index, |graph| {
        let changed = changed(call, graph, &index, &arguments)?;
        reached(call, graph, &arguments, changed, &rules)
    })?;
    let Reached { changed, walk, rows, unseen, note } = reached;
    let packages = packages(&rows.affected);
    let found = walk.steps.iter().filter(|step| step.hop > 0);
    let paths = found.map(|step| step.node.path().clone());
    let paths: BTreeSet<RepoPath> = paths.collect();
    let affected_count = rows.affected.len();
    let test_count = rows.tests.len();
    let affected = rows.affected.into_iter().map(|(row, _)| row);
    let affected: Vec<ImpactRow> = affected.take(arguments.limit).collect();
    let tests: Vec<TestRow> = rows.tests.into_iter().take(arguments.limit).collect();
    let cut = affected_count - affected.len() + test_count - tests.len();
    let mut left_out = left_out(&walk, cut);
    left_out.extend(further(&walk, arguments.depth).into_iter().chain(unseen));
    Ok(Reply::object(ImpactReply {
        note: if changed.is_empty() { Some("no definition has changed".to_string()) } else { note },
        trust: Trust::of(&index, changed.iter().map(|one| &one.path))?,
        changed: changed.iter().take(arguments.limit).map(SymbolRef::of).collect(),
        affected_count,
        files: paths.len(),
        packages,
        affected,
        test_count,
        tests,
        left_out,
    }))
}

/// That there may be more beyond the last level.
fn further(walk: &GraphWalk, depth: usize) -> Option<String> {
    let goes_on = walk.steps.iter().any(|step| step.hop >= depth);
    goes_on.then(|| format!("what depends on it through more than {depth} others; raise `depth`"))
}

/// How many of these each package has.
fn packages(affected: &[(ImpactRow, Option<String>)]) -> BTreeMap<String, usize> {
    let mut packages = BTreeMap::new();
    for package in affected.iter().filter_map(|(_, package)| package.as_ref()) {
        *packages.entry(package.clone()).or_default() += 1;
    }
    packages.remove("");
    packages
}

/// The definitions that a change reaches.
struct Reached {
    changed: Vec<Definition>,
    walk: GraphWalk,
    rows: Rows,
    /// A caveat about lines that only name it.
    unseen: Option<String>,
    note: Option<String>,
}

fn reached(
    call: &Call,
    graph: &Graph,
    arguments: &ImpactArgs,
    changed: Vec<Definition>,
    rules: &WalkRules,
) -> Result<Reached, OpError> {
    // Of a change that git tells of, the lines say which members it is about.
    let own = match arguments.symbol {
        Some(_) => with_members(graph, &changed)?,
        None => changed.clone(),
    };
    let starts = with_fulfilments(graph, &own)?;
    let walk = graph.walk(&starts, rules, call.progress)?;
    unless_cancelled(call)?;
    let rows = rows(graph, &walk, &own)?;
    let is_little = rows.affected.len() + rows.tests.len() < textual_mentions::FEW;
    let symbol = arguments.symbol.as_deref();
    let unseen = symbol
        .filter(|_| is_little)
        .map(|_| textual_mentions::caveat(graph, &changed, UnresolvedCalls::Listed, rules.tests));
    let note = symbol.map(|symbol| inherited(graph, symbol, &changed));
    Ok(Reached {
        unseen: unseen.transpose()?.flatten(),
        note: note.transpose()?.flatten(),
        changed,
        walk,
        rows,
    })
}

/// The definitions that change.
fn changed(
    call: &Call,
    graph: &Graph,
    index: &CodeIndex,
    arguments: &ImpactArgs,
) -> Result<Vec<Definition>, OpError> {
    if let Some(symbol) = &arguments.symbol {
        return match file_named(graph, path_lookup::from_root(index, symbol))? {
            Some(path) => of_file(graph, index, path.as_str()),
            None => meant(graph, index, symbol),
        };
    }
    if let Some(file) = &arguments.file {
        return of_file(graph, index, file);
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

/// The file that is meant where a symbol is asked for: `ken impact src/session.rs`.
fn file_named(graph: &Graph, text: &str) -> Result<Option<RepoPath>, OpError> {
    let path = RepoPath::new(text.trim()).filter(|path| !path.as_str().is_empty());
    let Some(path) = path.filter(|path| path.as_str().contains(['/', '.'])) else {
        return Ok(None);
    };
    let mut files = graph.files_with_suffix(&path)?;
    Ok((files.len() == 1).then(|| files.remove(0)))
}

fn of_file(graph: &Graph, index: &CodeIndex, file: &str) -> Result<Vec<Definition>, OpError> {
    let path = path_lookup::meant(graph, index, file)?;
    let mut found = graph.definitions_in_file(&path)?;
    found.retain(|one| one.symbol.kind != ChunkKind::Extension);
    Ok(found)
}

/// A type is used through its members: who calls one depends on the type.
pub fn with_members(graph: &Graph, changed: &[Definition]) -> Result<Vec<Definition>, OpError> {
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

/// Adds the implementations of the types and of their requirements, which change with them.
pub fn with_fulfilments(graph: &Graph, changed: &[Definition]) -> Result<Vec<Definition>, OpError> {
    let mut starts = changed.to_vec();
    for definition in changed {
        let types = graph.implementations(definition)?.into_iter();
        let types = types.map(|found| found.definition);
        starts.extend(types.chain(graph.implementations_of_member(definition)?));
    }
    Ok(starts)
}

pub struct Rows {
    /// Each with its package, riskiest first.
    affected: Vec<(ImpactRow, Option<String>)>,
    pub tests: Vec<TestRow>,
}

pub fn rows(graph: &Graph, walk: &GraphWalk, changed: &[Definition]) -> Result<Rows, OpError> {
    let mut home: BTreeSet<Option<String>> = BTreeSet::new();
    for definition in changed {
        home.insert(graph.package_of(&definition.path)?);
    }
    let is_changed = |step: &WalkStep| {
        let target = step.node.definition().map(|one| one.target);
        changed.iter().any(|one| Some(one.target) == target)
    };
    let mut rows = Rows { affected: Vec::new(), tests: Vec::new() };
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
        let dependents = walk.edges.iter().filter(|(near, _)| *near == place).count();
        let (risk, why) = risk(step, is_elsewhere, dependents);
        rows.affected.push((
            ImpactRow { risk, symbol, hop: step.hop, why, chain: chain_text(walk, place) },
            package,
        ));
    }
    rows.affected.sort_by(|(a, _), (b, _)| {
        let order = b.risk.total_cmp(&a.risk).then(a.hop.cmp(&b.hop));
        order.then_with(|| (&a.symbol.path, a.symbol.line).cmp(&(&b.symbol.path, b.symbol.line)))
    });
    Ok(rows)
}

fn chain_text(walk: &GraphWalk, to: usize) -> String {
    let mut chain = walk.path_to(to);
    chain.reverse();
    let names = chain.into_iter().map(|place| match walk.steps[place].node.definition() {
        Some(one) => qualified_name(&one.symbol),
        None => walk.steps[place].node.path().to_string(),
    });
    names.collect::<Vec<_>>().join(" → ")
}
