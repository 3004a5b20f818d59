//! Subtypes and supertypes as findings. The rows come from `implementations`, so that both
//! operations agree.

use super::findings::{FileExcerpt, Findings, HEAD, MAX_MAP, ResearchScope, join_names};
use super::outline::{OutlineLine, definition_line, dependency_map, heading, implementation_line};
use crate::graph::{Definition, Direction, Graph};
use crate::ops::OpError;
use crate::ops::code::implementations::{self, ImplementationRow};
use kenning_model::RepoPath;

/// Lists the implementations. At depth 3 it also follows the users of the implementing types.
pub fn research_implementations(
    scope: &ResearchScope,
    graph: &Graph,
    definitions: &[Definition],
) -> Result<Findings, OpError> {
    let rows = implementations::implementation_rows(graph, definitions)?;
    let name = join_names(definitions);
    let took = format!(
        "all implementations of {name}: direct, inherited, by extension, derived and conditional"
    );
    let mut findings = findings_from_rows("implementations", took, &rows);
    let subjects = definitions.iter().map(definition_line);
    findings.lines.splice(0..0, subjects);
    for definition in definitions {
        findings.places.insert(0, head_excerpt(definition));
    }
    // Users of every implementation are many, so they need the largest depth.
    if scope.depth < 3 {
        scope.call.progress.report("implementations", scope.depth, Some(scope.depth));
        return Ok(findings);
    }
    scope.call.progress.report("implementations", 1, Some(scope.depth));
    let mut types = Vec::new();
    for definition in definitions {
        let found = graph.implementations(definition)?.into_iter();
        types.extend(found.map(|found| found.definition));
    }
    let (way, depth) = (Direction::References, scope.depth - 1);
    let walk = scope.walk(graph, &types, way, depth, 1, scope.depth)?;
    findings.took += "; and what mentions them, 2 levels up";
    findings.map = dependency_map(graph, &[(&walk, way)], MAX_MAP)?;
    findings.lines.push(heading("mentioned by"));
    findings.add_walk(&walk, way, 1, depth);
    Ok(findings)
}

/// Lists the direct supertypes of each definition.
pub fn research_supertypes(graph: &Graph, definitions: &[Definition]) -> Result<Findings, OpError> {
    let mut findings = Findings {
        walk: "supertypes",
        took: format!("what {} implements, extends or conforms to", join_names(definitions)),
        ..Findings::default()
    };
    for definition in definitions {
        findings.lines.push(definition_line(definition));
        findings.places.push(head_excerpt(definition));
        for base in graph.supertypes(definition)? {
            let line = definition_line(&base);
            findings.lines.push(OutlineLine {
                indent: 1,
                hop: 1,
                text: format!("→ {}", line.text),
                ..line
            });
        }
    }
    Ok(findings)
}

/// Converts rows to findings, with three lines of code for each.
pub fn findings_from_rows(
    walk: &'static str,
    took: String,
    rows: &[ImplementationRow],
) -> Findings {
    let mut findings = Findings { walk, took, ..Findings::default() };
    for row in rows {
        findings.lines.push(implementation_line(row));
        if let Some(path) = RepoPath::new(&row.symbol.path) {
            findings.places.push(FileExcerpt {
                path,
                start: row.symbol.line,
                end: row.symbol.line + 2,
            });
        }
    }
    findings
}

/// The first lines of a definition, as a passage.
fn head_excerpt(definition: &Definition) -> FileExcerpt {
    let span = &definition.symbol.span;
    FileExcerpt {
        path: definition.path.clone(),
        start: span.start_line,
        end: span.end_line.min(span.start_line + HEAD - 1),
    }
}
