//! Where the searchable facts of a collection may live, behind one border: a file in `KEN_HOME`, or a
//! server that many machines share. What a word is, what it weighs, how lists become one answer and
//! what a glob means is ours for all of them, and not decided here.
//!
//! Two traits, both blocking and over our own types. [`View`] is what questions are asked of. The
//! embedded store answers them by itself; for a server, [`remote`] answers them out of the few things
//! that [`server::Server`] asks of one. Adding a server is one file and one line in [`BACKENDS`].

mod embedded;
mod filter_pushdown;
mod http_client;
mod peer;
mod postgres;
mod qdrant;
mod remote;
mod remote_api;
mod remote_rows;
mod remote_view;
mod text;
mod trigrams;
mod view;

use super::StoreError;
use super::code::{Changes, IndexSettings};
use kenning_model::RepoPath;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use peer::Peer;
pub use view::View;

/// A row of the registry.
pub struct BackendEntry {
    pub name: &'static str,
    pub caps: Caps,
    pub summary: &'static str,
    /// The variable that says where it is; empty for the one that is always there.
    pub variable: &'static str,
    /// Ready to be asked; whether anybody answers is seen with the first question.
    pub connect: fn(&Connection) -> Result<Arc<dyn Backend>, StoreError>,
}

/// All of them; the first is the default.
pub const BACKENDS: &[BackendEntry] = &[embedded::ENTRY, qdrant::ENTRY, postgres::ENTRY];

/// The capabilities in which backends differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// True if a question sees one state of the whole collection; else one state of each file.
    pub snapshots: bool,
    /// True if search by meaning looks at every vector; else large collections are approximated.
    pub exact_vectors: bool,
    /// True if how rare a word is follows every change at once; else what was replaced or removed
    /// counts until the server tidies up.
    pub exact_rarity: bool,
    /// True if another machine sees what this one has stored.
    pub shared: bool,
}

/// Where a backend is, as the settings say.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// A folder or an address.
    pub url: String,
    pub key: Option<String>,
    /// Into how many parts a server divides a collection, and how many copies it keeps of each.
    pub shards: Option<u32>,
    pub replicas: Option<u32>,
}

/// A collection as a server knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionInfo {
    pub name: String,
    /// The root on the machine that indexed it.
    pub root: String,
    /// The address of that machine's `ken http`, if it has said one.
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

/// A place that holds collections. Any number of threads may ask at once.
pub trait Backend: Send + Sync {
    /// Checks that the backend answers, and returns its description. Changes nothing there.
    fn server_info(&self) -> Result<ServerInfo, StoreError>;

    /// Every collection, by name.
    fn collections(&self) -> Result<Vec<CollectionInfo>, StoreError>;

    /// One collection to read; [`StoreError::Unknown`] if there is none of that name.
    fn open(&self, name: &str) -> Result<Box<dyn CollectionReader>, StoreError>;

    /// Opens a collection for writing; creates it if there is none. A collection with other
    /// settings is rebuilt, as is every one with [`Begin::Anew`]. Readers see the old state until
    /// [`CollectionWriter::publish`]. If there is no old state they see the new one grow.
    fn write(
        &self,
        card: &CollectionInfo,
        settings: &IndexSettings,
        begin: Begin,
    ) -> Result<Box<dyn CollectionWriter>, StoreError>;

    /// Removes a collection and all that it holds.
    fn remove(&self, name: &str) -> Result<(), StoreError>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// With what is there.
    Update,
    /// With nothing; what is there stays until the new state is whole.
    Rebuild,
}

/// One open collection.
pub trait CollectionReader: Send + Sync {
    /// Its newest state, for one request.
    fn view(&self) -> Result<Box<dyn View + '_>, StoreError>;
}

/// Takes what an indexer found. Everything may be said twice: the outcome is the same.
pub trait CollectionWriter {
    /// The files whose records can be seen, each with the hash of its content.
    fn known_files(&mut self) -> Result<BTreeMap<RepoPath, [u8; 32]>, StoreError>;

    /// Makes all of `changes` true and returns the new generation. A file's record changes last, so
    /// that a reader sees all of its old state or all of its new one.
    fn apply(&mut self, changes: &Changes) -> Result<u64, StoreError>;

    /// Publishes a rebuilt collection in place of the old one.
    fn publish(self: Box<Self>) -> Result<(), StoreError>;
}

/// The backend of that name.
pub fn find(name: &str) -> Option<&'static BackendEntry> {
    BACKENDS.iter().find(|entry| entry.name == name)
}
