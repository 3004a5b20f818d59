//! Queries to a collection by name: text search, and listings by filter. [`Engine::search_code`] is
//! the semantic search.
//!
//! A collection may be of any root, and on any backend. These functions search what was indexed;
//! they never index.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::assemble_hits;
use super::code_index::{apply_test_visibility, classify_store_error};
use super::{AssembledHit, CodeIndex, Engine, EngineError};
use crate::search::SearchHit;
use crate::search::full_text::{self, TextMatchKind, TextSearch};
use kenning_model::Progress;
use kenning_model::{RepoPath, Symbol, is_exported};
use kenning_store::code::{ChunkRecord, Filter, Tests};

pub use crate::search::full_text::TextMode;

/// A text search request.
pub struct TextQuery<'q> {
    pub text: &'q str,
    pub mode: TextMode,
    pub filter: Filter,
    /// The treatment of tests; `None` uses the setting of the index.
    pub tests: Option<Tests>,
    pub limit: usize,
}

/// A chunk that contains the text.
///
/// `lines` are the matching lines of the file, counted from 1; empty if only the words match.
pub struct AssembledTextHit {
    pub assembled: AssembledHit,
    /// The kind of match: exact, ignoring case, or by words only.
    pub kind: TextMatchKind,
    pub lines: Vec<u32>,
}

/// The time limit of a text search, in every mode.
const TEXT_SEARCH_TIMEOUT: Duration = Duration::from_secs(5);

impl Engine {
    /// Returns the index of a collection by name or path, up to date. The error lists the known collections.
    pub fn collection(
        &self,
        address: &str,
        since: Instant,
        progress: &dyn Progress,
    ) -> Result<Arc<CodeIndex>, EngineError> {
        match self.fresh_code(Some(address), since, progress) {
            Err(
                EngineError::NoCodeIndex { .. }
                | EngineError::PartOfIndex { .. }
                | EngineError::NoSuchCollection { .. },
            ) => Err(EngineError::NoCollection {
                name: address.to_string(),
                known: self.collection_names()?,
            }),
            outcome => outcome,
        }
    }

    /// Returns the names of collections with indexed code. It fails if the backend does not answer,
    /// because that is not an empty list.
    fn collection_names(&self) -> Result<Vec<String>, EngineError> {
        let is_local = self.remote_backend()?.is_none();
        let all = self.known_collections()?.into_iter();
        let asked = all.filter(|one| !is_local || one.has_code());
        Ok(asked.map(|one| one.name).collect())
    }

    /// Runs a text search. The error is `InvalidArgument` if an expression is invalid or exceeds
    /// the time limit.
    pub fn search_text(
        &self,
        index: &CodeIndex,
        query: &TextQuery,
    ) -> Result<Vec<AssembledTextHit>, EngineError> {
        let view = index.view()?;
        let filter = apply_test_visibility(&query.filter, query.tests, &view.metadata()?);
        let search = TextSearch {
            text: query.text,
            mode: query.mode,
            filter: &filter,
            limit: query.limit,
            deadline: Some(Instant::now() + TEXT_SEARCH_TIMEOUT),
        };
        let matches = full_text::search(&*view, &search)?;
        let (hits, rest): (Vec<SearchHit>, Vec<(TextMatchKind, Vec<u32>)>) = matches
            .into_iter()
            .map(|one| (unranked_hit(one.chunk, one.score), (one.kind, one.lines)))
            .unzip();
        let found = assemble_hits::assemble_unmerged(&*view, index.checkout(), hits)?
            .into_iter()
            .zip(rest)
            .map(|(code, (how, lines))| AssembledTextHit { assembled: code, kind: how, lines });
        Ok(found.collect())
    }

    /// Lists the chunks that match the filter, by path and position.
    pub fn list_code(
        &self,
        index: &CodeIndex,
        filter: &Filter,
        tests: Option<Tests>,
        limit: usize,
    ) -> Result<Vec<AssembledHit>, EngineError> {
        let view = index.view()?;
        let filter = apply_test_visibility(filter, tests, &view.metadata()?);
        let ids = view.list(&filter, limit)?;
        let found = view.chunks(&ids)?.into_iter().map(|chunk| unranked_hit(chunk, 1.0)).collect();
        assemble_hits::assemble_unmerged(&*view, index.checkout(), found)
    }
}

impl CodeIndex {
    /// Returns for each chunk whether its symbol is exported; `None` if it defines nothing.
    ///
    /// The order is that of `chunks`. The symbols of each file are read once.
    pub fn are_exported<'c>(
        &self,
        chunks: impl Iterator<Item = &'c ChunkRecord>,
    ) -> Result<Vec<Option<bool>>, EngineError> {
        let view = self.view()?;
        let mut symbols: HashMap<&RepoPath, Vec<Symbol>> = HashMap::new();
        let mut exported = Vec::new();
        for chunk in chunks {
            // Unpacking the symbols of files is most of the cost, so nameless chunks are skipped.
            let Some(name) = &chunk.symbol else {
                exported.push(None);
                continue;
            };
            if !symbols.contains_key(&chunk.path) {
                let found = view
                    .symbols_in(&chunk.path)
                    .map_err(classify_store_error)?
                    .into_iter()
                    .map(|located| located.fact);
                symbols.insert(&chunk.path, found.collect());
            }
            let lines = chunk.span.start_line..=chunk.span.end_line;
            exported.push(is_exported(&symbols[&chunk.path], name, lines));
        }
        Ok(exported)
    }
}

/// Returns a hit without reasons, for lists that no signal ranked.
fn unranked_hit(chunk: ChunkRecord, score: f32) -> SearchHit {
    SearchHit { chunk, score, reasons: Vec::new(), retriever_scores: Default::default() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::config::{Config, ProcessEnv};
    use crate::engine::Target;
    use kenning_store::StoreError;
    use kenning_store::backends::{
        Backend, CollectionInfo, CollectionReader, CollectionWriter, ServerInfo, WriterStart,
    };
    use kenning_store::code::IndexSettings;

    /// Has no collections, and goes away when it has said so.
    #[derive(Default)]
    struct GoesAway(AtomicBool);

    impl GoesAway {
        fn gone() -> StoreError {
            StoreError::Server {
                backend: "postgres",
                what: "nobody answers".to_string(),
                remedy: "start it".to_string(),
            }
        }
    }

    impl Backend for GoesAway {
        fn server_info(&self) -> Result<ServerInfo, StoreError> {
            Err(GoesAway::gone())
        }

        fn collections(&self) -> Result<Vec<CollectionInfo>, StoreError> {
            if self.0.swap(true, Ordering::Relaxed) {
                Err(GoesAway::gone())
            } else {
                Ok(Vec::new())
            }
        }

        fn open(&self, _: &str) -> Result<Box<dyn CollectionReader>, StoreError> {
            Err(GoesAway::gone())
        }

        fn write(
            &self,
            _: &CollectionInfo,
            _: &IndexSettings,
            _: WriterStart,
        ) -> Result<Box<dyn CollectionWriter>, StoreError> {
            Err(GoesAway::gone())
        }

        fn remove(&self, _: &str) -> Result<(), StoreError> {
            Err(GoesAway::gone())
        }
    }

    #[test]
    fn nobody_to_ask_is_not_no_such_collection() {
        let home = tempfile::tempdir().unwrap();
        let settings = [
            ("backend".to_string(), "postgres".to_string()),
            ("home".to_string(), home.path().display().to_string()),
        ];
        let root = Path::new("/nowhere");
        let config = Config::load(root, &settings, &ProcessEnv::default()).unwrap();
        let engine = Engine::new(config, Target::Root(root.to_path_buf()));
        *engine.backend.lock().unwrap() = Some(Arc::new(GoesAway::default()));
        let error = engine.collection("app", Instant::now(), &kenning_model::Silent).err().unwrap();
        let is_of_server = matches!(error, EngineError::Store(StoreError::Server { .. }));
        assert!(is_of_server, "{error}");
    }
}
