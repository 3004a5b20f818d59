//! Questions that name nothing that is defined here. A name of another library is followed by its
//! mentions; plain words are followed from the hits of a search.

use super::super::weak_answer;
use super::findings::{FileExcerpt, Findings, HEAD, MAX_MAP, ResearchScope};
use super::outline::{OutlineLine, dependency_map};
use crate::engine::{ChunkRecord, CodeQuery, Filter, Rerank, Tests, parse_query};
use crate::graph::{Definition, Direction, Graph, TestCode};
use crate::ops::OpError;
use crate::ops::number_format::count_noun;
use kenning_model::{ChunkKind, Progress};

/// The number of hits that a walk starts from.
const HITS: usize = 6;

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

/// Searches for the words and follows what the best hits use.
pub fn research_words(
    scope: &ResearchScope,
    graph: &Graph,
    query: &str,
) -> Result<Findings, OpError> {
    let engine = scope.call.engine;
    let search = CodeQuery {
        text: query,
        parsed: &parse_query(query),
        limit: HITS,
        semantic_weight: 0.7,
        filter: Filter::default(),
        tests: Some(match scope.tests {
            TestCode::Followed => Tests::Included,
            TestCode::Skipped => Tests::Excluded,
        }),
        rerank: Rerank::Off,
        context: None,
    };
    // The walk reports progress in hops; the search inside of it must not interfere.
    let quiet = SilentProgress(scope.call.progress);
    let answer = engine.search_code(scope.index, &search, &quiet)?;
    let mut starts: Vec<Definition> = Vec::new();
    let mut findings = Findings {
        walk: "search",
        took: format!(
            "a search for the words, and what its best hits use, {} down",
            count_noun(scope.depth, "level")
        ),
        warning: weak_answer::describe_weakness(&answer.evidence),
        ..Findings::default()
    };
    if answer.evidence.is_nothing() {
        return Ok(findings);
    }
    for found in &answer.hits {
        let chunk = &found.hit.chunk;
        findings.places.push(FileExcerpt {
            path: chunk.path.clone(),
            start: chunk.span.start_line,
            end: chunk.span.end_line.min(chunk.span.start_line + HEAD + HEAD),
        });
        match hit_definition(graph, chunk)? {
            Some(definition) => starts.push(definition),
            None => findings.lines.push(hit_line(chunk)),
        }
    }
    let walk = scope.walk(graph, &starts, Direction::Uses, scope.depth, 0, scope.depth)?;
    findings.map = dependency_map(graph, &[(&walk, Direction::Uses)], MAX_MAP)?;
    findings.add_walk(&walk, Direction::Uses, 0, scope.depth);
    Ok(findings)
}

/// Returns the definition that a hit shows, if it shows one.
fn hit_definition(graph: &Graph, chunk: &ChunkRecord) -> Result<Option<Definition>, OpError> {
    let Some(name) = &chunk.symbol else {
        return Ok(None);
    };
    let mut found = graph.locate(&format!("{}:{name}", chunk.path))?;
    let is_extension = chunk.kind == ChunkKind::Extension;
    // A chunk may be a later part of what it shows, far from the line of the name.
    let is_shown = |one: &Definition| {
        let (whole, part) = (&one.symbol.span, &chunk.span);
        whole.start_line <= part.end_line && part.start_line <= whole.end_line
    };
    found.retain(|one| is_extension || is_shown(one));
    // If several match, such as overloads, the one that covers most of the chunk wins.
    found.sort_by_key(|one| {
        let (whole, part) = (&one.symbol.span, &chunk.span);
        let first = whole.start_line.max(part.start_line);
        let last = whole.end_line.min(part.end_line);
        std::cmp::Reverse(last.saturating_sub(first))
    });
    Ok(found.into_iter().next())
}

/// The outline line of a hit without a definition, such as the text between two of them.
fn hit_line(chunk: &ChunkRecord) -> OutlineLine {
    let name = chunk.symbol.as_deref().unwrap_or("(between definitions)");
    let (kind, start) = (chunk.kind.as_str(), chunk.span.start_line);
    OutlineLine {
        indent: 0,
        text: format!("{name}  {kind}  {}:{start}", chunk.path),
        hop: 0,
        path: Some(chunk.path.clone()),
    }
}

/// Progress that can be cancelled and reports nothing.
struct SilentProgress<'a>(&'a dyn Progress);

impl Progress for SilentProgress<'_> {
    fn report(&self, _stage: &str, _done: usize, _total: Option<usize>) {}

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}
