//! `specs_coverage`: the requirements without plausible code or tests. It is an estimate from
//! names, words and meaning, not a measurement of what runs.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::reply_parts::{commit_notice, problem_list};
use crate::engine::TraceResult;
use crate::ops::{
    Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType, schema,
};
use crate::search::trace::RequirementQuery;
use kenning_model::{Requirement, Spec};

/// Replies with a [`SpecsCoverageReply`]. It needs the code index and reports progress for each
/// requirement.
pub static OP: OpEntry = OpEntry {
    name: "specs_coverage",
    family: Family::Specs,
    origin: Origin::Kenning,
    summary: "Requirements for which no plausible code or no plausible test was found, with counts \
              for each spec and for all. An estimate from words, names and meaning: verify it \
              with trace. Needs the code index (index_codebase).",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema::derive_schema::<SpecsCoverageArgs>),
    reply: ReplyType::of::<SpecsCoverageReply>(),
    examples: &["ken specs coverage", "ken specs coverage auth --json"],
    run,
};

#[derive(Deserialize, JsonSchema)]
struct SpecsCoverageArgs {
    /// Only this spec, by its id from list_specs
    spec_id: Option<String>,
}

/// The reply of `specs_coverage`.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpecsCoverageReply {
    /// The counts of all requirements.
    pub totals: CoverageCounts,
    /// The counts of each spec.
    pub specs: Vec<SpecCoverage>,
    /// The requirements that lack something.
    pub uncovered: Vec<UncoveredRequirement>,
    /// Specs that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problems: Option<Vec<String>>,
    /// A caveat if the code index is of another commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
}

/// Requirements by what was found for them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct CoverageCounts {
    /// All requirements.
    pub requirements: usize,
    /// Those with plausible code.
    pub with_code: usize,
    /// Those with plausible tests.
    pub with_tests: usize,
    /// Those with neither.
    pub with_neither: usize,
}

impl CoverageCounts {
    /// Counts one requirement.
    fn add(&mut self, traced: &TraceResult) {
        let (code, tests) = (traced.has_code(), traced.has_tests());
        self.requirements += 1;
        self.with_code += usize::from(code);
        self.with_tests += usize::from(tests);
        self.with_neither += usize::from(!code && !tests);
    }
}

/// The counts of one spec.
#[derive(Debug, Serialize, Deserialize)]
pub struct SpecCoverage {
    /// The spec.
    pub spec_id: String,
    /// Its counts.
    #[serde(flatten)]
    pub counts: CoverageCounts,
}

/// A requirement that lacks code, tests or both.
#[derive(Debug, Serialize, Deserialize)]
pub struct UncoveredRequirement {
    /// The spec.
    pub spec_id: String,
    /// The requirement.
    pub requirement: String,
    /// The file below the root.
    pub path: String,
    /// The line of the requirement.
    pub line: u32,
    /// `code`, `tests` or both.
    pub lacks: Vec<Cow<'static, str>>,
}

/// Traces all requirements in one session, and counts those without a plausible place.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let SpecsCoverageArgs { spec_id } = args.parse()?;
    let tracer = call.engine.tracer(call.asked_at, call.progress)?;
    let (specs, unread) = match &spec_id {
        Some(id) => (vec![tracer.specs.get_spec_by_id(id)?], Vec::new()),
        None => {
            let tree = tracer.specs.parse_all_specs();
            (tree.specs, tree.problems)
        }
    };
    let specs = specs.iter().map(|stamped| &stamped.spec);
    let all: Vec<(&Spec, &Requirement)> = specs
        .clone()
        .flat_map(|spec| spec.requirements.iter().map(move |one| (spec, one)))
        .collect();
    let subjects = all.iter();
    let subjects: Vec<RequirementQuery> = subjects
        .map(|(spec, requirement)| RequirementQuery::from_requirement(spec, requirement))
        .collect();
    // One plausible place is enough to be covered, so one is searched for.
    let traced = tracer.trace(&subjects, 1, call.progress)?;
    let mut answer = SpecsCoverageReply {
        totals: CoverageCounts::default(),
        specs: specs.map(empty_row).collect(),
        uncovered: Vec::new(),
        problems: problem_list(&unread),
        notice: commit_notice(&tracer)?,
    };
    for ((spec, requirement), traced) in all.into_iter().zip(&traced) {
        answer.totals.add(traced);
        let row = answer.specs.iter_mut().find(|row| row.spec_id == spec.id);
        row.expect("every spec has a row").counts.add(traced);
        answer.uncovered.extend(uncovered_requirement(spec, requirement, traced));
    }
    Ok(Reply::object(answer))
}

/// The row of a spec before its requirements are counted.
fn empty_row(spec: &Spec) -> SpecCoverage {
    SpecCoverage { spec_id: spec.id.clone(), counts: CoverageCounts::default() }
}

/// Returns a row if the requirement lacks something.
fn uncovered_requirement(
    spec: &Spec,
    requirement: &Requirement,
    traced: &TraceResult,
) -> Option<UncoveredRequirement> {
    let mut lacks = Vec::new();
    if !traced.has_code() {
        lacks.push("code".into());
    }
    if !traced.has_tests() {
        lacks.push("tests".into());
    }
    (!lacks.is_empty()).then(|| UncoveredRequirement {
        spec_id: spec.id.clone(),
        requirement: requirement.name.clone(),
        path: spec.path.to_string(),
        line: requirement.line,
        lacks,
    })
}
