//! Chooses the definitions that answer a question in plain words: the best hits of a search, as
//! whole definitions, and their callees and callers, if these match the question too.

use std::collections::HashMap;

use super::findings::ResearchScope;
use super::question_terms::QuestionTerms;
use crate::engine::{
    ChunkRecord, CodeAnswer, CodeQuery, Filter, Granularity, Rerank, Tests, parse_query,
};
use crate::graph::{Definition, Graph, GraphLink, TestCode, qualified_name};
use crate::ops::OpError;
use crate::search::AnswerEvidence;
use kenning_lang::languages::{self, LanguageRole};
use kenning_model::{ChunkKind, Progress, RepoPath};

/// The number of hits that definitions are chosen from.
const HITS: usize = 30;

/// The most definitions that are chosen. Those whose source does not fit are named.
const MAX_CHOSEN: usize = 40;

/// The hits whose neighbours in the graph are candidates.
const EXPANDED: usize = 8;

/// The neighbours of one definition that are candidates.
const MAX_NEIGHBOURS: usize = 24;

/// The share of a definition's score that its callees get.
const CALLEE_SHARE: f32 = 0.5;

/// The share of a definition's score that its callers get.
const CALLER_SHARE: f32 = 0.35;

/// The share of a type's score that a member gets if its name has words of the question.
const MEMBER_SHARE: f32 = 0.7;

/// The number of lines from which a container counts as long.
const LONG_CONTAINER: u32 = 60;

/// The lines from which a value may be a table or a function.
const SHORT_VALUE: u32 = 6;

/// The part of a score that does not depend on the words of the definition itself. The rest grows
/// with the share of the question's words that it contains.
const SEARCH_PART: f32 = 0.6;

/// The factor for documents: a question about code wants code.
const PROSE_FACTOR: f32 = 0.5;

/// A definition, or some lines outside of every definition, that may answer the question.
#[derive(Clone, Debug)]
pub struct ChosenSource {
    pub path: RepoPath,
    /// The first line, from 1.
    pub start: u32,
    /// The last line, inclusive.
    pub end: u32,
    /// The definition; `None` for lines outside of every definition.
    pub definition: Option<Definition>,
    /// The score that decides the order.
    pub score: f32,
}

impl ChosenSource {
    /// Returns the qualified name, or nothing for lines outside of every definition.
    pub fn name(&self) -> String {
        self.definition.as_ref().map(|one| qualified_name(&one.symbol)).unwrap_or_default()
    }

    /// True for a type or a module that is too long to be shown whole.
    pub fn is_long_container(&self) -> bool {
        self.end - self.start >= LONG_CONTAINER
            && self.definition.as_ref().is_some_and(is_container)
    }

    /// Creates the candidate of a definition.
    pub fn from_definition(definition: Definition, score: f32) -> ChosenSource {
        let span = definition.symbol.span;
        ChosenSource {
            path: definition.path.clone(),
            start: span.start_line,
            end: span.end_line,
            definition: Some(definition),
            score,
        }
    }
}

/// True for a definition whose members are definitions of their own.
fn is_container(one: &Definition) -> bool {
    one.is_type() || is_module(one) || one.symbol.kind == ChunkKind::Extension
}

/// True for a module or a namespace.
fn is_module(one: &Definition) -> bool {
    matches!(one.symbol.kind, ChunkKind::Module | ChunkKind::Namespace)
}

/// True for a module that is only declared: its contents are in another file.
pub fn is_bare_module(one: &Definition) -> bool {
    let symbol = &one.symbol;
    symbol.kind == ChunkKind::Module && symbol.line == symbol.span.end_line
}

/// Returns the factor for a constant, a variable or a field: code that runs answers more questions.
/// A chunk may have dozens of them, and one whose name has no word of the question is seldom meant.
fn value_factor(one: &Definition, terms: &QuestionTerms) -> f32 {
    use ChunkKind::{Constant, Property, Variable};
    let is_short = one.symbol.span.end_line - one.symbol.span.start_line < SHORT_VALUE;
    if !is_short || !matches!(one.symbol.kind, Constant | Property | Variable) {
        1.0
    } else if terms.share_in(&one.symbol.name) > 0.0 {
        0.8
    } else {
        0.3
    }
}

/// Returns the definitions inside of a container.
pub fn members_within(graph: &Graph, owner: &Definition) -> Result<Vec<Definition>, OpError> {
    let span = owner.symbol.span;
    let mut members = graph.definitions_in_file(&owner.path)?;
    members.retain(|member| {
        let inner = member.symbol.span;
        span.start_byte < inner.start_byte && inner.end_byte <= span.end_byte
    });
    Ok(members)
}

/// Searches for the question and returns the definitions that answer it, best first, with the
/// evidence that they do. Returns no definitions if the search found nothing.
pub fn choose_definitions(
    scope: &ResearchScope,
    graph: &Graph,
    query: &str,
    terms: &mut QuestionTerms,
) -> Result<(Vec<ChosenSource>, AnswerEvidence), OpError> {
    let CodeAnswer { hits, evidence, .. } = search_chunks(scope, query)?;
    if evidence.is_nothing() {
        return Ok((Vec::new(), evidence));
    }
    let mut candidates = Candidates::default();
    for found in hits {
        candidates.add_hit(graph, &found.hit.chunk, found.hit.score, terms)?;
    }
    candidates.sort();
    candidates.add_neighbours(scope, graph)?;
    let mut chosen = candidates.sources;
    let texts: Result<Vec<String>, OpError> = chosen
        .iter()
        .map(|one| Ok(graph.read_lines(&one.path, one.start, one.end)?.unwrap_or_default()))
        .collect();
    let texts = texts?;
    terms.count_in(texts.iter().map(String::as_str));
    let shares: Vec<f32> = texts.iter().map(|text| terms.share_in(text)).collect();
    let best = shares.iter().copied().fold(f32::EPSILON, f32::max);
    for (one, share) in chosen.iter_mut().zip(shares) {
        one.score *= SEARCH_PART + (1.0 - SEARCH_PART) * share / best;
    }
    sort_by_score(&mut chosen);
    chosen.truncate(MAX_CHOSEN);
    Ok((chosen, evidence))
}

/// Sorts by score, and by place among equals, so that the same question has the same answer.
fn sort_by_score(sources: &mut [ChosenSource]) {
    sources.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| (&a.path, a.start).cmp(&(&b.path, b.start)))
    });
}

/// Searches for the question.
fn search_chunks(scope: &ResearchScope, query: &str) -> Result<CodeAnswer, OpError> {
    let parsed = parse_query(query);
    let search = CodeQuery {
        text: query,
        granularity: Granularity::for_query(&parsed),
        parsed: &parsed,
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
    // The walk reports progress in hops; the search inside of it must not report any.
    let quiet = SilentProgress(scope.call.progress);
    Ok(scope.call.engine.search_code(scope.index, &search, &quiet)?)
}

/// The candidates so far, each place once.
#[derive(Default)]
struct Candidates {
    sources: Vec<ChosenSource>,
    /// The index of each place.
    places: HashMap<(RepoPath, u32, u32), usize>,
}

impl Candidates {
    /// Adds the definitions that a chunk shows, or its lines if it shows none.
    fn add_hit(
        &mut self,
        graph: &Graph,
        chunk: &ChunkRecord,
        score: f32,
        terms: &QuestionTerms,
    ) -> Result<(), OpError> {
        let (start, end) = (chunk.span.start_line, chunk.span.end_line);
        let is_prose = languages::by_path(&chunk.path)
            .is_some_and(|language| language.role == LanguageRole::Prose);
        let score = if is_prose { score * PROSE_FACTOR } else { score };
        let mut shown = graph.definitions_touching(&chunk.path, start, end)?;
        shown.retain(|one| one.symbol.kind != ChunkKind::Section && !is_bare_module(one));
        // A chunk may end in the first line of the next definition.
        let named = |one: &Definition| Some(&one.symbol.name) == chunk.symbol.as_ref();
        shown.retain(|one| named(one) || (start..=end).contains(&one.symbol.line));
        // The head of a module is beside its first definitions, which are the better answer.
        if !shown.iter().all(is_module) {
            shown.retain(|one| !is_module(one));
        }
        if shown.is_empty() {
            self.add(ChosenSource {
                path: chunk.path.clone(),
                start,
                end,
                definition: None,
                score,
            });
        }
        // Any definition of the chunk may contain the matching words. One whose name has words of
        // the question is preferred.
        let has_named = shown.iter().any(named);
        for owner in shown.iter().filter(|one| is_container(one)) {
            self.add_members(graph, owner, score * MEMBER_SHARE, terms)?;
        }
        for one in shown {
            let part = if has_named && !named(&one) { 0.6 } else { 1.0 };
            let factor = part * value_factor(&one, terms);
            self.add(ChosenSource::from_definition(one, score * factor));
        }
        Ok(())
    }

    /// Adds the members of a long container whose names have words of the question, because the
    /// whole does not fit.
    fn add_members(
        &mut self,
        graph: &Graph,
        owner: &Definition,
        score: f32,
        terms: &QuestionTerms,
    ) -> Result<(), OpError> {
        let span = owner.symbol.span;
        if span.end_line - span.start_line < LONG_CONTAINER {
            return Ok(());
        }
        for member in members_within(graph, owner)? {
            let share = terms.share_in(&member.symbol.name);
            if share > 0.0 && !is_bare_module(&member) {
                self.add(ChosenSource::from_definition(member, score * (0.6 + share)));
            }
        }
        Ok(())
    }

    /// Adds what the best candidates call, and what calls them.
    fn add_neighbours(&mut self, scope: &ResearchScope, graph: &Graph) -> Result<(), OpError> {
        let best = self.sources.iter().take(EXPANDED).cloned().collect::<Vec<_>>();
        for source in best {
            let Some(definition) = &source.definition else {
                continue;
            };
            if is_container(definition) {
                continue;
            }
            let callees = graph.callees(definition)?;
            let callers = graph.callers(definition)?;
            self.add_links(scope, callees, source.score * CALLEE_SHARE);
            self.add_links(scope, callers, source.score * CALLER_SHARE);
        }
        Ok(())
    }

    /// Adds the other ends of edges with enough confidence.
    fn add_links(&mut self, scope: &ResearchScope, links: Vec<GraphLink>, score: f32) {
        let is_followed = |link: &GraphLink| {
            link.evidence.confidence >= scope.least
                && (scope.tests == TestCode::Followed || !link.site.is_test)
        };
        let ends = links.into_iter().filter(is_followed).filter_map(|link| link.other);
        let code = ends.filter(|one| scope.tests == TestCode::Followed || !one.symbol.is_test);
        for definition in code.take(MAX_NEIGHBOURS) {
            self.add(ChosenSource::from_definition(definition, score));
        }
    }

    /// Adds a candidate. One that is there already gains a little from each further path to it.
    fn add(&mut self, source: ChosenSource) {
        let place = (source.path.clone(), source.start, source.end);
        match self.places.get(&place) {
            Some(&at) => {
                let known = &mut self.sources[at].score;
                let (low, high) = (known.min(source.score), known.max(source.score));
                *known = high + 0.15 * low;
            }
            None => {
                self.places.insert(place, self.sources.len());
                self.sources.push(source);
            }
        }
    }

    /// Sorts the candidates by score.
    fn sort(&mut self) {
        sort_by_score(&mut self.sources);
        let places = self.sources.iter().enumerate();
        self.places =
            places.map(|(at, one)| ((one.path.clone(), one.start, one.end), at)).collect();
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
