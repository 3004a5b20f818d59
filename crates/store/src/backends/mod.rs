//! The backends: the places where the searchable facts of a collection may live. The embedded store
//! is a file under `KEN_HOME`; Qdrant and PostgreSQL are servers that many machines share.
//!
//! Tokenizing, weights, fusion and the meaning of globs are the same for all of them, and decided
//! elsewhere.
//!
//! All traits are blocking and use our own types. [`View`] has the queries. The embedded store
//! answers them by itself; for a server, `remote_view` answers them out of the few requests of
//! `remote_api::Server`. Adding a server is one folder and one line in [`BACKENDS`].
//!
//!   View ◄── Snapshot (embedded)
//!        ◄── RemoteView ──► Records ◄── qdrant::reader, postgres::reader

mod embedded;
mod filter_pushdown;
mod http_client;
mod indexer_peer;
mod postgres;
mod qdrant;
mod remote_api;
mod remote_collection;
mod remote_grep;
mod remote_view;
mod rows_to_store;
mod trigrams;
mod view;

use super::StoreError;
use super::code::{Changes, IndexSettings};
use kenning_model::RepoPath;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use indexer_peer::Peer;
pub use view::View;

/// An entry of the registry.
pub struct BackendEntry {
    pub name: &'static str,
    pub caps: BackendCapabilities,
    pub summary: &'static str,
    /// The environment variable with its address; empty for the embedded store, which needs none.
    pub variable: &'static str,
    /// Prepares a connection. Whether the server answers is seen with the first request.
    pub connect: fn(&Connection) -> Result<Arc<dyn Backend>, StoreError>,
}

/// All backends; the first is the default.
pub const BACKENDS: &[BackendEntry] = &[embedded::ENTRY, qdrant::ENTRY, postgres::ENTRY];

/// The capabilities in which backends differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackendCapabilities {
    /// True if a query sees one state of the whole collection; else one state of each file.
    pub snapshots: bool,
    /// True if vector search compares every vector; else large collections are approximated.
    pub exact_vectors: bool,
    /// True if document frequencies follow every change at once; else replaced chunks count until
    /// the server cleans up.
    pub exact_rarity: bool,
    /// True if other machines see the same collections.
    pub shared: bool,
}

/// The address of a backend, from the settings.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// A folder or a URL.
    pub url: String,
    pub key: Option<String>,
    /// The number of shards of a new collection, and of copies of each. Only Qdrant uses them.
    pub shards: Option<u32>,
    pub replicas: Option<u32>,
}

/// A collection in the registry of a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionInfo {
    pub name: String,
    /// The root on the machine that indexed it.
    pub root: String,
    /// The address of that machine's `ken http`, if it is configured: the peer.
    pub advertised_url: Option<String>,
}

/// A backend that answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerInfo {
    /// The name and versions of the server, for the user.
    pub server: String,
    /// The addresses at which no server answers, if several are configured.
    pub silent_urls: Vec<String>,
}

/// A place that holds collections. Safe to use from any number of threads.
pub trait Backend: Send + Sync {
    /// Checks that the backend answers, and returns its description. Changes nothing there.
    fn server_info(&self) -> Result<ServerInfo, StoreError>;

    /// Returns every collection, by name.
    fn collections(&self) -> Result<Vec<CollectionInfo>, StoreError>;

    /// Opens a collection for reading; [`StoreError::Unknown`] if there is none of that name.
    fn open(&self, name: &str) -> Result<Box<dyn CollectionReader>, StoreError>;

    /// Opens a collection for writing; creates it if there is none. A collection with other
    /// settings is rebuilt, as is every one with [`WriterStart::Rebuild`]. Readers see the old state until
    /// [`CollectionWriter::publish`]. If there is no old state they see the new one grow.
    fn write(
        &self,
        card: &CollectionInfo,
        settings: &IndexSettings,
        begin: WriterStart,
    ) -> Result<Box<dyn CollectionWriter>, StoreError>;

    /// Removes a collection with all its data.
    fn remove(&self, name: &str) -> Result<(), StoreError>;
}

/// The state that a writer begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriterStart {
    /// Updates the stored state.
    Update,
    /// Starts empty. The old state stays until the new one is complete.
    Rebuild,
}

/// One open collection.
pub trait CollectionReader: Send + Sync {
    /// Returns its newest state, for one request.
    fn view(&self) -> Result<Box<dyn View + '_>, StoreError>;
}

/// Receives the changes of an indexer. Applying the same changes twice has the same outcome as
/// once, so a caller may retry.
pub trait CollectionWriter {
    /// The files whose records can be seen, each with the hash of its content.
    fn known_files(&mut self) -> Result<BTreeMap<RepoPath, [u8; 32]>, StoreError>;

    /// Makes all of `changes` true and returns the new generation. A file's record changes last, so
    /// that a reader sees all of its old state or all of its new one.
    fn apply(&mut self, changes: &Changes) -> Result<u64, StoreError>;

    /// Publishes a rebuilt collection in place of the old one.
    fn publish(self: Box<Self>) -> Result<(), StoreError>;
}

/// Returns the backend of that name.
pub fn find(name: &str) -> Option<&'static BackendEntry> {
    BACKENDS.iter().find(|entry| entry.name == name)
}
