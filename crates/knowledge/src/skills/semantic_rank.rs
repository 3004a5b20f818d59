//! Semantic ranking of skills: one vector for a skill's description, and one for the beginning of
//! its body.

use kenning_embed::{EmbedError, Embedder, Purpose, Vectors};
use kenning_model::{Silent, Skill};

/// The number of characters of a body that are embedded. The beginning states the subject, and
/// models truncate longer texts.
const BODY_CHARACTERS: usize = 2000;

/// The weight of a body's vector; that of the description is 1.
const BODY_WEIGHT: f32 = 0.5;

/// The vectors of a fixed set of skills. Rows `2 i` and `2 i + 1` are the description and the body
/// of skill `i`.
#[derive(Debug)]
pub struct SkillVectors {
    vectors: Vectors,
}

impl SkillVectors {
    /// Embeds the skills. With a remote provider this sends their texts to it.
    pub fn new(embedder: &dyn Embedder, skills: &[Skill]) -> Result<SkillVectors, EmbedError> {
        let owned: Vec<String> = skills.iter().flat_map(embedded_texts).collect();
        let texts: Vec<&str> = owned.iter().map(String::as_str).collect();
        let vectors = embedder.embed(&texts, Purpose::Document, &Silent)?;
        Ok(SkillVectors { vectors })
    }

    /// Returns the similarity of each skill to the task, in the order of the skills; never below
    /// zero. `embedder` must be the one that made the vectors.
    pub fn scores(&self, embedder: &dyn Embedder, task: &str) -> Result<Vec<f32>, EmbedError> {
        let question = embedder.embed(&[task], Purpose::Query, &Silent)?;
        let nearness = |index: usize| dot_product(self.vectors.row(index), question.row(0));
        let skills = 0..self.vectors.len() / 2;
        let scores = skills.map(|index| {
            let (description, body) = (nearness(index * 2), nearness(index * 2 + 1));
            ((description + BODY_WEIGHT * body) / (1.0 + BODY_WEIGHT)).max(0.0)
        });
        Ok(scores.collect())
    }
}

/// The two texts of a skill. Separators in the name become blanks, so that the model sees words.
fn embedded_texts(skill: &Skill) -> [String; 2] {
    let name = skill.full_name.replace([':', '-', '_'], " ");
    [
        format!("{name}. {}", skill.description),
        skill.content.chars().take(BODY_CHARACTERS).collect(),
    ]
}

/// The dot product, which is the cosine for the normalized vectors that embedders return.
fn dot_product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
