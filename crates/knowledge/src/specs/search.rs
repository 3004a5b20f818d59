//! Search for requirements by words and vectors. Both retrievers score from 0 to 1 on an absolute
//! scale, independent of the other documents, so their sum can be held to a threshold.

use std::ops::Range;

use kenning_text::bm25::Parameters;
use kenning_text::bm25_index::{Bm25Index, Field};
use kenning_text::prose_tokenizer;
use kenning_text::top_k::{SmallestFirst, TopK};

use crate::spec_index_file::{SpecIndex, SpecUnit};

/// Requirements are short, so a repeated word soon stops to count. With the standard parameters
/// the MRR falls from 0.690 to 0.652 on the held-out questions of `bench/specs`.
const PARAMETERS: Parameters = Parameters { k1: 0.6, b: 0.6 };

/// The least score of a relevant requirement. It is measured: `bench/specs` has the distribution of
/// scores for real questions and for nonsense.
pub const THRESHOLD: f32 = 0.25;

/// The weight of each retriever. The weights of a preset add up to 1, so that scores stay between 0
/// and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetrieverWeights {
    pub words: f32,
    pub meaning: f32,
}

impl RetrieverWeights {
    /// The weights that `SpecSearch::search` uses.
    pub const HYBRID: RetrieverWeights = RetrieverWeights { words: 0.3, meaning: 0.7 };
    /// Words alone, for measurements.
    pub const WORDS: RetrieverWeights = RetrieverWeights { words: 1.0, meaning: 0.0 };
    /// Vectors alone, for measurements.
    pub const MEANING: RetrieverWeights = RetrieverWeights { words: 0.0, meaning: 1.0 };
}

/// A spec index, prepared for queries.
pub struct SpecSearch {
    pub index: SpecIndex,
    requirements: Vec<SearchableRequirement>,
    /// One document per requirement, in the order of `requirements`.
    words: Bm25Index,
}

/// A requirement as the search sees it.
struct SearchableRequirement {
    /// The units of the requirement and of its scenarios.
    units: Range<usize>,
    /// The normalized mean of their vectors.
    centre: Vec<f32>,
}

/// A requirement that may answer the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpecHit<'a> {
    /// From 0 to 1 with the preset weights.
    pub score: f32,
    pub requirement: &'a SpecUnit,
    /// The best scenario, if it matches better than the requirement itself.
    pub scenario: Option<&'a SpecUnit>,
}

impl SpecSearch {
    /// Groups the units into requirements and indexes their words. Takes time linear in the text.
    pub fn new(index: SpecIndex) -> SpecSearch {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        for (number, unit) in index.units.iter().enumerate() {
            match ranges.last_mut() {
                Some(last) if unit.scenario.is_some() => last.end = number + 1,
                _ => ranges.push(number..number + 1),
            }
        }
        let texts = ranges.iter().map(|units| weighted_fields(&index.units[units.clone()]));
        let words = Bm25Index::new(PARAMETERS, texts);
        let requirements = ranges
            .into_iter()
            .map(|units| SearchableRequirement {
                centre: mean_vector(&index, units.clone()),
                units,
            })
            .collect();
        SpecSearch { index, requirements, words }
    }

    /// Returns the requirements that score above the threshold, best first. `meaning` is the
    /// query's vector; the model that built the index must compute it.
    pub fn search(&self, question: &str, meaning: &[f32], limit: usize) -> Vec<SpecHit<'_>> {
        if prose_tokenizer::query_terms(question).is_empty() {
            return Vec::new();
        }
        let hits = self.score_all(question, meaning, RetrieverWeights::HYBRID);
        // Ties keep the order of the index, so that the answer is deterministic.
        let mut top = TopK::new(limit, &SmallestFirst);
        for (position, hit) in hits.iter().enumerate().filter(|(_, hit)| hit.score >= THRESHOLD) {
            top.offer(position, hit.score);
        }
        top.into_sorted().into_iter().map(|(position, _)| hits[position]).collect()
    }

    /// Returns all requirements, best first, whatever their score. Ties keep the order of the index.
    pub fn rank(
        &self,
        question: &str,
        meaning: &[f32],
        weights: RetrieverWeights,
    ) -> Vec<SpecHit<'_>> {
        let mut hits = self.score_all(question, meaning, weights);
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits
    }

    /// Returns all requirements, in the order of the index.
    fn score_all(
        &self,
        question: &str,
        meaning: &[f32],
        weights: RetrieverWeights,
    ) -> Vec<SpecHit<'_>> {
        let words = self.words.scores(question);
        // The share of the query's terms that a requirement has, weighted by rarity. Foreign terms
        // count too, so a query of foreign words scores low even if one of them matches. The root,
        // because half of a query's words are worth more than half of all: nobody who asks in their
        // own words hits every one.
        let share = |score: f32| if score > 0.0 { (score / words.bound).sqrt() } else { 0.0 };
        let known = self.requirements.iter().zip(&words.documents);
        known
            .map(|(known, words)| self.score_requirement(known, share(*words), meaning, weights))
            .collect()
    }

    /// Scores one requirement. A query may be about the whole or about one scenario, so the best
    /// unit and the mean count equally.
    fn score_requirement(
        &self,
        known: &SearchableRequirement,
        words: f32,
        meaning: &[f32],
        weights: RetrieverWeights,
    ) -> SpecHit<'_> {
        let units = &self.index.units[known.units.clone()];
        let likeness =
            known.units.clone().map(|unit| dot_product(self.index.vector(unit), meaning));
        let best = likeness.enumerate().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        let (best, highest) = best.unwrap_or((0, 0.0));
        let likeness = 0.5 * highest + 0.5 * dot_product(&known.centre, meaning);
        SpecHit {
            score: weights.words * words + weights.meaning * likeness.clamp(0.0, 1.0),
            requirement: &units[0],
            scenario: units.get(best).filter(|unit| unit.scenario.is_some()),
        }
    }
}

/// Returns the mean of the units' vectors, normalized to length 1. The mean of opposite vectors is
/// zero and stays zero.
fn mean_vector(index: &SpecIndex, units: Range<usize>) -> Vec<f32> {
    let mut sum = vec![0.0; index.card.dimension];
    for unit in units {
        let numbers = sum.iter_mut().zip(index.vector(unit));
        numbers.for_each(|(sum, number)| *sum += number);
    }
    let length = dot_product(&sum, &sum).sqrt();
    if length > 0.0 {
        sum.iter_mut().for_each(|number| *number /= length);
    }
    sum
}

/// The dot product, which is the cosine for normalized vectors.
fn dot_product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Returns the weighted fields of a requirement. A name weighs more than a sentence.
fn weighted_fields(units: &[SpecUnit]) -> Vec<Field<'_>> {
    let field = |text, weight| Field { text, weight };
    let mut fields = Vec::new();
    for unit in units {
        match &unit.scenario {
            None => fields.extend([
                field(unit.title.as_str(), 0.5),
                field(unit.requirement.as_str(), 2.0),
                field(unit.text.as_str(), 1.0),
            ]),
            Some(scenario) => {
                fields.extend([field(scenario.as_str(), 1.0), field(unit.text.as_str(), 1.0)])
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec_index_file::SpecCard;

    /// Vectors of two numbers: one direction is heat, the other money.
    fn search() -> SpecSearch {
        let card = SpecCard {
            indexed_at: String::new(),
            commit: None,
            provider: "test".to_string(),
            model: "test".to_string(),
            dimension: 2,
        };
        let unit = |requirement: &str, scenario: Option<&str>, text: &str| SpecUnit {
            spec_id: "s".to_string(),
            title: "S".to_string(),
            path: "specs/s/spec.md".to_string(),
            line: 1,
            requirement: requirement.to_string(),
            scenario: scenario.map(str::to_string),
            text: text.to_string(),
        };
        let units = vec![
            unit("Heat water", None, "The kettle SHALL heat water."),
            unit("Heat water", Some("Empty"), "WHEN it is empty THEN it stops"),
            unit("Send invoices", None, "A customer SHALL get an invoice."),
        ];
        let vectors = vec![1.0, 0.0, 0.8, 0.6, 0.0, 1.0];
        SpecSearch::new(SpecIndex::new(card, Vec::new(), units, vectors))
    }

    fn check(question: &str, meaning: [f32; 2], expected: &[(&str, Option<&str>)]) {
        let search = search();
        let hits = search.search(question, &meaning, 10);
        let found: Vec<_> = hits
            .iter()
            .map(|hit| {
                let scenario = hit.scenario.and_then(|unit| unit.scenario.as_deref());
                (hit.requirement.requirement.as_str(), scenario)
            })
            .collect();
        assert_eq!(found, expected, "{question}: {hits:?}");
    }

    #[test]
    fn words_and_meaning_find_on_their_own_and_together() {
        let heat = ("Heat water", None);
        let invoices = ("Send invoices", None);
        check("heat kettle", [0.0, 0.0], &[heat]);
        check("warmth", [1.0, 0.0], &[heat]);
        check("invoice for the kettle", [0.0, 1.0], &[invoices, ("Heat water", Some("Empty"))]);
        check("empty kettle", [0.6, 0.8], &[("Heat water", Some("Empty")), invoices]);
    }

    #[test]
    fn nothing_below_the_threshold_is_found() {
        check("zebra", [0.0, 0.0], &[]);
        check("zebra", [-1.0, 0.0], &[]);
        // A vector has some direction even if the words have none.
        for question in ["the", "a", "how is it", "?!", ""] {
            check(question, [1.0, 0.0], &[]);
        }
        let search = search();
        // Just below and just above: only the meaning differs.
        let score =
            |meaning: f32| search.rank("zebra", &[meaning, 0.0], RetrieverWeights::HYBRID)[0].score;
        let found = |meaning: f32| search.search("zebra", &[meaning, 0.0], 10).len();
        let factor = score(0.5) / 0.5;
        let edge = THRESHOLD / factor;
        assert_eq!((found(edge - 0.01), found(edge + 0.01)), (0, 1));
    }

    #[test]
    fn a_limit_is_kept_and_an_empty_index_answers() {
        assert_eq!(search().search("heat invoice", &[0.7, 0.7], 1).len(), 1);
        let mut card = search().index.card;
        card.dimension = 2;
        let empty = SpecSearch::new(SpecIndex::new(card, Vec::new(), Vec::new(), Vec::new()));
        assert_eq!(empty.search("heat", &[1.0, 0.0], 10), []);
    }
}
