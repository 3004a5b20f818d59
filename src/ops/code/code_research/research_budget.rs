//! Cuts findings to a budget: the outline to its nearest hops, lists to their first lines, and the
//! source of definitions to what fits.

use super::definition_choice::ChosenSource;
use super::findings::{ChosenDefinitions, FileExcerpt, Findings, ResearchScope, SEARCH_WALK};
use super::outline::OutlineLine;
use super::relations::{Relations, collect_relations};
use super::source_listing::{SourceListing, list_sources};
use super::{CodeResearchReply, Passage};
use crate::graph::Graph;
use crate::ops::OpError;
use crate::ops::code::call_hierarchy::vague_dispatch_note;
use crate::ops::code::reply_parts::{index_notice, join_notes, stale_files};
use crate::ops::number_format::count_noun;
use kenning_model::RepoPath;

/// Cuts the findings to a budget in bytes. `note` is about the choice of the subject.
pub fn cut_to_budget(
    scope: &ResearchScope,
    graph: &Graph,
    findings: Findings,
    note: Option<String>,
    budget: usize,
) -> Result<CodeResearchReply, OpError> {
    match &findings.chosen {
        Some(chosen) if !chosen.sources.is_empty() => {
            cut_definitions(scope, graph, &findings, chosen, note, budget)
        }
        _ => cut_walk(scope, graph, findings, note, budget),
    }
}

/// Cuts the findings of a walk. Half goes to the outline, a sixth to chains and a tenth to the map.
/// The passages get the rest.
fn cut_walk(
    scope: &ResearchScope,
    graph: &Graph,
    findings: Findings,
    note: Option<String>,
    budget: usize,
) -> Result<CodeResearchReply, OpError> {
    let (outline, cut) = nearest_lines(&findings.lines, budget / 2);
    let is_found = findings.lines.iter().any(|line| line.hop > 0) || findings.warning.is_some();
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
        ..CodeResearchReply::default()
    })
}

/// Cuts an answer that begins with source. Of a question in plain words three quarters go to the
/// source, because the outline only lists what that source uses. Of a question about a name the
/// outline is a part of the answer, and gets a quarter.
fn cut_definitions(
    scope: &ResearchScope,
    graph: &Graph,
    findings: &Findings,
    chosen: &ChosenDefinitions,
    note: Option<String>,
    budget: usize,
) -> Result<CodeResearchReply, OpError> {
    let ChosenDefinitions { sources, terms } = chosen;
    let is_about_name = findings.walk != SEARCH_WALK;
    let (for_source, for_outline) =
        if is_about_name { (budget / 2, budget / 4) } else { (budget * 3 / 4, budget / 16) };
    let listing = list_sources(graph, sources, terms, for_source)?;
    let SourceListing { files, shown, left } = listing;
    let listed: Vec<&ChosenSource> = shown.iter().map(|at| &sources[*at]).collect();
    let Relations { calls, called_by, tests } = collect_relations(scope, graph, &listed)?;
    let (outline, cut) = nearest_lines(&findings.lines, for_outline);
    let mut left_out: Vec<String> = omitted_definitions(sources, &left).into_iter().collect();
    left_out.extend(omission_notes(scope, findings, cut));
    let paths = listed.iter().map(|one| &one.path);
    Ok(CodeResearchReply {
        walk: findings.walk.into(),
        took: findings.took.clone(),
        note: join_notes([findings.warning.clone(), note]),
        code: files,
        calls: take_fitting(&calls, budget / 24),
        called_by: take_fitting(&called_by, budget / 20),
        tests: take_fitting(&tests, budget / 24),
        outline: outline.into_iter().map(render_line).collect(),
        chains: take_fitting(&findings.chains, budget / 16),
        dependency_graph: take_fitting(&findings.map, budget / 32),
        confidence: confidence_summary(&findings.sureness),
        unresolved_count: findings.unresolved.unresolved_count,
        unresolved: take_fitting(&findings.unresolved.outline(), budget / 8),
        skipped_files: findings.unresolved.skipped_files.clone(),
        left_out,
        stale: stale_files(scope.index, paths)?,
        notice: index_notice(scope.index)?,
        ..CodeResearchReply::default()
    })
}

/// Names the first definitions that did not fit, with the call that shows them.
fn omitted_definitions(sources: &[ChosenSource], left: &[usize]) -> Option<String> {
    /// More names would cost as much as source.
    const NAMED: usize = 14;
    let mut files: Vec<(&RepoPath, Vec<String>)> = Vec::new();
    let named = left.iter().map(|at| &sources[*at]).filter(|one| one.definition.is_some());
    for one in named.take(NAMED) {
        let name = format!("{} {}", one.name(), one.start);
        match files.iter_mut().find(|(path, _)| **path == one.path) {
            Some((_, names)) => names.push(name),
            None => files.push((&one.path, vec![name])),
        }
    }
    let files = files.into_iter().map(|(path, names)| format!("{path}: {}", names.join(", ")));
    let files = files.collect::<Vec<_>>().join("; ");
    let count = count_noun(left.len(), "definition");
    (!left.is_empty())
        .then(|| format!("{count} that fit less: {files}; raise `budget`, or ask for one by name"))
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
    let mut left_out: Vec<String> = findings.unshown.iter().cloned().collect();
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
    left_out.extend(vague_dispatch_note(findings.vague_dispatch));
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
        // Even the smallest budget keeps the subject.
        let (least, cut) = nearest_lines(&lines, 1);
        assert_eq!((names(least), cut), (vec!["subject".to_string()], 3));
    }
}
