//! One snapshot of one collection: a read-only transaction on a connection of its own.

use std::cell::RefCell;

use postgres::types::ToSql;
use postgres::{Client, Row};
use serde_json::Value;

use super::filter_sql::{SqlParameters, condition};
use super::writer::CHUNK_BITS;
use super::{Postgres, is_missing, schema, to_store_error};
use crate::StoreError;
use crate::backends::remote_api::{
    AllFiles, ChunkRow, CollectionState, FileRow, Overview, PartRow, Records, Retrieval, Selection,
    Size, StoredPart,
};
use crate::backends::rows_to_store;
use kenning_model::{ChunkKind, Problem, Span};
use kenning_text::bm25;

/// The rows of one snapshot. `REPEATABLE READ` makes all queries see the same state.
pub struct SnapshotRows<'p> {
    postgres: &'p Postgres,
    /// `Some` until dropped.
    client: RefCell<Option<Client>>,
    schema: String,
}

impl Drop for SnapshotRows<'_> {
    fn drop(&mut self) {
        if let Some(mut client) = self.client.borrow_mut().take()
            && client.batch_execute("ROLLBACK").is_ok()
        {
            self.postgres.return_client(client);
        }
    }
}

/// The columns that [`file_from_row`] reads, by position.
const FILE: &str = "path, size, modified_ns, hash, language, is_test, package, chunks, symbols";

/// The columns that [`chunk_from_row`] reads, by position.
const CHUNK: &str = "c.path, c.ordinal, c.count, c.language, c.package, c.kind, c.is_test, \
    c.is_header, c.is_exported, c.symbol, c.scope, c.signature, c.start_line, c.end_line, \
    c.start_byte, c.end_byte";

/// The number of attempts to find a state that is not being replaced. Rebuilds take far longer than
/// an attempt.
const REPLACED: usize = 3;

/// How many columns [`CHUNK`] has.
const CHUNK_COLUMNS: usize = 16;

impl<'p> SnapshotRows<'p> {
    /// Begins a snapshot of the collection's current state.
    pub fn begin(
        postgres: &'p Postgres,
        name: &str,
    ) -> Result<(CollectionState, SnapshotRows<'p>), StoreError> {
        for _ in 0..REPLACED {
            let rows = SnapshotRows {
                postgres,
                client: RefCell::new(Some(postgres.client()?)),
                schema: String::new(),
            };
            if let Some(begun) = rows.look_up(name)? {
                return Ok(begun);
            }
        }
        Err(StoreError::Changed { name: name.to_string() })
    }

    /// `None` if the state was replaced by another between being looked up and being read.
    fn look_up(
        mut self,
        name: &str,
    ) -> Result<Option<(CollectionState, SnapshotRows<'p>)>, StoreError> {
        let mut taken = self.client.borrow_mut();
        let client = taken.as_mut().expect("open until dropped");
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        client.batch_execute(begin).map_err(to_store_error)?;
        let current = schema::find_schema(client, name)?
            .ok_or_else(|| StoreError::Unknown { name: name.to_string() })?;
        let path = format!("SET LOCAL search_path TO {current}, public");
        client.batch_execute(&path).map_err(to_store_error)?;
        // All columns: those of another layout may have other names, and the settings tell that.
        let row = match client.query_one("SELECT * FROM state", &[]) {
            Err(error) if is_missing(&error) => return Ok(None),
            row => row.map_err(to_store_error)?,
        };
        let json = |column: &str| -> Value {
            serde_json::from_str(row.get::<_, &str>(column)).unwrap_or_default()
        };
        let settings = rows_to_store::parse_settings(&json("settings")).ok_or_else(|| {
            StoreError::WrongFormat {
                path: name.into(),
                found: "another version of Kenning made it".to_string(),
            }
        })?;
        let head = CollectionState {
            location: current.clone(),
            generation: row.get::<_, i64>("generation") as u64,
            settings,
            metadata: serde_json::from_value(json("metadata")).unwrap_or_default(),
        };
        drop(taken);
        self.schema = current;
        Ok(Some((head, self)))
    }

    /// Runs a query in the snapshot's transaction.
    fn query(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, StoreError> {
        let mut slot = self.client.borrow_mut();
        let client = slot.as_mut().expect("open until dropped");
        client.query(sql, values).map_err(to_store_error)
    }

    /// Ranks by words. The inner query sums weights over the covering index and touches no chunk
    /// unless a filter needs it. `WITH TIES` keeps all chunks with the last score, so that ties are
    /// broken by path.
    fn search_words(
        &self,
        terms: &[(u32, f32)],
        selection: &Selection,
        limit: usize,
    ) -> Result<Vec<(ChunkRow, f32)>, StoreError> {
        let asked: Vec<u32> = terms.iter().map(|(term, _)| *term).collect();
        let rarities = self.idfs(&asked)?;
        let factors: Vec<f32> = terms
            .iter()
            .zip(rarities)
            .map(|((_, weight), rarity)| weight * rarity * bm25::WEIGHT_STEP)
            .collect();
        let mut values = SqlParameters::default();
        let (terms, factors) = (values.add(to_signed(&asked)), values.add(factors));
        let wanted = values.add(limit.min(MOST) as i64);
        let joined = match condition(selection, &mut values) {
            open if open == "true" => String::new(),
            condition => format!("JOIN chunks c ON c.id = p.chunk WHERE {condition}"),
        };
        let sql = format!(
            "SELECT {CHUNK}, s.score FROM (
                SELECT p.chunk, sum(p.weight * a.factor)::real AS score
                FROM unnest({terms}::int[], {factors}::real[]) a (term, factor)
                JOIN postings p ON p.term = a.term {joined}
                GROUP BY p.chunk ORDER BY score DESC FETCH FIRST {wanted} ROWS WITH TIES
             ) s JOIN chunks c ON c.id = s.chunk
             ORDER BY s.score DESC, c.path, c.ordinal LIMIT {wanted}"
        );
        self.query_scored(&sql, &values)
    }

    /// Ranks by vectors. An exact scan: there is no approximate index. `<#>` is the negative dot
    /// product.
    fn search_vectors(
        &self,
        vector: &[f32],
        selection: &Selection,
        limit: usize,
    ) -> Result<Vec<(ChunkRow, f32)>, StoreError> {
        let mut values = SqlParameters::default();
        let vector = values.add(halfvec(vector));
        let wanted = values.add(limit.min(MOST) as i64);
        let condition = condition(selection, &mut values);
        let sql = format!(
            "SELECT {CHUNK}, -(c.dense <#> {vector}::text::halfvec)::real FROM chunks c
             WHERE c.dense IS NOT NULL AND {condition}
             ORDER BY c.dense <#> {vector}::text::halfvec, c.path, c.ordinal LIMIT {wanted}"
        );
        self.query_scored(&sql, &values)
    }

    /// Runs a query that returns chunks and their scores.
    fn query_scored(
        &self,
        sql: &str,
        values: &SqlParameters,
    ) -> Result<Vec<(ChunkRow, f32)>, StoreError> {
        let rows = self.query(sql, &values.all())?;
        let scored = rows.iter().map(|row| (chunk_from_row(row), row.get(CHUNK_COLUMNS)));
        Ok(scored.collect())
    }
}

/// The largest limit that is sent.
const MOST: usize = i32::MAX as usize;

impl Records for SnapshotRows<'_> {
    fn size(&self) -> Result<Size, StoreError> {
        let sql = "SELECT (SELECT count(dense) FROM chunks),
                          (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint
                           FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
                           WHERE relkind = 'r' AND nspname = $1)";
        let rows = self.query(sql, &[&self.schema])?;
        let number = |column: usize| {
            let row = rows.first();
            row.map_or(0, |row| row.get::<_, i64>(column) as u64)
        };
        Ok(Size { vectors: number(0), bytes: number(1) })
    }

    fn overview(&self) -> Result<Overview, StoreError> {
        let rows = self.query("SELECT overview FROM state", &[])?;
        let text = rows.first().map_or("{}", |row| row.get(0));
        Ok(rows_to_store::parse_overview(&serde_json::from_str(text).unwrap_or_default()))
    }

    fn problems(&self) -> Result<Vec<Problem>, StoreError> {
        let rows = self.query("SELECT problems FROM files WHERE problems IS NOT NULL", &[])?;
        let problems = rows.iter().flat_map(|row| {
            let value = serde_json::from_str(row.get(0)).unwrap_or_default();
            rows_to_store::parse_problems(&value)
        });
        Ok(problems.collect())
    }

    fn files(&self) -> Result<Vec<FileRow>, StoreError> {
        let rows = self.query(&format!("SELECT {FILE} FROM files"), &[])?;
        Ok(rows.iter().map(file_from_row).collect())
    }

    fn files_at(&self, paths: &[&str]) -> Result<Vec<FileRow>, StoreError> {
        let sql = format!("SELECT {FILE} FROM files WHERE path = ANY($1)");
        Ok(self.query(&sql, &[&paths])?.iter().map(file_from_row).collect())
    }

    fn files_with_trigrams(&self, grams: &[u32]) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT path FROM files WHERE trigrams @> $1";
        let rows = self.query(sql, &[&to_signed(grams)])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn files_defining(&self, name: u32, limit: usize) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT path FROM files WHERE name_hashes @> $1 ORDER BY path LIMIT $2";
        let limit = limit.min(MOST) as i64;
        let rows = self.query(sql, &[&to_signed(&[name]), &limit])?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }

    fn parts(&self, paths: &[&str], piece: StoredPart) -> Result<Vec<PartRow>, StoreError> {
        let column = match piece {
            StoredPart::Text => "text_blob",
            StoredPart::Symbols => "symbols_blob",
        };
        let sql = format!("SELECT path, {column} FROM files WHERE path = ANY($1)");
        let rows = self.query(&sql, &[&paths])?;
        let pieces = rows.iter().map(|row| PartRow {
            path: row.get(0),
            version: String::new(),
            packed: row.get(1),
        });
        Ok(pieces.collect())
    }

    fn chunks_of(
        &self,
        paths: &[&str],
        selection: &Selection,
    ) -> Result<Vec<ChunkRow>, StoreError> {
        let mut values = SqlParameters::default();
        let path_texts: Vec<String> = paths.iter().map(|path| path.to_string()).collect();
        let paths = values.add(path_texts);
        let condition = condition(selection, &mut values);
        let sql =
            format!("SELECT {CHUNK} FROM chunks c WHERE c.path = ANY({paths}) AND {condition}");
        Ok(self.query(&sql, &values.all())?.iter().map(chunk_from_row).collect())
    }

    fn list(
        &self,
        selection: &Selection,
        limit: usize,
        _files: AllFiles,
    ) -> Result<Vec<ChunkRow>, StoreError> {
        let mut values = SqlParameters::default();
        let condition = condition(selection, &mut values);
        let limit = values.add(limit.min(MOST) as i64);
        let sql = format!(
            "SELECT {CHUNK} FROM chunks c WHERE {condition} ORDER BY c.path, c.ordinal LIMIT {limit}"
        );
        Ok(self.query(&sql, &values.all())?.iter().map(chunk_from_row).collect())
    }

    fn search(
        &self,
        legs: &[Retrieval],
        selection: &Selection,
        limit: usize,
    ) -> Result<Vec<Vec<(ChunkRow, f32)>>, StoreError> {
        let leg = |leg: &Retrieval| match leg {
            Retrieval::Words(terms) => self.search_words(terms, selection, limit),
            Retrieval::Vector(vector) => self.search_vectors(vector, selection, limit),
        };
        legs.iter().map(leg).collect()
    }

    fn idfs(&self, terms: &[u32]) -> Result<Vec<f32>, StoreError> {
        // `WITH ORDINALITY` keeps the order of the terms.
        let sql = "SELECT (SELECT chunks FROM state), coalesce(t.chunk_count, 0)
                   FROM unnest($1::int[]) WITH ORDINALITY a (term, position)
                   LEFT JOIN terms t ON t.term = a.term ORDER BY a.position";
        let rows = self.query(sql, &[&to_signed(terms)])?;
        let rarity = |row: &Row| {
            let (chunks, holding): (i64, i64) = (row.get(0), row.get(1));
            bm25::idf(chunks as u32, holding as u32)
        };
        Ok(rows.iter().map(rarity).collect())
    }

    fn files_with_terms(
        &self,
        terms: &[u32],
        paths: &[&str],
    ) -> Result<Vec<Vec<String>>, StoreError> {
        // Numbers of chunks begin with their file's, so those of a file stand side by side.
        let sql = format!(
            "SELECT a.position, f.path FROM unnest($1::int[]) WITH ORDINALITY a (term, position)
             CROSS JOIN files f WHERE f.path = ANY($2) AND EXISTS (
                 SELECT FROM postings p WHERE p.term = a.term AND
                 p.chunk >= f.id << {CHUNK_BITS} AND p.chunk < (f.id + 1) << {CHUNK_BITS})"
        );
        let mut found = vec![Vec::new(); terms.len()];
        for row in self.query(&sql, &[&to_signed(terms), &paths])? {
            let position: i64 = row.get(0);
            if let Some(files) = found.get_mut(position as usize - 1) {
                files.push(row.get(1));
            }
        }
        Ok(found)
    }
}

/// Converts hashes to PostgreSQL's integers, which are signed, bit by bit.
pub fn to_signed(hashes: &[u32]) -> Vec<i32> {
    hashes.iter().map(|hash| hash.cast_signed()).collect()
}

/// Formats a vector as pgvector reads it.
pub fn halfvec(vector: &[f32]) -> String {
    let values: Vec<String> = vector.iter().map(f32::to_string).collect();
    format!("[{}]", values.join(","))
}

/// Reads the columns of [`FILE`]. The version is empty: a snapshot has one version of each file.
fn file_from_row(row: &Row) -> FileRow {
    let hash: &[u8] = row.get(3);
    FileRow {
        path: row.get(0),
        version: String::new(),
        size: row.get::<_, i64>(1) as u64,
        modified_ns: row.get(2),
        hash: hash.try_into().unwrap_or_default(),
        language: row.get(4),
        is_test: row.get(5),
        package: row.get(6),
        chunks: row.get::<_, i32>(7) as u32,
        symbols: row.get::<_, i32>(8) as u32,
    }
}

/// Reads the columns of [`CHUNK`].
fn chunk_from_row(row: &Row) -> ChunkRow {
    let number = |column: usize| row.get::<_, i32>(column) as u32;
    ChunkRow {
        path: row.get(0),
        version: String::new(),
        ordinal: number(1),
        count: number(2),
        language: row.get(3),
        package: row.get(4),
        kind: ChunkKind::parse(row.get(5)).unwrap_or(ChunkKind::File),
        is_test: row.get(6),
        is_header: row.get(7),
        is_exported: row.get(8),
        symbol: row.get(9),
        scope: row.get(10),
        signature: row.get(11),
        span: Span {
            start_line: number(12),
            end_line: number(13),
            start_byte: number(14),
            end_byte: number(15),
        },
    }
}
