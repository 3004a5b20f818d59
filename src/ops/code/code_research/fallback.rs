//! Questions that name nothing that is defined here. A name of another library is followed by its
//! mentions; plain words are followed from the hits of a search.

use super::super::weak_answer;
use super::definition_choice::choose_definitions;
use super::findings::{
    ChosenDefinitions, FileExcerpt, Findings, MAX_MAP, ResearchScope, SEARCH_WALK,
};
use super::outline::dependency_map;
use super::question_terms::QuestionTerms;
use crate::graph::{Definition, Direction, Graph, TestCode};
use crate::ops::OpError;
use crate::ops::number_format::count_noun;

/// The number of definitions that a walk starts from.
const STARTS: usize = 6;

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
    let starts = sources.iter().filter_map(|one| one.definition.clone());
    let starts: Vec<Definition> = starts.take(STARTS).collect();
    let walk = scope.walk(graph, &starts, Direction::Uses, scope.depth, 0, scope.depth)?;
    let mut findings = Findings {
        walk: SEARCH_WALK,
        took: format!(
            "a search for the words, and what its best hits use, {} down",
            count_noun(scope.depth, "level")
        ),
        warning: weak_answer::describe_weakness(&evidence),
        map: dependency_map(graph, &[(&walk, Direction::Uses)], MAX_MAP)?,
        ..Findings::default()
    };
    findings.add_walk(&walk, Direction::Uses, 0, scope.depth);
    findings.chosen = Some(ChosenDefinitions { sources, terms });
    Ok(findings)
}
