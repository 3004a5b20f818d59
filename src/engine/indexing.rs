//! Index runs: bring the packages, code and specs of a repository up to date.
//!
//! It decides what is built and with which settings; `crate::indexing` does the work for code, the
//! crates for packages and specs. All three see the same walk of the tree or the same root.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::code_index::SHOWS_TESTS;
use super::specs::{SpecReport, Specs};
use super::{BroadRootReason, CodeIndex, Engine, EngineError, rules_from_settings};
use crate::config::{Config, Origin};
use crate::indexing::IndexError;
use crate::indexing::{self, PackageDirectories, PackageInputs};
use kenning_model::BuildMode;
use kenning_model::{Progress, RepoPath, redact};
use kenning_packages::BuildError;
use kenning_packages::build::{PackageBuild, PackageBuildSession, PackageReport, begin_build};
use kenning_packages::database::PackageReader;
use kenning_source as source;
use kenning_store as store;
use kenning_store::backends::{Backend, CollectionInfo};
use kenning_store::{Collection, Collections};

pub use crate::indexing::CodeReport;

/// An index request.
///
/// The request of `ken index`, of a watch, or of a server.
pub struct IndexRequest<'r> {
    pub root: &'r Path,
    /// The name of the collection; `None` derives it from the directory's name.
    pub name: Option<&'r str>,
    /// The embedding provider; `None` uses the configured one, else the previous one.
    pub provider: Option<&'r str>,
    pub tests: TestVisibility,
    pub mode: BuildMode,
    /// SCIP indexes from compilers. If empty, the settings apply, then the last run, then
    /// `index.scip` in the root.
    pub scip: &'r [PathBuf],
}

impl IndexRequest<'_> {
    /// Returns the request of an update: everything stays as the last run left it.
    pub fn update(root: &Path) -> IndexRequest<'_> {
        IndexRequest {
            root,
            name: None,
            provider: None,
            tests: TestVisibility::Unchanged,
            mode: BuildMode::Incremental,
            scip: &[],
        }
    }
}

/// The default visibility of tests in searches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestVisibility {
    Shown,
    Hidden,
    Unchanged,
}

/// The report of an index run.
pub struct IndexReport {
    pub collection: Collection,
    pub packages: PackageReport,
    pub code: CodeReport,
    /// The report on specs; `None` if the repository has none.
    pub specs: Option<SpecReport>,
    /// The directories that were searched for code, without the root.
    pub directories: Vec<RepoPath>,
    /// The total time, including the wait for another build.
    pub duration: Duration,
}

impl Engine {
    /// Returns the real path of a directory, if it can be indexed.
    ///
    /// The error names the directory. A broad root needs [`Engine::allow_root`] first.
    pub fn check_root(&self, root: &Path) -> Result<PathBuf, EngineError> {
        self.check_confinement(root)?;
        let root = check_readable(root)?;
        self.check_breadth(&root)?;
        Ok(root)
    }

    /// Allows a root to be indexed however broad it is. The user named it with `--root`, or
    /// confirmed it.
    pub fn allow_root(&self, root: &Path) {
        let root = source::real_path(root).unwrap_or_else(|_| root.to_path_buf());
        self.allowed_roots.lock().expect("no holder panics").insert(root);
    }

    /// Returns the reason why a root needs confirmation before it is indexed; `None` if it does
    /// not. A root whose index run finished was confirmed before.
    pub fn broad_root(&self, root: &Path) -> Option<BroadRootReason> {
        let is_allowed = self.allowed_roots.lock().expect("no holder panics").contains(root);
        let broad = super::repository_root::broad_root(root, &self.config)?;
        (!is_allowed && !self.is_indexed(root)).then_some(broad)
    }

    /// Fails if the root is broad and the user has not confirmed it.
    pub(super) fn check_breadth(&self, root: &Path) -> Result<(), EngineError> {
        match self.broad_root(root) {
            Some(reason) => Err(EngineError::BroadRoot { path: root.to_path_buf(), reason }),
            None => Ok(()),
        }
    }

    /// Brings the index of a repository up to date.
    ///
    /// Packages are built before code, because code needs to know which file belongs to which
    /// package. Specs come last.
    pub fn index(
        &self,
        request: &IndexRequest,
        progress: &dyn Progress,
    ) -> Result<IndexReport, EngineError> {
        let started = Instant::now();
        let root = self.check_root(request.root)?;
        request.scip.iter().try_for_each(|path| self.check_confinement(path))?;
        if root != self.config.root() {
            return self.engine_for(&root)?.index(request, progress);
        }
        // Reads the settings again, because they may have changed since a server started.
        let config = self.config.for_root(&root)?;
        let collections = self.collections().ok_or(EngineError::NoHome)?;
        let known = collections.find_by_root(&root);
        let embedder =
            self.embedder(choose_provider(self, &config, known.as_ref(), request).as_deref())?;
        let collection = collections.find_or_create(&root, request.name)?;
        collection.repair_locks();
        let now = SystemTime::now();
        let compilers = self.scip_indexes(&config, &collection, request);
        let remote = self.remote_backend()?;
        let mirror =
            remote.as_deref().map(|backend| replica_target(backend, &collection, &self.config));
        let of_packages = PackageBuild {
            root: &root,
            database: &collection.packages_database(),
            rules: &rules_from_settings::package_rules(&config)?,
            mode: request.mode,
            now,
        };
        let of_code = indexing::CodeBuild {
            root: &root,
            database: &collection.code_database(),
            rules: &rules_from_settings::code_rules(&config),
            embedder: &*embedder,
            mode: request.mode,
            other_checkouts: &other_checkouts(&collections, &root),
            now,
            scip_indexes: &compilers,
            metadata: self.run_metadata(&collection, request),
            replica: mirror,
        };
        let built =
            build_packages_and_code(&of_packages, &of_code, &collection.walk_cache(), progress);
        if let (Err(EngineError::Index(IndexError::Walk(_))), None) = (&built, &known) {
            // Nothing was read: a folder that is too large to be indexed leaves no collection.
            collections.remove(&collection, progress)?;
        }
        let (packages, code, directories) = built.map_err(|error| self.name_provider(error))?;
        Ok(IndexReport {
            specs: self.index_specs(&config, request.mode, progress)?,
            collection,
            packages,
            code,
            directories,
            duration: started.elapsed(),
        })
    }

    /// Returns the error of a build, which names the provider if that failed.
    fn name_provider(&self, error: EngineError) -> EngineError {
        match error {
            EngineError::Index(IndexError::Embed(source)) => self.embedding_error(source),
            error => error,
        }
    }
}

/// Describes the replica of the collection on the remote backend.
fn replica_target<'b>(
    backend: &'b dyn Backend,
    collection: &Collection,
    config: &Config,
) -> indexing::ReplicaTarget<'b> {
    indexing::ReplicaTarget {
        backend,
        collection: CollectionInfo {
            name: collection.name.clone(),
            root: collection.root.to_string_lossy().into_owned(),
            advertised_url: advertised_url(config),
        },
    }
}

/// Returns the address at which other machines reach this one. It is stored on the server without
/// credentials; clients authenticate with `http.token`.
pub(super) fn advertised_url(config: &Config) -> Option<String> {
    config.text("http.advertise").map(|url| redact::strip_credentials(url).into_owned())
}

impl Engine {
    /// Indexes the specs; `None` if there are none.
    fn index_specs(
        &self,
        config: &Config,
        mode: BuildMode,
        progress: &dyn Progress,
    ) -> Result<Option<SpecReport>, EngineError> {
        let specs = Specs::for_config(self, config)?;
        if specs.are_worth_indexing() {
            Ok(Some(specs.build_index(mode, progress)?))
        } else {
            Ok(None)
        }
    }

    /// Returns the metadata that the next request needs.
    fn run_metadata(
        &self,
        collection: &Collection,
        request: &IndexRequest,
    ) -> BTreeMap<String, String> {
        let shows_tests = match request.tests {
            TestVisibility::Shown => true,
            TestVisibility::Hidden => false,
            TestVisibility::Unchanged => self
                .code(Some(&collection.name))
                .is_ok_and(|index| index.shows_tests().unwrap_or_default()),
        };
        let given: Vec<String> = request
            .scip
            .iter()
            .map(|one| one.to_string_lossy())
            .map(|one| one.to_string())
            .collect();
        let compilers = if given.is_empty() { self.stored_scip_indexes(collection) } else { given };
        BTreeMap::from([
            (PROVIDER_CHOSEN_BY.to_string(), self.provider_chooser(collection, request)),
            (SHOWS_TESTS.to_string(), shows_tests.to_string()),
            (SCIP_INDEXES.to_string(), compilers.join("\n")),
        ])
    }

    /// The chooser stays what it was while the provider is kept. Otherwise a second run would
    /// launder a repository's choice.
    fn provider_chooser(&self, collection: &Collection, request: &IndexRequest) -> String {
        let noted = || {
            let index = self.code(Some(&collection.name)).ok();
            let noted = index.filter(|index| index.is_provider_allowed(&self.config));
            noted.and_then(|index| index.metadata_value(PROVIDER_CHOSEN_BY))
        };
        match self.config.origin(PROVIDER) {
            _ if request.provider.is_some() => BY_USER.to_string(),
            Origin::TrustedFile(_) => BY_REPOSITORY.to_string(),
            Origin::Default => noted().unwrap_or_else(|| BY_USER.to_string()),
            Origin::Flag | Origin::Environment(_) | Origin::File(_) => BY_USER.to_string(),
        }
    }

    /// Returns the SCIP indexes that a build takes edges from.
    fn scip_indexes(
        &self,
        config: &Config,
        collection: &Collection,
        request: &IndexRequest,
    ) -> Vec<PathBuf> {
        let root = &collection.root;
        let below = |paths: Vec<String>| -> Vec<PathBuf> {
            paths.iter().map(|path| root.join(path)).collect()
        };
        let is_file = |path: &PathBuf| source::stamp(path).is_some();
        let chosen = [
            request.scip.iter().map(|path| root.join(path)).collect(),
            below(config.list("graph.scip")),
            // A SCIP index from an earlier request counts until its file is gone.
            below(self.stored_scip_indexes(collection)).into_iter().filter(is_file).collect(),
            below(vec!["index.scip".to_string()])
                .into_iter()
                .filter(|path| is_file(path) && source::stays_inside(root, path))
                .collect(),
        ];
        let mut chosen = chosen.into_iter().filter(|paths: &Vec<PathBuf>| !paths.is_empty());
        chosen.next().unwrap_or_default()
    }

    /// Returns the SCIP indexes of the last run, as given on its command line.
    fn stored_scip_indexes(&self, collection: &Collection) -> Vec<String> {
        let index = self.code(Some(&collection.name)).ok();
        let noted = index.and_then(|index| index.metadata_value(SCIP_INDEXES)).unwrap_or_default();
        noted.lines().map(str::to_string).collect()
    }
}

/// The metadata key of the SCIP indexes that were given, one per line.
const SCIP_INDEXES: &str = "scip";

/// Builds packages and code from one walk of the tree.
///
/// Both take their locks before the walk, always in this order, so that two builds cannot deadlock.
fn build_packages_and_code(
    packages: &PackageBuild,
    code: &indexing::CodeBuild,
    memory: &Path,
    progress: &dyn Progress,
) -> Result<(PackageReport, CodeReport, Vec<RepoPath>), EngineError> {
    let of_packages = begin_packages(packages, progress)?;
    let of_code = indexing::begin_build(code, progress)?;
    let names = of_packages.name_patterns();
    let wants = [of_packages.walk_filter(&names), of_code.walk_filter()];
    // A fresh build does not use the walk cache.
    let bounds = &code.rules.bounds;
    let [manifests, files] = match code.mode {
        BuildMode::Incremental => source::survey_cached(code.root, wants, bounds, memory, progress),
        BuildMode::Fresh => source::survey(code.root, wants, bounds, progress),
    }
    .map_err(IndexError::Walk)?;
    IndexError::check_root_exists(code.root)?;
    let report = of_packages.finish(manifests, progress)?;
    // The packages match this tree only from here on.
    let reader = PackageReader::open(packages.database)?;
    let of_tree = PackageInputs {
        directories: PackageDirectories::new(reader.package_directories()?),
        have_changed: !report.difference.is_empty(),
        load_all: &|| Ok(reader.read_contents()?.packages),
    };
    let code = of_code.finish(&of_tree, &files, progress)?;
    Ok((report, code, files.directories))
}

/// Begins the build of packages. A database in a collection is ours, so one of another format is
/// discarded.
fn begin_packages<'b>(
    build: &'b PackageBuild<'b>,
    progress: &dyn Progress,
) -> Result<PackageBuildSession<'b>, BuildError> {
    match begin_build(build, progress) {
        Err(BuildError::Store(error)) if error.needs_rebuild() => {
            tracing::warn!("{error}; rebuilding");
            store::discard(build.database)?;
            begin_build(build, progress)
        }
        begun => begun,
    }
}

/// Returns the real path of a directory that can be listed.
fn check_readable(root: &Path) -> Result<PathBuf, EngineError> {
    let checked =
        source::real_path(root).and_then(|root| source::check_directory(&root).map(|()| root));
    checked
        .map_err(|source| EngineError::Index(IndexError::Root { path: root.to_path_buf(), source }))
}

/// Returns the provider of this run. An incremental run keeps the provider of the index, because
/// its vectors may have cost money.
fn choose_provider(
    engine: &Engine,
    config: &Config,
    known: Option<&Collection>,
    request: &IndexRequest,
) -> Option<String> {
    let asked = request.provider.or(config.text("embedding.provider"));
    // `auto` is swift-index's name for its default.
    let asked = asked.filter(|name| *name != "auto");
    if asked.is_some() || request.mode == BuildMode::Fresh {
        return asked.map(str::to_string);
    }
    let index = engine.code(Some(&known?.name)).ok()?;
    if !index.is_provider_allowed(config) {
        return None;
    }
    Some(index.settings().ok()?.provider)
}

/// The metadata key of who chose the provider: the user, or a repository that the user trusted.
const PROVIDER_CHOSEN_BY: &str = "provider_chosen_by";
const BY_USER: &str = "user";
const BY_REPOSITORY: &str = "repository";

impl CodeIndex {
    /// True unless a repository chose the provider of this index and is no longer trusted. An index
    /// without that metadata counts as the repository's if the repository names a provider.
    pub(super) fn is_provider_allowed(&self, config: &Config) -> bool {
        match self.metadata_value(PROVIDER_CHOSEN_BY).as_deref() {
            Some(BY_REPOSITORY) => matches!(config.origin(PROVIDER), Origin::TrustedFile(_)),
            Some(_) => true,
            None => !config.refusals().iter().any(|refusal| refusal.setting.key == PROVIDER),
        }
    }
}

const PROVIDER: &str = "embedding.provider";

/// Returns the databases of other checkouts of the same repository.
///
/// Checkouts that share a git directory count: they have most files and vectors in common. A clone
/// does not.
fn other_checkouts(collections: &Collections, root: &Path) -> Vec<PathBuf> {
    let Some(repository) = source::repository(root) else {
        return Vec::new();
    };
    let others = collections.all().into_iter();
    others
        .filter(|other| other.root != root && other.has_code())
        .filter(|other| source::repository(&other.root).as_ref() == Some(&repository))
        .map(|other| other.code_database())
        .collect()
}
