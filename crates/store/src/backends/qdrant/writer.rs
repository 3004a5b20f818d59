//! Writes changes in an order in which readers see each file whole. First come its new chunks,
//! which do not count yet. Then comes its point, which makes them count. The old chunks go last.
//!
//! The server has no locks. Each writer puts its own mark on the collection when it begins, and
//! checks it before and after each batch. Of two writers the younger continues and the older fails.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::http::Http;
use super::points;
use super::{ClusterLayout, file_id, match_any, match_value, schema};
use crate::StoreError;
use crate::backends::remote_api::Overview;
use crate::backends::rows_to_store::{self, version};
use crate::backends::{CollectionInfo, CollectionWriter, WriterStart};
use crate::code::{Changes, FileUpdate, IndexSettings, Touch};
use kenning_model::RepoPath;

/// The writer of a collection.
pub struct QdrantWriter {
    http: Arc<Http>,
    card: CollectionInfo,
    settings: IndexSettings,
    collection: String,
    /// The payload of the state point, as this writer last wrote it.
    state: Value,
    /// The random id of this writer; see the module's header.
    writer_id: String,
    /// The files that there are, each with its hash.
    known: BTreeMap<RepoPath, [u8; 32]>,
    is_published: bool,
}

/// The pauses before a look at the writer id fails. A replica that lags may show the id of the
/// writer before for a moment.
const LOOKS_MS: [u64; 3] = [0, 200, 1000];

/// The size of a request. The server replies after it has stored a batch, so at most one is under
/// way.
const BATCH_POINTS: usize = 256;
const BATCH_BYTES: usize = 4 << 20;

/// The most operations in one batch request.
const BATCH_OPERATIONS: usize = 64;

impl QdrantWriter {
    /// Opens or creates the collection and registers as its writer.
    pub fn begin(
        http: Arc<Http>,
        spread: ClusterLayout,
        card: &CollectionInfo,
        settings: &IndexSettings,
        begin: WriterStart,
    ) -> Result<QdrantWriter, StoreError> {
        schema::prepare(&http, spread)?;
        let shown = schema::resolve_alias(&http, &schema::alias(&card.name))?;
        let places = schema::list_collections(&http, &card.name)?;
        for draft in places.iter().filter(|place| shown.as_ref() != Some(place)) {
            schema::drop_collection(&http, draft)?;
        }
        let usable = match &shown {
            Some(place) if begin == WriterStart::Update => {
                let state = schema::read_state(&http, place)?.unwrap_or_default();
                let made = rows_to_store::parse_settings(&state["settings"]);
                (made.as_ref() == Some(settings)).then(|| (place.clone(), state))
            }
            _ => None,
        };
        let is_published = usable.is_some() || shown.is_none();
        let (collection, state) = match usable {
            Some(usable) => usable,
            None => create_next(&http, card, &places, settings, spread)?,
        };
        // A new collection is published at once, so that readers see it grow.
        if shown.is_none() {
            schema::publish(&http, card, &collection)?;
        }
        let was_interrupted = state["writing"].as_bool() == Some(true);
        let mark = new_writer_id();
        let mut writing = QdrantWriter {
            http,
            card: card.clone(),
            settings: settings.clone(),
            collection,
            known: BTreeMap::new(),
            state,
            writer_id: mark,
            is_published,
        };
        writing.state["writing"] = Value::Bool(true);
        writing.state["writer"] = Value::from(writing.writer_id.as_str());
        writing.put_state()?;
        writing.known = writing.list_files()?;
        // The writer before did not end, or has not yet: it may have left chunks of any file.
        if was_interrupted {
            writing.remove_stray_chunks()?;
        }
        Ok(writing)
    }

    fn put_state(&self) -> Result<(), StoreError> {
        schema::put_state(&self.http, &self.collection, &self.state)
    }

    /// Sends a request for this collection. If it is gone, somebody else has replaced or removed
    /// it.
    fn send(&self, method: &str, what: &str, body: &Value) -> Result<Value, StoreError> {
        let path = format!("/collections/{}/points{what}", self.collection);
        let answer = self.http.ask(method, &path, body)?;
        match answer.status {
            404 => Err(self.overtaken_error()),
            _ => answer.success(method, &path),
        }
    }

    /// Fails if another writer has begun since.
    fn check_writer(&self) -> Result<(), StoreError> {
        for wait in LOOKS_MS {
            std::thread::sleep(Duration::from_millis(wait));
            match schema::read_state(&self.http, &self.collection)? {
                Some(state) if state["writer"] == self.writer_id.as_str() => return Ok(()),
                Some(_) => {}
                None => break,
            }
        }
        Err(self.overtaken_error())
    }

    fn overtaken_error(&self) -> StoreError {
        StoreError::Busy {
            path: self.card.name.clone().into(),
            holder: "another indexer, through the server; it began after this one, which has \
                     stopped: let one at a time index a collection"
                .to_string(),
        }
    }

    /// Removes chunks that do not count, because their file does not exist or has another version.
    fn remove_stray_chunks(&self) -> Result<(), StoreError> {
        let filter = json!({ "must": [match_value("point_type", "chunk")] });
        let fields = json!(["path", "version"]);
        let mut body = json!({ "limit": 1000, "with_payload": fields, "filter": filter });
        let mut stray = Vec::new();
        loop {
            let page = self.send("POST", "/scroll", &body)?;
            for point in page["points"].as_array().into_iter().flatten() {
                let path = point["payload"]["path"].as_str().and_then(RepoPath::new);
                let known = path.and_then(|path| self.known.get(&path));
                if known.is_none_or(|hash| point["payload"]["version"] != version(hash)) {
                    stray.push(point["id"].clone());
                }
            }
            match &page["next_page_offset"] {
                Value::Null => break,
                next => body["offset"] = next.clone(),
            }
        }
        for ids in stray.chunks(1000) {
            self.send("POST", "/delete?wait=true", &json!({ "points": ids }))?;
        }
        Ok(())
    }

    /// Returns the files that exist, each with its hash.
    fn list_files(&self) -> Result<BTreeMap<RepoPath, [u8; 32]>, StoreError> {
        let mut known = BTreeMap::new();
        let fields = json!(points::FILE_FIELDS);
        let filter = json!({ "must": [match_value("point_type", "file")] });
        let mut body = json!({ "limit": 1000, "with_payload": fields, "filter": filter });
        loop {
            let page = self.send("POST", "/scroll", &body)?;
            for point in page["points"].as_array().into_iter().flatten() {
                let row = points::file_row(&point["payload"])
                    .and_then(|row| Some((RepoPath::new(&row.path)?, row.hash)));
                known.extend(row);
            }
            match &page["next_page_offset"] {
                Value::Null => return Ok(known),
                next => body["offset"] = next.clone(),
            }
        }
    }

    /// Writes points in batches that are bounded in number and size.
    fn upsert(&self, points: impl Iterator<Item = Value>) -> Result<(), StoreError> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        for point in points {
            // Vectors and texts are most of it.
            let size = point["vector"]["trigrams"]["indices"].as_array().map_or(0, Vec::len) * 14
                + point["payload"]["text_blob"].as_str().map_or(0, str::len)
                + 4096;
            if !batch.is_empty() && (batch.len() >= BATCH_POINTS || bytes + size > BATCH_BYTES) {
                let full = json!({ "points": std::mem::take(&mut batch) });
                self.send("PUT", "?wait=true", &full)?;
                bytes = 0;
            }
            bytes += size;
            batch.push(point);
        }
        if !batch.is_empty() {
            self.send("PUT", "?wait=true", &json!({ "points": batch }))?;
        }
        Ok(())
    }

    /// Runs update operations in batches.
    fn run_operations(&self, operations: &[Value]) -> Result<(), StoreError> {
        for operations in operations.chunks(BATCH_OPERATIONS) {
            self.send("POST", "/batch?wait=true", &json!({ "operations": operations }))?;
        }
        Ok(())
    }

    /// Removes files: the file's point first, because without it its chunks do not count.
    fn remove(&mut self, paths: &[RepoPath]) -> Result<(), StoreError> {
        if paths.is_empty() {
            return Ok(());
        }
        for paths in paths.chunks(1000) {
            let ids: Vec<Value> = paths.iter().map(|path| file_id(path.as_str())).collect();
            self.send("POST", "/delete?wait=true", &json!({ "points": ids }))?;
            let names: Vec<&str> = paths.iter().map(RepoPath::as_str).collect();
            let chunks = json!({ "filter": { "must": [match_value("point_type", "chunk"), match_any("path", &names)] } });
            self.send("POST", "/delete?wait=true", &chunks)?;
        }
        for path in paths {
            self.known.remove(path);
        }
        Ok(())
    }

    /// Writes files in the order that the module's header describes.
    fn update(&mut self, updates: &[FileUpdate]) -> Result<(), StoreError> {
        self.upsert(updates.iter().flat_map(points::chunk_points))?;
        self.upsert(updates.iter().map(points::file_point))?;
        // Only what this writer has seen: whatever else there is of a file may be another writer's.
        let old = updates.iter().filter_map(|update| {
            let path = &update.stamp.path;
            let known = self.known.get(path).filter(|hash| **hash != update.hash)?;
            let old = [
                match_value("point_type", "chunk"),
                match_value("path", path.as_str()),
                match_value("version", version(known)),
            ];
            Some(json!({ "delete": { "filter": { "must": old } } }))
        });
        self.run_operations(&old.collect::<Vec<_>>())?;
        let known = updates.iter().map(|update| (update.stamp.path.clone(), update.hash));
        self.known.extend(known);
        Ok(())
    }

    /// Updates the stamps and packages of files whose content did not change.
    fn touch(&self, touched: &[Touch]) -> Result<(), StoreError> {
        let operations = touched.iter().flat_map(|touch| {
            let path = touch.stamp.path.as_str();
            let file = json!({
                "size": touch.stamp.size,
                "modified_ns": touch.stamp.modified_ns,
                "package": touch.package,
            });
            let of_path =
                json!({ "must": [match_value("point_type", "chunk"), match_value("path", path)] });
            [
                json!({ "set_payload": { "payload": file, "points": [file_id(path)] } }),
                json!({ "set_payload": {
                    "payload": { "package": touch.package },
                    "filter": of_path,
                } }),
            ]
        });
        self.run_operations(&operations.collect::<Vec<_>>())
    }
}

/// Creates the collection of a new state, numbered one higher than those of `places`, and returns
/// its name and its state.
fn create_next(
    http: &Http,
    card: &CollectionInfo,
    places: &[String],
    settings: &IndexSettings,
    spread: ClusterLayout,
) -> Result<(String, Value), StoreError> {
    let numbers = places.iter().filter_map(|place| place.rsplit('_').next()?.parse().ok());
    let next: u64 = numbers.max().unwrap_or(0) + 1;
    let collection = format!("{}_{next}", schema::alias(&card.name));
    schema::create(http, card, &collection, settings, spread)?;
    let state = schema::read_state(http, &collection)?.unwrap_or_default();
    Ok((collection, state))
}

impl Drop for QdrantWriter {
    /// Drops the collection of a build that was not published, to free its space.
    fn drop(&mut self) {
        if !self.is_published
            && let Err(error) = schema::drop_collection(&self.http, &self.collection)
        {
            tracing::debug!("{} stays: {error}", self.collection);
        }
    }
}

impl CollectionWriter for QdrantWriter {
    fn known_files(&mut self) -> Result<BTreeMap<RepoPath, [u8; 32]>, StoreError> {
        Ok(self.known.clone())
    }

    fn apply(&mut self, changes: &Changes) -> Result<u64, StoreError> {
        for update in &changes.updated {
            rows_to_store::check_dimensions(update, &self.settings)?;
        }
        // Before anything is written.
        self.check_writer()?;
        self.remove(&changes.removed)?;
        self.update(&changes.updated)?;
        self.touch(&changes.touched)?;
        let known = rows_to_store::parse_overview(&self.state["overview"]);
        let overview = Overview {
            skips: changes.skipped.clone().unwrap_or(known.skips),
            read_errors: changes.read_errors.clone().unwrap_or(known.read_errors),
        };
        self.state["overview"] = rows_to_store::overview_json(&overview);
        for (name, value) in &changes.metadata {
            self.state["metadata"][name] = Value::from(value.as_str());
        }
        let generation = self.state["generation"].as_u64().unwrap_or_default() + 1;
        self.state["generation"] = Value::from(generation);
        self.check_writer()?;
        self.put_state()?;
        Ok(generation)
    }

    fn publish(mut self: Box<Self>) -> Result<(), StoreError> {
        self.check_writer()?;
        self.state["writing"] = Value::Bool(false);
        self.put_state()?;
        if !self.is_published {
            schema::publish(&self.http, &self.card, &self.collection)?;
            self.is_published = true;
        }
        Ok(())
    }
}

/// Returns an id that no other writer has, in this process or another.
fn new_writer_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(&since.unwrap_or_default().as_nanos().to_le_bytes())
        .update(&std::process::id().to_le_bytes())
        .update(&NEXT.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    hasher.finalize().to_hex()[..16].to_string()
}
