//! Traces between requirements and code, in both directions. It uses one snapshot of the code
//! index, embeds all queries at once, and runs a search for each.
//!
//! It searches and fetches texts; `search::trace` scores them. Nothing here executes code or reads
//! the graph, so a trace is a plausible guess.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::code_index::{CodeIndex, commit_drift};
use super::scope_filter::{ScopeFilter, has_owner, only_files};
use super::specs::Specs;
use super::{Engine, EngineError};
use crate::indexing::IndexError;
use crate::indexing::{COMMIT, count_stale_files};
use crate::search::trace::{self, FactCounts, RequirementQuery, TracedChunk, WordIdf};
use crate::search::{self, CodeSearch, SearchHit};
use kenning_model::{Progress, RepoPath};
use kenning_store::code::{Filter, Hit, Snapshot, SymbolRecord, Tests};
use kenning_text::tokenizer;

/// The code and the specs of one repository.
///
/// Specs are read from disk at each call, code from the index.
pub struct Tracer<'a> {
    engine: &'a Engine,
    pub specs: Specs<'a>,
    index: Arc<CodeIndex>,
}

/// The places that plausibly implement a requirement, and those that test it.
pub struct TraceResult {
    pub code: TracedChunks,
    pub tests: TracedChunks,
}

impl TraceResult {
    /// True if some code plausibly implements the requirement.
    pub fn has_code(&self) -> bool {
        !self.code.plausible.is_empty()
    }

    /// True if some test plausibly covers the requirement.
    pub fn has_tests(&self) -> bool {
        !self.tests.plausible.is_empty()
    }
}

/// The plausible places, best first; if there are none, the nearest.
#[derive(Debug, Default)]
pub struct TracedChunks {
    pub plausible: Vec<TracedChunk>,
    pub near: Vec<TracedChunk>,
}

/// The code to trace back to requirements.
#[derive(Clone, Copy, Debug)]
pub enum TraceSubject<'p> {
    File(&'p str),
    Symbol(&'p str),
}

/// The number of hits that are judged per search. The right one is rarely further down, and reading
/// more texts would dominate the cost.
const JUDGED: usize = 16;

/// The number of implausible places that are shown if none is plausible.
const NEAR: usize = 2;

/// A limit larger than the number of chunks in the files of one search.
const ALL_CHUNKS: usize = 4096;

/// The number of places that are judged when only one file is searched.
const JUDGED_OF_FILE: usize = 64;

/// The most definitions of one name. A name with more is a common word.
const MAX_DEFINITIONS: usize = 30;

/// The semantic weight of the search, the same as the default of `search_code`.
const SEMANTIC_WEIGHT: f32 = 0.7;

impl Engine {
    /// Creates a tracer. It needs the code index; specs are read from the disk.
    pub fn tracer(
        &self,
        since: Instant,
        progress: &dyn Progress,
    ) -> Result<Tracer<'_>, EngineError> {
        let specs = self.specs()?;
        let root = specs.root().to_string_lossy().into_owned();
        Ok(Tracer { engine: self, index: self.fresh_code(Some(&root), since, progress)?, specs })
    }
}

impl Tracer<'_> {
    /// Returns the best places of each subject, in the order of `subjects`.
    ///
    /// Code and tests are searched separately, or tests would crowd out the code. Each list holds
    /// at most `limit` places.
    pub fn trace(
        &self,
        subjects: &[RequirementQuery],
        limit: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<TraceResult>, EngineError> {
        let session = self.session(subjects)?;
        session.for_each_requirement(self, subjects, progress, |subject, vector| {
            let places = |tests| {
                let found = session.search_repository(subject, vector, tests)?;
                let spread = FactCounts::from_hits(subject, &found);
                let mut judged = trace::judge_hits(subject, &session.word_idf, &spread, found);
                let count = judged.iter().filter(|place| place.is_plausible()).count();
                judged.retain(|place| place.is_plausible() || count == 0 && place.is_near());
                judged.truncate(if count == 0 { NEAR.min(limit) } else { limit });
                session.label_places(subject, &mut judged)?;
                Ok::<_, EngineError>(match count {
                    0 => TracedChunks { plausible: Vec::new(), near: judged },
                    _ => TracedChunks { plausible: judged, near: Vec::new() },
                })
            };
            Ok(TraceResult { code: places(Tests::Excluded)?, tests: places(Tests::Only)? })
        })
    }

    /// Returns for each subject the best place within the file or symbol, plausible or not.
    ///
    /// The order is that of `subjects`; `None` if nothing in the file or symbol matches at all.
    ///
    /// The score is that of the forward trace, so both directions agree about a place.
    pub fn trace_from_code(
        &self,
        piece: TraceSubject,
        subjects: &[RequirementQuery],
        progress: &dyn Progress,
    ) -> Result<Vec<Option<TracedChunk>>, EngineError> {
        let session = self.session(subjects)?;
        let within = match piece {
            TraceSubject::File(path) => session.file_scope(self.specs.root(), path)?,
            TraceSubject::Symbol(name) => session.symbol_scope(name)?,
        };
        session.for_each_requirement(self, subjects, progress, |subject, vector| {
            let mut hits = session.search_code(subject, vector, &within.filter, JUDGED_OF_FILE)?;
            hits.retain(|hit| within.accepts_hit(hit));
            let found = session.complete_hits(subject, vector, hits)?;
            let alone = FactCounts::default();
            let best = trace::judge_hits(subject, &session.word_idf, &alone, found.clone());
            let Some(best) = best.into_iter().next() else {
                return Ok(None);
            };
            // Comparison with other places only lowers a score, so an implausible place needs none.
            let mut best = if best.is_plausible() {
                session.judge_in_repository(subject, vector, found)?
            } else {
                vec![best]
            };
            best.truncate(1);
            session.label_places(subject, &mut best)?;
            best.iter_mut().for_each(|place| within.apply_label(place));
            Ok(best.pop())
        })
    }

    /// Returns those of these files that changed since they were indexed.
    ///
    /// Files that are not indexed are not reported.
    pub fn changed_files(&self, paths: &[&RepoPath]) -> Result<HashSet<RepoPath>, EngineError> {
        let snapshot = self.index.snapshot()?;
        let mut changed = HashSet::new();
        for path in paths {
            let stamps: Vec<_> = snapshot.file(path)?.into_iter().map(|file| file.stamp).collect();
            if count_stale_files(&self.index.collection.root, &stamps) > 0 {
                changed.insert((*path).clone());
            }
        }
        Ok(changed)
    }

    /// Returns the indexed commit and the current one, if they differ.
    pub fn commit_drift(&self) -> Result<Option<(String, String)>, EngineError> {
        let metadata = self.index.snapshot()?.metadata()?;
        Ok(commit_drift(&self.index.collection.root, metadata.get(COMMIT)))
    }

    /// Reads word frequencies and languages once for all subjects.
    fn session(&self, subjects: &[RequirementQuery]) -> Result<TraceSession<'_>, EngineError> {
        let snapshot = self.index.snapshot()?;
        let words = trace::collect_words(subjects.iter());
        let (chunks, holding) = snapshot.count_chunks_with(&words)?;
        let files = snapshot.files()?.into_iter();
        let mut languages: Vec<String> = files.map(|file| file.language).collect();
        languages.sort();
        languages.dedup();
        languages.retain(|language| !trace::is_prose(language));
        Ok(TraceSession { word_idf: WordIdf::new(chunks, &words, &holding), languages, snapshot })
    }
}

/// The state of one request, whose queries all use one snapshot.
struct TraceSession<'a> {
    snapshot: Snapshot<'a>,
    word_idf: WordIdf,
    /// The languages of the code; empty if there is only prose.
    languages: Vec<String>,
}

impl TraceSession<'_> {
    /// Embeds all queries in one request, and calls `answer` for each subject with its vector.
    fn for_each_requirement<T>(
        &self,
        tracer: &Tracer,
        subjects: &[RequirementQuery],
        progress: &dyn Progress,
        answer: impl Fn(&RequirementQuery, &[f32]) -> Result<T, EngineError>,
    ) -> Result<Vec<T>, EngineError> {
        let texts: Vec<&str> = subjects.iter().map(|one| one.query.text.as_str()).collect();
        let vectors = tracer.engine.embed_queries(self.snapshot.settings(), &texts, progress)?;
        let mut answers = Vec::with_capacity(subjects.len());
        for (done, (subject, vector)) in subjects.iter().zip(vectors.rows()).enumerate() {
            if progress.is_cancelled() {
                return Err(IndexError::Cancelled.into());
            }
            answers.push(answer(subject, vector)?);
            progress.report("tracing", done + 1, Some(subjects.len()));
        }
        Ok(answers)
    }

    /// Runs one search, without prose: specs themselves would always match best.
    fn search_code(
        &self,
        subject: &RequirementQuery,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<SearchHit>, EngineError> {
        let search = CodeSearch {
            query: &subject.query,
            vector: Some(vector),
            semantic_weight: SEMANTIC_WEIGHT,
            filter,
            limit,
            weights: &[],
        };
        let mut found = search::search(&self.snapshot, &search)?.hits;
        found.retain(|found| !trace::is_prose(&found.chunk.language));
        Ok(found)
    }

    /// Searches the whole repository for a subject, in code or in tests.
    fn search_repository(
        &self,
        subject: &RequirementQuery,
        vector: &[f32],
        tests: Tests,
    ) -> Result<Vec<(SearchHit, String)>, EngineError> {
        let filter = Filter { languages: self.languages.clone(), tests, ..Filter::default() };
        let found = self.search_code(subject, vector, &filter, JUDGED)?;
        self.complete_hits(subject, vector, found)
    }

    /// Judges places with the fact counts of the whole repository.
    fn judge_in_repository(
        &self,
        subject: &RequirementQuery,
        vector: &[f32],
        found: Vec<(SearchHit, String)>,
    ) -> Result<Vec<TracedChunk>, EngineError> {
        let (tests, code): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(found, _)| found.chunk.is_test);
        let mut places = Vec::new();
        for (kind, found) in [(Tests::Excluded, code), (Tests::Only, tests)] {
            if !found.is_empty() {
                let offered = self.search_repository(subject, vector, kind)?;
                let spread = FactCounts::from_hits(subject, &offered);
                places.extend(trace::judge_hits(subject, &self.word_idf, &spread, found));
            }
        }
        places.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(places)
    }

    /// Adds the texts, and completes the retriever scores of each hit. A search returns scores only
    /// for its best, and those depend on the filter.
    ///
    /// Both retrievers run again over the files of the hits, with a limit that covers all of their
    /// chunks.
    fn complete_hits(
        &self,
        subject: &RequirementQuery,
        vector: &[f32],
        mut found: Vec<SearchHit>,
    ) -> Result<Vec<(SearchHit, String)>, EngineError> {
        if found.is_empty() {
            return Ok(Vec::new());
        }
        let paths = found.iter().map(|one| one.chunk.path.clone());
        let filter = only_files(paths.collect());
        let words = &subject.query.words;
        let legs = self.snapshot.search_both(words, vector, &filter, ALL_CHUNKS)?;
        let leg = |hits: Vec<Hit>| -> HashMap<u32, f32> {
            hits.into_iter().map(|hit| (hit.chunk, hit.score)).collect()
        };
        let (by_words, by_meaning) = (leg(legs.0), leg(legs.1));
        for one in &mut found {
            let score = |leg: &HashMap<u32, f32>| leg.get(&one.chunk.id).copied();
            one.retriever_scores.words = score(&by_words).unwrap_or(one.retriever_scores.words);
            one.retriever_scores.vector = score(&by_meaning).unwrap_or(one.retriever_scores.vector);
        }
        let chunks: Vec<_> = found.iter().map(|found| found.chunk.clone()).collect();
        let texts = self.snapshot.texts(&chunks)?;
        Ok(found.into_iter().zip(texts).collect())
    }

    /// Sets the label of each place: the definition or test in it that is meant.
    fn label_places(
        &self,
        subject: &RequirementQuery,
        places: &mut [TracedChunk],
    ) -> Result<(), EngineError> {
        let chunks: Vec<_> = places.iter().map(|place| place.chunk.clone()).collect();
        let texts = self.snapshot.texts(&chunks)?;
        for (place, text) in places.iter_mut().zip(texts) {
            let symbols = self.snapshot.symbols_in(&place.chunk.path)?;
            place.label =
                trace::choose_label(subject, &self.word_idf, &place.chunk, &text, &symbols);
        }
        Ok(())
    }

    /// Resolves a path, absolute or relative to the root, to a filter for that file.
    fn file_scope(&self, root: &Path, path: &str) -> Result<ScopeFilter, EngineError> {
        let unknown = || EngineError::NotInIndex { what: format!("the file {path}") };
        let given = Path::new(path.trim_start_matches("./"));
        let relative = given
            .strip_prefix(root)
            .unwrap_or(given)
            .to_str()
            .and_then(RepoPath::new)
            .ok_or_else(unknown)?;
        self.snapshot.file(&relative)?.ok_or_else(unknown)?;
        Ok(ScopeFilter::for_file(relative))
    }

    /// Resolves a name, plain or qualified, to a filter for its definitions.
    fn symbol_scope(&self, name: &str) -> Result<ScopeFilter, EngineError> {
        let last = tokenizer::last_name(name);
        let anywhere = Filter::default();
        let defined = self.snapshot.definitions(last, &anywhere, MAX_DEFINITIONS)?;
        // `Kettle.boil` is not the `boil` of an egg.
        let owner = tokenizer::owner(name);
        let mut symbols: Vec<SymbolRecord> = defined.into_iter().map(|one| one.symbol).collect();
        symbols.retain(|symbol| {
            let scope = symbol.fact.scope.as_deref().unwrap_or_default();
            has_owner(&scope.to_lowercase(), &owner)
        });
        if symbols.is_empty() {
            return Err(EngineError::NotInIndex { what: format!("a definition of {name}") });
        }
        Ok(ScopeFilter::for_definitions(symbols))
    }
}
