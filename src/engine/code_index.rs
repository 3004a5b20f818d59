//! Code indexes: selects the index that a query is about, and searches it.
//!
//! Queries read a snapshot or a view, so an index run never disturbs them. An index is opened once
//! per process and stays open.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::assemble_hits::{self, AssembledHit};
use super::collection_choice::NoCollection;
use super::reranking::Rerank;
use super::{Engine, EngineError, StaleReason, Target};
use crate::graph::SharedGraphCache;
use crate::indexing::{COMMIT, INDEXED_AT};
use crate::search::rerank::RERANKED_HITS;
use crate::search::{
    self, AnswerEvidence, CodeSearch, MissingDefinition, ParsedQuery, QueryKind, SearchOutcome,
};
use kenning_embed::{Purpose, Vectors};
use kenning_lang::languages;
use kenning_model::Progress;
use kenning_source as source;
use kenning_store::backends::CollectionReader;
use kenning_store::code::{Filter, IndexSettings, Reader, Tests};
use kenning_store::{Collection, Collections, StoreError};

/// The metadata key of the setting that searches include tests.
pub const SHOWS_TESTS: &str = "shows_tests";

/// The code of one indexed root, open to read.
///
/// At least one of `local` and `remote` is set. Searches prefer the remote one; the graph needs the
/// local one.
pub struct CodeIndex {
    pub collection: Collection,
    /// The local index, if there is one.
    pub(super) local: Option<Reader>,
    /// The collection on the remote backend, if queries go there.
    pub(super) remote: Option<Box<dyn CollectionReader>>,
    /// Cache of files that graph queries have read.
    pub(super) graph_cache: SharedGraphCache,
    /// The reason why it may be older than the tree; see `freshness`.
    pub(super) behind: Mutex<Option<StaleReason>>,
}

/// The open indexes, by path of the database.
///
/// Remote collections have keys of their own; see `backend`.
pub type OpenIndexes = Mutex<HashMap<PathBuf, Arc<CodeIndex>>>;

/// A code search request.
pub struct CodeQuery<'q> {
    pub text: &'q str,
    /// The text as [`parse_query`] reads it.
    pub parsed: &'q ParsedQuery,
    pub limit: usize,
    pub semantic_weight: f32,
    pub filter: Filter,
    /// The treatment of tests; `None` uses the setting of the index.
    pub tests: Option<Tests>,
    pub rerank: Rerank,
    pub granularity: Granularity,
    /// A text that says what the query is for. It shifts the search.
    pub context: Option<&'q str>,
}

/// The unit of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Granularity {
    /// Chunks, of several files.
    #[default]
    Chunk,
    /// Functions. Several may be of one file.
    Function,
}

impl Granularity {
    /// Returns the unit that suits a query. A report is about functions that should change.
    pub fn for_query(query: &ParsedQuery) -> Granularity {
        match query.kind {
            QueryKind::Report => Granularity::Function,
            QueryKind::Name | QueryKind::Words => Granularity::Chunk,
        }
    }
}

/// Parses the text of a code search. The name of a file is no qualified name of code.
pub fn parse_query(text: &str) -> ParsedQuery {
    if languages::is_file_name(text) {
        ParsedQuery::from_words(text)
    } else {
        ParsedQuery::new(text)
    }
}

/// Returns the number of hits to rank: some merge into others, and a reranker reads more.
fn ranked_limit(query: &CodeQuery) -> usize {
    let limit = query.limit + assemble_hits::overfetch(query.limit);
    match query.rerank {
        Rerank::Off => limit,
        Rerank::On => RERANKED_HITS.max(limit),
    }
}

/// The least score of a hit that is shown. A lower one rounds to 0 in replies.
const MIN_SCORE: f32 = 0.0005;

/// The hits of one snapshot, best first.
pub struct CodeAnswer {
    pub hits: Vec<AssembledHit>,
    /// The indexed commit and the current one, if they differ.
    pub commit_drift: Option<(String, String)>,
    /// True if the first index run did not finish, so that files are missing.
    pub is_incomplete: bool,
    /// The reason why a requested reranking failed.
    pub rerank_failure: Option<String>,
    /// The queried name, if no searched file defines it.
    pub missing_definition: Option<MissingDefinition>,
    /// The evidence that the hits answer the query.
    pub evidence: AnswerEvidence,
}

impl Engine {
    /// Removes the collection of a repository.
    ///
    /// The files of the repository are not touched. A watch of it ends.
    pub fn forget_collection(
        &self,
        address: &str,
        progress: &dyn Progress,
    ) -> Result<Collection, EngineError> {
        let collections = self.collections().ok_or(EngineError::NoHome)?;
        // The usual advice to index it makes no sense when it is to be removed.
        let collection = match self.code_collection(Some(address)) {
            Err(EngineError::NoCodeIndex { path }) => {
                Err(no_such_collection(&collections, address, path))
            }
            found => found,
        }?;
        // A watch would recreate the index with the next change.
        let _ = self.unwatch(&collection.root);
        self.drop_server_watch(&collection.root);
        self.remove_remote(&collection.name)?;
        collections.remove(&collection, progress)?;
        let mut opened = self.code.lock().expect("no holder panics");
        opened.remove(&collection.code_database());
        Ok(collection)
    }

    /// True if queries use the only existing index, which is of another root.
    pub fn is_using_other_root(&self) -> bool {
        let is_here = |index: &CodeIndex| {
            index.remote.is_some() || self.config.root().starts_with(&index.collection.root)
        };
        self.code(None).is_ok_and(|index| !is_here(&index))
    }

    /// True if an index run of exactly this root finished. An empty index does not count: it may
    /// date from before there were files.
    pub fn is_indexed(&self, root: &Path) -> bool {
        let index = self.code(Some(&root.to_string_lossy())).ok();
        index.is_some_and(|index| {
            let has_files = || index.summary().is_ok_and(|brief| brief.files > 0);
            index.is_complete().unwrap_or(false) && has_files()
        })
    }

    /// Returns the index that a query is about: of the named collection or path, else of the
    /// current repository, else the only one.
    ///
    /// The index may be on a remote backend. Its database is opened on first use and cached by
    /// path.
    pub fn code(&self, address: Option<&str>) -> Result<Arc<CodeIndex>, EngineError> {
        if let Some(remote) = self.remote_backend()? {
            return self.open_remote_code(&*remote, address);
        }
        let collection = self.code_collection(address)?;
        let database = collection.code_database();
        let mut opened = self.code.lock().expect("no holder panics");
        if !collection.has_code() {
            opened.remove(&database);
            return Err(EngineError::NoCodeIndex { path: collection.root });
        }
        // Another process may have removed it and given its name to another root.
        let known = opened.get(&database);
        if let Some(index) = known.filter(|index| index.collection == collection) {
            return Ok(index.clone());
        }
        let opened_reader = Reader::open(&database).and_then(|reader| {
            reader.check_root(&collection.root)?;
            Ok(reader)
        });
        let reader = match opened_reader {
            Err(StoreError::Empty { .. }) => {
                return Err(EngineError::NoCodeIndex { path: collection.root });
            }
            opened => opened.map_err(classify_store_error)?,
        };
        let index = Arc::new(CodeIndex {
            collection,
            local: Some(reader),
            remote: None,
            graph_cache: SharedGraphCache::default(),
            behind: Mutex::default(),
        });
        opened.insert(database, index.clone());
        Ok(index)
    }

    /// Runs a code search: embed, search, rerank if requested, assemble.
    ///
    /// A few more hits than requested are ranked, because some merge into others.
    pub fn search_code(
        &self,
        index: &CodeIndex,
        query: &CodeQuery,
        progress: &dyn Progress,
    ) -> Result<CodeAnswer, EngineError> {
        let view = index.view()?;
        let metadata = view.metadata()?;
        let filter = apply_test_visibility(&query.filter, query.tests, &metadata);
        let mut question = Cow::Borrowed(query.parsed);
        if let Some(context) = query.context {
            search::add_context_words(question.to_mut(), context);
        }
        let vector = self.embed_query(index, view.settings(), query, progress)?;
        let weights = self.search_weights()?;
        let search = CodeSearch {
            query: &question,
            vector: vector.as_deref(),
            semantic_weight: query.semantic_weight,
            filter: &filter,
            limit: ranked_limit(query),
            weights: &weights,
        };
        let SearchOutcome { hits: mut found, evidence } = match query.granularity {
            Granularity::Chunk => search::search(&*view, &search)?,
            Granularity::Function => {
                let similarity = |texts: &[String]| {
                    vector.as_ref()?;
                    self.measure_similarity(view.settings(), query.text, texts, progress)
                };
                search::search_definitions(&*view, &search, &similarity)?
            }
        };
        found.retain(|hit| hit.score >= MIN_SCORE);
        let undefined = search::find_missing_definition(&*view, &search, &found)?;
        let mut not_reranked = None;
        if query.rerank == Rerank::On {
            let reread = self.rerank_hits(&*view, query.text, found, progress)?;
            (found, not_reranked) = (reread.hits, reread.failure);
        }
        Ok(CodeAnswer {
            hits: match query.granularity {
                Granularity::Chunk => {
                    assemble_hits::assemble(&*view, index.checkout(), found, query.limit)?
                }
                Granularity::Function => {
                    found.truncate(query.limit);
                    assemble_hits::assemble_unmerged(&*view, index.checkout(), found)?
                }
            },
            rerank_failure: not_reranked,
            missing_definition: undefined,
            evidence,
            commit_drift: commit_drift(&index.collection.root, metadata.get(COMMIT)),
            is_incomplete: !is_complete(&metadata),
        })
    }

    /// True if the query may be sent to the provider that built this index.
    fn is_provider_permitted(&self, index: &CodeIndex) -> Result<bool, EngineError> {
        let root = &index.collection.root;
        if root == self.config.root() {
            return Ok(index.is_provider_allowed(&self.config));
        }
        Ok(index.is_provider_allowed(self.engine_for(root)?.config()))
    }

    /// Embeds the query; `None` if only words count.
    fn embed_query(
        &self,
        index: &CodeIndex,
        settings: &IndexSettings,
        query: &CodeQuery,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<f32>>, EngineError> {
        if query.semantic_weight <= 0.0 {
            return Ok(None);
        }
        // If an untrusted repository chose the provider, the query is not sent to it.
        if !self.is_provider_permitted(index)? {
            tracing::warn!(
                "the repository chose the provider of this index and is not trusted: only words \
                 count; `ken index` rebuilds it with your own settings"
            );
            return Ok(None);
        }
        let texts: Vec<&str> = [query.text].into_iter().chain(query.context).collect();
        let root = &index.collection.root;
        let vectors = if root == self.config.root() {
            self.embed_queries(settings, &texts, progress)?
        } else {
            self.engine_for(root)?.embed_queries(settings, &texts, progress)?
        };
        Ok(Some(match query.context {
            Some(_) => search::shift_vector(vectors.row(0), vectors.row(1)),
            None => vectors.row(0).to_vec(),
        }))
    }

    /// Embeds queries with the model that built the index. Vectors of two models never mix.
    ///
    /// A model with the same name but another dimension also counts as another model.
    pub(super) fn embed_queries(
        &self,
        settings: &IndexSettings,
        texts: &[&str],
        progress: &dyn Progress,
    ) -> Result<Vectors, EngineError> {
        let embedder = self.embedder(Some(&settings.provider))?;
        let identity = embedder.identity();
        if identity.model != settings.model || identity.dimension as u32 != settings.dimension {
            return Err(EngineError::ModelMismatch {
                index: settings.model.clone(),
                now: identity.model.clone(),
            });
        }
        let vectors = embedder.embed(texts, Purpose::Query, progress);
        vectors.map_err(|source| self.embedding_error(source))
    }

    /// Returns the base of relative paths: the root that a server was started for, else the working
    /// directory.
    pub fn base_directory(&self) -> &Path {
        match &self.target {
            Target::Root(root) => root,
            Target::Nearest(_) | Target::Database(_) => self.config.working_directory(),
        }
    }

    /// Resolves a path from the user to its real path; if that fails, returns it joined to the
    /// base.
    pub fn resolve_path(&self, path: &str) -> PathBuf {
        let path = self.base_directory().join(path);
        source::real_path_or_gone(&path).unwrap_or(path)
    }

    /// Resolves an address to a local collection, indexed or not; see
    /// [`Engine::choose_collection`].
    pub(super) fn code_collection(&self, address: Option<&str>) -> Result<Collection, EngineError> {
        let collections = self.collections().ok_or(EngineError::NoHome)?;
        self.choose_collection(&collections, address).map_err(|reason| match reason {
            // The error must not say where the address leads.
            NoCollection::UnknownAddress { path } if self.check_confinement(&path).is_err() => {
                let given = PathBuf::from(address.unwrap_or_default());
                EngineError::OutsideOfRoots { given }
            }
            NoCollection::UnknownAddress { path } => match source::check_directory(&path) {
                Ok(()) => not_indexed_error(&collections.all(), path),
                Err(_) => no_such_collection(&collections, address.unwrap_or_default(), path),
            },
            NoCollection::UnknownRoot { root } => EngineError::NoCodeIndex { path: root },
        })
    }
}

/// Returns the error for an existing directory without an index. A folder of an indexed root gets a
/// hint at that root.
fn not_indexed_error(all: &[Collection], path: PathBuf) -> EngineError {
    let around = all.iter().filter(|one| path.starts_with(&one.root));
    match around.max_by_key(|one| one.root.as_os_str().len()) {
        Some(around) if source::toplevel(&path) == source::toplevel(&around.root) => {
            // A nested repository is not part of the one around it.
            EngineError::PartOfIndex { root: around.root.clone(), path }
        }
        _ => EngineError::NoCodeIndex { path },
    }
}

/// Returns the error for an address that means nothing, with the known names.
fn no_such_collection(collections: &Collections, address: &str, path: PathBuf) -> EngineError {
    let all = collections.all().into_iter();
    EngineError::NoSuchCollection {
        address: address.to_string(),
        path,
        known: all.map(|collection| collection.name).collect(),
    }
}

/// True if an index run finished, because it writes this metadata last.
pub(super) fn is_complete(metadata: &std::collections::BTreeMap<String, String>) -> bool {
    metadata.contains_key(INDEXED_AT)
}

/// True if the index was built with tests shown by default.
pub(super) fn shows_tests(metadata: &std::collections::BTreeMap<String, String>) -> bool {
    metadata.get(SHOWS_TESTS).is_some_and(|text| text == "true")
}

/// Returns the filter with the treatment of tests, from the query or the index.
pub(super) fn apply_test_visibility(
    filter: &Filter,
    tests: Option<Tests>,
    metadata: &std::collections::BTreeMap<String, String>,
) -> Filter {
    let as_indexed = || if shows_tests(metadata) { Tests::Included } else { Tests::Excluded };
    Filter { tests: tests.unwrap_or_else(as_indexed), ..filter.clone() }
}

/// Classifies a store error. An unreadable index can be rebuilt, so its remedy is the same as for a
/// missing one.
pub(super) fn classify_store_error(error: StoreError) -> EngineError {
    match error {
        StoreError::Io { .. }
        | StoreError::NotLocal { .. }
        | StoreError::Server { .. }
        | StoreError::Changed { .. } => EngineError::Store(error),
        error => EngineError::UnreadableIndex(error),
    }
}

/// Returns the indexed and the current commit, if both are known and differ.
pub(super) fn commit_drift(root: &Path, indexed: Option<&String>) -> Option<(String, String)> {
    let indexed = indexed.filter(|commit| !commit.is_empty())?;
    let current = source::head_commit(root)?;
    (*indexed != current).then(|| (indexed.clone(), current))
}
