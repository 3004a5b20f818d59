//! `code_research`: a question about how code hangs together, answered by a walk through the graph
//! and told as an outline that fits a budget.
//!
//! The steps are: read the intent (`search::intent`), choose the subject (`subject`), walk
//! (`findings`), render (`outline`), and cut (here). docs/research.md describes the intents.

mod absent_words;
mod definition_choice;
mod findings;
mod impact_walks;
pub mod orientation;
mod outline;
mod question_terms;
mod relations;
mod research_budget;
mod source_listing;
mod statement_trim;
mod subject;
mod type_hierarchy;
mod undefined_subjects;

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::reply_parts::{check_cancelled, min_confidence, query_graph};
use super::unresolved_lines::is_zero;
use crate::graph::{Graph, TestCode};
use crate::ops::specs::trace::{self, TraceReply, TracedRequirement};
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};
use crate::search::intent::{Intent, parse_question};
use crate::search::orientation::parse_topic;
use findings::{Findings, ResearchScope, SEARCH_WALK};
use research_budget::cut_to_budget;
use subject::{ResearchSubject, choose_subject};

pub use source_listing::{SourceDefinition, SourceFile};

/// Replies with a [`CodeResearchReply`]. An unknown name is no error: the words are searched
/// instead.
pub static OP: OpEntry = OpEntry {
    name: "code_research",
    family: Family::Code,
    origin: Origin::Contract,
    summary: "Deep architectural analysis with multi-hop search. Ask in plain words or paste a bug \
              report: one answer with the source of the definitions that matter, how they call each \
              other, their callers and tests. Or ask `what calls X`, `what does X call`, `all \
              implementations of X`, `what uses X`, `what does X depend on`, `what tests cover X`, \
              `how does it start`, `how is it tested`, `what can be configured`, or give a bare \
              name: an outline with path:line and confidence of every step. Says what was left out.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<CodeResearchReply>(),
    examples: &[
        "ken research what calls authenticate",
        "ken research all implementations of Authenticatable",
        "ken research 'what does Session.login depend on' --depth 3",
    ],
    run,
};

/// The budget in tokens of a question that a walk answers.
const WALK_BUDGET: usize = 3000;
/// The budget in tokens of a question in plain words, whose answer is the source itself.
const SOURCE_BUDGET: usize = 6000;
/// The budget in tokens of an answer that is probably none.
const WEAK_BUDGET: usize = 1500;
/// The largest budget, so that a walk stays bounded.
const MAX_BUDGET: usize = 50_000;

/// The bytes per token of paths and names, which tokenizers split finer than code.
const BYTES_PER_TOKEN: usize = 3;

/// The schema of the contract, with `budget`, `confidence` and `include_tests` added.
fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "query": { "type": "string", "description": "Research question about codebase" },
            "depth": {
                "type": "integer",
                "default": 2,
                "minimum": 1,
                "maximum": 3,
                "description": "How many levels of references to follow"
            },
            "budget": {
                "type": "integer",
                "minimum": 200,
                "description": "About how many tokens to answer with at most (default 6000 for a \
                                question in plain words, else 3000)"
            },
            "confidence": {
                "type": "string",
                "enum": ["exact", "high", "medium", "low"],
                "default": "medium",
                "description": "The lowest confidence of the edges to follow; less certain ones are only counted"
            },
            "include_tests": {
                "type": "boolean",
                "description": "Follow test code too (default: as chosen when indexing)"
            },
            "path": {
                "type": "string",
                "description": "Another indexed root: its path or collection name"
            }
        },
        "required": ["query"]
    })
}

#[derive(Deserialize)]
struct CodeResearchArgs {
    query: String,
    depth: Option<usize>,
    budget: Option<usize>,
    confidence: Option<String>,
    include_tests: Option<bool>,
    path: Option<String>,
}

/// The reply of `code_research`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeResearchReply {
    /// The walk that was taken, in one word.
    pub walk: Cow<'static, str>,
    /// The walk in one sentence.
    pub took: String,
    /// A remark about the choice of the subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The source of the definitions that answer a question in plain words, by file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<SourceFile>,
    /// The calls among these definitions: `Session.login → Store.open 14, 18`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
    /// Their callers elsewhere: `Session.login ← src/main.rs: run 12, main 30`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub called_by: Vec<String>,
    /// The tests that reach them: `tests/session.rs: test_login 4`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// The requirements that speak of them: `auth: Sign in specs/auth/spec.md:12`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<String>,
    /// The tree of steps; two spaces of indentation for each level.
    pub outline: Vec<String>,
    /// The longest chains, from caller to callee.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chains: Vec<String>,
    /// The dependencies between packages or files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependency_graph: Vec<String>,
    /// The number of edges by confidence, as `7 high, 2 medium`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<String>,
    /// All lines that name the subject and have no edge.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unresolved_count: usize,
    /// The first of these lines, by file: `? src/a.rs  12: open(x)`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unresolved: Vec<String>,
    /// Skipped files that contain the name, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_files: Vec<String>,
    /// The parts that are not shown, each with the argument that adds it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Files that changed since they were indexed: their lines may be off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// A caveat about the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    /// The passages worth reading.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<Passage>,
}

/// Some lines of a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Passage {
    /// The file.
    pub path: String,
    /// The first line.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
    /// The text.
    pub content: String,
}

/// Runs the question on one snapshot of the graph. If the subject is unknown, the whole question
/// becomes a search, and the note says why.
fn run(call: &Call, args: &Args) -> Result<Reply, OpError> {
    let arguments: CodeResearchArgs = args.parse()?;
    let query = arguments.query.trim();
    if query.is_empty() {
        return Err(OpError::bad_argument("`query` must not be empty"));
    }
    let index = call.code(arguments.path.as_deref())?;
    let follows_tests = match arguments.include_tests {
        Some(include) => include,
        None => index.graph_state()?.shows_tests,
    };
    let scope = ResearchScope {
        call,
        index: &index,
        depth: arguments.depth.unwrap_or(2),
        least: min_confidence(arguments.confidence.as_deref()),
        tests: if follows_tests { TestCode::Followed } else { TestCode::Skipped },
    };
    let mut answer = query_graph(&index, |graph| {
        let (findings, note) = gather_findings(&scope, graph, query)?;
        check_cancelled(call)?;
        let default = match findings.walk {
            SEARCH_WALK if findings.is_weak => WEAK_BUDGET,
            SEARCH_WALK => SOURCE_BUDGET,
            _ => WALK_BUDGET,
        };
        let budget = arguments.budget.unwrap_or(default).min(MAX_BUDGET) * BYTES_PER_TOKEN;
        cut_to_budget(&scope, graph, findings, note, budget)
    })?;
    answer.requirements = requirements_of(call, &answer.code);
    Ok(Reply::object(answer))
}

/// Answers the question by its topic, its subject or its words. The note is about the choice of the
/// subject.
fn gather_findings(
    scope: &ResearchScope,
    graph: &Graph,
    query: &str,
) -> Result<(Findings, Option<String>), OpError> {
    if let Some(topic) = parse_topic(query)
        && let Some(findings) = orientation::research_topic(graph, topic)?
    {
        return Ok((findings, None));
    }
    let asked = parse_question(query);
    let (subject, note) = choose_subject(graph, &asked)?;
    let asking = match &subject {
        ResearchSubject::None(_) => Intent::Free,
        _ => asked.intent,
    };
    let findings = Findings::gather(scope, graph, asking, &subject, query)?;
    let note = match subject {
        ResearchSubject::None(why) => why,
        _ => note,
    };
    Ok((findings, note))
}

/// Lists the requirements that speak of the first definitions of an answer, if there are specs. The
/// answer is complete without them, so a failure is no error.
fn requirements_of(call: &Call, code: &[SourceFile]) -> Vec<String> {
    /// A trace compares a definition with every requirement.
    const MAX_TRACED: usize = 2;
    if !call.engine.specs().is_ok_and(|specs| specs.has_any()) {
        return Vec::new();
    }
    let mut found: Vec<String> = Vec::new();
    let definitions =
        code.iter().flat_map(|file| file.definitions.iter().map(move |one| (file, one)));
    for (file, one) in definitions.take(MAX_TRACED) {
        let first = one.lines.split('-').next().unwrap_or_default();
        let asked = json!({ "symbol": format!("{}:{first}", file.path), "limit": 3 });
        if let Ok(TraceReply::Code(traced)) = trace::OP.fetch_object(call, &asked) {
            let line = |one: TracedRequirement| {
                format!("{}: {} {}:{}", one.spec_id, one.requirement, one.path, one.line)
            };
            found.extend(traced.requirements.into_iter().map(line));
        }
    }
    found.sort();
    found.dedup();
    found
}
