//! `late`: late interaction on the vectors of the embedded model. Each token of the question looks for
//! the token of the text that is most like it, so a text that has one good line is not drowned by the
//! rest of it. No network, no set-up.

use super::{EmbedError, Reranker, RerankerEntry};
use crate::static_model::Model;
use kenning_model::Progress;

pub static ENTRY: RerankerEntry =
    RerankerEntry { name: "late", open: |_| Some(Ok(Box::new(LateInteraction))) };

/// Reranks by the embedded model's token vectors.
struct LateInteraction;

impl Reranker for LateInteraction {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    /// Little: the same vectors have spoken before (`docs/ranking.md`).
    fn weight(&self) -> f32 {
        0.1
    }

    fn scores(
        &self,
        question: &str,
        texts: &[&str],
        progress: &dyn Progress,
    ) -> Result<Vec<f32>, EmbedError> {
        let model = Model::embedded();
        let asked = model.tokens(question);
        let mut scores = Vec::with_capacity(texts.len());
        for text in texts {
            if progress.is_cancelled() {
                return Err(EmbedError::Cancelled);
            }
            scores.push(max_similarity(model, &asked, &model.tokens(text)));
        }
        Ok(scores)
    }
}

/// Returns the mean over the query's tokens, by weight, of the greatest similarity to a token of
/// the text (MaxSim).
fn max_similarity(model: &Model, asked: &[u32], said: &[u32]) -> f32 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for token in asked {
        let best = said.iter().map(|other| model.cosine(*token, *other));
        let weight = model.weight(*token);
        sum += weight * best.fold(0.0, f32::max);
        weights += weight;
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_model::Silent;

    #[test]
    fn a_text_with_one_good_line_is_found_in_the_crowd() {
        let question = "close the connection pool";
        let crowd =
            "fn render(page: &Page) { let title = page.title(); draw(title); }\n".repeat(20);
        let answer = format!("{crowd}fn close(&mut self) {{ self.connections.pool.clear() }}\n");
        let scores = LateInteraction.scores(question, &[&crowd, &answer, ""], &Silent).unwrap();
        assert!(scores[1] > scores[0] + 0.1, "{scores:?}");
        assert_eq!(scores[2], 0.0);
    }
}
