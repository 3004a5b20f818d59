//! The packages in memory: selects the database, and loads it once per published state.
//!
//! A package database is replaced as a whole by each build. A view is therefore immutable, and a
//! new version of the file replaces it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::{Engine, EngineError, Target};
use kenning_model::Problem;
use kenning_packages::build::count_stale_manifests;
use kenning_packages::database::{DatabaseVersion, ManifestStamp, PackageReader};
use kenning_packages::query::{PackageGraph, PackageId, search_packages};
use kenning_source as source;
use kenning_store::StoreError;

/// One published state of a package database. A request keeps the one that it started with.
///
/// The graph is in memory. Full-text search goes to the database, whose connection needs a lock.
pub struct PackageView {
    pub graph: PackageGraph,
    pub problems: Vec<Problem>,
    /// The contents of `shire_meta`.
    pub meta: BTreeMap<String, String>,
    stamps: Vec<ManifestStamp>,
    reader: Mutex<PackageReader>,
}

/// The freshness of the index.
pub struct Freshness {
    /// The current commit of the checkout.
    pub current_commit: Option<String>,
    /// The number of known manifests that changed or are gone. New ones are not counted.
    pub changed_manifests: usize,
}

impl PackageView {
    /// Finds the packages that match `query`, best first.
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<PackageId>, EngineError> {
        let reader = self.reader.lock().expect("no holder panics");
        Ok(search_packages(&reader, &self.graph, query, limit)?)
    }

    /// Returns the root that was indexed, if it still exists.
    pub fn root(&self) -> Option<PathBuf> {
        let root = self.meta.get("root").map(PathBuf::from);
        root.filter(|root| source::check_directory(root).is_ok())
    }

    /// Returns the freshness; `None` if the indexed root is unknown or gone.
    pub fn freshness(&self) -> Option<Freshness> {
        let root = self.root()?;
        Some(Freshness {
            current_commit: source::head_commit(&root),
            changed_manifests: count_stale_manifests(&root, &self.stamps),
        })
    }
}

/// Returns the packages from the newest readable database. A user who runs `shire build` after `ken
/// index` means the former. An unreadable database is skipped if another is readable.
pub fn load_newest(engine: &Engine) -> Result<Arc<PackageView>, EngineError> {
    let mut failure = None;
    let mut candidates = candidate_databases(engine);
    candidates.retain(|database| engine.check_shire_database(database).is_ok());
    for (database, version) in sort_newest_first(&candidates) {
        match get_or_load_view(engine, database, version) {
            Ok(view) => return Ok(view),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    Err(failure.unwrap_or_else(|| EngineError::NoPackageIndex {
        looked_at: match &engine.target {
            Target::Root(path) | Target::Nearest(path) | Target::Database(path) => path.clone(),
        },
    }))
}

/// Loads a database, unless this version of it is in memory.
fn get_or_load_view(
    engine: &Engine,
    database: PathBuf,
    version: DatabaseVersion,
) -> Result<Arc<PackageView>, EngineError> {
    engine.packages.get_or_load(database, version, |database| {
        let mut view = load_view(database)?;
        if engine.is_repository_database(database) {
            // A committed database may name any root. It counts for the repository that contains
            // it.
            let root = engine.config.root().to_string_lossy().into_owned();
            view.meta.insert("root".to_string(), root);
        }
        Ok(view)
    })
}

/// Reads a whole database. One of another format is unreadable, not missing: the remedy differs.
fn load_view(database: &Path) -> Result<PackageView, EngineError> {
    let opened = PackageReader::open(database).and_then(|reader| {
        let contents = reader.read_contents()?;
        Ok((reader, contents))
    });
    let (reader, contents) = match opened {
        Ok(opened) => opened,
        Err(
            error @ (StoreError::WrongFormat { .. }
            | StoreError::Damaged { .. }
            | StoreError::Sql { .. }),
        ) => return Err(EngineError::UnreadableIndex(error)),
        Err(error) => return Err(error.into()),
    };
    Ok(PackageView {
        graph: PackageGraph::new(contents.packages),
        problems: contents.problems,
        meta: contents.meta,
        stamps: contents.stamps,
        reader: Mutex::new(reader),
    })
}

/// Returns the possible databases: the collection's own, and the one from `shire build` in the
/// repository.
fn candidate_databases(engine: &Engine) -> Vec<PathBuf> {
    let collections = engine.collections();
    let root = match &engine.target {
        Target::Database(path) => return vec![path.clone()],
        Target::Root(root) | Target::Nearest(root) => root,
    };
    let own = collections
        .as_ref()
        .and_then(|all| all.find_by_root(root))
        .map(|collection| collection.packages_database());
    let near: Vec<PathBuf> = own.into_iter().chain([engine.shire_database()]).collect();
    if !engine.can_use_only_index() || near.iter().any(|path| DatabaseVersion::read(path).is_some())
    {
        return near;
    }
    match collections.map(|all| all.all()).unwrap_or_default().as_slice() {
        [only] => vec![only.packages_database()],
        _ => near,
    }
}

/// Databases that do not exist are dropped.
fn sort_newest_first(candidates: &[PathBuf]) -> Vec<(PathBuf, DatabaseVersion)> {
    let mut existing: Vec<(PathBuf, DatabaseVersion)> = candidates
        .iter()
        .filter_map(|path| Some((path.clone(), DatabaseVersion::read(path)?)))
        .collect();
    existing.sort_by_key(|(_, version)| std::cmp::Reverse(version.published_at()));
    existing
}
