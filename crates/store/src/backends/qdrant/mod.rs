//! Qdrant, over REST: one Qdrant collection for each state of ours, behind an alias that a rebuild
//! switches.
//!
//! A chunk is a point with two vectors, `dense` and the sparse `bm25`, whose idf the server
//! computes. A file is a point too, with its words and trigrams as sparse vectors and its
//! compressed text. There are no transactions, so a chunk counts only if its file's point has the
//! same version: new chunks come first, unseen, then the file's point, and the old chunks are
//! removed last. Ids are hashes of path, version and ordinal, so a repeated request stores nothing
//! twice.
//!
//!   point state  id 0               settings, generation, metadata, writer
//!   point file   hash of path       row, name hashes, text_blob, symbols_blob; words, trigrams
//!   point chunk  hash of path, version, ordinal     row; dense, bm25

mod filter;
mod http;
mod points;
mod reader;
mod schema;
mod writer;

use std::sync::Arc;

use serde_json::{Value, json};

use self::http::Http;
use super::remote_api::{CollectionState, Records, Server};
use super::remote_collection::RemoteCollection;
use super::{
    Backend, BackendCapabilities, BackendEntry, CollectionInfo, CollectionReader, CollectionWriter,
    Connection, ServerInfo, WriterStart,
};
use crate::StoreError;
use crate::code::IndexSettings;

pub const ENTRY: BackendEntry = BackendEntry {
    name: "qdrant",
    caps: BackendCapabilities {
        snapshots: false,
        exact_vectors: false,
        exact_rarity: false,
        shared: true,
    },
    summary: "Qdrant, at QDRANT_URL",
    variable: "QDRANT_URL",
    connect: |connection| Ok(Arc::new(Qdrant::new(connection)?)),
};

const NAME: &str = "qdrant";

/// A Qdrant server or cluster.
#[derive(Clone)]
pub struct Qdrant {
    http: Arc<Http>,
    layout: ClusterLayout,
}

/// The number of shards and replicas of new collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClusterLayout {
    shards: u32,
    replicas: u32,
}

impl Qdrant {
    fn new(connection: &Connection) -> Result<Qdrant, StoreError> {
        Ok(Qdrant {
            http: Arc::new(Http::new(&connection.url, connection.key.as_deref())?),
            layout: ClusterLayout {
                shards: connection.shards.unwrap_or(1).max(1),
                replicas: connection.replicas.unwrap_or(1).max(1),
            },
        })
    }
}

impl Server for Qdrant {
    fn begin(&self, name: &str) -> Result<(CollectionState, Box<dyn Records + '_>), StoreError> {
        let collection = schema::alias(name);
        let unknown = || StoreError::Unknown { name: name.to_string() };
        let state = schema::read_state(&self.http, &collection)?.ok_or_else(unknown)?;
        let settings = super::rows_to_store::parse_settings(&state["settings"]);
        let head = CollectionState {
            location: state["collection"].as_str().unwrap_or_default().to_string(),
            generation: state["generation"].as_u64().unwrap_or_default(),
            settings: settings.ok_or_else(|| StoreError::WrongFormat {
                path: name.into(),
                found: "another version of Kenning made it".to_string(),
            })?,
            metadata: serde_json::from_value(state["metadata"].clone()).unwrap_or_default(),
        };
        // The alias may come to stand for another while this one is asked.
        let points = reader::PublishedPoints::new(&self.http, head.location.clone(), state);
        Ok((head, Box::new(points)))
    }
}

impl Backend for Qdrant {
    fn server_info(&self) -> Result<ServerInfo, StoreError> {
        let version = schema::check_version(&self.http)?;
        let nodes = match schema::count_nodes(&self.http) {
            Some(nodes) => format!(", a cluster of {nodes}"),
            None => String::new(),
        };
        Ok(ServerInfo {
            server: format!("Qdrant {version}{nodes}"),
            silent_urls: self.http.unresponsive_nodes(),
        })
    }

    fn collections(&self) -> Result<Vec<CollectionInfo>, StoreError> {
        schema::list_infos(&self.http)
    }

    fn open(&self, name: &str) -> Result<Box<dyn CollectionReader>, StoreError> {
        Ok(Box::new(RemoteCollection::open(Arc::new(self.clone()), name)?))
    }

    fn write(
        &self,
        card: &CollectionInfo,
        settings: &IndexSettings,
        begin: WriterStart,
    ) -> Result<Box<dyn CollectionWriter>, StoreError> {
        let http = self.http.clone();
        let writing = writer::QdrantWriter::begin(http, self.layout, card, settings, begin)?;
        Ok(Box::new(writing))
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        schema::remove(&self.http, name)
    }
}

/// Returns the id of a point: a hash of its identity, formatted as a UUID. The lengths are hashed
/// too, so that no two lists of parts collide.
fn point_id(parts: &[&str]) -> Value {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    let hex = hasher.finalize().to_hex();
    let part = |range: std::ops::Range<usize>| &hex[range];
    Value::from(format!(
        "{}-{}-{}-{}-{}",
        part(0..8),
        part(8..12),
        part(12..16),
        part(16..20),
        part(20..32)
    ))
}

fn file_id(path: &str) -> Value {
    point_id(&["file", path])
}

fn chunk_id(path: &str, version: &str, ordinal: u32) -> Value {
    point_id(&["chunk", path, version, &ordinal.to_string()])
}

/// The condition that a field has this value.
fn match_value(key: &str, value: impl Into<Value>) -> Value {
    json!({ "key": key, "match": { "value": value.into() } })
}

/// The condition that a field has one of these values.
fn match_any<T: Into<Value> + Clone>(key: &str, values: &[T]) -> Value {
    let values: Vec<Value> = values.iter().cloned().map(Into::into).collect();
    json!({ "key": key, "match": { "any": values } })
}
