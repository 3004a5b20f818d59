//! Judges which search hits are about a requirement. Every part of the score is absolute: it does
//! not depend on the other hits. It can therefore be held to a threshold, and an unrelated
//! requirement gets no hit. This module does not search.
//!
//! The score combines three kinds of similarity with literal facts. Facts reduce the remaining
//! doubt instead of adding up, so a score never exceeds 1.

mod label;
mod requirement_query;

use crate::search::{SearchHit, significant_name};
use kenning_lang::languages::is_prose_language;
use kenning_store::code::ChunkRecord;
use kenning_text::tokenizer::Word;

pub use label::{SymbolLabel, choose_label};
pub use requirement_query::{RequirementQuery, WordIdf, collect_words};
use requirement_query::{collect_word_set, is_identifier};

/// The least score of a plausible place. It separates requirements and code of one repository from
/// those of unrelated ones (`bench/specs/trace.py`). Of OpenSpec's 251 requirements, 90 % find code
/// of OpenSpec above it. Of 145 of another server 14 % do, of 75 of a third 7 %. For tests it is 84
/// %, 6 % and 1 %. Words and names weigh more than vectors, so another model changes this little,
/// but measure it again.
pub const PLAUSIBLE: f32 = 0.5;

/// The least score of a place that has anything to do with a requirement.
const NEAR: f32 = 0.25;

/// The weights of the three kinds of similarity.
const WORDS: f32 = 0.5;
const VECTOR: f32 = 0.3;
const PLACE: f32 = 0.2;

/// The share of the remaining doubt that each further fact removes.
const NAME_REPEATED: f32 = 0.3;
const DEFINITION: f32 = 0.3;
const PATH: f32 = 0.3;
const QUOTE: f32 = 0.15;

/// The factor for secondary code, such as examples.
const SECONDARY: f32 = 0.8;

/// A place in the code that a requirement is plausibly about.
///
/// It is a hint and no proof: nothing was executed or resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct TracedChunk {
    pub chunk: ChunkRecord,
    /// The definition or test in the place that matches the requirement best, if one does.
    pub label: Option<SymbolLabel>,
    /// From 0 to 1, on a scale that all requirements share.
    pub score: f32,
    /// The reasons, strongest facts first.
    pub reasons: Vec<String>,
}

/// True if a file is prose, as specs themselves are. A file of unknown language is more often prose
/// than code, and prose is always more similar to a requirement.
pub fn is_prose(language: &str) -> bool {
    is_prose_language(language)
}

impl TracedChunk {
    /// True if the score reaches [`PLAUSIBLE`].
    pub fn is_plausible(&self) -> bool {
        self.score >= PLAUSIBLE
    }

    /// True if it is worth a look where nothing is plausible.
    pub fn is_near(&self) -> bool {
        (NEAR..PLAUSIBLE).contains(&self.score)
    }
}

/// Counts of each fact over the hits of a whole repository. A fact that many places share is weaker
/// evidence. A query about one file must use the same hits as one about the requirement, or their
/// answers would differ.
#[derive(Debug, Default)]
pub struct FactCounts(Vec<Fact>);

impl FactCounts {
    /// Counts the facts of each hit. `found` has to contain the hits of the whole repository, each
    /// with its text.
    pub fn from_hits(subject: &RequirementQuery, found: &[(SearchHit, String)]) -> FactCounts {
        let places = found.iter();
        let all = places.flat_map(|(found, text)| find_facts(subject, &found.chunk, text));
        FactCounts(all.collect())
    }

    /// Returns the number of places with this fact, at least 1. A place outside of the counted hits
    /// has it too.
    fn count(&self, fact: &Fact) -> usize {
        let alike = self.0.iter().filter(|one| *one == fact).count();
        alike.max(1)
    }
}

/// Scores the hits, each with its text, and returns them best first, plausible or not.
///
/// Each fact removes a share of the doubt. The share shrinks with the square root of the number of
/// places that have the fact.
pub fn judge_hits(
    subject: &RequirementQuery,
    word_idf: &WordIdf,
    spread: &FactCounts,
    found: Vec<(SearchHit, String)>,
) -> Vec<TracedChunk> {
    let judged = found.iter().map(|(found, text)| {
        let facts = find_facts(subject, &found.chunk, text);
        let mut doubt = 1.0 - measure_similarity(subject, word_idf, found);
        for fact in &facts {
            doubt *= 1.0 - fact.kind.weight() / (spread.count(fact) as f32).sqrt();
        }
        let mut reasons: Vec<String> = facts.iter().map(Fact::describe).collect();
        reasons.extend(describe_similarity(subject, word_idf, found, text));
        TracedChunk {
            chunk: found.chunk.clone(),
            label: None,
            score: (1.0 - doubt) * secondary_factor(found),
            reasons,
        }
    });
    let mut places: Vec<TracedChunk> = judged.collect();
    places.sort_by(|a, b| {
        let by_score = b.score.total_cmp(&a.score);
        by_score.then_with(|| a.chunk.path.cmp(&b.chunk.path)).then(a.chunk.span.cmp(&b.chunk.span))
    });
    places
}

/// Returns the similarity by words, by vector and by names.
fn measure_similarity(subject: &RequirementQuery, word_idf: &WordIdf, found: &SearchHit) -> f32 {
    let share = found.retriever_scores.words / word_idf.full_score(&subject.query);
    // The square root, because prose and code share few words even if they say the same.
    let words = share.clamp(0.0, 1.0).sqrt();
    let meaning = found.retriever_scores.vector.clamp(0.0, 1.0);
    let called = NameSimilarity::new(subject, word_idf, &found.chunk);
    let place = 0.5 * called.title + 0.25 * called.symbol + 0.25 * called.file;
    WORDS * words + VECTOR * meaning + PLACE * place
}

/// The similarity between the names of a place and of a requirement, each from 0 to 1. Names are
/// compared with names only: other text names too many other things.
struct NameSimilarity {
    /// The share of the title's words in path and symbol, weighted by rarity.
    title: f32,
    /// The share of the symbol's words in the title.
    symbol: f32,
    /// The share of the file name's words in the title. A generic file name counts as its
    /// directory's.
    file: f32,
}

impl NameSimilarity {
    fn new(subject: &RequirementQuery, word_idf: &WordIdf, chunk: &ChunkRecord) -> NameSimilarity {
        let symbol = chunk.symbol.as_deref().unwrap_or_default();
        let said = collect_word_set(&[chunk.path.as_str(), symbol]);
        let worth = |word: &Word| word_idf.get(*word);
        let whole: f32 = subject.title_words.iter().map(worth).sum();
        let shared: f32 = subject.title_words.intersection(&said).map(worth).sum();
        NameSimilarity {
            title: if whole > 0.0 { shared / whole } else { 0.0 },
            symbol: share_in_title(subject, symbol),
            file: share_in_title(subject, significant_name(&chunk.path)),
        }
    }
}

/// Returns the share of a name's words that the title contains.
fn share_in_title(subject: &RequirementQuery, name: &str) -> f32 {
    let words = collect_word_set(&[name]);
    // The word for the whole identifier is rarely in the title, so it does not count as missing.
    let parts = words.len() - usize::from(words.len() > 1);
    let said = words.intersection(&subject.title_words).count();
    (said as f32 / parts.max(1) as f32).min(1.0)
}

/// Returns the factor for code in examples, generated files and declaration files. The search
/// already marked it with a reason.
fn secondary_factor(found: &SearchHit) -> f32 {
    let is_aside = |(name, _): &(&str, f32)| matches!(*name, "aside" | "declaration file");
    if found.reasons.iter().any(is_aside) { SECONDARY } else { 1.0 }
}

/// A literal match between a requirement and a place.
#[derive(Clone, Debug, PartialEq)]
struct Fact {
    kind: FactKind,
    text: String,
}

/// The kinds of literal matches, each with a weight of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FactKind {
    NameRepeated,
    Definition,
    Path,
    Quote,
}

impl FactKind {
    fn weight(self) -> f32 {
        match self {
            FactKind::NameRepeated => NAME_REPEATED,
            FactKind::Definition => DEFINITION,
            FactKind::Path => PATH,
            FactKind::Quote => QUOTE,
        }
    }
}

impl Fact {
    fn describe(&self) -> String {
        let what = &self.text;
        match self.kind {
            FactKind::NameRepeated => format!("repeats the name \"{what}\""),
            FactKind::Definition => format!("defines `{what}`, which the text names"),
            FactKind::Path => format!("the text names its file, `{what}`"),
            FactKind::Quote => format!("has \"{what}\", which the text quotes"),
        }
    }
}

/// The most facts of one kind that count.
const MAX_FACTS: usize = 3;

fn find_facts(subject: &RequirementQuery, chunk: &ChunkRecord, text: &str) -> Vec<Fact> {
    let fact = |kind, what: &str| Fact { kind, text: what.to_string() };
    let symbol = chunk.symbol.as_deref().unwrap_or_default();
    let said = format!("{}{}", to_phrase(symbol), to_phrase(text));
    let repeated = subject
        .names
        .iter()
        .filter(|name| said.contains(&name.phrase))
        .map(|name| fact(FactKind::NameRepeated, &name.written));
    let defined = subject
        .query
        .names
        .iter()
        .filter(|name| name.as_str() == symbol)
        .map(|name| fact(FactKind::Definition, name));
    let located = subject
        .quotes
        .iter()
        .filter(|quote| is_path_of(quote, chunk))
        .map(|quote| fact(FactKind::Path, quote));
    let quoted = subject
        .quotes
        .iter()
        .filter(|quote| !is_identifier(quote) && has_literal(text, quote))
        .map(|quote| fact(FactKind::Quote, quote));
    let mut facts: Vec<Fact> = repeated.take(MAX_FACTS).collect();
    facts.extend(defined.take(MAX_FACTS));
    facts.extend(located.take(1));
    facts.extend(quoted.take(MAX_FACTS));
    facts
}

/// True if a quoted path is the chunk's, or its end.
fn is_path_of(quote: &str, chunk: &ChunkRecord) -> bool {
    let path = chunk.path.as_str();
    let Some(start) = path.strip_suffix(quote.trim_start_matches("./")) else {
        return false;
    };
    quote.contains('.') && (start.is_empty() || start.ends_with('/'))
}

/// True if the text contains it, and not as a part of a longer word: `--all` is not in `--allow`.
fn has_literal(text: &str, literal: &str) -> bool {
    text.match_indices(literal).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + literal.len()..].chars().next();
        let joins = |edge: Option<char>, outside: Option<char>| {
            edge.is_some_and(char::is_alphanumeric) && outside.is_some_and(char::is_alphanumeric)
        };
        !joins(literal.chars().next(), before) && !joins(literal.chars().next_back(), after)
    })
}

/// The least similarities that are reported as reasons, and the most words.
const REPORTED_VECTOR: f32 = 0.25;
const REPORTED_NAME: f32 = 0.5;
const REPORTED_WORDS: usize = 6;

fn describe_similarity(
    subject: &RequirementQuery,
    word_idf: &WordIdf,
    found: &SearchHit,
    text: &str,
) -> Vec<String> {
    let mut reasons = Vec::new();
    let chunk = &found.chunk;
    let called = NameSimilarity::new(subject, word_idf, chunk);
    if called.symbol >= REPORTED_NAME {
        reasons.extend(chunk.symbol.as_ref().map(|name| format!("is called {name}")));
    }
    if called.file >= REPORTED_NAME {
        reasons.push(format!("is in {}", chunk.path));
    }
    let symbol = chunk.symbol.as_deref().unwrap_or_default();
    let said = collect_word_set(&[text, symbol, chunk.path.as_str()]);
    let words = subject.query.words.iter().map(|(word, _)| *word);
    let mut shared: Vec<(f32, &str)> = words
        .filter(|word| said.contains(word))
        .filter_map(|word| Some((word_idf.get(word), subject.spellings.get(&word)?.as_str())))
        .collect();
    shared.sort_by(|a, b| b.0.total_cmp(&a.0));
    let shared: Vec<&str> = shared.iter().map(|(_, word)| *word).collect();
    if !shared.is_empty() {
        let shared = &shared[..shared.len().min(REPORTED_WORDS)];
        reasons.push(format!("shares the words {}", shared.join(", ")));
    }
    if found.retriever_scores.vector >= REPORTED_VECTOR {
        reasons.push(format!("is alike in meaning ({:.2})", found.retriever_scores.vector));
    }
    reasons
}

/// Returns the words of a text in lower case, separated by single blanks. `emptyKettle`,
/// `empty_kettle` and "Empty kettle" give the same.
fn to_phrase(text: &str) -> String {
    let mut phrase = String::from(" ");
    let mut before = ' ';
    for character in text.chars() {
        let is_hump = character.is_uppercase() && before.is_lowercase();
        if (is_hump || !character.is_alphanumeric()) && !phrase.ends_with(' ') {
            phrase.push(' ');
        }
        if character.is_alphanumeric() {
            phrase.extend(character.to_lowercase());
        }
        before = character;
    }
    if !phrase.ends_with(' ') {
        phrase.push(' ');
    }
    phrase
}

#[cfg(test)]
mod tests;
