//! The words of a question, weighted by how rare they are among the candidates.

use std::collections::HashMap;

use kenning_text::prose_tokenizer::{query_terms, terms};

/// The most words that are used. A pasted log has thousands, and its first ones are its subject.
const MAX_TERMS: usize = 64;

/// The weight of a word in the first line of a longer text, which is its title.
const TITLE_WEIGHT: f32 = 2.0;

/// The words of a question and their weights.
pub struct QuestionTerms {
    weights: HashMap<String, f32>,
}

impl QuestionTerms {
    /// Reads the words of a question. At first only words of the title weigh more.
    pub fn new(question: &str) -> QuestionTerms {
        let question = question.trim();
        let title = question.lines().next().unwrap_or_default();
        let mut weights = HashMap::new();
        for term in query_terms(title) {
            weights.insert(term, TITLE_WEIGHT);
        }
        for line in question.lines().skip(1) {
            for term in query_terms(line) {
                if weights.len() < MAX_TERMS {
                    weights.entry(term).or_insert(1.0);
                }
            }
        }
        QuestionTerms { weights }
    }

    /// Weighs the words by their rarity in these texts.
    pub fn count_in<'t>(&mut self, texts: impl Iterator<Item = &'t str>) {
        let mut holding: HashMap<String, usize> = HashMap::new();
        let mut count = 0;
        for text in texts {
            count += 1;
            for term in self.distinct_in(text) {
                *holding.entry(term).or_default() += 1;
            }
        }
        for (term, weight) in &mut self.weights {
            let holding = holding.get(term).copied().unwrap_or(0);
            *weight *= ((count + 1) as f32 / (holding + 1) as f32).ln_1p();
        }
    }

    /// Returns the words of the question in a text, each once.
    fn distinct_in(&self, text: &str) -> Vec<String> {
        let mut found = terms(text);
        found.retain(|term| self.weights.contains_key(term));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the summed weight of the question's words in a text.
    pub fn weight_of(&self, text: &str) -> f32 {
        self.distinct_in(text).iter().map(|term| self.weights[term]).sum()
    }

    /// Returns the share of the question that a text contains, from 0 to 1.
    pub fn share_in(&self, text: &str) -> f32 {
        // The order of a map is random, and so would be the last bit of the sum.
        let mut all: Vec<f32> = self.weights.values().copied().collect();
        all.sort_by(f32::total_cmp);
        let total: f32 = all.iter().sum();
        if total > 0.0 { self.weight_of(text) / total } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_and_those_of_the_title_weigh_more() {
        let mut terms = QuestionTerms::new("Cookies get lost\nThe session forgets its cookies");
        terms.count_in(["session cookies", "session", "session lost"].into_iter());
        let weight = |text: &str| terms.weight_of(text);
        assert!(weight("let cookie = lost") > weight("let cookie = session"));
        assert!(weight("cookies_lost()") > weight("lost"));
        assert_eq!(weight("nothing here"), 0.0);
        assert!(terms.share_in("cookies get lost session forgets") <= 1.0);
    }
}
