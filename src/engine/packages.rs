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

pub fn view(engine: &Engine) -> Result<Arc<PackageView>, EngineError> {
    let (database, version) = locate(engine)?;
    let mut cached = engine.packages.lock().expect("no holder panics");
    if let Some(cached) = cached.as_ref()
        && cached.database == database
        && cached.version == version
    {
        return Ok(cached.view.clone());
    }
    let view = Arc::new(load(&database)?);
    *cached = Some(Cached {
        database,
        version,
        view: view.clone(),
    });
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

/// The database that is meant, with its version now.
fn locate(engine: &Engine) -> Result<(PathBuf, Version), EngineError> {
    let candidates = match &engine.target {
        Target::Database(path) => vec![path.clone()],
        Target::Root(root) => of_root(engine, root),
        Target::WorkingDirectory(directory) => {
            let mut near = directory.ancestors().map(|above| of_root(engine, above));
            let near = near.find(|candidates| newest(candidates).is_some());
            near.unwrap_or_else(|| only_collection(engine))
        }
    };
    newest(&candidates).ok_or_else(|| EngineError::NoPackageIndex {
        looked_at: match &engine.target {
            Target::Root(path) | Target::WorkingDirectory(path) | Target::Database(path) => {
                path.clone()
            }
        },
    })
}

/// Where facts of this root may be: the collection's own database, and what `shire build` left.
fn of_root(engine: &Engine, root: &Path) -> Vec<PathBuf> {
    let collection = engine.collections().and_then(|all| all.by_root(root));
    let collection = collection.map(|collection| collection.packages_database());
    let shire = match root == engine.config.root() {
        true => engine.shire_database(),
        false => root.join(".shire").join("index.db"),
    };
    collection.into_iter().chain([shire]).collect()
}

fn only_collection(engine: &Engine) -> Vec<PathBuf> {
    let collections = engine
        .collections()
        .map(|all| all.all())
        .unwrap_or_default();
    match collections.as_slice() {
        [only] => vec![only.packages_database()],
        _ => Vec::new(),
    }
}

/// The one that was built last; whoever ran `shire build` after `ken index` means the former.
fn newest(candidates: &[PathBuf]) -> Option<(PathBuf, Version)> {
    let existing = candidates
        .iter()
        .filter_map(|path| Some((path.clone(), Version::of(path)?)));
    existing.max_by_key(|(_, version)| version.modified())
}
