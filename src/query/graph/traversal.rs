//! Walks: from definitions along calls or mentions, hop by hop, each definition once by its
//! shortest way. Whatever is not followed is counted, so that an answer can say what it lacks.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{Definition, Evidence, Graph, Link, Site, Via};
use crate::model::{ChunkKind, Confidence, Progress, RepoPath, SymbolKey};
use crate::store::StoreError;

/// Which edges to follow, and towards which end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To what calls it.
    Callers,
    /// To what it calls.
    Callees,
    /// To whatever mentions it: calls, types, imports.
    References,
    /// To whatever it mentions.
    Uses,
}

/// Whether to go through code that tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestCode {
    Followed,
    PassedOver,
}

#[derive(Clone, Copy, Debug)]
pub struct Rules {
    pub way: Direction,
    pub depth: usize,
    /// Edges that are less sure are counted and not followed.
    pub least: Confidence,
    pub tests: TestCode,
    /// The neighbours of how many definitions are looked at on each hop.
    pub width: usize,
}

/// What a walk came by.
#[derive(Debug, Default)]
pub struct Walk {
    /// By hop; those of hop 0 are where it began.
    pub steps: Vec<WalkStep>,
    /// Every edge that was followed, as places in `steps`: from the nearer to the farther.
    pub edges: Vec<(usize, usize)>,
    /// Edges that lead to where the walk has been already: as steps, with the place of the one that
    /// is there.
    pub repeats: Vec<(WalkStep, usize)>,
    /// Edges that are not sure enough.
    pub unsure: usize,
    /// Places in tests that were passed over.
    pub tests: usize,
    /// Definitions whose neighbours were not looked at.
    pub unfollowed: usize,
}

#[derive(Clone, Debug)]
pub struct WalkStep {
    pub hop: usize,
    /// The step that it was reached from.
    pub from: Option<usize>,
    pub place: WalkNode,
    /// Where the edge stands in the text: at this step on the way to callers, at the one before
    /// on the way to callees.
    pub sites: Vec<Site>,
    /// Of the edge; `None` of hop 0.
    pub ground: Option<Evidence>,
    pub through: Via,
    /// Of the whole way: as sure as its weakest edge.
    pub sureness: Confidence,
}

/// Where a walk can be.
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
    pub fn path(&self) -> &RepoPath {
        match self {
            WalkNode::Definition(definition) => &definition.path,
            WalkNode::File { path, .. } => path,
        }
    }

    pub fn definition(&self) -> Option<&Definition> {
        match self {
            WalkNode::Definition(definition) => Some(definition),
            WalkNode::File { .. } => None,
        }
    }

    fn key(&self) -> Key {
        let definition = self.definition();
        let symbol = definition.and_then(|definition| definition.target.symbol);
        (self.path().clone(), symbol)
    }
}

type Key = (RepoPath, Option<SymbolKey>);

impl WalkStep {
    pub fn is_test(&self) -> bool {
        match &self.place {
            WalkNode::Definition(definition) => definition.symbol.is_test,
            WalkNode::File { is_test, .. } => *is_test,
        }
    }
}

impl Walk {
    /// The places of the steps that lead to one, from where the walk began.
    pub fn chain(&self, to: usize) -> Vec<usize> {
        let mut chain = vec![to];
        while let Some(from) = self.steps[chain[chain.len() - 1]].from {
            chain.push(from);
        }
        chain.reverse();
        chain
    }

    /// The steps that were reached from one, best first.
    pub fn below(&self, of: Option<usize>) -> impl Iterator<Item = usize> + '_ {
        let steps = self.steps.iter().enumerate();
        steps.filter(move |(_, step)| step.from == of).map(|(place, _)| place)
    }
}

impl Graph<'_> {
    /// Walks from `starts`. Says on which hop it is; stops early if it is told to.
    pub fn walk(
        &self,
        starts: &[Definition],
        rules: &Rules,
        progress: &dyn Progress,
    ) -> Result<Walk, StoreError> {
        let mut walk = Walk::default();
        let mut known: HashMap<Key, usize> = HashMap::new();
        for start in starts {
            let step = begin(start);
            if let Entry::Vacant(free) = known.entry(step.place.key()) {
                free.insert(walk.steps.len());
                walk.steps.push(step);
            }
        }
        let mut last = 0..walk.steps.len();
        for hop in 1..=rules.depth {
            progress.report(way_name(rules.way), hop, Some(rules.depth));
            if progress.is_cancelled() {
                break;
            }
            let found = self.hop(&mut walk, last.clone(), rules)?;
            last = walk.steps.len()..walk.steps.len();
            for step in found {
                let from = step.from.unwrap_or_default();
                let to = match known.entry(step.place.key()) {
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

    /// What lies one hop beyond these steps, best first.
    fn hop(
        &self,
        walk: &mut Walk,
        parents: std::ops::Range<usize>,
        rules: &Rules,
    ) -> Result<Vec<WalkStep>, StoreError> {
        let mut found = Vec::new();
        let mut looked_at = 0;
        for parent in parents {
            let Some(definition) = walk.steps[parent].place.definition().cloned() else {
                continue;
            };
            if looked_at == rules.width {
                walk.unfollowed += 1;
                continue;
            }
            looked_at += 1;
            let links = self.neighbours(&definition, rules.way)?;
            found.extend(gather(walk, parent, links, rules));
        }
        found.sort_by_cached_key(|step| {
            let line = step.place.definition().map_or(0, |one| one.symbol.line);
            let path = step.place.path().clone();
            (step.is_test(), Reverse(step.sureness), path, line)
        });
        Ok(found)
    }

    /// What stands at the head of an extension is said of the type.
    fn lead_to_type(&self, link: &mut Link) -> Result<(), StoreError> {
        let other = link.other.as_ref();
        let extension = other.filter(|other| other.symbol.kind == ChunkKind::Extension);
        if let Some(extension) = extension
            && let Some(extended) = self.extended_type(&extension.symbol.name, &extension.path)?
        {
            link.other = Some(extended);
        }
        Ok(())
    }

    fn neighbours(&self, of: &Definition, way: Direction) -> Result<Vec<Link>, StoreError> {
        match way {
            Direction::Callers => self.callers(of),
            Direction::Callees => self.callees_with_dispatch(of),
            Direction::Uses => self.uses(of),
            Direction::References => {
                let mut found = self.references(of)?;
                let callers = self.callers(of)?.into_iter();
                found.extend(callers.filter(|link| link.through != Via::Itself));
                for link in &mut found {
                    self.lead_to_type(link)?;
                }
                Ok(found)
            }
        }
    }
}

/// What a walk is doing, for whoever waits.
fn way_name(way: Direction) -> &'static str {
    match way {
        Direction::Callers => "following callers",
        Direction::Callees => "following calls",
        Direction::References => "following references",
        Direction::Uses => "following dependencies",
    }
}

fn begin(definition: &Definition) -> WalkStep {
    WalkStep {
        hop: 0,
        from: None,
        place: WalkNode::Definition(definition.clone()),
        sites: Vec::new(),
        ground: None,
        through: Via::Itself,
        sureness: Confidence::Exact,
    }
}

/// The links of one definition as steps: one for each definition at their other end, with all
/// places where that is so and the best ground of them.
fn gather(walk: &mut Walk, parent: usize, links: Vec<Link>, rules: &Rules) -> Vec<WalkStep> {
    let mut steps: Vec<WalkStep> = Vec::new();
    let mut places: HashMap<Key, usize> = HashMap::new();
    for link in links {
        let is_inward = matches!(rules.way, Direction::Callers | Direction::References);
        let place = match link.other {
            Some(definition) => WalkNode::Definition(definition),
            None if is_inward => {
                WalkNode::File { path: link.site.path.clone(), is_test: link.site.is_test }
            }
            None => continue,
        };
        if link.ground.confidence < rules.least {
            walk.unsure += 1;
            continue;
        }
        let step = WalkStep {
            hop: walk.steps[parent].hop + 1,
            from: Some(parent),
            sureness: walk.steps[parent].sureness.min(link.ground.confidence),
            place,
            sites: vec![link.site],
            ground: Some(link.ground),
            through: link.through,
        };
        let is_test = step.is_test() || is_inward && step.sites[0].is_test;
        if is_test && rules.tests == TestCode::PassedOver {
            walk.tests += 1;
            continue;
        }
        match places.get(&step.place.key()) {
            Some(&known) => merge(&mut steps[known], step),
            None => {
                places.insert(step.place.key(), steps.len());
                steps.push(step);
            }
        }
    }
    steps
}

fn merge(into: &mut WalkStep, step: WalkStep) {
    let is_surer = step.sureness > into.sureness;
    let is_plainer = step.through == Via::Itself && into.through != Via::Itself;
    if is_surer || is_plainer && step.sureness == into.sureness {
        into.ground = step.ground;
        into.through = step.through;
        into.sureness = step.sureness;
    }
    into.sites.extend(step.sites);
}
