//! The signals of a definition, and their weights. A signal is a number from 0 to 1; its weight was
//! learned from commits and the functions that they changed (`docs/ranking.md`).

use std::collections::{BTreeSet, HashMap};

use super::SimilarityFn;
use super::candidates::DefinitionCandidate;
use super::count_names;
use super::report_clues::{Mention, ReportClues, StackFrame, split_words};
use crate::search::query_idf::QueryIdf;
use crate::search::{CodeSearch, SearchHit};
use kenning_model::{ChunkKind, RepoPath};
use kenning_store::StoreError;
use kenning_store::backends::View;
use kenning_text::bm25;
use kenning_text::tokenizer::{self, TermCounter, Word};

/// A row of the table.
///
/// The name is part of the interface: `search.weights` and the reasons of a hit use it.
pub struct DefinitionSignal {
    pub name: &'static str,
    pub weight: f32,
    /// True if the best candidate sets the scale.
    is_relative: bool,
}

const fn relative(name: &'static str, weight: f32) -> DefinitionSignal {
    DefinitionSignal { name, weight, is_relative: true }
}

const fn absolute(name: &'static str, weight: f32) -> DefinitionSignal {
    DefinitionSignal { name, weight, is_relative: false }
}

/// The table. `measure_candidate` returns the values in the same order.
pub const DEFINITION_SIGNALS: &[DefinitionSignal] = &[
    relative("function words", 0.1),
    relative("title words", 0.075),
    relative("function meaning", 0.035),
    relative("title meaning", 0.039),
    relative("chunk", 0.106),
    relative("file", 0.064),
    relative("names in it", 0.044),
    absolute("name in the report", 0.015),
    absolute("name in code", 0.02),
    absolute("owner in the report", 0.05),
    absolute("name words", 0.012),
    absolute("stack frame", 0.034),
    absolute("shared words in a row", 0.076),
    absolute("length", 0.133),
    absolute("no function", -0.167),
    absolute("constructor", -0.019),
    absolute("private", 0.03),
];

const SIGNALS: usize = DEFINITION_SIGNALS.len();

/// The weight of a word in the name and the scope of a definition.
const NAME: f32 = 3.0;
const SCOPE: f32 = 1.0;

/// The most words of a report that are compared with the text of definitions.
const MAX_WORDS: usize = 300;

/// The most bytes of a definition that are embedded.
const MAX_EMBEDDED: usize = 2000;

/// The signals of all candidates of one search.
pub struct Measures(Vec<[f32; SIGNALS]>);

impl Measures {
    /// Measures every candidate.
    pub fn new(
        view: &dyn View,
        search: &CodeSearch,
        candidates: &[DefinitionCandidate],
        similarity: SimilarityFn,
    ) -> Result<Measures, StoreError> {
        let report = Report::new(view, search, candidates)?;
        let near = similarity(&candidates.iter().map(embedded_text).collect::<Vec<_>>());
        let mut values: Vec<[f32; SIGNALS]> = candidates
            .iter()
            .enumerate()
            .map(|(at, candidate)| {
                let near = near.as_ref().map_or([0.0; 2], |near| near[at]);
                report.measure_candidate(candidate, &report.names_of[at], near)
            })
            .collect();
        for (at, signal) in DEFINITION_SIGNALS.iter().enumerate() {
            if signal.is_relative {
                scale_by_best(&mut values, at);
            }
        }
        Ok(Measures(values))
    }

    /// Returns a candidate with its score. The reasons add up to the score.
    pub fn score(
        &self,
        at: usize,
        candidate: DefinitionCandidate,
        weights: &[(String, f32)],
    ) -> SearchHit {
        let mut reasons = Vec::with_capacity(SIGNALS);
        for (signal, value) in DEFINITION_SIGNALS.iter().zip(self.0[at]) {
            let given = weights.iter().find(|(name, _)| name == signal.name);
            let part = value * given.map_or(signal.weight, |(_, weight)| *weight);
            if part != 0.0 {
                reasons.push((signal.name, part));
            }
        }
        SearchHit {
            chunk: candidate.chunk,
            score: reasons.iter().map(|(_, part)| part).sum(),
            reasons,
            retriever_scores: Default::default(),
        }
    }
}

/// Scales one column to the range from 0 to 1. If all values are equal, each becomes 0.
fn scale_by_best(values: &mut [[f32; SIGNALS]], column: usize) {
    let all = || values.iter().map(|row| row[column]);
    let (least, most) = (all().fold(f32::MAX, f32::min), all().fold(f32::MIN, f32::max));
    for row in values {
        row[column] = if most > least { (row[column] - least) / (most - least) } else { 0.0 };
    }
}

/// Returns the text of a definition from which its vector is made, the most specific parts first.
fn embedded_text(candidate: &DefinitionCandidate) -> String {
    let chunk = &candidate.chunk;
    let parts = [chunk.path.as_str(), chunk.scope.as_deref().unwrap_or_default()];
    let name = chunk.symbol.as_deref().unwrap_or_default();
    let mut text = [parts[0], parts[1], name, &candidate.text].join("\n");
    let end = (0..=text.len().min(MAX_EMBEDDED)).rev().find(|at| text.is_char_boundary(*at));
    text.truncate(end.unwrap_or_default());
    text
}

/// A report, with the statistics of the candidates that its clues are compared with.
struct Report<'r> {
    clues: ReportClues,
    query_idf: QueryIdf,
    /// The idf of each word of the report, and of each word of its first line.
    words: HashMap<Word, f32>,
    title_words: HashMap<Word, f32>,
    /// The mean length of a candidate, in words.
    mean_length: f32,
    /// The rarity of each name of the report among the candidates' texts.
    name_rarity: HashMap<&'r str, f32>,
    name_counts: HashMap<&'r str, usize>,
    /// The names of the report that each candidate contains, in the order of the candidates.
    names_of: Vec<BTreeSet<&'r str>>,
}

impl<'r> Report<'r> {
    fn new(
        view: &dyn View,
        search: &CodeSearch,
        candidates: &'r [DefinitionCandidate],
    ) -> Result<Report<'r>, StoreError> {
        let text = search.query.text.as_str();
        let clues = ReportClues::new(text);
        let title = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let mut words = tokenizer::of_question(text);
        words.truncate(MAX_WORDS);
        let found = view.occurrences(&words, &[])?;
        let words: HashMap<Word, f32> =
            words.into_iter().zip(found.iter().map(|word| word.idf)).collect();
        let title_words = tokenizer::of_question(title).into_iter();
        let names_of: Vec<BTreeSet<&str>> =
            candidates.iter().map(|one| names_in(&clues, &one.text)).collect();
        let mut name_counts_in: HashMap<&str, usize> = HashMap::new();
        for name in names_of.iter().flatten() {
            *name_counts_in.entry(name).or_default() += 1;
        }
        let all = candidates.len() as f32;
        let lengths: usize = candidates.iter().map(|one| one.text.len()).sum();
        Ok(Report {
            query_idf: QueryIdf::new(view, search.query, &[])?,
            title_words: title_words.filter_map(|word| Some((word, *words.get(&word)?))).collect(),
            words,
            // A word of code, with the signs around it, takes about eight bytes.
            mean_length: (lengths as f32 / 8.0 / all.max(1.0)).max(1.0),
            name_rarity: name_counts_in
                .into_iter()
                .map(|(name, count)| (name, (all / count as f32).ln()))
                .collect(),
            name_counts: count_names(candidates),
            names_of,
            clues,
        })
    }

    /// Returns the values of the table for one candidate, in its order.
    fn measure_candidate(
        &self,
        candidate: &DefinitionCandidate,
        names: &BTreeSet<&str>,
        near: [f32; 2],
    ) -> [f32; SIGNALS] {
        let chunk = &candidate.chunk;
        let name = chunk.symbol.as_deref().filter(|_| candidate.is_function).unwrap_or_default();
        let owner = tokenizer::last_name(chunk.scope.as_deref().unwrap_or_default());
        let alike = (*self.name_counts.get(name).unwrap_or(&1) as f32).sqrt();
        let mention = self.clues.names.get(name);
        let mentioned =
            |least: Mention| bool_value(mention.is_some_and(|one| *one >= least)) / alike;
        let (words, title_words) = self.score_words(candidate);
        let names: f32 =
            names.iter().map(|name| self.name_rarity.get(name).copied().unwrap_or_default()).sum();
        let run = self.clues.longest_run(&candidate.text) as f32;
        let lines = (chunk.span.end_line - chunk.span.start_line + 1) as f32;
        [
            words,
            title_words,
            near[0],
            near[1],
            candidate.chunk_score,
            candidate.file_score,
            names,
            mentioned(Mention::AsCode),
            mentioned(Mention::InCode),
            bool_value(self.clues.names.contains_key(owner)),
            self.query_idf.name_share(name),
            self.frame_share(&chunk.path, name, candidate),
            (run / 12.0).min(1.0),
            (lines.ln() / 6.0).min(1.0),
            bool_value(!candidate.is_function),
            bool_value(chunk.kind == ChunkKind::Initializer),
            bool_value(name.starts_with('_')),
        ]
    }

    /// Returns the BM25 scores of a definition for the report and for its first line.
    fn score_words(&self, candidate: &DefinitionCandidate) -> (f32, f32) {
        let chunk = &candidate.chunk;
        let (counted, length) = TermCounter::count_terms(|counts| {
            counts.add(&candidate.text, 1.0);
            counts.add(chunk.symbol.as_deref().unwrap_or_default(), NAME);
            counts.add(chunk.scope.as_deref().unwrap_or_default(), SCOPE);
        });
        let (mut words, mut title) = (0.0, 0.0);
        for (word, count) in counted {
            let weight = bm25::weight(count, length, self.mean_length);
            words += self.words.get(&word).map_or(0.0, |idf| idf * weight);
            title += self.title_words.get(&word).map_or(0.0, |idf| idf * weight);
        }
        (words, title)
    }

    /// Scores the match of the stack frames of the report with the definition. The last frames
    /// count most, because an error shows there.
    fn frame_share(&self, path: &RepoPath, name: &str, candidate: &DefinitionCandidate) -> f32 {
        let file_name = path.file_name().to_lowercase();
        let whole = path.as_str().to_lowercase();
        let fits = |frame: &StackFrame| {
            let directory = whole.rsplit('/').nth(1).unwrap_or_default();
            if frame.file_name != file_name {
                return 0.0;
            }
            let is_near = frame.directory.is_empty() || frame.directory == directory;
            let place = if is_near { 1.0 } else { 0.5 };
            let has_line = candidate.chunk.span.has_line(frame.line);
            if frame.function.is_empty() {
                if has_line { 0.7 * place } else { 0.0 }
            } else if frame.function == name {
                place
            } else {
                0.0
            }
        };
        let frames = self.clues.frames.len().max(1) as f32;
        let each = self.clues.frames.iter().enumerate();
        let share = |(at, frame): (usize, &StackFrame)| {
            fits(frame) * (1.0 + (at + 1) as f32 / frames) / 2.0
        };
        each.map(share).fold(0.0, f32::max)
    }
}

fn bool_value(is_true: bool) -> f32 {
    if is_true { 1.0 } else { 0.0 }
}

/// Returns the names of the report that a text contains as whole words, each once, in an order that
/// keeps sums the same.
fn names_in<'t>(clues: &ReportClues, text: &'t str) -> BTreeSet<&'t str> {
    split_words(text).filter(|word| clues.names.contains_key(*word)).collect()
}
