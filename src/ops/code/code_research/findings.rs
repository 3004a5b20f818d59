//! The walks that answer a question, and everything that they found, before it is cut to a budget.
//!
//! Each walk returns [`Findings`] of the same shape, so that one renderer serves all. `fallback`,
//! `impact_walks` and `type_hierarchy` have the special walks.

use super::definition_choice::ChosenSource;
use super::impact_walks;
use super::outline::{
    OutlineLine, definition_line, dependency_map, heading, longest_chains, outline_walk,
};
use super::question_terms::QuestionTerms;
use super::subject::ResearchSubject;
use super::type_hierarchy::{findings_from_rows, research_implementations, research_supertypes};
use super::undefined_subjects::{research_library_name, research_words};
use crate::engine::CodeIndex;
use crate::graph::{
    Definition, Direction, Graph, GraphWalk, MentionKinds, TestCode, WalkRules, qualified_name,
};
use crate::ops::code::implementations::{self, ImplementationRow};
use crate::ops::code::unresolved_lines::{
    FEW_EDGES, SHOWN_LINES, Unresolved, UnresolvedQuery, list_unresolved,
};
use crate::ops::number_format::count_noun;
use crate::ops::{Call, OpError};
use crate::search::intent::Intent;
use kenning_model::{Confidence, Progress, RepoPath};

/// Everything that is known about the question, best first.
#[derive(Default)]
pub struct Findings {
    /// The walk that was taken, in a word and in a sentence.
    pub walk: &'static str,
    /// The walk in one sentence, so that the reader can ask for another.
    pub took: String,
    /// The outline: a tree of steps.
    pub lines: Vec<OutlineLine>,
    /// The longest chains through the tree.
    pub chains: Vec<String>,
    /// Dependencies between packages or files, by number of edges.
    pub map: Vec<String>,
    /// The definitions that answer a question in plain words.
    pub chosen: Option<ChosenDefinitions>,
    /// Passages worth reading, the most important first.
    pub places: Vec<FileExcerpt>,
    /// The number of edges by confidence, highest first.
    pub sureness: Vec<(Confidence, usize)>,
    /// Edges below the wanted confidence, which were not followed.
    pub unsure: usize,
    /// Definitions that were not followed, because a call on their path may mean another one.
    pub vague_dispatch: usize,
    /// Places in tests that were not followed.
    pub tests: usize,
    /// Definitions beyond the width of a hop.
    pub unfollowed: usize,
    /// True if the last level may have neighbours of its own.
    pub goes_on: bool,
    /// The walk to the users of the subject, if there was one.
    pub users: Option<GraphWalk>,
    /// Lines that name the subject and have no edge.
    pub unresolved: Unresolved,
    /// The warning that the main caller may be among these lines, or that the answer is weak.
    pub warning: Option<String>,
    /// True if the answer is probably none, so that it is worth little room.
    pub is_weak: bool,
    /// A part that the walk itself leaves out, with the call that gets it.
    pub unshown: Option<String>,
}

/// The definitions that answer a question in plain words, and the words.
pub struct ChosenDefinitions {
    /// The definitions, best first.
    pub sources: Vec<ChosenSource>,
    /// The words, weighted.
    pub terms: QuestionTerms,
}

impl ChosenDefinitions {
    /// Chooses the subjects of a question themselves, in their order.
    fn from_subjects(definitions: &[Definition], name: &str) -> ChosenDefinitions {
        let source =
            |definition: &Definition| ChosenSource::from_definition(definition.clone(), 1.0);
        ChosenDefinitions {
            sources: definitions.iter().map(source).collect(),
            terms: QuestionTerms::new(name),
        }
    }
}

/// A range of lines of a file, to be read later.
pub struct FileExcerpt {
    /// The file.
    pub path: RepoPath,
    /// The first line, from 1.
    pub start: u32,
    /// The last line, inclusive.
    pub end: u32,
}

/// The bounds of a question.
pub struct ResearchScope<'a> {
    /// The engine and the progress.
    pub call: &'a Call<'a>,
    /// The index that is asked.
    pub index: &'a CodeIndex,
    /// The number of hops, from 1 to 3.
    pub depth: usize,
    /// The lowest confidence to follow.
    pub least: Confidence,
    /// Says if test code is followed.
    pub tests: TestCode,
}

/// The definitions that are followed on each hop. More would not fit into any answer.
const WIDTH: usize = 48;

/// The walk of a question in plain words.
pub const SEARCH_WALK: &str = "search";

/// The lines of a definition that show what it is.
pub const HEAD: u32 = 14;

/// The lines of a definition that the question is about.
const WHOLE: u32 = 60;

/// The most chains.
const MAX_CHAINS: usize = 8;
/// The most lines of the dependency map.
pub const MAX_MAP: usize = 16;

impl Findings {
    /// Chooses the walk by the intent and the subject, and runs it.
    pub fn gather(
        scope: &ResearchScope,
        graph: &Graph,
        asking: Intent,
        subject: &ResearchSubject,
        query: &str,
    ) -> Result<Findings, OpError> {
        match subject {
            ResearchSubject::Known(definitions) => {
                let mut findings = research_definitions(scope, graph, asking, definitions)?;
                findings.add_unresolved(scope, graph, asking, definitions)?;
                Ok(findings)
            }
            ResearchSubject::File(path) => {
                let mut findings = impact_walks::research_file(scope, graph, asking, path)?;
                let mut definitions = graph.definitions_in_file(path)?;
                definitions.retain(|one| !one.symbol.is_test);
                findings.add_unresolved(scope, graph, asking, &definitions)?;
                Ok(findings)
            }
            ResearchSubject::Foreign(name) if asking == Intent::Implementations => {
                let rows = graph.find_external_subtypes(name)?.into_iter();
                let rows: Vec<ImplementationRow> =
                    rows.map(implementations::library_type_row).collect();
                let took = format!("implementations of {name}, by the clauses that name it");
                Ok(findings_from_rows("implementations", took, &rows))
            }
            ResearchSubject::Foreign(name) => research_library_name(scope, graph, name),
            ResearchSubject::None(_) => research_words(scope, graph, query),
        }
    }

    /// Adds the lines, chains and counts of a walk.
    pub fn add_walk(&mut self, walk: &GraphWalk, way: Direction, indent: usize, depth: usize) {
        self.lines.extend(outline_walk(walk, way, indent));
        // Chains of uses are long and say little: almost everything uses something.
        if way != Direction::Uses {
            self.chains.extend(longest_chains(walk, way, MAX_CHAINS));
        }
        self.unsure += walk.low_confidence_edges;
        self.vague_dispatch += walk.vague_dispatch;
        self.tests += walk.skipped_tests;
        self.unfollowed += walk.unfollowed;
        // A step on the last hop was not followed, so there may be more behind it.
        let last = walk.steps.iter().filter(|step| step.hop == depth);
        self.goes_on |= last.count() > 0;
        for ground in walk.steps.iter().filter_map(|step| step.evidence) {
            let known = self.sureness.iter_mut();
            let mut known = known.filter(|(one, _)| *one == ground.confidence);
            match known.next() {
                Some((_, count)) => *count += 1,
                None => self.sureness.push((ground.confidence, 1)),
            }
        }
        self.sureness.sort_by_key(|one| std::cmp::Reverse(one.0));
    }

    /// Adds the unresolved lines, if the question is about users of the subject or its tests.
    /// Mentions that are no calls are added if there are few edges.
    fn add_unresolved(
        &mut self,
        scope: &ResearchScope,
        graph: &Graph,
        asking: Intent,
        of: &[Definition],
    ) -> Result<(), OpError> {
        let edges = self.lines.iter().filter(|line| line.text.starts_with('←')).count();
        if asking == Intent::Tests {
            return self.add_unresolved_tests(scope, graph, of, edges);
        }
        if !matches!(
            asking,
            Intent::Callers | Intent::References | Intent::Definition | Intent::Overview
        ) {
            return Ok(());
        }
        let kinds = if edges < FEW_EDGES { MentionKinds::All } else { MentionKinds::Calls };
        let query = UnresolvedQuery { kinds, tests: scope.tests, limit: SHOWN_LINES };
        self.unresolved = list_unresolved(graph, scope.index, of, query)?;
        if let Some(walk) = &self.users {
            self.unresolved.add_ends(graph, walk, scope.depth, TestCode::Skipped)?;
        }
        self.warning = self.unresolved.warning(edges);
        Ok(())
    }

    /// Adds the unresolved calls in tests.
    fn add_unresolved_tests(
        &mut self,
        scope: &ResearchScope,
        graph: &Graph,
        of: &[Definition],
        resolved: usize,
    ) -> Result<(), OpError> {
        let (kinds, tests) = (MentionKinds::Calls, TestCode::Followed);
        let query = UnresolvedQuery { kinds, tests, limit: usize::MAX };
        self.unresolved = list_unresolved(graph, scope.index, of, query)?;
        self.warning = self.unresolved.tests_warning(resolved);
        self.unresolved.keep_test_calls(SHOWN_LINES);
        Ok(())
    }

    /// Adds the first lines of a definition to the passages.
    fn add_definition_excerpt(&mut self, definition: &Definition, most: u32) {
        let span = &definition.symbol.span;
        self.places.push(FileExcerpt {
            path: definition.path.clone(),
            start: span.start_line,
            end: span.end_line.min(span.start_line + most - 1),
        });
    }

    /// Adds the lines around the first site of each step.
    pub fn add_site_excerpts(&mut self, walk: &GraphWalk) {
        for site in walk.steps.iter().flat_map(|step| step.sites.first()) {
            self.places.push(FileExcerpt {
                path: site.path.clone(),
                start: site.line.saturating_sub(1).max(1),
                end: site.line + 1,
            });
        }
    }
}

/// Runs the walk that an intent asks for.
fn research_definitions(
    scope: &ResearchScope,
    graph: &Graph,
    asking: Intent,
    definitions: &[Definition],
) -> Result<Findings, OpError> {
    let name = join_names(definitions);
    let levels = count_noun(scope.depth, "level");
    let one =
        |walk, way, sentence: String| walk_one_way(scope, graph, definitions, walk, way, sentence);
    match asking {
        Intent::Callers => one(
            "callers",
            Direction::Callers,
            format!("what calls {name}, and what calls that, {levels} up"),
        ),
        Intent::Callees => one(
            "callees",
            Direction::Callees,
            format!("what {name} calls, and what that calls, {levels} down"),
        ),
        Intent::References => one(
            "references",
            Direction::References,
            format!("what mentions {name}, and what mentions that, {levels} up"),
        ),
        Intent::Uses => one(
            "dependencies",
            Direction::Uses,
            format!("what {name} uses, and what that uses, {levels} down"),
        ),
        Intent::Implementations => research_implementations(scope, graph, definitions),
        Intent::Supertypes => research_supertypes(graph, definitions),
        Intent::Tests => impact_walks::research_tests(scope, graph, definitions, &name),
        Intent::Definition | Intent::Overview | Intent::Free => {
            walk_both_ways(scope, graph, definitions, asking)
        }
    }
}

/// Walks from the definitions in one direction.
fn walk_one_way(
    scope: &ResearchScope,
    graph: &Graph,
    definitions: &[Definition],
    name: &'static str,
    way: Direction,
    took: String,
) -> Result<Findings, OpError> {
    let walk = scope.walk(graph, definitions, way, scope.depth, 0, scope.depth)?;
    let mut findings = Findings {
        walk: name,
        took,
        map: dependency_map(graph, &[(&walk, way)], MAX_MAP)?,
        ..Findings::default()
    };
    findings.add_walk(&walk, way, 0, scope.depth);
    // Outwards, the code of the neighbours matters; inwards, the lines that use the subject.
    let is_outward = matches!(way, Direction::Callees | Direction::Uses);
    for definition in definitions {
        findings.add_definition_excerpt(definition, if is_outward { WHOLE } else { HEAD });
    }
    if is_outward {
        let reached = walk.steps.iter().filter(|step| step.hop == 1);
        for definition in reached.filter_map(|step| step.node.definition()) {
            findings.add_definition_excerpt(definition, HEAD);
        }
    } else {
        findings.add_site_excerpts(&walk);
        findings.users = Some(walk);
    }
    Ok(findings)
}

/// Walks to the users of the definitions and to what they use.
fn walk_both_ways(
    scope: &ResearchScope,
    graph: &Graph,
    definitions: &[Definition],
    asking: Intent,
) -> Result<Findings, OpError> {
    let (depth, total) = (scope.depth, 2 * scope.depth);
    let up = scope.walk(graph, definitions, Direction::References, depth, 0, total)?;
    let down = scope.walk(graph, definitions, Direction::Uses, depth, depth, total)?;
    let name = join_names(definitions);
    let levels = count_noun(depth, "level");
    let mut findings = Findings {
        walk: match asking {
            Intent::Definition => "definition",
            _ => "overview",
        },
        took: format!(
            "where {name} is defined, what mentions it and what it uses, {levels} each way"
        ),
        map: dependency_map(
            graph,
            &[(&up, Direction::References), (&down, Direction::Uses)],
            MAX_MAP,
        )?,
        ..Findings::default()
    };
    findings.lines.extend(definitions.iter().map(definition_line));
    findings.chosen = Some(ChosenDefinitions::from_subjects(definitions, &name));
    for (title, walk, way) in
        [("mentioned by", &up, Direction::References), ("uses", &down, Direction::Uses)]
    {
        if walk.steps.iter().any(|step| step.hop > 0) {
            findings.lines.push(heading(title));
            findings.add_walk(walk, way, 1, depth);
        }
    }
    findings.users = Some(up);
    Ok(findings)
}

/// Joins the first three names of definitions, for a sentence.
pub fn join_names(definitions: &[Definition]) -> String {
    let mut names: Vec<String> =
        definitions.iter().map(|one| qualified_name(&one.symbol)).collect();
    names.dedup();
    names.truncate(3);
    names.join(", ")
}

impl ResearchScope<'_> {
    /// Walks `depth` hops. Progress counts them as the hops after `before` of `total`, because one
    /// answer may need several walks.
    pub fn walk(
        &self,
        graph: &Graph,
        starts: &[Definition],
        way: Direction,
        depth: usize,
        before: usize,
        total: usize,
    ) -> Result<GraphWalk, OpError> {
        let rules = WalkRules {
            direction: way,
            depth,
            min_confidence: self.least,
            tests: self.tests,
            width: WIDTH,
        };
        let hops = CombinedProgress { progress: self.call.progress, before, total };
        Ok(graph.walk(starts, &rules, &hops)?)
    }
}

/// Reports the hops of several walks as those of one, so that progress only grows.
struct CombinedProgress<'a> {
    /// Takes the reports.
    progress: &'a dyn Progress,
    /// The hops of earlier walks.
    before: usize,
    /// The hops of all walks.
    total: usize,
}

impl Progress for CombinedProgress<'_> {
    fn report(&self, stage: &str, done: usize, _total: Option<usize>) {
        self.progress.report(stage, self.before + done, Some(self.total));
    }

    fn is_cancelled(&self) -> bool {
        self.progress.is_cancelled()
    }
}
