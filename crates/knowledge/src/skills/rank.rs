//! Ranking of skills for a task, by BM25 over weighted fields: names, descriptions and bodies.
//! Callers with vectors blend in semantic scores.

use kenning_model::Skill;
use kenning_text::bm25;
use kenning_text::bm25_index::{Bm25Index, Field};

/// The weights of words in name, description and body.
const WEIGHTS: [f32; 3] = [4.0, 3.0, 1.0];

/// The BM25 index of a fixed set of skills. Skills are few and short, so it is rebuilt rather than
/// updated.
#[derive(Debug)]
pub struct SkillRanker(Bm25Index);

/// A skill with its score. `index` is its position in the list that the ranker was built from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedSkill {
    pub index: usize,
    pub score: f32,
}

impl SkillRanker {
    /// Indexes the skills.
    pub fn new(skills: &[Skill]) -> SkillRanker {
        SkillRanker(Bm25Index::new(bm25::STANDARD, skills.iter().map(weighted_fields)))
    }

    /// Returns the score of each skill, in their order; zero if no word is in common. Takes time
    /// proportional to the postings of the task's words.
    pub fn scores(&self, task: &str) -> Vec<f32> {
        self.0.scores(task).documents
    }
}

/// Returns the skills with a positive score, best first. Ties keep the order of the skills.
pub fn rank_scores(scores: &[f32]) -> Vec<RankedSkill> {
    let mut ranked: Vec<RankedSkill> = scores
        .iter()
        .enumerate()
        .map(|(index, score)| RankedSkill { index, score: *score })
        .filter(|ranked| ranked.score > 0.0)
        .collect();
    // Callers list project skills before user skills before plugin skills, so a stable sort prefers
    // the nearer one.
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score));
    ranked
}

/// The least semantic score at which a skill that shares no word with the task still matches.
/// Unrelated texts score above zero, too.
const MIN_SEMANTIC_SCORE: f32 = 0.3;

/// The score of a match that is last by both measures. It keeps such a match above zero, which
/// means no match.
const MIN_BLENDED_SCORE: f32 = 0.01;

/// Blends the scores of words and vectors in equal parts. Each list is normalized to 0..1 first,
/// because their scales differ. Both lists must have one score per skill.
pub fn blend_scores(words: &[f32], meaning: &[f32]) -> Vec<f32> {
    let (by_words, by_meaning) = (normalize_scores(words), normalize_scores(meaning));
    let scores = words.iter().zip(meaning).zip(by_words.zip(by_meaning)).map(
        |((words, meaning), (by_words, by_meaning))| {
            if *words > 0.0 || *meaning >= MIN_SEMANTIC_SCORE {
                ((by_words + by_meaning) / 2.0).max(MIN_BLENDED_SCORE)
            } else {
                0.0
            }
        },
    );
    scores.collect()
}

/// Maps scores linearly so that the worst becomes 0 and the best becomes 1.
fn normalize_scores(scores: &[f32]) -> impl Iterator<Item = f32> {
    let lowest = scores.iter().copied().fold(f32::INFINITY, f32::min);
    let best = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    // A single score, or equal ones, count as the best.
    let worst = if best > lowest { lowest } else { best - 1.0 };
    scores.iter().map(move |score| (score - worst) / (best - worst))
}

/// The fields of a skill with the weights of their words.
fn weighted_fields(skill: &Skill) -> Vec<Field<'_>> {
    let texts = [&*skill.full_name, &*skill.description, &*skill.content].into_iter();
    texts.zip(WEIGHTS).map(|(text, weight)| Field { text, weight }).collect()
}

#[cfg(test)]
pub(crate) mod testing {
    use kenning_model::{Skill, SkillTier};

    /// Returns a skill with these texts.
    pub fn skill(full_name: &str, description: &str, body: &str) -> Skill {
        let name = full_name.rsplit(':').next().unwrap_or_default();
        Skill {
            name: name.to_string(),
            full_name: full_name.to_string(),
            description: description.to_string(),
            tier: SkillTier::Project,
            directory: format!("/skills/{name}").into(),
            file_name: "SKILL.md".to_string(),
            content: body.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::skill;
    use super::*;

    fn best<'a>(skills: &'a [Skill], task: &str) -> Vec<&'a str> {
        let ranked = rank_scores(&SkillRanker::new(skills).scores(task));
        let names = ranked.iter().map(|ranked| skills[ranked.index].full_name.as_str());
        names.collect()
    }

    #[test]
    fn the_only_skill_and_the_worst_of_several_are_found_too() {
        let found =
            |words: &[f32], meaning: &[f32]| rank_scores(&blend_scores(words, meaning)).len();
        assert_eq!(found(&[0.4], &[0.2]), 1);
        assert_eq!(found(&[0.0], &[0.2]), 0);
        assert_eq!(found(&[0.4, 0.9], &[0.2, 0.5]), 2);
        assert_eq!(found(&[0.4, 0.4], &[0.3, 0.3]), 2);
    }

    #[test]
    fn the_description_counts_more_than_the_body() {
        let skills = [
            skill("notes", "Keeps notes", "sometimes a pdf file is mentioned"),
            skill("pdf", "Reads and fills PDF forms", "steps"),
            skill("web", "Builds sites", "html"),
        ];
        assert_eq!(best(&skills, "fill in this PDF form"), ["pdf", "notes"]);
        assert_eq!(best(&skills, "building a site"), ["web"]);
        assert_eq!(best(&skills, "quantum chess"), Vec::<&str>::new());
        assert_eq!(best(&[], "anything"), Vec::<&str>::new());
    }

    #[test]
    fn words_and_meaning_count_alike() {
        assert_eq!(blend_scores(&[4.0, 0.0, 2.0], &[0.25, 0.75, 0.5]), [0.5, 0.5, 0.5]);
        assert_eq!(blend_scores(&[3.0, 0.0, 0.0], &[1.0, 0.5, 0.0]), [1.0, 0.25, 0.0]);
        // Neither a word nor anything near: not worth a mention.
        assert_eq!(rank_scores(&blend_scores(&[0.0, 0.0], &[0.1, 0.2])), []);
        assert_eq!(blend_scores(&[], &[]), Vec::<f32>::new());
    }
}
