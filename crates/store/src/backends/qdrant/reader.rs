//! Reads a collection of the server in its current state. A chunk counts only if the point of its
//! file names the same version. Other chunks are not published yet, or already replaced.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Value, json};

use super::filter::{conditions, require_all};
use super::http::Http;
use super::points::{self, FILE_FIELDS, chunk_row, file_row};
use super::{file_id, match_any, match_value};
use crate::StoreError;
use crate::backends::remote_api::{
    AllFiles, ChunkRow, FileRow, Overview, PartRow, Records, Retrieval, Selection, Size, StoredPart,
};
use crate::backends::rows_to_store;
use kenning_model::Problem;
use kenning_text::bm25;

/// The points of one state.
pub struct PublishedPoints<'h> {
    http: &'h Http,
    collection: String,
    state: Value,
}

/// The points in one page of a scroll.
const PAGE: usize = 1000;

/// The number of additional hits to request: while files are being replaced, so many may be of
/// versions that do not count.
const SPARE: usize = 16;

/// Up to this many chunks are fetched and sorted here; more are fetched file by file.
const FEW: u64 = 2000;

/// The files whose chunks are requested at a time.
const BATCH_FILES: usize = 128;

impl<'h> PublishedPoints<'h> {
    /// Prepares the reading of a collection. `state` is the payload of its state point.
    pub fn new(http: &'h Http, collection: String, state: Value) -> PublishedPoints<'h> {
        PublishedPoints { http, collection, state }
    }

    /// Sends a read request. If the collection is gone, it was replaced or removed since this view
    /// began.
    fn post(&self, what: &str, body: &Value) -> Result<Value, StoreError> {
        let path = format!("/collections/{}/points{what}", self.collection);
        let answer = self.http.read(&path, body)?;
        match answer.status {
            404 => Err(StoreError::Changed { name: self.collection.clone() }),
            _ => answer.success("POST", &path),
        }
    }

    /// Returns the payloads of all points that match, page by page.
    fn scroll(&self, must: Vec<Value>, fields: &Value) -> Result<Vec<Value>, StoreError> {
        let mut body =
            json!({ "limit": PAGE, "with_payload": fields, "filter": require_all(must) });
        let mut found = Vec::new();
        loop {
            let mut page = self.post("/scroll", &body)?;
            let points =
                page["points"].as_array_mut().map(std::mem::take).unwrap_or_default().into_iter();
            found.extend(points.map(|mut point| point["payload"].take()));
            match page["next_page_offset"].take() {
                Value::Null => return Ok(found),
                next => body["offset"] = next,
            }
        }
    }

    /// Counts the points that match, exactly.
    fn count(&self, must: Vec<Value>) -> Result<u64, StoreError> {
        let answer = self.post("/count", &json!({ "filter": require_all(must), "exact": true }))?;
        Ok(answer["count"].as_u64().unwrap_or_default())
    }

    /// Returns some payload fields of the points of these files.
    fn retrieve(&self, paths: &[&str], fields: &[&str]) -> Result<Vec<Value>, StoreError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<Value> = paths.iter().map(|path| file_id(path)).collect();
        let body = json!({ "ids": ids, "with_payload": fields });
        let mut answer = self.post("", &body)?;
        let points = answer.as_array_mut().map(std::mem::take).unwrap_or_default().into_iter();
        Ok(points.map(|mut point| point["payload"].take()).collect())
    }

    /// Keeps the chunks whose version is that of their file's point. The others are not published
    /// yet, or already replaced.
    fn keep_published<T>(
        &self,
        found: Vec<T>,
        payload: impl Fn(&T) -> &Value,
    ) -> Result<Vec<T>, StoreError> {
        let path = |one: &T| payload(one)["path"].as_str().unwrap_or_default().to_string();
        let distinct: BTreeSet<String> = found.iter().map(path).collect();
        let paths: Vec<&str> = distinct.iter().map(String::as_str).collect();
        let mut versions: HashMap<String, Value> = HashMap::new();
        for mut file in self.retrieve(&paths, &["path", "version"])? {
            let path = file["path"].as_str().unwrap_or_default().to_string();
            versions.insert(path, file["version"].take());
        }
        let lives = |one: &T| versions.get(&path(one)) == Some(&payload(one)["version"]);
        Ok(found.into_iter().filter(lives).collect())
    }

    /// Like [`PublishedPoints::keep_published`], and converts the payloads.
    fn published_rows(&self, found: Vec<Value>) -> Result<Vec<ChunkRow>, StoreError> {
        let published = self.keep_published(found, |payload| payload)?;
        Ok(published.iter().filter_map(chunk_row).collect())
    }

    /// Runs several searches in one request.
    fn batch(&self, searches: Vec<Value>) -> Result<Vec<Vec<Value>>, StoreError> {
        let mut answer = self.post("/query/batch", &json!({ "searches": searches }))?;
        let each = answer.as_array_mut().map(std::mem::take).unwrap_or_default();
        let points = each.into_iter().map(|mut one| {
            let points = one["points"].as_array_mut().map(std::mem::take);
            points.unwrap_or_default()
        });
        Ok(points.collect())
    }
}

/// Returns a sparse vector in Qdrant's format.
fn sparse(terms: impl Iterator<Item = (u32, f32)>) -> Value {
    let (indices, values): (Vec<u32>, Vec<f32>) = terms.unzip();
    json!({ "indices": indices, "values": values })
}

fn paths_of(payloads: &[Value]) -> Vec<String> {
    let paths = payloads.iter().filter_map(|payload| payload["path"].as_str());
    paths.map(str::to_string).collect()
}

impl Records for PublishedPoints<'_> {
    fn size(&self) -> Result<Size, StoreError> {
        Ok(Size {
            vectors: self.count(vec![json!({ "has_vector": "dense" })])?,
            // The server does not say.
            bytes: 0,
        })
    }

    fn overview(&self) -> Result<Overview, StoreError> {
        Ok(rows_to_store::parse_overview(&self.state["overview"]))
    }

    fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        let has_some = json!({ "must_not": [{ "is_empty": { "key": "problems" } }] });
        let files =
            self.scroll(vec![match_value("point_type", "file"), has_some], &json!(["problems"]))?;
        let problems =
            files.iter().flat_map(|file| rows_to_store::parse_problems(&file["problems"]));
        Ok(problems.collect())
    }

    fn files(&self) -> Result<Vec<FileRow>, StoreError> {
        let files = self.scroll(vec![match_value("point_type", "file")], &json!(FILE_FIELDS))?;
        Ok(files.iter().filter_map(file_row).collect())
    }

    fn files_at(&self, paths: &[&str]) -> Result<Vec<FileRow>, StoreError> {
        let files = self.retrieve(paths, FILE_FIELDS)?;
        Ok(files.iter().filter_map(file_row).collect())
    }

    fn files_with_trigrams(&self, grams: &[u32]) -> Result<Vec<String>, StoreError> {
        let mut limit = PAGE;
        loop {
            let search = json!({
                "query": sparse(grams.iter().map(|gram| (*gram, 1.0))),
                "using": "trigrams",
                // All of them: each counts for one.
                "score_threshold": grams.len() as f32 - 0.5,
                "limit": limit,
                "with_payload": ["path"],
            });
            let points = self.batch(vec![search])?.pop().unwrap_or_default();
            if points.len() < limit {
                let paths = points.iter().filter_map(|point| point["payload"]["path"].as_str());
                return Ok(paths.map(str::to_string).collect());
            }
            limit *= 10;
        }
    }

    fn files_defining(&self, name: u32, limit: usize) -> Result<Vec<String>, StoreError> {
        let files = self.scroll(vec![match_value("name_hashes", name)], &json!(["path"]))?;
        let mut paths = paths_of(&files);
        paths.sort();
        paths.truncate(limit);
        Ok(paths)
    }

    fn parts(&self, paths: &[&str], piece: StoredPart) -> Result<Vec<PartRow>, StoreError> {
        let field = match piece {
            StoredPart::Text => "text_blob",
            StoredPart::Symbols => "symbols_blob",
        };
        let files = self.retrieve(paths, &["path", "version", field])?;
        let piece = |file: &Value| {
            Some(PartRow {
                path: file["path"].as_str()?.to_string(),
                version: file["version"].as_str()?.to_string(),
                packed: points::decode_base64(&file[field])?,
            })
        };
        Ok(files.iter().filter_map(piece).collect())
    }

    fn chunks_of(
        &self,
        paths: &[&str],
        selection: &Selection,
    ) -> Result<Vec<ChunkRow>, StoreError> {
        let mut must = vec![match_value("point_type", "chunk"), match_any("path", paths)];
        must.extend(conditions(selection));
        self.published_rows(self.scroll(must, &Value::Bool(true))?)
    }

    fn list(
        &self,
        selection: &Selection,
        limit: usize,
        files: AllFiles,
    ) -> Result<Vec<ChunkRow>, StoreError> {
        let mut must = vec![match_value("point_type", "chunk")];
        must.extend(conditions(selection));
        let order = |rows: &mut Vec<ChunkRow>| {
            rows.sort_by(|a, b| (&a.path, a.ordinal).cmp(&(&b.path, b.ordinal)));
        };
        // The server has no order by text, so either all are put into order here …
        if self.count(must.clone())? <= FEW {
            let mut rows = self.published_rows(self.scroll(must, &Value::Bool(true))?)?;
            order(&mut rows);
            rows.truncate(limit);
            return Ok(rows);
        }
        // … or, as there are many, the files are asked in their order until there are enough.
        let all = files()?;
        let paths: Vec<&str> = all
            .iter()
            .filter(|file| selection.may_match(file))
            .map(|file| file.path.as_str())
            .collect();
        let mut found = Vec::new();
        for batch in paths.chunks(BATCH_FILES) {
            let mut rows = self.chunks_of(batch, selection)?;
            order(&mut rows);
            found.extend(rows);
            if found.len() >= limit {
                break;
            }
        }
        found.truncate(limit);
        Ok(found)
    }

    fn search(
        &self,
        legs: &[Retrieval],
        selection: &Selection,
        limit: usize,
    ) -> Result<Vec<Vec<(ChunkRow, f32)>>, StoreError> {
        let filter = match conditions(selection) {
            none if none.is_empty() => Value::Null,
            some => require_all(some),
        };
        let searches = legs.iter().map(|leg| {
            let (query, using) = match leg {
                Retrieval::Words(terms) => (sparse(terms.iter().copied()), "bm25"),
                Retrieval::Vector(vector) => (json!(vector), "dense"),
            };
            json!({
                "query": query,
                "using": using,
                "filter": filter,
                // Some hits may be dropped below.
                "limit": limit + SPARE,
                "with_payload": true,
            })
        });
        let mut found = Vec::new();
        for points in self.batch(searches.collect())? {
            let points = self.keep_published(points, |point| &point["payload"])?;
            let scored = points.iter().filter_map(|point| {
                let score = point["score"].as_f64()? as f32;
                Some((chunk_row(&point["payload"])?, score))
            });
            found.push(scored.collect());
        }
        Ok(found)
    }

    /// Returns the idf that the server uses. It shows only in scores: the score of a chunk for one
    /// term is the term's weight in the chunk times its idf. A term without chunks gets the idf of
    /// a document frequency of 0.
    fn idfs(&self, terms: &[u32]) -> Result<Vec<f32>, StoreError> {
        let searches = terms.iter().map(|term| {
            json!({
                "query": sparse([(*term, 1.0)].into_iter()),
                "using": "bm25",
                "limit": 1,
                "with_vector": ["bm25"],
            })
        });
        let mut rarities = Vec::with_capacity(terms.len());
        for (term, points) in terms.iter().zip(self.batch(searches.collect())?) {
            let rarity = points.first().and_then(|point| {
                let vector = &point["vector"]["bm25"];
                let mut indices = vector["indices"].as_array()?.iter();
                let place = indices.position(|index| index.as_u64() == Some((*term).into()))?;
                let weight = vector["values"][place].as_f64()?;
                Some((point["score"].as_f64()? / weight) as f32)
            });
            rarities.push(match rarity {
                Some(rarity) => rarity,
                None => bm25::idf(self.count(vec![match_value("point_type", "chunk")])? as u32, 0),
            });
        }
        Ok(rarities)
    }

    fn files_with_terms(
        &self,
        terms: &[u32],
        paths: &[&str],
    ) -> Result<Vec<Vec<String>>, StoreError> {
        if paths.is_empty() {
            return Ok(vec![Vec::new(); terms.len()]);
        }
        let ids: Vec<Value> = paths.iter().map(|path| file_id(path)).collect();
        let searches = terms.iter().map(|term| {
            json!({
                "query": sparse([(*term, 1.0)].into_iter()),
                "using": "words",
                "filter": { "must": [{ "has_id": ids }] },
                "limit": paths.len(),
                "with_payload": ["path"],
            })
        });
        let found = self.batch(searches.collect())?.into_iter().map(|points| {
            let paths = points.iter().filter_map(|point| point["payload"]["path"].as_str());
            paths.map(str::to_string).collect()
        });
        Ok(found.collect())
    }
}
