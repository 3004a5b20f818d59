//! `code_research`: a question about how code hangs together, answered by a walk through the graph
//! and told as an outline that fits a budget.
//!
//! The steps are: read the intent (`search::intent`), choose the subject (`subject`), walk
//! (`findings`), render (`outline`), and cut (here). docs/research.md describes the intents.

mod fallback;
mod findings;
mod impact_walks;
pub mod orientation;
mod outline;
mod subject;
mod type_hierarchy;

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::dto::{
    check_cancelled, index_notice, join_notes, min_confidence, query_graph, stale_files,
};
use super::unresolved::is_zero;
use crate::graph::{Graph, TestCode};
use crate::ops::number_format::count_noun;
use crate::ops::{Args, Call, Family, OpEffect, OpEntry, OpError, Origin, Reply, ReplyType};
use crate::search::intent::{Intent, parse_question};
use crate::search::orientation::parse_topic;
use findings::{FileExcerpt, Findings, ResearchScope};
use outline::OutlineLine;
use subject::{ResearchSubject, choose_subject};

/// Replies with a [`CodeResearchReply`]. An unknown name is no error: the words are searched
/// instead.
pub static OP: OpEntry = OpEntry {
    name: "code_research",
    family: Family::Code,
    origin: Origin::Contract,
    summary: "Deep architectural analysis with multi-hop search: ask `what calls X`, `what does X call`, \
              `all implementations of X`, `what uses X`, `what depends on src/x.ts`, `what does X \
              depend on`, `what tests cover X`, `where is X defined`, `how does it start`, `how is it \
              tested`, `what can be configured`, give a bare name, or ask anything. Follows the resolved code graph `depth` \
              levels and returns an outline: every step with path:line, confidence and reason, the \
              chains, which files depend on which, the lines worth reading, and what was left out.",
    effect: OpEffect::Reads,
    schema: LazyLock::new(schema),
    reply: ReplyType::of::<CodeResearchReply>(),
    examples: &[
        "ken code-research what calls authenticate",
        "ken code-research all implementations of Authenticatable",
        "ken code-research 'what does Session.login depend on' --depth 3",
    ],
    run,
};

/// The budget in tokens by default.
const BUDGET: usize = 3000;
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
                "default": BUDGET,
                "minimum": 200,
                "description": "About how many tokens to answer with at most"
            },
            "confidence": {
                "type": "string",
                "enum": ["exact", "high", "medium", "low"],
                "default": "medium",
                "description": "The least sure edges to follow; what is less sure is counted"
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
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CodeResearchReply {
    /// The walk that was taken, in one word.
    pub walk: Cow<'static, str>,
    /// The walk in one sentence.
    pub took: String,
    /// A remark about the choice of the subject.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
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
    let budget = arguments.budget.unwrap_or(BUDGET).min(MAX_BUDGET) * BYTES_PER_TOKEN;
    let answer = query_graph(&index, |graph| {
        if let Some(topic) = parse_topic(query)
            && let Some(findings) = orientation::research_topic(graph, topic)?
        {
            return cut_to_budget(&scope, graph, findings, None, budget);
        }
        let asked = parse_question(query);
        let (subject, note) = choose_subject(graph, &asked)?;
        let asking = match &subject {
            ResearchSubject::None(_) => Intent::Free,
            _ => asked.intent,
        };
        let findings = Findings::gather(&scope, graph, asking, &subject, query)?;
        check_cancelled(call)?;
        let note = match subject {
            ResearchSubject::None(why) => why,
            _ => note,
        };
        cut_to_budget(&scope, graph, findings, note, budget)
    })?;
    Ok(Reply::object(answer))
}

/// Cuts the findings to a budget in bytes. Half goes to the outline, a sixth to chains and a tenth
/// to the map. The passages get the rest.
fn cut_to_budget(
    scope: &ResearchScope,
    graph: &Graph,
    findings: Findings,
    note: Option<String>,
    budget: usize,
) -> Result<CodeResearchReply, OpError> {
    let (outline, cut) = nearest_lines(&findings.lines, budget / 2);
    let is_found = findings.lines.iter().any(|line| line.hop > 0);
    let has_lines = !findings.unresolved.unresolved.is_empty();
    let note = if is_found || has_lines {
        join_notes([findings.warning.clone(), note])
    } else {
        Some(note.unwrap_or_else(|| "nothing leads further from here".to_string()))
    };
    let mut spent: usize = outline.iter().map(|line| render_line(line).len()).sum();
    let chains = take_fitting(&findings.chains, budget / 6);
    let dependency_graph = take_fitting(&findings.map, budget / 10);
    let more = chains.iter().chain(&dependency_graph);
    spent += more.map(String::len).sum::<usize>();
    let left_out = omission_notes(scope, &findings, cut);
    spent += left_out.iter().map(String::len).sum::<usize>();
    // A quarter at most, so that passages have room.
    let unresolved = take_fitting(&findings.unresolved.outline(), budget / 4);
    spent += unresolved.iter().map(String::len).sum::<usize>();
    let read = read_passages(graph, &findings.places, budget.saturating_sub(spent))?;
    let paths = outline.iter().filter_map(|line| line.path.as_ref());
    Ok(CodeResearchReply {
        walk: findings.walk.into(),
        took: findings.took,
        note,
        stale: stale_files(scope.index, paths)?,
        notice: index_notice(scope.index)?,
        outline: if outline.is_empty() {
            vec!["nothing found".to_string()]
        } else {
            outline.into_iter().map(render_line).collect()
        },
        chains,
        dependency_graph,
        confidence: confidence_summary(&findings.sureness),
        unresolved_count: findings.unresolved.unresolved_count,
        unresolved,
        skipped_files: findings.unresolved.skipped_files,
        left_out,
        read,
    })
}

/// Indents an outline line.
fn render_line(line: &OutlineLine) -> String {
    format!("{}{}", "  ".repeat(line.indent), line.text)
}

/// Returns the lines that fit, nearest hops first but in their original order, and the number of
/// the others.
fn nearest_lines(lines: &[OutlineLine], budget: usize) -> (Vec<&OutlineLine>, usize) {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by_key(|&place| (lines[place].hop, place));
    let mut spent = 0;
    let fitting = order.iter().take_while(|&&place| {
        // Four bytes for the quotes, the comma and the line end in JSON.
        spent += render_line(&lines[place]).len() + 4;
        spent <= budget
    });
    let fitting = fitting.count().max(1).min(lines.len());
    let mut shown = order[..fitting].to_vec();
    shown.sort_unstable();
    let shown: Vec<&OutlineLine> = shown.into_iter().map(|place| &lines[place]).collect();
    (shown, lines.len() - fitting)
}

/// Returns the first lines that fit the budget.
fn take_fitting(lines: &[String], budget: usize) -> Vec<String> {
    let mut spent = 0;
    let fitting = lines.iter().take_while(|line| {
        spent += line.len() + 4;
        spent <= budget
    });
    fitting.cloned().collect()
}

/// Lists the parts that the reply omits, each with the argument that adds it.
fn omission_notes(scope: &ResearchScope, findings: &Findings, cut: usize) -> Vec<String> {
    let mut left_out = Vec::new();
    if cut > 0 {
        let lines = count_noun(cut, "line");
        left_out.push(format!("{lines} of the outline; raise `budget`"));
    }
    if findings.unsure > 0 {
        let edges = count_noun(findings.unsure, "edge");
        left_out.push(format!(
            "{edges} less sure than {}; set `confidence` to low to follow them",
            scope.least.as_str()
        ));
    }
    if findings.tests > 0 {
        let places = count_noun(findings.tests, "place");
        left_out.push(format!("{places} in tests; set `include_tests`"));
    }
    if findings.unfollowed > 0 {
        let count = count_noun(findings.unfollowed, "definition");
        left_out.push(format!("{count} not followed further; ask for them by name"));
    }
    if findings.goes_on && scope.depth < 3 {
        left_out
            .push(format!("what lies beyond {}; raise `depth`", count_noun(scope.depth, "level")));
    }
    left_out.extend(findings.unresolved.omission.clone());
    left_out
}

/// Formats `7 high, 2 medium`.
fn confidence_summary(sureness: &[(kenning_model::Confidence, usize)]) -> Option<String> {
    let counts = sureness.iter();
    let counts = counts.map(|(one, count)| format!("{count} {}", one.as_str()));
    let counts: Vec<String> = counts.collect();
    (!counts.is_empty()).then(|| counts.join(", "))
}

/// Reads the passages that fit, each line only once. Blank passages are skipped.
fn read_passages(
    graph: &Graph,
    places: &[FileExcerpt],
    budget: usize,
) -> Result<Vec<Passage>, OpError> {
    /// More are not read.
    const MOST: usize = 12;
    let mut shown: Vec<Passage> = Vec::new();
    let mut spent = 0;
    for place in places {
        let is_known = shown.iter().any(|known| {
            known.path == place.path.as_str()
                && known.start_line <= place.start
                && place.start <= known.end_line
        });
        if is_known {
            continue;
        }
        let text = graph.read_lines(&place.path, place.start, place.end)?;
        let Some(content) = text.filter(|text| !text.trim().is_empty()) else {
            continue;
        };
        spent += content.len() + place.path.as_str().len() + 40;
        if shown.len() == MOST || spent > budget {
            break;
        }
        let count = content.lines().count() as u32;
        shown.push(Passage {
            path: place.path.to_string(),
            start_line: place.start,
            end_line: place.start + count.saturating_sub(1),
            content,
        });
    }
    Ok(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(hop: usize, text: &str) -> OutlineLine {
        OutlineLine { indent: hop, text: text.to_string(), hop, path: None }
    }

    #[test]
    fn what_is_far_away_is_left_out_first() {
        let lines = [line(0, "subject"), line(1, "near"), line(2, "far"), line(1, "also near")];
        let names = |shown: Vec<&OutlineLine>| {
            let names = shown.iter().map(|line| line.text.clone());
            names.collect::<Vec<_>>()
        };
        let (all, cut) = nearest_lines(&lines, 1000);
        assert_eq!((names(all).len(), cut), (4, 0));
        let (some, cut) = nearest_lines(&lines, 11 + 10 + 15);
        assert_eq!(names(some), ["subject", "near", "also near"]);
        assert_eq!(cut, 1);
        // However small, an answer has its subject.
        let (least, cut) = nearest_lines(&lines, 1);
        assert_eq!((names(least), cut), (vec!["subject".to_string()], 3));
    }
}
