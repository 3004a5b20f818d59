//! From requirements to code and back: one state of the code index, all questions embedded at once,
//! a search for each. What is plausible is decided in `query`.

use std::path::Path;
use std::sync::Arc;

use super::code::{CodeIndex, moved_on};
use super::specs::Specs;
use super::{Engine, EngineError};
use crate::embed::words;
use crate::index::IndexError;
use crate::index::code::COMMIT;
use crate::model::{Progress, RepoPath};
use crate::query::code::{self, Found, Search};
use crate::query::specs::trace::{self, Place, Rarity, Subject};
use crate::store::code::{Filter, Snapshot, SymbolRecord, Tests};

/// The code and the specs of one repository.
pub struct Tracer<'a> {
    engine: &'a Engine,
    pub specs: Specs<'a>,
    index: Arc<CodeIndex>,
}

/// Where a requirement is plausibly implemented, and where it is checked.
pub struct Traced {
    pub code: Vec<Place>,
    pub tests: Vec<Place>,
}

/// What requirements may speak of.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'p> {
    File(&'p str),
    Symbol(&'p str),
}

/// How many places a search brings to be judged. What is right is rarely further down, and more
/// of them would make the texts to read the greater part of the work.
const JUDGED: usize = 16;

/// How many places of one file are judged, where only that file is asked for.
const JUDGED_OF_FILE: usize = 64;

/// Definitions of one name beyond this many are a common word.
const MAX_DEFINITIONS: usize = 30;

/// How much of the search goes by meaning: what `search_code` does unless told.
const SEMANTIC_WEIGHT: f32 = 0.7;

impl Engine {
    /// Ready to trace. Needs the index of the code; specs are read as they are now.
    pub fn tracer(&self) -> Result<Tracer<'_>, EngineError> {
        let specs = self.specs()?;
        let root = specs.root().to_string_lossy().into_owned();
        Ok(Tracer {
            engine: self,
            index: self.code(Some(&root))?,
            specs,
        })
    }
}

impl Tracer<'_> {
    /// The best places of each subject, in the order of `subjects`.
    pub fn trace(
        &self,
        subjects: &[Subject],
        limit: usize,
        progress: &dyn Progress,
    ) -> Result<Vec<Traced>, EngineError> {
        let session = self.session(subjects)?;
        session.each(self, subjects, progress, |subject, vector| {
            let places = |tests| {
                let filter = Filter {
                    languages: session.languages.clone(),
                    tests,
                    ..Filter::default()
                };
                let found = session.search(subject, vector, &filter, JUDGED)?;
                let mut places = session.rank(subject, found)?;
                places.truncate(limit);
                Ok::<_, EngineError>(places)
            };
            Ok(Traced {
                code: places(Tests::Excluded)?,
                tests: places(Tests::Only)?,
            })
        })
    }

    /// For each subject the place within the file or symbol that it is plausibly about.
    pub fn trace_back(
        &self,
        piece: Piece,
        subjects: &[Subject],
        progress: &dyn Progress,
    ) -> Result<Vec<Option<Place>>, EngineError> {
        let session = self.session(subjects)?;
        let within = match piece {
            Piece::File(path) => session.file(self.specs.root(), path)?,
            Piece::Symbol(name) => session.symbol(name)?,
        };
        session.each(self, subjects, progress, |subject, vector| {
            let mut found = session.search(subject, vector, &within.filter, JUDGED_OF_FILE)?;
            found.retain(|found| within.holds(found));
            Ok(session.rank(subject, found)?.into_iter().next())
        })
    }

    /// The commits that were indexed and that is checked out now, if they are not the same.
    pub fn moved_on(&self) -> Result<Option<(String, String)>, EngineError> {
        let notes = self.index.snapshot()?.notes()?;
        Ok(moved_on(&self.index.collection.root, notes.get(COMMIT)))
    }

    fn session(&self, subjects: &[Subject]) -> Result<Session<'_>, EngineError> {
        let snapshot = self.index.snapshot()?;
        let words = trace::all_words(subjects.iter());
        let (chunks, holding) = snapshot.count_holding(&words)?;
        let files = snapshot.files()?.into_iter();
        let mut languages: Vec<String> = files.map(|file| file.language).collect();
        languages.sort();
        languages.dedup();
        languages.retain(|language| !trace::is_prose(language));
        Ok(Session {
            rarity: Rarity::new(chunks, &words, &holding),
            languages,
            snapshot,
        })
    }
}

/// All questions of one request go to one state of the index.
struct Session<'a> {
    snapshot: Snapshot<'a>,
    rarity: Rarity,
    /// Of the code; empty if there is nothing but prose.
    languages: Vec<String>,
}

impl Session<'_> {
    fn each<T>(
        &self,
        tracer: &Tracer,
        subjects: &[Subject],
        progress: &dyn Progress,
        answer: impl Fn(&Subject, &[f32]) -> Result<T, EngineError>,
    ) -> Result<Vec<T>, EngineError> {
        let texts = subjects.iter();
        let texts: Vec<&str> = texts.map(|one| one.question.text.as_str()).collect();
        let vectors = tracer
            .engine
            .question_vectors(&self.snapshot, &texts, progress)?;
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

    fn search(
        &self,
        subject: &Subject,
        vector: &[f32],
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<Found>, EngineError> {
        let search = Search {
            question: &subject.question,
            vector: Some(vector),
            semantic_weight: SEMANTIC_WEIGHT,
            filter,
            limit,
            weights: &[],
        };
        let mut found = code::search(&self.snapshot, &search)?;
        found.retain(|found| !trace::is_prose(&found.chunk.language));
        Ok(found)
    }

    fn rank(&self, subject: &Subject, found: Vec<Found>) -> Result<Vec<Place>, EngineError> {
        let chunks: Vec<_> = found.iter().map(|found| found.chunk.clone()).collect();
        let texts = self.snapshot.texts(&chunks)?;
        let found = found.into_iter().zip(texts).collect();
        Ok(trace::rank(subject, &self.rarity, found))
    }

    fn file(&self, root: &Path, path: &str) -> Result<Within, EngineError> {
        let unknown = || EngineError::NotInIndex {
            what: format!("the file {path}"),
        };
        let given = Path::new(path.trim_start_matches("./"));
        let relative = given.strip_prefix(root).unwrap_or(given);
        let relative = relative.to_str().and_then(RepoPath::new);
        let relative = relative.ok_or_else(unknown)?;
        self.snapshot.file(&relative)?.ok_or_else(unknown)?;
        Ok(Within {
            filter: only(vec![relative]),
            symbol: None,
        })
    }

    fn symbol(&self, name: &str) -> Result<Within, EngineError> {
        let last = words::last_name(name);
        let anywhere = Filter::default();
        let defined = self
            .snapshot
            .definitions(last, &anywhere, MAX_DEFINITIONS)?;
        // `Kettle.boil` is not the `boil` of an egg.
        let owner = words::owner(name);
        let mut symbols: Vec<SymbolRecord> = defined.into_iter().map(|one| one.symbol).collect();
        symbols.retain(|symbol| {
            let scope = symbol.fact.scope.as_deref().unwrap_or_default();
            scope.to_lowercase().ends_with(&owner)
        });
        if symbols.is_empty() {
            return Err(EngineError::NotInIndex {
                what: format!("a definition of {name}"),
            });
        }
        let mut paths: Vec<RepoPath> = symbols.into_iter().map(|symbol| symbol.path).collect();
        paths.sort();
        paths.dedup();
        Ok(Within {
            filter: only(paths),
            symbol: Some((owner, last.to_lowercase())),
        })
    }
}

/// A part of the code.
struct Within {
    filter: Filter,
    /// The owner and the name of the definition that alone counts, in lower case.
    symbol: Option<(String, String)>,
}

impl Within {
    /// A definition, or a part of what it defines.
    fn holds(&self, found: &Found) -> bool {
        let Some((owner, name)) = &self.symbol else {
            return true;
        };
        let scope = found.chunk.scope.as_deref().unwrap_or_default();
        let scope = scope.to_lowercase();
        let symbol = found.chunk.symbol.as_deref().unwrap_or_default();
        let is_itself = symbol.to_lowercase() == *name && scope.ends_with(owner.as_str());
        is_itself || scope.split('.').any(|segment| segment == name)
    }
}

/// These files, whatever is in them.
fn only(paths: Vec<RepoPath>) -> Filter {
    let escaped = paths.iter().map(|path| {
        let characters = path.as_str().chars().map(|c| match c {
            '*' | '?' | '[' | '{' | '}' => format!("[{c}]"),
            c => c.to_string(),
        });
        characters.collect()
    });
    Filter {
        globs: escaped.collect(),
        ..Filter::default()
    }
}
