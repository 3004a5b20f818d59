//! The verbatim text of chunks, with a cache of decompressed files.
//!
//! A file is compressed as a whole, and decompressing it costs more than everything else in showing
//! a result. The last texts are therefore cached, per generation. Text search (`grep`) does not use
//! the cache.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::error::StoreResult;
use super::file_blob;
use super::records::ChunkRecord;
use super::snapshot::Snapshot;
use super::varint::Malformed;
use crate::StoreError;
use kenning_model::Span;

impl Snapshot<'_> {
    /// Returns the text of these chunks, in this order.
    pub fn texts(&self, chunks: &[ChunkRecord]) -> Result<Vec<String>, StoreError> {
        self.run(|connection| {
            let file_table = self.generation.file_table(connection)?;
            // Several chunks of one file are common among the best.
            let mut texts: HashMap<i64, Arc<Vec<u8>>> = HashMap::new();
            let mut said = Vec::with_capacity(chunks.len());
            for chunk in chunks {
                let file = file_table.find_file(chunk.id).ok_or(Malformed)?.id();
                let text = match texts.get(&file) {
                    Some(text) => text.clone(),
                    None => self.generation.texts.get_or_load(connection, file)?,
                };
                said.push(slice_text(&text, chunk.span)?);
                texts.insert(file, text);
            }
            Ok(said)
        })
    }
}

/// Returns the text of a span; fails if the span does not fit the text.
fn slice_text(text: &[u8], span: Span) -> Result<String, Malformed> {
    let range = span.start_byte as usize..span.end_byte as usize;
    let bytes = text.get(range).ok_or(Malformed)?;
    let piece = std::str::from_utf8(bytes).map_err(|_| Malformed)?;
    Ok(piece.to_string())
}

/// A least-recently-used cache of texts, bounded by [`MAX_BYTES`].
#[derive(Default)]
pub struct TextCache(Mutex<CachedTexts>);

/// The size of the cache: the queries of a session are mostly about few files.
const MAX_BYTES: usize = 8 << 20;

#[derive(Default)]
struct CachedTexts {
    /// The texts, with the time of last use.
    by_file: HashMap<i64, (Arc<Vec<u8>>, u64)>,
    bytes: usize,
    /// The time: counts the lookups.
    clock: u64,
}

impl TextCache {
    /// Returns a text from the cache, or reads it. The lock is not held while reading, so two
    /// threads may read the same text.
    fn get_or_load(&self, connection: &Connection, file: i64) -> StoreResult<Arc<Vec<u8>>> {
        // A thread that panicked here left whole texts.
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(file) {
            return Ok(known);
        }
        let text = Arc::new(read_text(connection, file)?.ok_or(Malformed)?);
        kept().insert(file, text.clone(), MAX_BYTES);
        Ok(text)
    }
}

impl CachedTexts {
    fn get(&mut self, file: i64) -> Option<Arc<Vec<u8>>> {
        self.clock += 1;
        let (text, used) = self.by_file.get_mut(&file)?;
        *used = self.clock;
        Some(text.clone())
    }

    /// Inserts a text and evicts the least recently used until all fit. A text larger than the
    /// cache is not kept. Eviction scans all entries: there are few.
    fn insert(&mut self, file: i64, text: Arc<Vec<u8>>, most: usize) {
        if text.len() > most {
            return;
        }
        self.bytes += text.len();
        if let Some((before, _)) = self.by_file.insert(file, (text, self.clock)) {
            self.bytes -= before.len();
        }
        while self.bytes > most {
            let oldest = self.by_file.iter().min_by_key(|(_, (_, used))| *used);
            let Some(oldest) = oldest.map(|(file, _)| *file) else {
                return;
            };
            if let Some((text, _)) = self.by_file.remove(&oldest) {
                self.bytes -= text.len();
            }
        }
    }
}

/// Returns the whole text of a file; `None` if there is no such file.
pub fn read_text(connection: &Connection, file: i64) -> StoreResult<Option<Vec<u8>>> {
    let mut statement = connection.prepare_cached("SELECT blob FROM text_blobs WHERE file = ?")?;
    let mut rows = statement.query([file])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let packed = row.get_ref(0)?.as_blob().map_err(|_| Malformed)?;
    Ok(Some(file_blob::decompress(packed)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_is_kept_and_no_more_than_fits() {
        let mut kept = CachedTexts::default();
        let text = |length: usize| Arc::new(vec![b'a'; length]);
        for file in 0..3 {
            kept.insert(file, text(30), 100);
            kept.get(file);
        }
        assert!(kept.get(0).is_some());
        kept.insert(3, text(30), 100);
        let files = |kept: &CachedTexts| {
            let mut files: Vec<i64> = kept.by_file.keys().copied().collect();
            files.sort_unstable();
            (files, kept.bytes)
        };
        assert_eq!(files(&kept), (vec![0, 2, 3], 90));
        kept.insert(3, text(40), 100);
        assert_eq!(files(&kept), (vec![0, 2, 3], 100));
        // One that does not fit at all is not kept.
        kept.insert(4, text(101), 100);
        assert_eq!(files(&kept), (vec![0, 2, 3], 100));
        let sum: usize = kept.by_file.values().map(|one| one.0.len()).sum();
        assert_eq!(kept.bytes, sum);
    }
}
