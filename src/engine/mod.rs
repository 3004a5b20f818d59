//! The composition root: it takes a configuration and offers indexing and queries. It decides which
//! database a query is about.
//!
//! One [`Engine`] serves a whole process. It is shared between threads; all of its state is in
//! caches behind locks. Entry points and operations reach indexes only through it.
//!
//! ```text
//! Engine ── config      settings of one root
//!        ├─ packages    the package database, loaded once per version
//!        ├─ code        open code indexes, local or remote
//!        ├─ skills      the current snapshot of skills
//!        └─ others      engines of other roots, with their own settings
//! ```

mod assemble_hits;
mod backend_choice;
mod backend_health;
mod code_index;
mod collection_choice;
mod collection_queries;
mod confinement;
mod embedding;
mod error;
mod file_view;
mod freshness;
mod git_program;
mod graph;
mod health;
mod index_file_cache;
mod indexer_lookup;
mod indexing;
mod package_view;
mod repository_root;
mod requirement_trace;
mod reranking;
mod rules_from_settings;
mod scope_filter;
mod signal_weights;
mod skills;
mod skipped_files;
pub mod specs;
mod status;
#[cfg(test)]
pub mod testing;
mod unused_dependencies;
mod watcher;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use crate::config::{Config, Origin};
use index_file_cache::LoadedFile;
use kenning_knowledge::specs::SpecSearch;
use kenning_model::Progress;
use kenning_packages::build::PackageBuild;
use kenning_source as source;
use kenning_store::Collections;
use kenning_store::backends::Backend;

pub use crate::search::full_text::TextMatchKind;
pub use assemble_hits::AssembledHit;
pub use code_index::{CodeAnswer, CodeIndex, CodeQuery, Granularity, parse_query};
pub use collection_queries::{AssembledTextHit, TextMode, TextQuery};
pub use embedding::{EmbeddedModel, ProviderInfo};
pub use error::EngineError;
pub use file_view::{HighlightClass, HighlightedLines, ShadedPiece, highlight_lines};
pub use freshness::{StaleReason, UpdateStep};
pub use git_program::committed_text;
pub use graph::{
    BaseChange, BaseDiff, BaseError, ChangedLines, GraphState, LineCommit, LineHistory, LinesOfFile,
};
pub use health::{HealthDepth, HealthFinding, Verdict};
pub use indexing::{CodeReport, IndexReport, IndexRequest, TestVisibility};
pub use kenning_embed::{EmbedError, Embedder, Identity, Purpose, State, Vectors};
pub use kenning_model::BuildMode;
pub use kenning_packages::build::PackageReport;
pub use kenning_source::Mode as WatchMode;
pub use kenning_store::StoreError;
pub use kenning_store::backends::Peer;
pub use kenning_store::code::{ChunkRecord, Exported, Filter, Tests};
pub use package_view::PackageView;
pub use repository_root::{BroadRootReason, enclosing_root};
pub use requirement_trace::{TraceResult, TraceSubject, TracedChunks, Tracer};
pub use reranking::Rerank;
pub use skills::{CheckedSkill, Ranking, SkillView, SkillWatch};
pub use status::CodeStatus;
pub use unused_dependencies::UnusedDependency;
pub use watcher::{WatchStart, WatchState, WatchStatus};

/// The state of one process, shared by all requests.
///
/// Caches fill on first use, so creating an engine is cheap.
pub struct Engine {
    config: Config,
    target: Target,
    packages: LoadedFile<PackageView>,
    embedders: embedding::OpenEmbedders,
    code: code_index::OpenIndexes,
    /// The remote backend, connected on first use.
    backend: Mutex<Option<Arc<dyn Backend>>>,
    watches: watcher::RunningWatches,
    /// Updates that questions wait for.
    updates: freshness::RootUpdates,
    /// The default of `index.on_demand`.
    on_demand_by_default: bool,
    /// Watches that a server keeps for the roots that it is asked about.
    server_watches: watcher::ServerWatches,
    /// Roots that the user named explicitly, however broad.
    allowed_roots: Arc<Mutex<HashSet<PathBuf>>>,
    /// The directories that callers may name; see `confinement`.
    confinement: OnceLock<Arc<[PathBuf]>>,
    /// The engines of other roots, each with its own settings.
    others: Mutex<HashMap<PathBuf, Arc<Engine>>>,
    skills: skills::SkillRegistry,
    specs: LoadedFile<SpecSearch>,
}

/// The data that a query is about if it does not say.
#[derive(Clone, Debug)]
pub enum Target {
    /// The repository that `--root` names.
    Root(PathBuf),
    /// The repository around the working directory, because none was named. If there is none, the
    /// only indexed one.
    Nearest(PathBuf),
    /// The package database that `--db` names, or that `shire` finds.
    Database(PathBuf),
}

/// The path of shire's index below the root.
const SHIRE_DATABASE: &str = ".shire/index.db";

impl Engine {
    /// True if a query may use the only existing index. The user named no other, and the working
    /// directory is not in a repository of its own.
    fn can_use_only_index(&self) -> bool {
        match &self.target {
            Target::Root(_) => false,
            Target::Nearest(root) => source::toplevel(root).is_none(),
            Target::Database(_) => true,
        }
    }

    /// Creates an engine. It opens no file and no connection.
    pub fn new(config: Config, target: Target) -> Engine {
        Engine {
            config,
            target,
            packages: LoadedFile::default(),
            code: code_index::OpenIndexes::default(),
            backend: Mutex::default(),
            watches: watcher::RunningWatches::default(),
            updates: freshness::RootUpdates::default(),
            on_demand_by_default: false,
            server_watches: watcher::ServerWatches::default(),
            allowed_roots: Arc::default(),
            confinement: OnceLock::new(),
            others: Mutex::default(),
            embedders: embedding::OpenEmbedders::default(),
            skills: skills::SkillRegistry::default(),
            specs: LoadedFile::default(),
        }
    }

    /// Makes `index.on_demand` default to on, for commands.
    pub fn index_on_demand_by_default(&mut self) {
        self.on_demand_by_default = true;
    }

    /// Returns the engine of another root, which has its own settings and provider.
    ///
    /// Engines are kept for the life of the process. Refused settings of the other root are logged
    /// once.
    fn engine_for(&self, root: &Path) -> Result<Arc<Engine>, EngineError> {
        let mut others = self.others.lock().expect("no holder panics");
        if let Some(known) = others.get(root) {
            return Ok(known.clone());
        }
        let config = self.config.for_root(root)?;
        for refusal in config.refusals() {
            tracing::warn!("{refusal}");
        }
        let mut engine = Engine::new(config, Target::Root(root.to_path_buf()));
        engine.allowed_roots = self.allowed_roots.clone();
        self.confine_like_this(&engine);
        let engine = Arc::new(engine);
        others.insert(root.to_path_buf(), engine.clone());
        Ok(engine)
    }

    /// Returns the settings of this engine's root.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the path of the database that `shire build` writes for this repository.
    pub fn shire_database(&self) -> PathBuf {
        let configured = self.config.path("packages.db");
        configured.unwrap_or_else(|| self.config.root().join(SHIRE_DATABASE))
    }

    /// Rejects a database in the repository that links out of it or is not a file. One that the
    /// user names with `--db` or in their own settings may be anywhere.
    ///
    /// Without this check, a repository could make `shire build` overwrite a file elsewhere.
    fn check_shire_database(&self, database: &Path) -> Result<(), EngineError> {
        let is_usable = !self.is_repository_database(database)
            || source::stays_inside(self.config.root(), database)
                && source::is_file_or_absent(database);
        if is_usable {
            Ok(())
        } else {
            Err(EngineError::UnsafeDatabase { path: database.to_path_buf() })
        }
    }

    /// True for the database at the default path, or where a file of the repository says.
    fn is_repository_database(&self, database: &Path) -> bool {
        let is_of_repository = match self.config.origin("packages.db") {
            Origin::Default => true,
            Origin::File(file) => file.starts_with(self.config.root()),
            Origin::Flag | Origin::Environment(_) | Origin::TrustedFile(_) => false,
        };
        is_of_repository && database == self.shire_database()
    }

    /// Returns the packages that a query is about, loaded once per published state.
    pub fn packages(&self) -> Result<std::sync::Arc<PackageView>, EngineError> {
        package_view::load_newest(self)
    }

    /// Returns the specs that a query is about.
    pub fn specs(&self) -> Result<specs::Specs<'_>, EngineError> {
        specs::Specs::for_query(self)
    }

    /// Returns the specs that a query is about, with their search index up to date.
    pub fn fresh_specs(&self, progress: &dyn Progress) -> Result<specs::Specs<'_>, EngineError> {
        let specs = self.specs()?;
        specs.refresh_index(progress);
        Ok(specs)
    }

    /// Returns the specs of this repository, for indexing.
    pub fn own_specs(&self) -> Result<specs::Specs<'_>, EngineError> {
        specs::Specs::at_configured_root(self)
    }

    /// Returns internal dependencies that no source of the declaring package mentions; empty if the
    /// indexed root does not exist.
    ///
    /// The check reads all sources of the packages, so it takes seconds in a large tree.
    pub fn unused_dependencies(
        &self,
        view: &PackageView,
        progress: &dyn Progress,
    ) -> Result<Vec<UnusedDependency>, EngineError> {
        let Some(root) = view.root() else {
            return Ok(Vec::new());
        };
        let rules = rules_from_settings::package_rules(&self.config)?;
        unused_dependencies::unused_dependencies(&root, &view.graph, &rules, progress)
    }

    /// Builds or refreshes the package database at `database`.
    ///
    /// This is `shire build`: it writes into the repository, unlike `ken index`.
    pub fn build_packages(
        &self,
        database: &Path,
        mode: BuildMode,
        progress: &dyn Progress,
    ) -> Result<PackageReport, EngineError> {
        self.check_breadth(self.config.root())?;
        self.check_shire_database(database)?;
        let rules = rules_from_settings::package_rules(&self.config)?;
        let build = PackageBuild {
            root: self.config.root(),
            database,
            rules: &rules,
            mode,
            now: SystemTime::now(),
        };
        Ok(kenning_packages::build::build_packages(&build, progress)?)
    }

    /// Returns the registry of local collections; `None` if there is no home for data. A confined
    /// engine knows those of the allowed directories.
    pub fn collections(&self) -> Option<Collections> {
        let all = Collections::in_home(&self.config.path("home")?);
        Some(match self.allowed_directories() {
            Some(roots) => all.restrict_to_roots(roots),
            None => all,
        })
    }
}
