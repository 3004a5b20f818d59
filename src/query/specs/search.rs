//! Which requirements a question is about, by words and by meaning. Both legs score from 0 to 1
//! on a scale that does not depend on the other documents, so their sum can be held to a threshold.

use super::words::{Field, Words};
use crate::store::specs::{SpecIndex, Unit};

/// Below this score a requirement is not what the question is about. Measured, not guessed:
/// `bench/specs` has the distribution of scores for questions and for nonsense.
pub const THRESHOLD: f32 = 0.2;

/// How much each leg counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    pub words: f32,
    pub meaning: f32,
}

impl Weights {
    pub const HYBRID: Weights = Weights {
        words: 0.5,
        meaning: 0.5,
    };
    pub const WORDS: Weights = Weights {
        words: 1.0,
        meaning: 0.0,
    };
    pub const MEANING: Weights = Weights {
        words: 0.0,
        meaning: 1.0,
    };
}

/// One index, made ready for questions.
pub struct SpecSearch {
    pub index: SpecIndex,
    /// The units of one requirement each: itself, then its scenarios.
    requirements: Vec<std::ops::Range<usize>>,
    words: Words,
}

/// A requirement that a question may be about.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<'a> {
    pub score: f32,
    pub requirement: &'a Unit,
    /// The scenario that fits best, if it fits better than the requirement itself.
    pub scenario: Option<&'a Unit>,
}

impl SpecSearch {
    pub fn new(index: SpecIndex) -> SpecSearch {
        let mut requirements: Vec<std::ops::Range<usize>> = Vec::new();
        for (number, unit) in index.units.iter().enumerate() {
            match requirements.last_mut() {
                Some(last) if unit.scenario.is_some() => last.end = number + 1,
                _ => requirements.push(number..number + 1),
            }
        }
        let words = Words::new(
            requirements
                .iter()
                .map(|range| fields(&index.units[range.clone()])),
        );
        SpecSearch {
            index,
            requirements,
            words,
        }
    }

    /// The requirements that score above the threshold, best first. `meaning` is the question's
    /// vector, made by whoever made those of the index.
    pub fn search(&self, question: &str, meaning: &[f32], limit: usize) -> Vec<Hit<'_>> {
        let mut hits = self.rank(question, meaning, Weights::HYBRID);
        hits.retain(|hit| hit.score >= THRESHOLD);
        hits.truncate(limit);
        hits
    }

    /// All requirements, best first, whatever they score.
    pub fn rank(&self, question: &str, meaning: &[f32], weights: Weights) -> Vec<Hit<'_>> {
        let words = self.words.scores(question);
        let mut hits: Vec<Hit> = self
            .requirements
            .iter()
            .zip(words)
            .map(|(range, words)| self.hit(range.clone(), words, meaning, weights))
            .collect();
        // Equal scores keep the order of the index, so that two runs answer alike.
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits
    }

    fn hit(
        &self,
        range: std::ops::Range<usize>,
        words: f32,
        meaning: &[f32],
        weights: Weights,
    ) -> Hit<'_> {
        let units = &self.index.units[range.clone()];
        let likeness = range.map(|unit| dot(self.index.vector(unit), meaning));
        let best = likeness
            .enumerate()
            .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let (best, likeness) = best.unwrap_or((0, 0.0));
        Hit {
            score: weights.words * words + weights.meaning * likeness.clamp(0.0, 1.0),
            requirement: &units[0],
            scenario: units.get(best).filter(|unit| unit.scenario.is_some()),
        }
    }
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A name says more than a sentence, and a requirement more than its examples.
fn fields(units: &[Unit]) -> Vec<Field<'_>> {
    let field = |text, weight| Field { text, weight };
    let mut fields = Vec::new();
    for unit in units {
        match &unit.scenario {
            None => fields.extend([
                field(unit.title.as_str(), 0.5),
                field(unit.requirement.as_str(), 2.0),
                field(unit.text.as_str(), 1.0),
            ]),
            Some(scenario) => fields.extend([
                field(scenario.as_str(), 1.0),
                field(unit.text.as_str(), 0.5),
            ]),
        }
    }
    fields
}
