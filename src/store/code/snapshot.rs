//! The questions that one request may ask of one generation.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use super::catalog::Filter;
use super::codes::{folded_hash, name_hash};
use super::facts::{
    ChunkRecord, EmbeddingKey, FileRecord, HeritageRecord, Located, ReferenceRecord, Settings,
    Skip, Stats, SymbolRecord,
};
use super::failure::Outcome;
use super::generation::Generation;
use super::packing::Malformed;
use super::read::Reader;
use super::rows::{CHUNKS, FILES, HERITAGE, chunk, file, heritage, path, stamp};
use super::vector::Vector;
use super::{packed, write};
use crate::model::{Problem, RepoPath};
use crate::store::StoreError;

pub struct Snapshot<'r> {
    reader: &'r Reader,
    /// `Some` until dropped.
    connection: Option<Connection>,
    pub(super) generation: Arc<Generation>,
    /// Opened as a file that never changes, so it must not be used again when it may have.
    is_frozen: bool,
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && !self.is_frozen
        {
            self.reader.give_back(connection, &self.generation.birth);
        }
    }
}

impl<'r> Snapshot<'r> {
    pub(super) fn new(
        reader: &'r Reader,
        connection: Connection,
        generation: Arc<Generation>,
        is_frozen: bool,
    ) -> Snapshot<'r> {
        Snapshot {
            reader,
            connection: Some(connection),
            generation,
            is_frozen,
        }
    }

    pub fn generation(&self) -> u64 {
        self.generation.number
    }

    pub fn settings(&self) -> &Settings {
        &self.generation.settings
    }

    /// Every file, by path.
    pub fn files(&self) -> Result<Vec<FileRecord>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(&format!("{FILES} ORDER BY path"))?;
            let rows = statement.query_map([], file)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    pub fn file(&self, path: &RepoPath) -> Result<Option<FileRecord>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(&format!("{FILES} WHERE path = ?"))?;
            Ok(statement.query_row([path.as_str()], file).optional()?)
        })
    }

    /// The chunks with these ids, in this order; an id that does not live is passed over.
    pub fn chunks(&self, ids: &[u32]) -> Result<Vec<ChunkRecord>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(CHUNKS)?;
            let mut chunks = Vec::with_capacity(ids.len());
            for id in ids {
                let mut rows = statement.query([id])?;
                if let Some(row) = rows.next()? {
                    chunks.push(chunk(row)?);
                }
            }
            Ok(chunks)
        })
    }

    /// The first chunks, by path and place, that the filter lets through.
    pub fn list(&self, filter: &Filter, limit: usize) -> Result<Vec<u32>, StoreError> {
        self.run(|connection| {
            let allowed = self.generation.allowed(connection, filter)?;
            let catalog = self.generation.catalog(connection)?;
            let files = catalog.by_path().map(|(_, file)| file.chunks());
            let chunks = files.flat_map(|chunks| allowed.iter_in(chunks));
            Ok(chunks.take(limit).collect())
        })
    }

    /// The chunks in which something of exactly this name, but for capitals, is defined and that
    /// the filter lets through: no more than `limit` definitions are looked at.
    pub fn chunks_defining(
        &self,
        name: &str,
        filter: &Filter,
        limit: usize,
    ) -> Result<Vec<u32>, StoreError> {
        let defined = self.symbols_folded(name, limit)?;
        self.run(|connection| {
            let allowed = self.generation.allowed(connection, filter)?;
            let mut statement = connection.prepare_cached(
                "SELECT chunks.id FROM files JOIN chunks ON chunks.id >= first_chunk
                    AND chunks.id < first_chunk + length(kinds)
                 WHERE path = ? AND symbol = ? AND start_line <= ? AND end_line >= ?",
            )?;
            let mut ids = Vec::new();
            for Located { path, fact } in &defined {
                let place = params![path.as_str(), fact.name, fact.line, fact.line];
                let rows = statement.query_map(place, |row| row.get::<_, u32>(0))?;
                ids.extend(rows.collect::<rusqlite::Result<Vec<u32>>>()?);
            }
            ids.retain(|id| allowed.contains(*id));
            Ok(ids)
        })
    }

    /// What these chunks say, verbatim, in this order.
    pub fn texts(&self, chunks: &[ChunkRecord]) -> Result<Vec<String>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT packed FROM texts JOIN files ON files.id = file WHERE path = ?",
            )?;
            // Several chunks of one file are common among the best.
            let mut files: HashMap<&RepoPath, String> = HashMap::new();
            let mut texts = Vec::with_capacity(chunks.len());
            for chunk in chunks {
                if !files.contains_key(&chunk.path) {
                    let packed: Vec<u8> =
                        statement.query_row([chunk.path.as_str()], |row| row.get(0))?;
                    files.insert(&chunk.path, packed::text(&packed)?);
                }
                let range = chunk.span.start_byte as usize..chunk.span.end_byte as usize;
                let text = files[&chunk.path].get(range).ok_or(Malformed)?;
                texts.push(text.to_string());
            }
            Ok(texts)
        })
    }

    /// The definitions of exactly this name.
    pub fn symbols_named(&self, name: &str) -> Result<Vec<SymbolRecord>, StoreError> {
        let mut found = self.symbols_folded(name, usize::MAX)?;
        found.retain(|record| record.fact.name == name);
        Ok(found)
    }

    pub fn symbols_in(&self, path: &RepoPath) -> Result<Vec<SymbolRecord>, StoreError> {
        self.run(|connection| defined(connection, "WHERE path = ?", &path.as_str(), usize::MAX))
    }

    /// The definitions of this name whatever its capitals, of so many files that there are at least
    /// `limit` of them.
    fn symbols_folded(&self, name: &str, limit: usize) -> Result<Vec<SymbolRecord>, StoreError> {
        let of_name = "JOIN definitions USING (file) WHERE name = ? ORDER BY path";
        let mut found =
            self.run(|connection| defined(connection, of_name, &folded_hash(name), limit))?;
        let folded = name.to_lowercase();
        found.retain(|record| record.fact.name.to_lowercase() == folded);
        Ok(found)
    }

    /// What says that it is a `base`.
    pub fn heritage_of(&self, base: &str) -> Result<Vec<HeritageRecord>, StoreError> {
        self.located(
            &format!("{HERITAGE} WHERE base = ? ORDER BY path, place"),
            base,
            heritage,
        )
    }

    /// What `subject` says that it is.
    pub fn heritage_by(&self, subject: &str) -> Result<Vec<HeritageRecord>, StoreError> {
        self.located(
            &format!("{HERITAGE} WHERE subject = ? ORDER BY path, place"),
            subject,
            heritage,
        )
    }

    /// The mentions of exactly this name, by path and place.
    pub fn references_to(&self, name: &str) -> Result<Vec<ReferenceRecord>, StoreError> {
        let of_name = "JOIN mentions USING (file) WHERE mentions.name = ? ORDER BY path";
        let mut found = self.references(of_name, &name_hash(name))?;
        found.retain(|record| record.fact.name == name);
        Ok(found)
    }

    pub fn references_in(&self, path: &RepoPath) -> Result<Vec<ReferenceRecord>, StoreError> {
        self.references("WHERE path = ?", &path.as_str())
    }

    pub fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT path, line, message FROM problems JOIN files ON files.id = file
                 ORDER BY path, line, message",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Problem {
                    path: path(row, 0)?,
                    line: row.get(1)?,
                    message: row.get(2)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    pub fn skips(&self) -> Result<Vec<Skip>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT path, size, modified_ns, reason FROM skips ORDER BY path",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Skip {
                    stamp: stamp(row)?,
                    reason: row.get(3)?,
                })
            })?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// What the indexer remembered of the whole.
    pub fn notes(&self) -> Result<BTreeMap<String, String>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached("SELECT name, value FROM notes")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The cached vectors of texts that were embedded before, in the order of `keys`.
    pub fn embeddings(&self, keys: &[EmbeddingKey]) -> Result<Vec<Option<Vector>>, StoreError> {
        let dimension = self.generation.settings.dimension as usize;
        self.run(|connection| write::cached(connection, keys, dimension))
    }

    pub fn stats(&self) -> Result<Stats, StoreError> {
        self.run(|connection| {
            let count = |sql: &str| -> rusqlite::Result<u64> {
                let count: i64 = connection.query_row(sql, [], |row| row.get(0))?;
                Ok(count as u64)
            };
            Ok(Stats {
                generation: self.generation.number,
                files: count("SELECT count(*) FROM files")?,
                chunks: self.generation.chunks.into(),
                symbols: count("SELECT coalesce(sum(symbols), 0) FROM files")?,
                vectors: count("SELECT coalesce(sum(size), 0) FROM vectors")?,
                segments: self.generation.segments.len() as u64,
                bytes: count("PRAGMA page_count")? * count("PRAGMA page_size")?,
            })
        })
    }

    fn references(
        &self,
        which: &str,
        value: &dyn ToSql,
    ) -> Result<Vec<ReferenceRecord>, StoreError> {
        let sql =
            format!("SELECT path, packed FROM mentioned JOIN files ON files.id = file {which}");
        self.run(|connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query([value])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let path = path(row, 0)?;
                let packed = row.get_ref(1)?.as_blob().map_err(|_| Malformed)?;
                let facts = packed::references(packed)?.into_iter();
                found.extend(facts.map(|fact| Located {
                    path: path.clone(),
                    fact,
                }));
            }
            Ok(found)
        })
    }

    fn located<T>(
        &self,
        sql: &str,
        value: &str,
        read: impl Fn(&Row) -> Outcome<T>,
    ) -> Result<Vec<Located<T>>, StoreError> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([value])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let (path, fact) = (path(row, 0)?, read(row)?);
                found.push(Located { path, fact });
            }
            Ok(found)
        })
    }

    pub(super) fn run<T>(
        &self,
        question: impl FnOnce(&Connection) -> Outcome<T>,
    ) -> Result<T, StoreError> {
        let connection = self.connection.as_ref().expect("open until dropped");
        question(connection).map_err(|failure| failure.at(self.reader.path()))
    }
}

/// The definitions of the files that are meant. Whole files are looked at until there are `limit`
/// definitions that may be meant.
fn defined(
    connection: &Connection,
    which: &str,
    value: &dyn ToSql,
    limit: usize,
) -> Outcome<Vec<SymbolRecord>> {
    let sql = format!("SELECT path, packed FROM defined JOIN files ON files.id = file {which}");
    let mut statement = connection.prepare_cached(&sql)?;
    let mut rows = statement.query([value])?;
    let mut found = Vec::new();
    let mut files = 0;
    while let Some(row) = rows.next()?
        && files < limit
    {
        files += 1;
        let path = path(row, 0)?;
        let packed = row.get_ref(1)?.as_blob().map_err(|_| Malformed)?;
        let facts = packed::symbols(packed)?.into_iter();
        found.extend(facts.map(|fact| Located {
            path: path.clone(),
            fact,
        }));
    }
    Ok(found)
}
