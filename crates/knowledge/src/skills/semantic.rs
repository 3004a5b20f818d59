//! Skills by meaning: a vector for what each says it is for, and one for how it begins.

use kenning_embed::{EmbedError, Embedder, Purpose, Vectors};
use kenning_model::{Silent, Skill};

/// How much of a body is looked at; the beginning says what it is about.
const BODY_CHARACTERS: usize = 2000;

/// How much a body counts beside the description.
const BODY_WEIGHT: f32 = 0.5;

/// The vectors of a fixed set of skills: two rows each.
#[derive(Debug)]
pub struct SkillVectors {
    vectors: Vectors,
}

impl SkillVectors {
    pub fn new(embedder: &dyn Embedder, skills: &[Skill]) -> Result<SkillVectors, EmbedError> {
        let texts: Vec<String> = skills.iter().flat_map(embedded_texts).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = embedder.embed(&texts, Purpose::Document, &Silent)?;
        Ok(SkillVectors { vectors })
    }

    /// How near each skill is to the task, in the order of the skills; never below zero.
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

fn embedded_texts(skill: &Skill) -> [String; 2] {
    let name = skill.full_name.replace([':', '-', '_'], " ");
    [
        format!("{name}. {}", skill.description),
        skill.content.chars().take(BODY_CHARACTERS).collect(),
    ]
}

fn dot_product(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
