//! What `callers` and `callees` have in common: a walk along calls, shown as a list.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::{EdgeRef, SymbolRef, Trust, ask, least, meant, short, unless_cancelled};
use crate::ops::numbers::counted;
use crate::ops::{Args, Call, OpError, Reply};
use crate::query::graph::{Definition, Place, Rules, Step, TestCode, Walk, Way, qualified};

#[derive(Deserialize, JsonSchema)]
pub struct Arguments {
    /// A name, Type.member, or path:line of a place within it
    symbol: String,
    /// How many levels to follow
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 5))]
    depth: usize,
    /// The least confidence to show: exact, high, medium or low; what is less sure is counted
    #[serde(default)]
    confidence: Sureness,
    /// How many to list; the rest is counted
    #[serde(default = "fifty")]
    #[schemars(range(min = 1, max = 1000))]
    limit: usize,
    /// Leave out code that tests
    #[serde(default)]
    skip_tests: bool,
    /// Another indexed root: its path or collection name
    path: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sureness {
    Exact,
    High,
    #[default]
    Medium,
    Low,
}

impl Sureness {
    pub fn least(self) -> crate::model::Confidence {
        least(Some(match self {
            Sureness::Exact => "exact",
            Sureness::High => "high",
            Sureness::Medium => "medium",
            Sureness::Low => "low",
        }))
    }
}

fn one() -> usize {
    1
}

fn fifty() -> usize {
    50
}

/// How many definitions are followed on each hop: beyond it an answer is no longer read.
const WIDTH: usize = 200;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    /// What the name means; all of them were followed.
    definitions: Vec<SymbolRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callers: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    callees: Option<Vec<Row>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    #[serde(flatten)]
    trust: Trust,
}

#[derive(Serialize)]
struct Row {
    /// Levels away, where more than one is followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    hop: Option<usize>,
    #[serde(flatten)]
    symbol: SymbolRef,
    /// The lines of the calls: in its own file, or in the caller's.
    at: Vec<u32>,
    /// The other end, where that is not clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    called_by: Option<String>,
    #[serde(flatten)]
    edge: Option<EdgeRef>,
    /// Of the whole way, where that is less sure than the last edge.
    #[serde(skip_serializing_if = "Option::is_none")]
    way: Option<&'static str>,
}

pub fn run(call: &Call, args: &Args, way: Way) -> Result<Reply, OpError> {
    let arguments: Arguments = args.parse()?;
    let index = call.engine.code(arguments.path.as_deref())?;
    let rules = Rules {
        way,
        depth: arguments.depth,
        least: arguments.confidence.least(),
        tests: match arguments.skip_tests {
            true => TestCode::PassedOver,
            false => TestCode::Followed,
        },
        width: WIDTH,
    };
    let (starts, walk, lost) = ask(&index, |graph| {
        let starts = meant(graph, &index, &arguments.symbol)?;
        let walk = graph.walk(&starts, &rules, call.progress)?;
        let lost = match (way, starts.first()) {
            (Way::Callers, Some(start)) => graph.unresolved_calls(&start.symbol.name)?,
            _ => Some(0),
        };
        Ok::<_, OpError>((starts, walk, lost))
    })?;
    unless_cancelled(call)?;
    let found = walk.steps.iter().filter(|step| step.hop > 0);
    let mut found: Vec<&Step> = found.chain(others(&walk)).collect();
    found.sort_by_key(|step| step.hop);
    let shown = &found[..found.len().min(arguments.limit)];
    let rows: Vec<Row> = shown
        .iter()
        .map(|step| row(&walk, step, &rules, &starts))
        .collect();
    let paths = shown.iter().map(|step| step.place.path());
    let paths = paths.chain(starts.iter().map(|start| &start.path));
    let mut left_out = left_out(&walk, found.len() - shown.len());
    left_out.extend(nowhere(lost));
    let (callers, callees) = match way {
        Way::Callers => (Some(rows), None),
        _ => (None, Some(rows)),
    };
    Ok(Reply::object(Answer {
        definitions: starts.iter().map(SymbolRef::of).collect(),
        trust: Trust::of(&index, paths)?,
        left_out,
        callers,
        callees,
    }))
}

/// Of calls of the name that lead nowhere: how many, or that there are too many places to count.
fn nowhere(calls: Option<usize>) -> Option<String> {
    let all = "search_code_fulltext lists all";
    match calls {
        Some(0) => None,
        Some(calls) => Some(format!(
            "{} of this name lead to no definition here, or to none that can be told; {all}",
            counted(calls, "call")
        )),
        None => Some(format!(
            "calls of this name that lead to no definition were not counted: too many files mention \
             it; {all}"
        )),
    }
}

/// What is a neighbour of several definitions of the name that was asked for is one of each, where
/// other places in the text make it one: what calls itself or another of its name, and what calls
/// two of them.
fn others(walk: &Walk) -> impl Iterator<Item = &Step> {
    let near = walk.repeats.iter().filter(|(step, _)| step.hop == 1);
    let apart = near.filter(|(step, to)| {
        let told = &walk.steps[*to];
        told.hop == 0 || step.sites.iter().any(|site| !told.sites.contains(site))
    });
    apart.map(|(step, _)| step)
}

fn row(walk: &Walk, step: &Step, rules: &Rules, starts: &[Definition]) -> Row {
    let other = step.from.map(|from| &walk.steps[from]);
    let is_clear = step.hop == 1 && starts.len() == 1;
    let other_name = other.filter(|_| !is_clear);
    let other_name = other_name
        .and_then(|other| other.place.definition())
        .map(|one| match step.hop {
            1 => short(one),
            _ => qualified(&one.symbol),
        });
    let (calls, called_by) = match rules.way {
        Way::Callers => (other_name, None),
        _ => (None, other_name),
    };
    let is_weaker = step
        .ground
        .is_some_and(|ground| step.sureness < ground.confidence);
    Row {
        hop: (rules.depth > 1).then_some(step.hop),
        symbol: symbol_ref(step),
        at: lines(step),
        calls,
        called_by,
        edge: step.ground.map(|ground| EdgeRef::of(ground, &step.through)),
        way: is_weaker.then(|| step.sureness.as_str()),
    }
}

/// Of code outside of every definition, the file.
pub fn symbol_ref(step: &Step) -> SymbolRef {
    match &step.place {
        Place::Definition(definition) => SymbolRef {
            test: step.is_test() || step.sites.iter().any(|site| site.is_test),
            ..SymbolRef::of(definition)
        },
        Place::File { path, is_test } => SymbolRef {
            symbol: String::new(),
            kind: "file",
            path: path.to_string(),
            line: step.sites.first().map_or(1, |site| site.line),
            test: *is_test,
        },
    }
}

/// The lines of the text that the edge stands in, each once.
pub fn lines(step: &Step) -> Vec<u32> {
    let mut lines: Vec<u32> = step.sites.iter().map(|site| site.line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// What an answer lacks, and how to get it.
pub fn left_out(walk: &Walk, cut: usize) -> Vec<String> {
    let mut left_out = Vec::new();
    if cut > 0 {
        left_out.push(format!("{cut} more; raise `limit`"));
    }
    if walk.unsure > 0 {
        let edges = counted(walk.unsure, "edge");
        left_out.push(format!(
            "{edges} less sure; set `confidence` to low to see them"
        ));
    }
    if walk.tests > 0 {
        let places = counted(walk.tests, "place");
        left_out.push(format!("{places} in tests"));
    }
    if walk.unfollowed > 0 {
        let count = counted(walk.unfollowed, "definition");
        left_out.push(format!(
            "{count} not followed further; ask for them by name"
        ));
    }
    left_out
}
