//! The evidence that the best hits answer the query. A search always returns nearest results; this
//! module separates answers from noise.
//!
//! Two numbers decide, because both mean the same in any repository: the share of the query's words
//! that one chunk has, and the similarity of its meaning. `bench/ranking/doubt.py` measures the
//! rule, and docs/ranking.md has the curve.

use crate::search::parsed_query::QueryKind;
use crate::search::query_idf::QueryIdf;
use crate::search::{CodeSearch, RetrieverScores, SearchHit, ranking_signals};
use kenning_text::bm25::STANDARD;
use kenning_text::tokenizer;

/// The evidence that a search found an answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerEvidence {
    /// The BM25 score of the best chunk by words, as a share of the highest possible one. `None` if
    /// words were not searched.
    pub words: Option<f32>,
    /// The similarity of the best chunk by meaning. `None` if no vectors were searched, or if the
    /// scale of the model is not known.
    pub meaning: Option<f32>,
    /// True if a hit defines a name of the query, or is a file that the query names.
    pub is_named: bool,
    /// True if some word of the query occurs in the index.
    pub has_known_word: bool,
    /// The words of the query that occur nowhere, as they are spelled.
    pub unknown_words: Vec<String>,
    /// True for a long text. One chunk never has most of its words.
    pub is_report: bool,
}

/// The confidences below which an answer is weak: with words and meaning, with words only, and with
/// meaning only. They were chosen on half of the repositories of the public set, so that about 2.5
/// % of the answerable questions are below.
const MIN_CONFIDENCE: f32 = 0.33;
const MIN_WORDS: f32 = 0.22;
const MIN_MEANING: f32 = 0.38;

/// The similarities of different models are not comparable. The thresholds are those of this one,
/// which is in the binary.
const CALIBRATED_PROVIDER: &str = kenning_embed::DEFAULT;

/// The number of best hits in which a definition counts.
const JUDGED_HITS: usize = 10;

/// Signals that are sufficient evidence, each by itself.
const NAMING_SIGNALS: [&str; 3] =
    [ranking_signals::DEFINITION, ranking_signals::MENTIONED, ranking_signals::PATH];

impl AnswerEvidence {
    /// Measures the evidence in all ranked candidates, best first, before the cut to the limit. The
    /// result must not depend on the limit.
    pub fn measure(
        search: &CodeSearch,
        ranked: &[SearchHit],
        query_idf: &QueryIdf,
        provider: &str,
    ) -> AnswerEvidence {
        let most = |score: fn(&RetrieverScores) -> f32| {
            ranked.iter().map(|hit| score(&hit.retriever_scores)).fold(0.0, f32::max)
        };
        let most_words = query_idf.weighted_sum() * (STANDARD.k1 + 1.0);
        let searches_words = search.semantic_weight < 1.0 || search.vector.is_none();
        let searches_meaning = search.semantic_weight > 0.0
            && search.vector.is_some()
            && provider == CALIBRATED_PROVIDER;
        let best = &ranked[..ranked.len().min(JUDGED_HITS)];
        let reasons = best.iter().flat_map(|hit| &hit.reasons);
        let words = &search.query.words;
        AnswerEvidence {
            words: searches_words
                .then(|| most(|scores| scores.words) / most_words.max(f32::EPSILON)),
            meaning: searches_meaning.then(|| most(|scores| scores.vector)),
            is_named: reasons.into_iter().any(|(name, _)| NAMING_SIGNALS.contains(name)),
            has_known_word: words.iter().any(|(word, _)| !query_idf.is_unknown(*word)),
            unknown_words: find_unknown_words(&search.query.text, query_idf),
            is_report: search.query.kind == QueryKind::Report,
        }
    }

    /// Returns the confidence in the answer, from 0 to 1: the mean of words and meaning, or the one
    /// that was searched.
    pub fn confidence(&self) -> Option<f32> {
        match (self.words, self.meaning) {
            (Some(words), Some(meaning)) => Some((words + meaning) / 2.0),
            (words, meaning) => words.or(meaning),
        }
    }

    /// Returns the confidence below which this answer is weak.
    pub fn threshold(&self) -> f32 {
        match (self.words, self.meaning) {
            (Some(_), None) => MIN_WORDS,
            (None, Some(_)) => MIN_MEANING,
            _ => MIN_CONFIDENCE,
        }
    }

    /// True if the hits are probably no answer.
    pub fn is_weak(&self) -> bool {
        let is_below = self.confidence().is_some_and(|confidence| confidence < self.threshold());
        is_below && !self.is_named && (!self.is_report || !self.has_known_word)
    }

    /// True if no hit is worth showing: the answer is weak, and no word of the query occurs here. A
    /// search by meaning alone does not ask for words.
    pub fn is_nothing(&self) -> bool {
        self.is_weak() && self.words.is_some() && !self.has_known_word
    }
}

/// Words of a question that are not about its subject. A notice does not mention them.
const QUESTION_WORDS: [&str; 10] = [
    "work",
    "works",
    "working",
    "happen",
    "happens",
    "implemented",
    "implement",
    "code",
    "anything",
    "nothing",
];

/// Returns the words that occur nowhere. An identifier of known parts counts only if the query
/// spells it as code.
fn find_unknown_words(text: &str, query_idf: &QueryIdf) -> Vec<String> {
    let is_unknown = |word: &tokenizer::SpelledWord| {
        let is_code = !tokenizer::identifiers(&word.text).is_empty();
        word.parts.iter().any(|part| query_idf.is_unknown(*part))
            || is_code && word.whole.is_some_and(|whole| query_idf.is_unknown(whole))
    };
    let words = tokenizer::spelled_words(text).into_iter();
    let is_subject = |word: &tokenizer::SpelledWord| {
        !QUESTION_WORDS.contains(&word.text.to_lowercase().as_str())
    };
    words.filter(is_unknown).filter(is_subject).map(|word| word.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::ParsedQuery;
    use crate::search::testing::found;
    use kenning_store::code::Filter;

    /// The evidence for a hit with these raw scores. The words have an idf of 1 each.
    fn evidence(query: &str, words: f32, vector: f32, weight: f32) -> AnswerEvidence {
        let search = CodeSearch {
            query: &ParsedQuery::new(query),
            vector: Some(&[1.0]),
            semantic_weight: weight,
            filter: &Filter::default(),
            limit: 10,
            weights: &[],
        };
        let mut hit = found("a.rs", 1.0);
        hit.retriever_scores = RetrieverScores { words, vector };
        let query_idf = QueryIdf::from_words(query, 1.0, &[]);
        AnswerEvidence::measure(&search, &[hit], &query_idf, CALIBRATED_PROVIDER)
    }

    #[test]
    fn words_and_meaning_decide_together() {
        // Two words: the highest score is 4.4.
        for (words, vector, weight, is_weak) in [
            (4.4, 0.9, 0.7, false),
            (1.1, 0.5, 0.7, false),
            (1.1, 0.3, 0.7, true),
            (0.4, 0.5, 0.7, true),
            (1.1, 0.0, 0.0, false),
            (0.8, 0.0, 0.0, true),
            (0.0, 0.4, 1.0, false),
            (0.0, 0.3, 1.0, true),
        ] {
            let evidence = evidence("retry requests", words, vector, weight);
            assert_eq!(evidence.is_weak(), is_weak, "{words} {vector} {weight}: {evidence:?}");
            assert!(!evidence.is_nothing());
        }
    }

    #[test]
    fn the_scale_of_another_model_is_not_used() {
        let search = CodeSearch {
            query: &ParsedQuery::new("retry requests"),
            vector: Some(&[1.0]),
            semantic_weight: 0.7,
            filter: &Filter::default(),
            limit: 10,
            weights: &[],
        };
        let query_idf = QueryIdf::from_words("retry requests", 1.0, &[]);
        let measured = AnswerEvidence::measure(&search, &[], &query_idf, "other");
        assert_eq!((measured.words, measured.meaning), (Some(0.0), None));
        assert!(measured.is_weak());
    }

    #[test]
    fn a_definition_of_the_name_is_an_answer() {
        let named = AnswerEvidence { is_named: true, words: Some(0.0), ..Default::default() };
        assert!(!named.is_weak());
        let unnamed = AnswerEvidence { words: Some(0.0), ..Default::default() };
        assert!(unnamed.is_weak() && unnamed.is_nothing());
    }
}
