//! The package facts in memory: which database is meant, loaded once per published state.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::{Engine, EngineError, Target};
use crate::index::packages::count_changed;
use crate::model::Problem;
use crate::query::packages::{PackageGraph, PackageId, search};
use crate::source;
use crate::store::StoreError;
use crate::store::packages::{PackageReader, Stamp, Version};

/// One published state of one package database. A request keeps the one that it began with.
pub struct PackageView {
    pub graph: PackageGraph,
    pub problems: Vec<Problem>,
    /// As `shire_meta` has it.
    pub meta: BTreeMap<String, String>,
    stamps: Vec<Stamp>,
    reader: Mutex<PackageReader>,
}

pub struct Cached {
    database: PathBuf,
    version: Version,
    view: Arc<PackageView>,
}

/// How far the index is behind the tree.
pub struct Freshness {
    /// The commit that is checked out now.
    pub current_commit: Option<String>,
    /// Known manifests that differ from what was indexed, or are gone. New ones are not seen.
    pub changed_manifests: usize,
}

impl PackageView {
    /// The packages that match `query`, best first.
    pub fn search(&self, query: &str, limit: usize) -> Result<Vec<PackageId>, EngineError> {
        let reader = self.reader.lock().expect("no holder panics");
        Ok(search(&reader, &self.graph, query, limit)?)
    }

    /// The root that was indexed, if it is still there.
    pub fn root(&self) -> Option<PathBuf> {
        let root = self.meta.get("root").map(PathBuf::from);
        root.filter(|root| source::check_directory(root).is_ok())
    }

    /// `None` if the root that was indexed is not known or gone.
    pub fn freshness(&self) -> Option<Freshness> {
        let root = self.root()?;
        Some(Freshness {
            current_commit: source::head_commit(&root),
            changed_manifests: count_changed(&root, &self.stamps),
        })
    }
}

/// Of several databases the one that was built last: whoever ran `shire build` after `ken index`
/// means the former. One that is not ours is passed over if another is.
pub fn view(engine: &Engine) -> Result<Arc<PackageView>, EngineError> {
    let mut failure = None;
    let mut candidates = candidates(engine);
    candidates.retain(|database| engine.check_shire_database(database).is_ok());
    for (database, version) in newest_first(&candidates) {
        match cached_or_loaded(engine, database, version) {
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

fn cached_or_loaded(
    engine: &Engine,
    database: PathBuf,
    version: Version,
) -> Result<Arc<PackageView>, EngineError> {
    let mut cached = engine.packages.lock().expect("no holder panics");
    if let Some(cached) = cached.as_ref()
        && cached.database == database
        && cached.version == version
    {
        return Ok(cached.view.clone());
    }
    let mut view = load(&database)?;
    if engine.is_of_repository(&database) {
        // A database that was checked in may name any root; it is about the one that it lies in.
        let root = engine.config.root().to_string_lossy().into_owned();
        view.meta.insert("root".to_string(), root);
    }
    let view = Arc::new(view);
    *cached = Some(Cached { database, version, view: view.clone() });
    Ok(view)
}

fn load(database: &Path) -> Result<PackageView, EngineError> {
    let opened = PackageReader::open(database).and_then(|reader| {
        let contents = reader.contents()?;
        Ok((reader, contents))
    });
    let (reader, contents) = match opened {
        Ok(opened) => opened,
        Err(error @ (StoreError::Foreign { .. } | StoreError::Sql { .. })) => {
            return Err(EngineError::OtherIndex(error));
        }
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

/// Where the facts that are meant may be: the collection's own database, and what `shire build`
/// left in the repository.
fn candidates(engine: &Engine) -> Vec<PathBuf> {
    let collections = engine.collections();
    let root = match &engine.target {
        Target::Database(path) => return vec![path.clone()],
        Target::Root(root) | Target::Nearest(root) => root,
    };
    let own = collections.as_ref().and_then(|all| all.by_root(root));
    let own = own.map(|collection| collection.packages_database());
    let near: Vec<PathBuf> = own.into_iter().chain([engine.shire_database()]).collect();
    if !engine.takes_the_only_one() || near.iter().any(|path| Version::of(path).is_some()) {
        return near;
    }
    match collections.map(|all| all.all()).unwrap_or_default().as_slice() {
        [only] => vec![only.packages_database()],
        _ => near,
    }
}

fn newest_first(candidates: &[PathBuf]) -> Vec<(PathBuf, Version)> {
    let existing = candidates.iter();
    let mut existing: Vec<(PathBuf, Version)> =
        existing.filter_map(|path| Some((path.clone(), Version::of(path)?))).collect();
    existing.sort_by_key(|(_, version)| std::cmp::Reverse(version.modified()));
    existing
}
