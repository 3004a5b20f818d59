//! Questions that name nothing that is defined here. A name of another library is followed by its
//! mentions; plain words are followed from the hits of a search.

use super::super::weak_answer;
use super::absent_words::{AbsentWords, find_absent_words};
use super::definition_choice::{ChosenSource, choose_definitions};
use super::findings::{
    ChosenDefinitions, FileExcerpt, Findings, MAX_MAP, ResearchScope, SEARCH_WALK,
};
use super::outline::{OutlineLine, definition_line, dependency_map};
use super::question_terms::QuestionTerms;
use crate::graph::{Definition, Direction, Graph, TestCode, qualified_name};
use crate::ops::OpError;
use crate::ops::number_format::count_noun;
use crate::search::AnswerEvidence;

/// The number of definitions that a walk starts from.
const STARTS: usize = 6;

/// The definitions that a weak answer lists.
const NEAREST: usize = 6;

/// Collects the mentions of a name without a definition here, and the callers of the code around
/// them.
pub fn research_library_name(
    scope: &ResearchScope,
    graph: &Graph,
    name: &str,
) -> Result<Findings, OpError> {
    let mut around: Vec<(Definition, Vec<u32>)> = Vec::new();
    let mut findings = Findings {
        walk: "mentions",
        took: format!("where {name} is mentioned by name, and what calls the code around it"),
        ..Findings::default()
    };
    scope.call.progress.report("mentions", 1, Some(scope.depth));
    for (site, inside) in graph.find_mentions(name)? {
        let is_test = site.is_test || inside.as_ref().is_some_and(|one| one.symbol.is_test);
        if is_test && scope.tests == TestCode::Skipped {
            findings.tests += 1;
            continue;
        }
        let Some(inside) = inside else {
            continue;
        };
        match around.iter_mut().find(|(one, _)| one.target == inside.target) {
            Some((_, lines)) => lines.push(site.line),
            None => around.push((inside, vec![site.line])),
        }
    }
    let starts: Vec<Definition> = around.iter().map(|(one, _)| one.clone()).collect();
    // The mentions themselves are the first level, so the walk has one level less.
    let walk = scope.walk(graph, &starts, Direction::Callers, scope.depth - 1, 1, scope.depth)?;
    findings.add_walk(&walk, Direction::Callers, 0, scope.depth - 1);
    for (definition, lines) in around {
        for line in lines.into_iter().take(1) {
            findings.places.push(FileExcerpt {
                path: definition.path.clone(),
                start: line.saturating_sub(1).max(1),
                end: line + 1,
            });
        }
    }
    Ok(findings)
}

/// Searches for the words, chooses the definitions that answer, and follows what they use.
pub fn research_words(
    scope: &ResearchScope,
    graph: &Graph,
    query: &str,
) -> Result<Findings, OpError> {
    let mut terms = QuestionTerms::new(query);
    let (sources, evidence) = choose_definitions(scope, graph, query, &mut terms)?;
    let absent = find_absent_words(graph, query)?;
    let lacks_words = absent.share() > 0.0;
    let is_short = evidence.is_weak() && (lacks_words || evidence.is_nothing());
    if is_short || lacks_subject(&absent, &evidence) {
        return describe_weak_answer(scope, graph, &sources, &evidence, &absent);
    }
    let starts = sources.iter().filter_map(|one| one.definition.clone());
    let starts: Vec<Definition> = starts.take(STARTS).collect();
    let walk = scope.walk(graph, &starts, Direction::Uses, scope.depth, 0, scope.depth)?;
    let mut findings = Findings {
        walk: SEARCH_WALK,
        took: format!(
            "a search for the words, and what its best hits use, {} down",
            count_noun(scope.depth, "level")
        ),
        warning: absent
            .note()
            .map(|note| format!("{note}; this is about the other words"))
            .or_else(|| weak_answer::describe_weakness(&evidence)),
        is_weak: evidence.is_weak(),
        map: dependency_map(graph, &[(&walk, Direction::Uses)], MAX_MAP)?,
        ..Findings::default()
    };
    findings.add_walk(&walk, Direction::Uses, 0, scope.depth);
    findings.chosen = Some(ChosenDefinitions { sources, terms });
    Ok(findings)
}

/// True if the product lacks a third of the question's words and the search is unsure: then the
/// other words are not the subject. A sure search found the meaning in other words.
fn lacks_subject(absent: &AbsentWords, evidence: &AnswerEvidence) -> bool {
    let share = absent.share();
    // The thresholds of a weak answer below which a search is unsure.
    let factor = if share >= 0.5 { 1.6 } else { 1.3 };
    let is_unsure =
        evidence.confidence().is_some_and(|found| found < factor * evidence.threshold());
    is_unsure && !evidence.is_named && share >= 0.3
}

/// Formats a definition in a line, with the first definitions that it calls.
fn nearest_line(
    scope: &ResearchScope,
    graph: &Graph,
    definition: &Definition,
) -> Result<OutlineLine, OpError> {
    /// More are no hint on what it does.
    const NAMED_CALLEES: usize = 3;
    let mut line = definition_line(definition);
    let links = graph.callees(definition)?.into_iter();
    let sure = links.filter(|link| link.evidence.confidence >= scope.least);
    let mut names: Vec<String> =
        sure.filter_map(|link| link.other).map(|other| qualified_name(&other.symbol)).collect();
    names.dedup();
    names.truncate(NAMED_CALLEES);
    if !names.is_empty() {
        line.text += &format!(" → {}", names.join(", "));
    }
    Ok(line)
}

/// Returns a short answer: why it is weak, and the nearest definitions with a line each. Their
/// source would cost much and probably answer nothing.
fn describe_weak_answer(
    scope: &ResearchScope,
    graph: &Graph,
    sources: &[ChosenSource],
    evidence: &AnswerEvidence,
    absent: &AbsentWords,
) -> Result<Findings, OpError> {
    let named = sources.iter().filter_map(|one| one.definition.as_ref()).take(NEAREST);
    let lines: Result<Vec<OutlineLine>, OpError> =
        named.map(|definition| nearest_line(scope, graph, definition)).collect();
    let lines = lines?;
    let weakness = weak_answer::describe_weakness(evidence)
        .filter(|_| absent.note().is_none() || evidence.is_nothing())
        .or_else(|| absent.note().map(|note| format!("weak: {note}")));
    let more = (!lines.is_empty()).then(|| "their source; ask for one by name".to_string());
    Ok(Findings {
        walk: SEARCH_WALK,
        took: "a search for the words; the nearest definitions, which are probably no answer"
            .into(),
        warning: weakness,
        lines,
        unshown: more,
        ..Findings::default()
    })
}
