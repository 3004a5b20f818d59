//! One write transaction: removes old rows, inserts new ones, writes one new segment, and the
//! counters last.
//!
//!   remove / update a file ─► take_facts ─► facts moved only? ─┬─ yes: keep its names and edges
//!                                                              └─ no:  replace names, drop edges,
//!                                                                      mark changed names dirty
//!   at the end ─► segment, words, names, vectors ─► alive bitset ─► merges ─► counters
//!
//! Postings, words, names and vectors are collected in memory and written at the end, sorted, so
//! that each table grows at its end.

use std::collections::BTreeSet;

use rusqlite::{Connection, params};

use super::bitmap::Bitmap;
use super::collection_counters::{Counters, load_alive, save_alive};
use super::enum_codes::{StoredEnum, chunk_code, name_hash, path_hash};
use super::error::{StatementError, StoreResult};
use super::invalidation::Invalidation;
use super::records::{Changes, ChunkContent, FileUpdate, Skip, Touch};
use super::replaced_file::PreviousFile;
use super::segments::{self, NewPostings};
use super::symbol_names::NewNames;
use super::varint::Malformed;
use super::vector_page_format::VectorPage;
use super::word_index::NewWords;
use super::{edge_writer, extra_kinds, file_blob, resolver_input, vector_page_table};
use kenning_model::{Chunk, Fingerprints, Problem, RepoPath};
use kenning_text::bm25;

/// The state of a transaction.
pub struct WriteTxn<'a> {
    connection: &'a Connection,
    invalidation: &'a dyn Invalidation,
    dimension: usize,
    state: Counters,
    /// The alive bitset at the start.
    alive_before: Bitmap,
    alive: Bitmap,
    /// The first chunk id of the new segment.
    first_chunk: u32,
    /// The postings, words, names and vectors of the new segment.
    postings: NewPostings,
    words: NewWords,
    names: NewNames,
    vectors: VectorPage,
    /// True if edges were resolved that a change could make wrong.
    has_edges: bool,
    /// True if they rest on nothing but files and packages.
    depends_on_files_only: bool,
}

impl<'a> WriteTxn<'a> {
    /// Loads the state. The caller has begun the SQL transaction and commits it.
    pub fn begin(
        connection: &'a Connection,
        dimension: usize,
        invalidation: &'a dyn Invalidation,
    ) -> StoreResult<WriteTxn<'a>> {
        let mut state = Counters::load(connection)?;
        state.generation += 1;
        let alive = load_alive(connection)?;
        Ok(WriteTxn {
            connection,
            invalidation,
            dimension,
            first_chunk: state.next_chunk,
            state,
            alive_before: alive.clone(),
            alive,
            postings: NewPostings::default(),
            words: NewWords::default(),
            names: NewNames::default(),
            vectors: VectorPage::default(),
            has_edges: edge_writer::has_any_edges(connection)?,
            depends_on_files_only: edge_writer::depend_on_files_only(connection)?,
        })
    }

    /// Everything of `changes`, in the order: removed, updated, touched.
    pub fn apply_changes(mut self, changes: &Changes) -> StoreResult<u64> {
        for path in &changes.removed {
            if let Some(before) = self.remove_file(path)? {
                self.mark_dirty(before, Fingerprints::new())?;
            }
        }
        for update in &changes.updated {
            self.put_file(update)?;
        }
        for touch in &changes.touched {
            self.touch_file(touch)?;
        }
        self.put_tree_facts(changes)?;
        let chunks = self.first_chunk..self.state.next_chunk;
        if !chunks.is_empty() {
            let segment = self.postings.write(self.connection, &mut self.state, chunks)?;
            self.words.write(self.connection, segment)?;
            self.names.write(self.connection, segment)?;
            vector_page_table::append_page(self.connection, &mut self.state, &self.vectors)?;
        }
        if self.alive != self.alive_before {
            save_alive(self.connection, &self.alive_before, &self.alive)?;
            segments::merge_due(self.connection, &mut self.state, &self.alive)?;
            vector_page_table::merge_due(
                self.connection,
                &mut self.state,
                &self.alive,
                self.dimension,
            )?;
        }
        self.state.save(self.connection)?;
        Ok(self.state.generation)
    }

    /// Stores the facts of the whole tree: skipped files, read errors, metadata.
    fn put_tree_facts(&self, changes: &Changes) -> StoreResult<()> {
        if let Some(skips) = &changes.skipped {
            self.connection.execute("DELETE FROM skipped_files", [])?;
            let sql = "INSERT OR REPLACE INTO skipped_files VALUES (?, ?, ?, ?)";
            let mut insert = self.connection.prepare_cached(sql)?;
            for Skip { stamp, reason } in skips {
                let (path, size) = (stamp.path.as_str(), stamp.size as i64);
                insert.execute(params![path, size, stamp.modified_ns, reason])?;
            }
        }
        if let Some(read_errors) = &changes.read_errors {
            self.connection.execute("DELETE FROM read_errors", [])?;
            let sql = "INSERT INTO read_errors VALUES (?, ?, ?)";
            let mut insert = self.connection.prepare_cached(sql)?;
            for Problem { path, line, message } in read_errors {
                insert.execute(params![path.as_str(), line, message])?;
            }
        }
        let sql = "INSERT OR REPLACE INTO metadata VALUES (?, ?)";
        let mut note = self.connection.prepare_cached(sql)?;
        for (name, value) in &changes.metadata {
            note.execute([name, value])?;
        }
        Ok(())
    }

    /// Removes a file. Returns its fingerprints if edges may depend on them.
    fn remove_file(&mut self, path: &RepoPath) -> StoreResult<Option<Fingerprints>> {
        let Some(before) = self.take_facts(path)? else {
            return Ok(None);
        };
        self.remove_names(&before)?;
        Ok(self.has_edges.then(|| self.invalidation.fingerprints(path, before.facts())))
    }

    /// Removes the rows of a file and returns its facts. Its names and edges stay: they may still
    /// be valid.
    fn take_facts(&mut self, path: &RepoPath) -> StoreResult<Option<PreviousFile>> {
        let Some(mut before) = PreviousFile::find(self.connection, path)? else {
            return Ok(None);
        };
        let (file, chunks) = (before.file, before.chunks.clone());
        // The postings of these chunks stay as tombstones until their segment is merged.
        self.alive.remove_range(chunks.clone());
        let delete = "DELETE FROM chunks WHERE id >= ? AND id < ?";
        self.connection.prepare_cached(delete)?.execute([chunks.start, chunks.end])?;
        before.heritage = resolver_input::heritage_of(self.connection, file)?;
        self.take_blobs(&mut before)?;
        for statement in [
            "DELETE FROM heritage WHERE file = ?",
            "DELETE FROM problems WHERE file = ?",
            "DELETE FROM files WHERE id = ?",
        ] {
            self.connection.prepare_cached(statement)?.execute([file])?;
        }
        Ok(Some(before))
    }

    /// Removes the rows by which a file is found by name, and its edges.
    fn remove_names(&self, before: &PreviousFile) -> StoreResult<()> {
        let names = before.references.iter().map(|r| name_hash(&r.name));
        self.remove_each("reference_names", "name_hash", before.file, names.collect())?;
        let keys = self.invalidation.lookup_keys(before.facts());
        self.remove_each("symbol_keys", "key_hash", before.file, keys)?;
        edge_writer::remove_edges(self.connection, before.file)
    }

    /// Marks the names whose fingerprints differ as dirty.
    fn mark_dirty(&self, before: Fingerprints, after: Fingerprints) -> StoreResult<()> {
        let sql = "INSERT OR IGNORE INTO dirty_names VALUES (?)";
        let mut put = self.connection.prepare_cached(sql)?;
        for (name, _) in before.symmetric_difference(&after) {
            put.execute([name])?;
        }
        Ok(())
    }

    /// Removes the blobs of a file and decodes its symbols and references.
    fn take_blobs(&self, before: &mut PreviousFile) -> StoreResult<()> {
        let sql = "DELETE FROM file_blobs WHERE file = ? RETURNING symbols_blob, refs_blob";
        let mut take = self.connection.prepare_cached(sql)?;
        let mut rows = take.query([before.file])?;
        while let Some(row) = rows.next()? {
            let defined = row.get_ref(0)?.as_blob_or_null();
            if let Some(packed) = defined.map_err(|_| Malformed)? {
                before.symbols = file_blob::read_symbols(packed)?;
            }
            let mentioned = row.get_ref(1)?.as_blob_or_null();
            if let Some(packed) = mentioned.map_err(|_| Malformed)? {
                (before.references, before.bindings) =
                    file_blob::read_references_and_bindings(packed)?;
            }
        }
        Ok(())
    }

    /// Removes the (hash, file) rows of a file from an inverted index.
    fn remove_each(
        &self,
        table: &str,
        column: &str,
        file: i64,
        hashes: BTreeSet<u32>,
    ) -> StoreResult<()> {
        let sql = format!("DELETE FROM {table} WHERE {column} = ? AND file = ?");
        let mut delete = self.connection.prepare_cached(&sql)?;
        for hash in hashes {
            delete.execute(params![hash, file])?;
        }
        Ok(())
    }

    /// Updates the stamp and package of a file whose content did not change.
    fn touch_file(&self, touch: &Touch) -> StoreResult<()> {
        let stamp = &touch.stamp;
        let update = "UPDATE files SET size = ?, modified_ns = ?, package = ?, generation = ?
            WHERE path_hash = ? AND path = ?";
        self.connection.prepare_cached(update)?.execute(params![
            stamp.size as i64,
            stamp.modified_ns,
            touch.package,
            self.state.generation as i64,
            path_hash(&stamp.path),
            stamp.path.as_str()
        ])?;
        Ok(())
    }

    /// Replaces everything that is stored of a file. Its id stays, because edges of other files
    /// refer to it.
    fn put_file(&mut self, update: &FileUpdate) -> StoreResult<()> {
        let facts = &update.facts;
        if facts.chunks.len() != update.contents.len() {
            let path = &update.stamp.path;
            return Err(StatementError::InvalidArgument(format!(
                "{path}: not one content for each chunk"
            )));
        }
        let before = self.take_facts(&update.stamp.path)?;
        let has_moved = before.as_ref().is_some_and(|one| self.has_only_moved(one, update));
        if !has_moved {
            self.replace_names(before.as_ref(), update)?;
        }
        let kinds: Vec<u8> = facts.chunks.iter().map(chunk_code).collect();
        let insert = "INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
        let file = self.connection.prepare_cached(insert)?.insert(params![
            // NULL lets SQLite assign a new id.
            before.map(|before| before.file),
            update.stamp.path.as_str(),
            update.stamp.size as i64,
            update.stamp.modified_ns,
            update.hash,
            facts.language,
            update.is_test,
            update.package,
            self.state.generation as i64,
            self.state.next_chunk,
            facts.symbols.len() as i64,
            kinds,
            extra_kinds::pack_kinds(&facts.chunks, &facts.symbols),
            path_hash(&update.stamp.path),
        ])?;
        if !facts.chunks.is_empty() {
            let first = self.state.next_chunk - self.first_chunk;
            self.words.add(first, &update.packed.words);
            self.names.add(first, &facts.symbols);
        }
        for (chunk, content) in facts.chunks.iter().zip(&update.contents) {
            self.put_chunk(chunk, content)?;
        }
        self.put_facts(file, update)?;
        if has_moved { Ok(()) } else { self.put_names(file, update) }
    }

    /// True if the edges of a file stay valid after an edit. Never if a compiler's index was used:
    /// it refers to positions in the old text.
    fn has_only_moved(&self, before: &PreviousFile, update: &FileUpdate) -> bool {
        self.depends_on_files_only
            && before.language == update.facts.language
            && before.package == update.package
            && self.invalidation.keeps_edges(before.facts(), (&update.facts).into())
    }

    /// Removes the names of the previous version, and marks those whose fingerprints changed as
    /// dirty.
    fn replace_names(&self, before: Option<&PreviousFile>, update: &FileUpdate) -> StoreResult<()> {
        let path = &update.stamp.path;
        if let Some(before) = before {
            self.remove_names(before)?;
        }
        if !self.has_edges {
            return Ok(());
        }
        let before = before.map(|before| self.invalidation.fingerprints(path, before.facts()));
        let after = self.invalidation.fingerprints(path, (&update.facts).into());
        self.mark_dirty(before.unwrap_or_default(), after)
    }

    /// Inserts a chunk with its postings and its vector. Ids are consecutive.
    fn put_chunk(&mut self, chunk: &Chunk, content: &ChunkContent) -> StoreResult<()> {
        let id = self.state.next_chunk;
        let next = id.checked_add(1).filter(|next| *next < u32::MAX);
        self.state.next_chunk =
            next.ok_or_else(|| StatementError::InvalidArgument("out of chunk ids".into()))?;
        let embedding = content.embedding.as_ref();
        let key = embedding.and_then(|embedding| embedding.key);
        let insert = "INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)";
        self.connection.prepare_cached(insert)?.execute(params![
            id,
            chunk.symbol,
            chunk.scope,
            chunk.span.start_line,
            chunk.span.end_line,
            chunk.span.start_byte,
            chunk.span.end_byte,
            chunk.line,
            key,
        ])?;
        self.alive.insert(id);
        for (term, weight) in &content.terms {
            self.postings.add(*term, id - self.first_chunk, bm25::quantise(*weight))?;
        }
        let Some(embedding) = embedding else {
            return Ok(());
        };
        let vector = &embedding.vector;
        check_dimension(vector.values.len(), self.dimension)?;
        self.vectors.push(id, vector);
        if let Some(key) = key {
            let bytes: Vec<u8> = vector.values.iter().map(|value| *value as u8).collect();
            let put = "INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)";
            let generation = self.state.generation as i64;
            self.connection.prepare_cached(put)?.execute(params![
                key,
                generation,
                vector.scale,
                bytes
            ])?;
        }
        Ok(())
    }

    /// Inserts heritage, problems and blobs. A part without facts is NULL, so that the views skip
    /// it.
    fn put_facts(&self, file: i64, update: &FileUpdate) -> StoreResult<()> {
        let facts = &update.facts;
        let sql = "INSERT INTO heritage VALUES (?, ?, ?, ?, ?, ?, ?)";
        let mut insert = self.connection.prepare_cached(sql)?;
        for (place, fact) in facts.heritage.iter().enumerate() {
            let (how, place) = (fact.kind.code(), place as i64);
            insert.execute(params![
                file,
                place,
                fact.subject,
                fact.base,
                how,
                fact.condition,
                fact.line
            ])?;
        }
        let sql = "INSERT INTO problems VALUES (?, ?, ?)";
        let mut insert = self.connection.prepare_cached(sql)?;
        for problem in &facts.problems {
            insert.execute(params![file, problem.line, problem.message])?;
        }
        let packed = &update.packed;
        let defined = (!facts.symbols.is_empty()).then_some(&packed.symbols);
        let mentioned = (!facts.references.is_empty()).then_some(&packed.references);
        let sql = "INSERT INTO file_blobs VALUES (?, ?, ?, ?)";
        let mut insert = self.connection.prepare_cached(sql)?;
        insert.execute(params![file, defined, mentioned, packed.text])?;
        Ok(())
    }

    /// Inserts the rows by which a file is found by name.
    fn put_names(&self, file: i64, update: &FileUpdate) -> StoreResult<()> {
        let facts = &update.facts;
        let names = facts.references.iter().map(|r| name_hash(&r.name));
        self.put_each("reference_names", file, names.collect())?;
        let keys = self.invalidation.lookup_keys(facts.into());
        self.put_each("symbol_keys", file, keys)
    }

    /// Inserts (hash, file) rows into an inverted index, in ascending order.
    fn put_each(&self, table: &str, file: i64, names: BTreeSet<u32>) -> StoreResult<()> {
        let sql = format!("INSERT INTO {table} VALUES (?, ?)");
        let mut insert = self.connection.prepare_cached(&sql)?;
        for name in names {
            insert.execute(params![name, file])?;
        }
        Ok(())
    }
}

/// Fails if a vector does not fit the index.
fn check_dimension(found: usize, expected: usize) -> StoreResult<()> {
    if found == expected {
        return Ok(());
    }
    Err(StatementError::InvalidArgument(format!(
        "a vector of {found} dimensions among vectors of {expected}"
    )))
}
