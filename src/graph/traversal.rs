//! Breadth-first walks from definitions along calls or references. Each definition appears once, on
//! its shortest path. Edges that are not followed are counted, so that an answer can say what it
//! lacks.
//!
//! The walk is bounded by depth and width, never by time, so the same question gives the same
//! answer. It is cancelled through its progress.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::graph::{Definition, Evidence, Graph, GraphLink, Site, Via};
use kenning_model::{ChunkKind, Confidence, EdgeTarget, Progress, RepoPath, SymbolKey};
use kenning_store::StoreError;

/// The kind of edges to follow, and their direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the callers.
    Callers,
    /// To the callees.
    Callees,
    /// To everything that references it: calls, types, imports.
    References,
    /// To everything that it references.
    Uses,
}

/// The treatment of test code: followed, or skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestCode {
    Followed,
    Skipped,
}

/// The bounds of a walk, and the edges that it follows.
#[derive(Clone, Copy, Debug)]
pub struct WalkRules {
    pub direction: Direction,
    pub depth: usize,
    /// The least confidence. Edges below it are counted and not followed.
    pub min_confidence: Confidence,
    pub tests: TestCode,
    /// The most definitions per hop whose neighbours are read.
    pub width: usize,
}

/// The result of a walk.
///
/// `steps` is a tree: each step points to the one before it. `edges` has all edges, for drawings.
#[derive(Debug, Default)]
pub struct GraphWalk {
    /// The steps by hop; hop 0 holds the starts.
    pub steps: Vec<WalkStep>,
    /// Every followed edge, as indexes into `steps`, from the nearer step to the farther.
    pub edges: Vec<(usize, usize)>,
    /// Edges to a node that the walk already visited: the step, and the index of the existing one.
    pub repeats: Vec<(WalkStep, usize)>,
    /// The number of edges below the least confidence.
    pub low_confidence_edges: usize,
    /// The number of steps that were not followed, because a call on their path may mean one of
    /// several other implementations.
    pub vague_dispatch: usize,
    /// The number of skipped edges to tests.
    pub skipped_tests: usize,
    /// The number of definitions whose neighbours were not read.
    pub unfollowed: usize,
}

/// One node of the walk, and the edge on which it was reached first.
#[derive(Clone, Debug)]
pub struct WalkStep {
    pub hop: usize,
    /// The index of the previous step.
    pub from: Option<usize>,
    pub node: WalkNode,
    /// The places of the edge in the text. They are in this step on a walk to callers, in the
    /// previous one on a walk to callees.
    pub sites: Vec<Site>,
    /// The evidence of the edge; `None` for hop 0.
    pub evidence: Option<Evidence>,
    pub via: Via,
    /// The confidence of the whole path, which is that of its weakest edge. A dispatched call
    /// lowers it by the number of implementations that it may mean.
    pub confidence: Confidence,
}

/// A node of a walk.
#[derive(Clone, Debug)]
pub enum WalkNode {
    Definition(Definition),
    /// Code outside of every definition.
    File {
        path: RepoPath,
        is_test: bool,
    },
}

impl WalkNode {
    /// Returns the file of the node.
    pub fn path(&self) -> &RepoPath {
        match self {
            WalkNode::Definition(definition) => &definition.path,
            WalkNode::File { path, .. } => path,
        }
    }

    /// Returns the definition; `None` for code outside of every definition.
    pub fn definition(&self) -> Option<&Definition> {
        match self {
            WalkNode::Definition(definition) => Some(definition),
            WalkNode::File { .. } => None,
        }
    }

    /// Returns the identity of the node within one walk.
    fn key(&self) -> NodeKey {
        let definition = self.definition();
        let symbol = definition.and_then(|definition| definition.target.symbol);
        (self.path().clone(), symbol)
    }
}

/// A file, and a symbol in it. Code outside of definitions is one node per file.
type NodeKey = (RepoPath, Option<SymbolKey>);

impl WalkStep {
    /// True if the node is test code.
    pub fn is_test(&self) -> bool {
        match &self.node {
            WalkNode::Definition(definition) => definition.symbol.is_test,
            WalkNode::File { is_test, .. } => *is_test,
        }
    }
}

impl GraphWalk {
    /// Returns the indexes of the steps from the start of the walk to this one.
    ///
    /// The path is a shortest one, because the walk is breadth-first.
    pub fn path_to(&self, to: usize) -> Vec<usize> {
        let mut chain = vec![to];
        while let Some(from) = self.steps[chain[chain.len() - 1]].from {
            chain.push(from);
        }
        chain.reverse();
        chain
    }

    /// Returns the steps that were reached from this one, best first.
    ///
    /// `None` returns the starts. It scans all steps, which is fine for walks of some hundred
    /// nodes.
    pub fn children(&self, parent: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let steps = self.steps.iter().enumerate();
        steps.filter(move |(_, step)| step.from == parent).map(|(place, _)| place)
    }
}

impl Graph<'_> {
    /// Walks from `starts`. It reports each hop, and stops early if it is cancelled.
    ///
    /// Starts that occur twice count once. A cancelled walk returns the hops that it completed.
    pub fn walk(
        &self,
        starts: &[Definition],
        rules: &WalkRules,
        progress: &dyn Progress,
    ) -> Result<GraphWalk, StoreError> {
        let mut walk = GraphWalk::default();
        let mut known: HashMap<NodeKey, usize> = HashMap::new();
        for start in starts {
            let step = start_step(start);
            if let Entry::Vacant(free) = known.entry(step.node.key()) {
                free.insert(walk.steps.len());
                walk.steps.push(step);
            }
        }
        let mut last = 0..walk.steps.len();
        for hop in 1..=rules.depth {
            progress.report(progress_label(rules.direction), hop, Some(rules.depth));
            if progress.is_cancelled() {
                break;
            }
            let found = self.expand_hop(&mut walk, last.clone(), rules)?;
            last = walk.steps.len()..walk.steps.len();
            for step in found {
                let from = step.from.unwrap_or_default();
                let to = match known.entry(step.node.key()) {
                    Entry::Occupied(there) => {
                        let to = *there.get();
                        walk.repeats.push((step, to));
                        to
                    }
                    Entry::Vacant(free) => {
                        free.insert(walk.steps.len());
                        walk.steps.push(step);
                        last.end += 1;
                        last.end - 1
                    }
                };
                if from != to {
                    walk.edges.push((from, to));
                }
            }
        }
        Ok(walk)
    }

    /// Finds the steps one hop beyond these, best first.
    ///
    /// Definitions beyond the width are counted and not read. Steps without a definition have no
    /// neighbours.
    fn expand_hop(
        &self,
        walk: &mut GraphWalk,
        parents: std::ops::Range<usize>,
        rules: &WalkRules,
    ) -> Result<Vec<WalkStep>, StoreError> {
        let mut found = Vec::new();
        let mut looked_at = 0;
        for parent in parents {
            let Some(definition) = walk.steps[parent].node.definition().cloned() else {
                continue;
            };
            let step = &walk.steps[parent];
            if step.hop > 0 && step.confidence < rules.min_confidence {
                walk.vague_dispatch += 1;
                continue;
            }
            if looked_at == rules.width {
                walk.unfollowed += 1;
                continue;
            }
            looked_at += 1;
            let links = self.neighbours(&definition, rules.direction)?;
            let limits = self.dispatch_limits(&links)?;
            found.extend(collect_steps(walk, parent, links, &limits, rules));
        }
        // Code before tests, sure before unsure, then by place. The first step to reach a node
        // stays, so this order decides the tree.
        found.sort_by_cached_key(|step| {
            let line = step.node.definition().map_or(0, |one| one.symbol.line);
            let path = step.node.path().clone();
            (step.is_test(), Reverse(step.confidence), path, line)
        });
        Ok(found)
    }

    /// Returns the highest confidence of a path through each link. A call of a requirement means
    /// any of its implementations, so the more there are, the less likely is the one on the path.
    fn dispatch_limits(&self, links: &[GraphLink]) -> Result<Vec<Confidence>, StoreError> {
        let mut known: HashMap<EdgeTarget, Confidence> = HashMap::new();
        let mut limits = Vec::with_capacity(links.len());
        for link in links {
            let limit = match &link.via {
                Via::Itself => Confidence::Exact,
                Via::Requirement(requirement) | Via::Dispatch(requirement) => {
                    match known.get(&requirement.target) {
                        Some(limit) => *limit,
                        None => {
                            let count = self.implementations_of_member(requirement)?.len();
                            *known.entry(requirement.target).or_insert(dispatch_limit(count))
                        }
                    }
                }
            };
            limits.push(limit);
        }
        Ok(limits)
    }

    /// Replaces an extension at the end of a link with the type that it extends. The head of an
    /// extension describes the type.
    fn replace_extension(&self, link: &mut GraphLink) -> Result<(), StoreError> {
        let other = link.other.as_ref();
        let extension = other.filter(|other| other.symbol.kind == ChunkKind::Extension);
        if let Some(extension) = extension
            && let Some(extended) = self.extended_type(&extension.symbol.name, &extension.path)?
        {
            link.other = Some(extended);
        }
        Ok(())
    }

    /// A walk along references also follows dispatch, which the plain list of references does not.
    fn neighbours(
        &self,
        definition: &Definition,
        direction: Direction,
    ) -> Result<Vec<GraphLink>, StoreError> {
        match direction {
            Direction::Callers => self.callers(definition),
            Direction::Callees => self.callees_with_dispatch(definition),
            Direction::Uses => self.used_definitions(definition),
            Direction::References => {
                let mut found = self.references(definition)?;
                let callers = self.callers(definition)?.into_iter();
                found.extend(callers.filter(|link| link.via != Via::Itself));
                for link in &mut found {
                    self.replace_extension(link)?;
                }
                Ok(found)
            }
        }
    }
}

/// The most implementations of a requirement with which a dispatched call still has medium
/// confidence.
const MAX_FOLLOWED_IMPLEMENTATIONS: usize = 3;

/// Returns the highest confidence of a path through a call that may mean so many implementations.
fn dispatch_limit(implementations: usize) -> Confidence {
    match implementations {
        0 | 1 => Confidence::Exact,
        2..=MAX_FOLLOWED_IMPLEMENTATIONS => Confidence::Medium,
        _ => Confidence::Low,
    }
}

/// Returns the text of the progress report.
fn progress_label(direction: Direction) -> &'static str {
    match direction {
        Direction::Callers => "following callers",
        Direction::Callees => "following calls",
        Direction::References => "following references",
        Direction::Uses => "following dependencies",
    }
}

/// Returns the step of hop 0 for a start. Its confidence is the highest, so it limits no path.
fn start_step(definition: &Definition) -> WalkStep {
    WalkStep {
        hop: 0,
        from: None,
        node: WalkNode::Definition(definition.clone()),
        sites: Vec::new(),
        evidence: None,
        via: Via::Itself,
        confidence: Confidence::Exact,
    }
}

/// Turns the links of one definition into steps. Links to the same node become one step, with all
/// places and the best evidence.
fn collect_steps(
    walk: &mut GraphWalk,
    parent: usize,
    links: Vec<GraphLink>,
    limits: &[Confidence],
    rules: &WalkRules,
) -> Vec<WalkStep> {
    let mut steps: Vec<WalkStep> = Vec::new();
    let mut places: HashMap<NodeKey, usize> = HashMap::new();
    for (link, limit) in links.into_iter().zip(limits) {
        let is_inward = matches!(rules.direction, Direction::Callers | Direction::References);
        let place = match link.other {
            Some(definition) => WalkNode::Definition(definition),
            None if is_inward => {
                WalkNode::File { path: link.site.path.clone(), is_test: link.site.is_test }
            }
            None => continue,
        };
        if link.evidence.confidence < rules.min_confidence {
            walk.low_confidence_edges += 1;
            continue;
        }
        let step = WalkStep {
            hop: walk.steps[parent].hop + 1,
            from: Some(parent),
            confidence: walk.steps[parent].confidence.min(link.evidence.confidence).min(*limit),
            node: place,
            sites: vec![link.site],
            evidence: Some(link.evidence),
            via: link.via,
        };
        let is_test = step.is_test() || is_inward && step.sites[0].is_test;
        if is_test && rules.tests == TestCode::Skipped {
            walk.skipped_tests += 1;
            continue;
        }
        match places.get(&step.node.key()) {
            Some(&known) => merge_step(&mut steps[known], step),
            None => {
                places.insert(step.node.key(), steps.len());
                steps.push(step);
            }
        }
    }
    steps
}

/// Prefers the surer edge, and of equally sure ones the direct one. All sites are kept.
fn merge_step(into: &mut WalkStep, step: WalkStep) {
    let is_surer = step.confidence > into.confidence;
    let is_plainer = step.via == Via::Itself && into.via != Via::Itself;
    if is_surer || is_plainer && step.confidence == into.confidence {
        into.evidence = step.evidence;
        into.via = step.via;
        into.confidence = step.confidence;
    }
    into.sites.extend(step.sites);
}
