//! Runs query patterns over a flat tree, and reports each match of a pattern once.
//!
//! The search backtracks over the children of a node and passes the rest of the pattern as a
//! continuation. `TRIES_PER_NODE` bounds it, so that hostile text cannot make it exponential. Past
//! the bound, matches are missing and nothing else goes wrong.
//!
//! [`tree_query_parse`](super::tree_query_parse) says why tree-sitter's own engine is not used.

use super::capture_names::CaptureRole;
use super::flat_tree::{FlatNode, FlatTree, KindInterest};
use super::tree_query_parse::{Pattern, PatternNode, PatternStep, Quantifier, parse_query};
use crate::languages::Language;

/// The most attempts to match below one node, per node in its subtree. Only nonsense takes more.
const TRIES_PER_NODE: usize = 64;

/// A language's patterns, indexed by the kind of node that they start at.
pub struct QueryMatcher {
    /// Each pattern with the number of the query's pattern that it comes from.
    patterns: Vec<(usize, Pattern)>,
    /// By kind of node: indexes of the patterns that start there.
    patterns_by_kind: Vec<Vec<u16>>,
    /// By kind of node: the properties that the flat tree must have for these patterns.
    pub interests: Vec<KindInterest>,
    /// Kinds of arguments, each with the field that holds its label.
    pub labels: Vec<(u16, u16)>,
}

impl QueryMatcher {
    /// Compiles a language's query. The error names what is wrong with the query; a test compiles
    /// them all.
    pub fn new(language: &Language) -> Result<QueryMatcher, String> {
        let grammar = (language.grammar)();
        let patterns = parse_query(&grammar, language.query)?;
        let kinds = grammar.node_kind_count();
        let mut matcher = QueryMatcher {
            patterns_by_kind: vec![Vec::new(); kinds],
            interests: vec![KindInterest::default(); kinds],
            labels: Vec::new(),
            patterns: Vec::new(),
        };
        for (kind, interest) in matcher.interests.iter_mut().enumerate() {
            interest.is_named = u16::try_from(kind).is_ok_and(|id| grammar.node_kind_is_named(id));
        }
        for (kind, field) in language.argument_labels {
            let kind = grammar.id_for_node_kind(kind, true);
            let field = grammar
                .field_id_for_name(field)
                .ok_or_else(|| "no such field of a label".to_string())?;
            matcher.interests[usize::from(kind)].has_fields = true;
            matcher.labels.push((kind, field.get()));
        }
        for (index, (_, pattern)) in patterns.iter().enumerate() {
            let PatternNode::Kind(kind) = pattern.node else {
                return Err("a pattern must start at a kind of node".to_string());
            };
            let index = u16::try_from(index).map_err(|error| error.to_string())?;
            matcher.patterns_by_kind[usize::from(kind)].push(index);
            matcher.note_interests(pattern);
        }
        matcher.patterns = patterns;
        Ok(matcher)
    }

    /// Notes which tokens and fields a pattern asks for, so that the flat tree contains them.
    fn note_interests(&mut self, pattern: &Pattern) {
        let asks = !pattern.absent_fields.is_empty()
            || pattern.steps.iter().any(|step| step.field.is_some());
        match pattern.node {
            PatternNode::Kind(kind) => {
                let interest = &mut self.interests[usize::from(kind)];
                interest.has_fields |= asks;
                interest.is_token = true;
            }
            PatternNode::AnyNode | PatternNode::AnyNamed if asks => {
                for interest in &mut self.interests {
                    interest.has_fields = true;
                }
            }
            PatternNode::AnyNode | PatternNode::AnyNamed => {}
        }
        for step in &pattern.steps {
            // `name: _` may be any token.
            if step.alternatives.iter().any(|inner| inner.node == PatternNode::AnyNode) {
                for interest in &mut self.interests {
                    interest.is_token = true;
                }
            }
            for inner in &step.alternatives {
                self.note_interests(inner);
            }
        }
    }

    /// Reports each match to `tell`: the number of its pattern, and the captured nodes. Nodes come
    /// in the order of the text, and for each node its patterns in the order of the query.
    pub fn run_patterns(
        &self,
        flat: &FlatTree,
        text: &str,
        tell: &mut dyn FnMut(usize, &[CapturedNode]),
    ) {
        let mut found = Vec::new();
        for (index, node) in flat.nodes.iter().enumerate() {
            let Some(starts) = self.patterns_by_kind.get(usize::from(node.kind)) else {
                continue;
            };
            for &start in starts {
                let (number, pattern) = &self.patterns[usize::from(start)];
                let size = node.subtree_end as usize - index;
                let mut search = MatchSearch {
                    flat,
                    text,
                    found: &mut found,
                    tries: TRIES_PER_NODE * (size + TRIES_PER_NODE),
                };
                search.match_node(pattern, index, &mut |search| {
                    tell(*number, search.found);
                    true
                });
            }
        }
    }
}

/// A captured node of a match: its role and its index in the flat tree.
pub type CapturedNode = (CaptureRole, usize);

/// The search for matches of one pattern from one node.
struct MatchSearch<'s> {
    flat: &'s FlatTree,
    text: &'s str,
    /// The captures of the current partial match; backtracking truncates it.
    found: &'s mut Vec<CapturedNode>,
    /// Attempts that are left.
    tries: usize,
}

/// The rest of a match, called once the current part has matched. It returns true if the rest
/// matched.
type Continuation<'t, 's> = &'t mut dyn FnMut(&mut MatchSearch<'s>) -> bool;

/// The position of a search within the children of one node: a step of the pattern, and where it
/// may match.
#[derive(Clone, Copy)]
struct MatchCursor<'p> {
    pattern: &'p Pattern,
    step: usize,
    /// Index of the node whose children the steps match.
    parent: usize,
    /// Index of the first node that the step may take.
    from: usize,
    /// True if the step must take the next node that has a name.
    is_next: bool,
}

impl<'s> MatchSearch<'s> {
    /// Matches a pattern with the node at `index`, then the rest. Captures are removed again
    /// afterwards, whether it matched or not: `then` has seen them.
    fn match_node(&mut self, pattern: &Pattern, index: usize, then: Continuation<'_, 's>) -> bool {
        let node = &self.flat.nodes[index];
        if !self.is_node_match(pattern, index, node) {
            return false;
        }
        let before = self.found.len();
        self.found.extend(pattern.roles.iter().map(|role| (*role, index)));
        let is_matched = if pattern.steps.is_empty() {
            then(self)
        } else {
            self.match_steps(
                MatchCursor {
                    pattern,
                    step: 0,
                    parent: index,
                    from: index + 1,
                    is_next: pattern.steps[0].is_anchored,
                },
                then,
            )
        };
        self.found.truncate(before);
        is_matched
    }

    /// True if a node satisfies a pattern, children aside: its kind, its text and its absent
    /// fields.
    fn is_node_match(&self, pattern: &Pattern, index: usize, node: &FlatNode) -> bool {
        let is_kind = match pattern.node {
            PatternNode::Kind(kind) => node.kind == kind,
            PatternNode::AnyNamed => node.is_named && !node.is_error(),
            PatternNode::AnyNode => !node.is_error(),
        };
        is_kind
            && (pattern.predicates.is_empty() || {
                let text = self.text.get(node.start as usize..node.end as usize);
                text.is_some_and(|text| {
                    pattern.predicates.iter().all(|test| test.is_satisfied_by(text))
                })
            })
            && (pattern.absent_fields.is_empty() || {
                let mut children = self.flat.children(index);
                !children.any(|(_, child)| pattern.absent_fields.contains(&child.field))
            })
    }

    /// Matches the remaining steps of a pattern with the nodes from `place.from` on, then the rest.
    /// It tries every node for a step that captures, and stops at the first match for another.
    fn match_steps(&mut self, place: MatchCursor, then: Continuation<'_, 's>) -> bool {
        let Some(step) = place.pattern.steps.get(place.step) else {
            let is_open = !place.pattern.is_end_anchored || !self.has_named_node_left(place);
            return is_open && then(self);
        };
        let end = self.flat.nodes[place.parent].subtree_end as usize;
        let mut is_matched = false;
        let mut at = place.from;
        while at < end && self.tries > 0 {
            self.tries -= 1;
            let node = self.flat.nodes[at];
            if step.field.is_none_or(|field| field == node.field) {
                is_matched |= self.match_step_at(place, step, at, then);
            }
            // A repeated step takes all of its nodes at once, so later starts would report parts of
            // the same match.
            let is_settled = is_matched && (!step.has_captures || can_repeat(step.quantifier));
            if is_settled || place.is_next && node.is_named {
                break;
            }
            at = node.subtree_end as usize;
        }
        if !is_matched && matches!(step.quantifier, Quantifier::Optional | Quantifier::ZeroOrMore) {
            return self.match_steps(skip_step(place), then);
        }
        is_matched
    }

    /// Matches the step with the node at `at`, then the following steps with the nodes after it. A
    /// step that repeats takes as many nodes as it can.
    fn match_step_at(
        &mut self,
        place: MatchCursor,
        step: &PatternStep,
        at: usize,
        then: Continuation<'_, 's>,
    ) -> bool {
        let from = self.flat.nodes[at].subtree_end as usize;
        let mut is_matched = false;
        for pattern in &step.alternatives {
            is_matched |= self.match_node(pattern, at, &mut |search| {
                // Greedy: one more repetition is tried before the rest of the pattern.
                let again = MatchCursor { from, is_next: true, ..place };
                if can_repeat(step.quantifier)
                    && from < search.flat.nodes[place.parent].subtree_end as usize
                    && search.match_repetition(again, step, then)
                {
                    return true;
                }
                let next = place.step + 1;
                let rest = MatchCursor {
                    step: next,
                    from,
                    is_next: place.pattern.steps.get(next).is_some_and(|step| step.is_anchored),
                    ..place
                };
                search.match_steps(rest, then)
            });
        }
        is_matched
    }

    /// Matches a repeated step once more, with the node right after the last one.
    fn match_repetition(
        &mut self,
        place: MatchCursor,
        step: &PatternStep,
        then: Continuation<'_, 's>,
    ) -> bool {
        let node = self.flat.nodes[place.from];
        step.field.is_none_or(|field| field == node.field)
            && self.match_step_at(place, step, place.from, then)
    }

    /// True if a named node follows at the position of the next step.
    fn has_named_node_left(&self, place: MatchCursor) -> bool {
        let end = self.flat.nodes[place.parent].subtree_end as usize;
        let mut at = place.from;
        while at < end {
            let node = &self.flat.nodes[at];
            if node.is_named {
                return true;
            }
            at = node.subtree_end as usize;
        }
        false
    }
}

/// True if a step may match more than one node.
fn can_repeat(times: Quantifier) -> bool {
    matches!(times, Quantifier::ZeroOrMore | Quantifier::OneOrMore)
}

/// Returns the position after a step that matched no node. An anchor before the first step then
/// holds for the next one. Elsewhere it holds only if the next step has an anchor too.
fn skip_step(place: MatchCursor) -> MatchCursor {
    let step = place.step + 1;
    let next = place.pattern.steps.get(step);
    let is_next = place.is_next && (place.step == 0 || next.is_some_and(|next| next.is_anchored));
    MatchCursor { step, is_next, ..place }
}
