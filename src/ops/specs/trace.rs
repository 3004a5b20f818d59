//! `trace`: from a requirement or scenario to its plausible code and tests, and from a file or
//! symbol back to requirements.
//!
//! `search::trace` scores candidates by names, words and meaning. Scores below the threshold are
//! left out; if nothing remains, the nearest are shown apart, marked as not plausible.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::get_scenario::{unknown_requirement_error, unknown_scenario_error};
use super::reply_parts::{commit_notice, problem_list};
use crate::engine::{TraceResult, TraceSubject, TracedChunks, Tracer};
use crate::ops::number_format::round_score;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use crate::search::trace::{PLAUSIBLE, RequirementQuery, TracedChunk};
use kenning_knowledge::specs::{find_requirements, find_scenario};
use kenning_model::{RepoPath, Requirement, Scenario, Spec};

/// Replies with a [`TraceReply`], whose variant depends on the arguments. It needs the code index.
pub static OP: OpEntry = OpEntry {
    name: "trace",
    family: Family::Specs,
    origin: Origin::Kenning,
    summary: "Where a requirement or scenario is probably implemented and tested: two ranked lists \
              with path, line, symbol, score and reasons. Without `requirement`, the best places of \
              each requirement of the spec. Give `file` or `symbol` instead of `spec_id` to learn \
              which requirements speak of that code. What is not plausible is left out, so a list \
              may be empty. Needs the code index (index_codebase).",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<TraceArgs>),
    reply: ReplyType::of::<TraceReply>(),
    examples: &[
        "ken specs trace auth --requirement 'Sign in'",
        "ken specs trace auth --requirement 'Sign in' --scenario 'Wrong password'",
        "ken specs trace --file src/session.rs",
        "ken specs trace --symbol Session.login",
    ],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct TraceArgs {
    /// The spec, by its id from list_specs
    spec_id: Option<String>,
    /// Only this requirement of the spec
    requirement: Option<String>,
    /// Only this scenario of the requirement
    scenario: Option<String>,
    /// Which requirements speak of this file; a path below the root
    file: Option<String>,
    /// Which requirements speak of this definition, such as Session.login
    symbol: Option<String>,
    /// How many places or requirements at the most (default 5; 3 for each of a whole spec)
    #[schemars(range(min = 1))]
    limit: Option<usize>,
}

/// Places for one requirement by default.
const DEFAULT: usize = 5;
/// Places for each requirement of a whole spec by default.
const DEFAULT_OF_MANY: usize = 3;
/// Requirements for a piece of code by default.
const DEFAULT_BACK: usize = 10;
/// The most places.
const MOST: usize = 16;
/// The most requirements.
const MOST_BACK: usize = 100;

/// The implausible requirements that are shown if none is plausible.
const NEAR_BACK: usize = 3;

/// Checks which of the three questions is asked, and runs it. Exactly one of `spec_id`, `file` and
/// `symbol` must be given.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: TraceArgs = args.parse()?;
    let TraceArgs { spec_id, requirement, scenario, file, symbol, limit } = &arguments;
    let piece = match (spec_id, file, symbol) {
        (Some(_), None, None) => None,
        (None, Some(file), None) => Some(TraceSubject::File(file)),
        (None, None, Some(symbol)) => Some(TraceSubject::Symbol(symbol)),
        _ => {
            return Err(OpError::bad_argument(
                "give exactly one of `spec_id`, `file` and `symbol`",
            ));
        }
    };
    if requirement.is_none() && scenario.is_some() || piece.is_some() && requirement.is_some() {
        return Err(OpError::bad_argument(
            "a `scenario` needs its `requirement`, and a `requirement` its `spec_id`",
        ));
    }
    let tracer = call.engine.tracer(call.asked_at, call.progress)?;
    let reply = match (piece, spec_id, requirement) {
        (Some(piece), ..) => trace_code(call, &tracer, piece, *limit),
        (None, Some(id), Some(name)) => {
            trace_requirement(call, &tracer, id, name, scenario.as_deref(), *limit)
        }
        (None, id, _) => trace_spec(call, &tracer, id.as_deref().unwrap_or_default(), *limit),
    };
    Ok(Reply::object(reply?))
}

/// The reply of `trace`, by what was asked. The variants have different fields, so JSON needs no
/// tag.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TraceReply {
    /// One requirement or scenario.
    Requirement(RequirementTrace),
    /// All requirements of a spec.
    Spec(SpecTrace),
    /// A file or symbol.
    Code(CodeTrace),
}

/// A requirement or scenario and its places.
#[derive(Debug, Serialize, Deserialize)]
pub struct RequirementTrace {
    /// The spec.
    pub spec_id: String,
    /// The requirement.
    pub requirement: String,
    /// The scenario, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<String>,
    /// The file of the spec.
    pub path: String,
    /// The line of the requirement or scenario.
    pub line: u32,
    /// Plausible code, best first.
    pub code: Vec<TracedPlace>,
    /// Plausible tests, best first.
    pub tests: Vec<TracedPlace>,
    /// The nearest places, if none is plausible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_code: Vec<TracedPlace>,
    /// The nearest tests, if none is plausible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_tests: Vec<TracedPlace>,
    /// Explains an empty list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// A caveat if the code index is of another commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A chunk of code that a requirement may be about.
#[derive(Debug, Serialize, Deserialize)]
pub struct TracedPlace {
    /// The file below the root.
    pub path: String,
    /// The first line of the chunk.
    pub line: u32,
    /// The last line of the chunk.
    pub end_line: u32,
    /// The symbol that matches best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The kind of the chunk.
    pub kind: Cow<'static, str>,
    /// The plausibility; 0.5 and more is plausible.
    pub score: f64,
    /// The signals that matched, such as shared names.
    pub reasons: Vec<String>,
    /// The file changed since it was indexed: lines may be off.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stale: bool,
}

/// True for a flag that JSON leaves out.
fn is_false(value: &bool) -> bool {
    !value
}

/// Traces one requirement or scenario.
fn trace_requirement(
    call: &Call,
    tracer: &Tracer,
    id: &str,
    name: &str,
    scenario: Option<&str>,
    limit: Option<usize>,
) -> Result<TraceReply, OpError> {
    let spec = tracer.specs.get_spec_by_id(id)?.spec;
    let (requirement, scenario) = find_requirement(&spec, name, scenario)?;
    let subject = match scenario {
        Some(scenario) => RequirementQuery::from_scenario(&spec, requirement, scenario),
        None => RequirementQuery::from_requirement(&spec, requirement),
    };
    let limit = limit.unwrap_or(DEFAULT).min(MOST);
    let traced = tracer.trace(&[subject], limit, call.progress)?;
    let TraceResult { code, tests } = traced
        .into_iter()
        .next()
        .ok_or_else(|| OpError::internal("one requirement was traced and there is no outcome"))?;
    let lacking = code.plausible.is_empty() || tests.plausible.is_empty();
    let changed = changed_files(tracer, [&code, &tests])?;
    let shown = |places: Vec<TracedChunk>| -> Vec<TracedPlace> {
        let places = places.into_iter();
        places.map(|place| traced_place(place, &changed)).collect()
    };
    Ok(TraceReply::Requirement(RequirementTrace {
        spec_id: spec.id.clone(),
        requirement: requirement.name.clone(),
        scenario: scenario.map(|scenario| scenario.name.clone()),
        path: spec.path.to_string(),
        line: scenario.map_or(requirement.line, |scenario| scenario.line),
        code: shown(code.plausible),
        tests: shown(tests.plausible),
        near_code: shown(code.near),
        near_tests: shown(tests.near),
        note: lacking.then(implausible_note),
        notice: commit_notice(tracer)?,
    }))
}

/// Finds a requirement, and a scenario in it or in a later one of the same name.
fn find_requirement<'a>(
    spec: &'a Spec,
    name: &str,
    scenario: Option<&str>,
) -> Result<(&'a Requirement, Option<&'a Scenario>), OpError> {
    let named = find_requirements(spec, name);
    let first = named.first();
    let first = *first.ok_or_else(|| unknown_requirement_error(spec, name))?;
    let Some(scenario) = scenario else {
        return Ok((first, None));
    };
    let found = named.iter().find_map(|requirement| {
        let scenario = find_scenario(requirement, scenario)?;
        Some((*requirement, Some(scenario)))
    });
    found.ok_or_else(|| unknown_scenario_error(first, Some(scenario)))
}

/// Returns the files that changed since they were indexed.
fn changed_files<'a>(
    tracer: &Tracer,
    places: impl IntoIterator<Item = &'a TracedChunks>,
) -> Result<HashSet<RepoPath>, OpError> {
    let places = places.into_iter();
    let places = places.flat_map(|places| places.plausible.iter().chain(&places.near));
    let paths: Vec<&RepoPath> = places.map(|place| &place.chunk.path).collect();
    Ok(tracer.changed_files(&paths)?)
}

/// Converts a traced chunk.
fn traced_place(place: TracedChunk, changed: &HashSet<RepoPath>) -> TracedPlace {
    TracedPlace {
        stale: changed.contains(&place.chunk.path),
        path: place.chunk.path.to_string(),
        line: place.chunk.span.start_line,
        end_line: place.chunk.span.end_line,
        symbol: place.label.map(|label| label.name),
        kind: place.chunk.kind.as_str().into(),
        score: round_score(place.score),
        reasons: place.reasons,
    }
}

/// The note for an empty list.
fn implausible_note() -> String {
    format!(
        "places that score below {PLAUSIBLE} are left out; the nearest of them, if any, are near, and \
         search_code shows more"
    )
}

/// All requirements of a spec, with a line for each place.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpecTrace {
    /// The spec.
    pub spec_id: String,
    /// Its file.
    pub path: String,
    /// The requirements in the order of the file.
    pub requirements: Vec<TraceRow>,
    /// A caveat if the code index is of another commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// One requirement with its places.
#[derive(Debug, Serialize, Deserialize)]
pub struct TraceRow {
    /// The requirement.
    pub requirement: String,
    /// Its line.
    pub line: u32,
    /// Plausible code, each as `path:line name (score)`.
    pub code: Vec<String>,
    /// Plausible tests, in the same form.
    pub tests: Vec<String>,
}

/// Traces all requirements of a spec in one session, which loads the vectors and counts once.
fn trace_spec(
    call: &Call,
    tracer: &Tracer,
    id: &str,
    limit: Option<usize>,
) -> Result<TraceReply, OpError> {
    let spec = tracer.specs.get_spec_by_id(id)?.spec;
    let requirements = spec.requirements.iter();
    let subjects: Vec<RequirementQuery> = requirements
        .map(|requirement| RequirementQuery::from_requirement(&spec, requirement))
        .collect();
    let limit = limit.unwrap_or(DEFAULT_OF_MANY).min(MOST);
    let traced = tracer.trace(&subjects, limit, call.progress)?;
    let lines = spec.requirements.iter().zip(traced);
    let lines = lines.map(|(requirement, traced)| TraceRow {
        requirement: requirement.name.clone(),
        line: requirement.line,
        code: traced.code.plausible.iter().map(format_place).collect(),
        tests: traced.tests.plausible.iter().map(format_place).collect(),
    });
    Ok(TraceReply::Spec(SpecTrace {
        spec_id: spec.id.clone(),
        path: spec.path.to_string(),
        requirements: lines.collect(),
        notice: commit_notice(tracer)?,
    }))
}

/// Formats `src/kettle.rs:12 boil (0.61)`. The web page and the diagram split this text.
fn format_place(place: &TracedChunk) -> String {
    let chunk = &place.chunk;
    let label = place.label.as_ref();
    let symbol = label.map(|label| format!(" {}", label.name));
    format!(
        "{}:{}{} ({:.2})",
        chunk.path,
        label.map_or(chunk.span.start_line, |label| label.line),
        symbol.unwrap_or_default(),
        place.score
    )
}

/// The requirements that a piece of code may fulfil.
#[derive(Debug, Serialize, Deserialize)]
pub struct CodeTrace {
    /// The file that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The symbol that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Plausible requirements, best first.
    pub requirements: Vec<TracedRequirement>,
    /// The nearest requirements, if none is plausible.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<TracedRequirement>,
    /// Explains an empty list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Specs that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<String>>,
    /// A caveat if the code index is of another commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// A requirement that the code may fulfil.
#[derive(Debug, Serialize, Deserialize)]
pub struct TracedRequirement {
    /// The spec.
    pub spec_id: String,
    /// The requirement.
    pub requirement: String,
    /// The file of the spec.
    pub path: String,
    /// The line of the requirement.
    pub line: u32,
    /// The plausibility; 0.5 and more is plausible.
    pub score: f64,
    /// The part of the code that it is most about, as `path:line`.
    pub at: String,
    /// The symbol there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The signals that matched.
    pub reasons: Vec<String>,
    /// True if the file changed since it was indexed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub stale: bool,
}

/// Traces a file or symbol back to requirements of all specs.
fn trace_code(
    call: &Call,
    tracer: &Tracer,
    piece: TraceSubject,
    limit: Option<usize>,
) -> Result<TraceReply, OpError> {
    let tree = tracer.specs.parse_all_specs();
    let specs = tree.specs.iter().map(|stamped| &stamped.spec);
    let all: Vec<(&Spec, &Requirement)> =
        specs.flat_map(|spec| spec.requirements.iter().map(move |one| (spec, one))).collect();
    let subjects = all.iter();
    let subjects: Vec<RequirementQuery> = subjects
        .map(|(spec, requirement)| RequirementQuery::from_requirement(spec, requirement))
        .collect();
    let places = tracer.trace_from_code(piece, &subjects, call.progress)?;
    let paths = places.iter().flatten().map(|place| &place.chunk.path);
    let changed = tracer.changed_files(&paths.collect::<Vec<_>>())?;
    let speaking = all.into_iter().zip(places);
    let speaking = speaking.filter_map(|((spec, requirement), place)| {
        let place = place?;
        let is_plausible = place.is_plausible();
        if !is_plausible && !place.is_near() {
            return None;
        }
        Some((is_plausible, traced_requirement(spec, requirement, place, &changed)))
    });
    let mut speaking: Vec<(bool, TracedRequirement)> = speaking.collect();
    // Equal scores keep the order of the specs.
    speaking.sort_by(|a, b| b.1.score.total_cmp(&a.1.score));
    let (mut plausible, mut near): (Vec<_>, Vec<_>) =
        speaking.into_iter().partition(|(is_plausible, _)| *is_plausible);
    plausible.truncate(limit.unwrap_or(DEFAULT_BACK).min(MOST_BACK));
    near.truncate(if plausible.is_empty() { NEAR_BACK } else { 0 });
    let only = |list: Vec<(bool, TracedRequirement)>| -> Vec<TracedRequirement> {
        list.into_iter().map(|(_, speaking)| speaking).collect()
    };
    let (file, symbol) = match piece {
        TraceSubject::File(path) => (Some(path.to_string()), None),
        TraceSubject::Symbol(name) => (None, Some(name.to_string())),
    };
    Ok(TraceReply::Code(CodeTrace {
        file,
        symbol,
        note: plausible
            .is_empty()
            .then(|| format!("no requirement scores {PLAUSIBLE} or more; what comes near is near")),
        requirements: only(plausible),
        near: only(near),
        problems: problem_list(&tree.problems),
        notice: commit_notice(tracer)?,
    }))
}

/// Converts a match.
fn traced_requirement(
    spec: &Spec,
    requirement: &Requirement,
    place: TracedChunk,
    changed: &HashSet<RepoPath>,
) -> TracedRequirement {
    let label = place.label.as_ref();
    let line = label.map_or(place.chunk.span.start_line, |label| label.line);
    TracedRequirement {
        stale: changed.contains(&place.chunk.path),
        symbol: label.map(|label| label.name.clone()),
        spec_id: spec.id.clone(),
        requirement: requirement.name.clone(),
        path: spec.path.to_string(),
        line: requirement.line,
        score: round_score(place.score),
        at: format!("{}:{line}", place.chunk.path),
        reasons: place.reasons,
    }
}
