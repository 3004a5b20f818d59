//! Selection of the backend, local files or the configured server, and of the collection that a
//! query is about.
//!
//! With a remote backend, searches go to the server. The graph, packages and specs stay in the
//! local file, if there is one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::code_index::{CodeIndex, classify_store_error};
use super::collection_choice::NoCollection;
use super::{Engine, EngineError};
use crate::config::{Config, SETTINGS};
use crate::graph::SharedGraphCache;
use kenning_store::backends::{
    self, BACKENDS, Backend, BackendEntry, CollectionReader, Connection, View,
};
use kenning_store::code::{Reader, Snapshot};
use kenning_store::{Collection, StoreError};

impl Engine {
    /// Returns the remote backend, if the settings name one.
    ///
    /// It connects on first use and keeps the connection. A failed attempt is not remembered, so
    /// the next request tries again.
    pub fn remote_backend(&self) -> Result<Option<Arc<dyn Backend>>, EngineError> {
        let Some(name) = configured_backend(&self.config) else {
            return Ok(None);
        };
        let mut known = self.backend.lock().expect("no holder panics");
        if let Some(backend) = &*known {
            return Ok(Some(backend.clone()));
        }
        let entry = backends::find(name).ok_or_else(|| EngineError::NoSuchBackend {
            name: name.to_string(),
            known: BACKENDS.iter().map(|entry| entry.name).collect(),
        })?;
        let backend = (entry.connect)(&read_connection(&self.config, entry)?)?;
        *known = Some(backend.clone());
        Ok(Some(backend))
    }

    /// Returns every known collection by name, on any backend.
    ///
    /// On a remote backend, the directory of a collection is the place that it would have here; it
    /// need not exist.
    pub fn known_collections(&self) -> Result<Vec<Collection>, EngineError> {
        let Some(remote) = self.remote_backend()? else {
            let local = self.collections().ok_or(EngineError::NoHome)?;
            return Ok(local.all());
        };
        let home = self.config.path("home").unwrap_or_default();
        let collections = remote.collections()?.into_iter().map(|card| Collection {
            directory: home.join("collections").join(&card.name),
            root: PathBuf::from(card.root),
            name: card.name,
        });
        Ok(collections.collect())
    }

    /// Opens a collection of the remote backend.
    ///
    /// A collection that is open is not opened again. The lock is not held while the server is
    /// asked.
    pub(super) fn open_remote_code(
        &self,
        remote: &dyn Backend,
        address: Option<&str>,
    ) -> Result<Arc<CodeIndex>, EngineError> {
        if let Some(index) = address.and_then(|name| self.cached_remote(name)) {
            return Ok(index);
        }
        let collection = self.resolve_collection(&self.known_collections()?, address)?;
        if let Some(index) = self.cached_remote(&collection.name) {
            return Ok(index);
        }
        let reader = remote.open(&collection.name).map_err(|error| match error {
            StoreError::Unknown { .. } => {
                EngineError::NoCodeIndex { path: collection.root.clone() }
            }
            error => EngineError::Store(error),
        })?;
        // The machine that indexed the collection also has its graph.
        let local = Reader::open(&collection.code_database()).ok();
        let key = remote_key(&collection.name);
        let index = Arc::new(CodeIndex::with_remote(collection, local, reader));
        let mut opened = self.code.lock().expect("no holder panics");
        opened.insert(key, index.clone());
        Ok(index)
    }

    /// Removes a collection from the remote backend; without one, it does nothing.
    pub(super) fn remove_remote(&self, name: &str) -> Result<(), EngineError> {
        if let Some(remote) = self.remote_backend()? {
            remote.remove(name)?;
            let mut opened = self.code.lock().expect("no holder panics");
            opened.remove(&remote_key(name));
        }
        Ok(())
    }

    /// Returns an open remote collection, unless this machine indexed it after it was opened.
    fn cached_remote(&self, name: &str) -> Option<Arc<CodeIndex>> {
        let opened = self.code.lock().expect("no holder panics");
        let index = opened.get(&remote_key(name))?;
        let is_behind = index.local.is_none() && index.collection.has_code();
        (!is_behind).then(|| index.clone())
    }

    /// Resolves an address to a remote collection; see [`Engine::choose_collection`].
    pub(super) fn resolve_collection(
        &self,
        all: &[Collection],
        address: Option<&str>,
    ) -> Result<Collection, EngineError> {
        self.choose_collection(all, address).map_err(|reason| match reason {
            NoCollection::UnknownAddress { path } => EngineError::NoSuchCollection {
                address: address.unwrap_or_default().to_string(),
                path,
                known: all.iter().map(|one| one.name.clone()).collect(),
            },
            NoCollection::UnknownRoot { root } => EngineError::NoCodeIndex { path: root },
        })
    }
}

impl CodeIndex {
    /// Creates an index whose searches go to the server.
    pub(super) fn with_remote(
        collection: Collection,
        local: Option<Reader>,
        reader: Box<dyn CollectionReader>,
    ) -> CodeIndex {
        CodeIndex {
            collection,
            local,
            remote: Some(reader),
            graph_cache: SharedGraphCache::default(),
            behind: Mutex::default(),
        }
    }

    /// Returns the checkout to compare with; `None` if the collection was indexed on another
    /// machine.
    pub(super) fn checkout(&self) -> Option<&Path> {
        let is_elsewhere = self.remote.is_some() && !self.collection.has_root();
        (!is_elsewhere).then_some(&*self.collection.root)
    }

    /// Returns a snapshot of the local index, for queries that only the local file answers.
    pub(super) fn snapshot(&self) -> Result<Snapshot<'_>, EngineError> {
        let local = self
            .local
            .as_ref()
            .ok_or_else(|| EngineError::GraphNotLocal { name: self.collection.name.clone() })?;
        local.snapshot().map_err(classify_store_error)
    }

    /// Returns a view of the collection on its backend.
    pub(super) fn view(&self) -> Result<Box<dyn View + '_>, EngineError> {
        match &self.remote {
            Some(remote) => remote.view().map_err(|error| match error {
                StoreError::Unknown { .. } => {
                    EngineError::NoCodeIndex { path: self.collection.root.clone() }
                }
                error => EngineError::Store(error),
            }),
            None => Ok(Box::new(self.snapshot()?)),
        }
    }
}

/// Returns the key of an open remote collection in the map of open indexes.
///
/// Local indexes are keyed by absolute paths, so a relative key cannot clash with one.
fn remote_key(name: &str) -> PathBuf {
    PathBuf::from("server").join(name)
}

/// Returns the configured backend, unless it is the default.
fn configured_backend(config: &Config) -> Option<&str> {
    let is_default = |name: &&str| *name == BACKENDS[0].name;
    config.text("backend").filter(|name| !is_default(name))
}

/// Reads the backend's settings, which are grouped under its name.
///
/// A backend without an address cannot work, so a missing one is an error with the variable to set.
fn read_connection(config: &Config, entry: &BackendEntry) -> Result<Connection, EngineError> {
    let (backend, variable) = (entry.name, entry.variable);
    let key = |name: &str| {
        let key = format!("{backend}.{name}");
        SETTINGS.iter().find(|setting| setting.key == key).map(|setting| setting.key)
    };
    let text = |name: &str| key(name).and_then(|key| config.text(key));
    let number = |name: &str| key(name).and_then(|key| config.number(key));
    let url = text("url").ok_or_else(|| StoreError::Server {
        backend,
        what: "no address is set".to_string(),
        remedy: format!("set {variable}, or {backend}.url in your own settings"),
    })?;
    Ok(Connection {
        url: url.to_string(),
        key: text("key").map(str::to_string),
        shards: number("shards").map(|number| number as u32),
        replicas: number("replicas").map(|number| number as u32),
    })
}
