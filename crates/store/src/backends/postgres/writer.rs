//! Writes changes: one transaction for each batch, in which old rows are removed and new ones
//! inserted. Chunks and postings are sent with `COPY`, one for all files of a batch.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use postgres::{Client, Transaction};

use super::reader::{halfvec, to_signed};
use super::{schema, to_store_error};
use crate::StoreError;
use crate::backends::remote_api::{ChunkRow, Overview};
use crate::backends::{
    CollectionInfo, CollectionWriter, WriterStart, filter_pushdown, rows_to_store,
};
use crate::code::{Changes, FileUpdate, IndexSettings, Touch};
use kenning_model::RepoPath;
use kenning_text::bm25;

/// The only writer of a collection, until dropped: an advisory lock of its connection keeps others
/// out.
pub struct PostgresWriter {
    client: Client,
    card: CollectionInfo,
    settings: IndexSettings,
    /// The schema that changes go to: the current one, or an unpublished draft.
    schema: String,
    is_published: bool,
}

/// A chunk's id is `file id << CHUNK_BITS | ordinal`, so that the chunks of a file are a range of
/// ids.
pub const CHUNK_BITS: u32 = 20;

impl PostgresWriter {
    /// Takes the collection's advisory lock, removes drafts that killed builds left, and opens the
    /// current schema, or a new one if the settings differ or a rebuild is wanted.
    pub fn begin(
        mut client: Client,
        card: &CollectionInfo,
        settings: &IndexSettings,
        begin: WriterStart,
    ) -> Result<PostgresWriter, StoreError> {
        schema::prepare(&mut client)?;
        let lock = "SELECT pg_try_advisory_lock(hashtextextended($1, 0))";
        let name = format!("kenning/{}", card.name);
        let row = client.query_one(lock, &[&name]).map_err(to_store_error)?;
        if !row.get::<_, bool>(0) {
            return Err(StoreError::Busy {
                path: card.name.clone().into(),
                holder: "another indexer, through the server".to_string(),
            });
        }
        let known = schema::find_schema(&mut client, &card.name)?;
        schema::drop_drafts(&mut client, &card.name, known.as_deref())?;
        let usable = match &known {
            Some(schema_name) if begin == WriterStart::Update => {
                has_settings(&mut client, schema_name, settings)?
            }
            _ => false,
        };
        let schema_name = match &known {
            Some(schema_name) if usable => schema_name.clone(),
            _ => schema::create_schema(&mut client, &card.name, settings)?,
        };
        // A new collection is published at once, so that readers see it grow.
        if known.is_none() {
            schema::publish(&mut client, card, &schema_name)?;
        }
        let is_published = usable || known.is_none();
        Ok(PostgresWriter {
            client,
            card: card.clone(),
            settings: settings.clone(),
            schema: schema_name,
            is_published,
        })
    }
}

impl Drop for PostgresWriter {
    /// Drops the schema of a build that was not published, to free its space.
    fn drop(&mut self) {
        if !self.is_published
            && let Err(error) = schema::drop_schema(&mut self.client, &self.schema)
        {
            tracing::debug!("{} stays: {error}", self.schema);
        }
    }
}

impl CollectionWriter for PostgresWriter {
    fn known_files(&mut self) -> Result<BTreeMap<RepoPath, [u8; 32]>, StoreError> {
        let select = format!("SELECT path, hash FROM {}.files", self.schema);
        let rows = self.client.query(&select, &[]).map_err(to_store_error)?;
        let known = rows.iter().filter_map(|row| {
            let hash: &[u8] = row.get(1);
            Some((RepoPath::new(row.get(0))?, hash.try_into().ok()?))
        });
        Ok(known.collect())
    }

    fn apply(&mut self, changes: &Changes) -> Result<u64, StoreError> {
        for update in &changes.updated {
            rows_to_store::check_dimensions(update, &self.settings)?;
        }
        let mut transaction = self.client.transaction().map_err(to_store_error)?;
        let path = format!("SET LOCAL search_path TO {}, public", self.schema);
        transaction.batch_execute(&path).map_err(to_store_error)?;
        let updated = changes.updated.iter().map(|update| &update.stamp.path);
        let old: Vec<&str> = changes.removed.iter().chain(updated).map(RepoPath::as_str).collect();
        remove(&mut transaction, &old)?;
        insert(&mut transaction, &changes.updated)?;
        for touch in &changes.touched {
            touch_file(&mut transaction, touch)?;
        }
        let generation = update_state(&mut transaction, changes)?;
        transaction.commit().map_err(to_store_error)?;
        Ok(generation)
    }

    fn publish(mut self: Box<Self>) -> Result<(), StoreError> {
        // Without counts of its rows a server guesses, and guesses wrong about a new table.
        let schema_name = &self.schema;
        let analyze =
            format!("ANALYZE {schema_name}.files, {schema_name}.chunks, {schema_name}.postings");
        self.client.batch_execute(&analyze).map_err(to_store_error)?;
        schema::publish(&mut self.client, &self.card, &self.schema)?;
        self.is_published = true;
        Ok(())
    }
}

/// True if a schema was made with these settings and by this layout.
fn has_settings(
    client: &mut Client,
    schema_name: &str,
    settings: &IndexSettings,
) -> Result<bool, StoreError> {
    let select = format!("SELECT settings FROM {schema_name}.state");
    let row = client.query_one(&select, &[]).map_err(to_store_error)?;
    let value = serde_json::from_str(row.get(0)).unwrap_or_default();
    Ok(rows_to_store::parse_settings(&value).as_ref() == Some(settings))
}

/// Removes files with their chunks and postings, and lowers the counts of their terms.
fn remove(transaction: &mut Transaction, paths: &[&str]) -> Result<(), StoreError> {
    let select = "SELECT id FROM files WHERE path = ANY($1)";
    let rows = transaction.query(select, &[&paths]).map_err(to_store_error)?;
    let files: Vec<i64> = rows.iter().map(|row| row.get(0)).collect();
    if files.is_empty() {
        return Ok(());
    }
    for sql in [
        "UPDATE terms t SET chunk_count = t.chunk_count - s.gone FROM (
            SELECT term, count(*) gone FROM chunks c, unnest(c.terms) term
            WHERE c.file = ANY($1) GROUP BY term
         ) s WHERE t.term = s.term",
        "DELETE FROM postings p USING (
            SELECT c.id, unnest(c.terms) term FROM chunks c WHERE c.file = ANY($1)
         ) s WHERE p.term = s.term AND p.chunk = s.id",
        "UPDATE state SET chunks = chunks - (SELECT count(*) FROM chunks WHERE file = ANY($1))",
        "DELETE FROM files WHERE id = ANY($1)",
    ] {
        transaction.execute(sql, &[&files]).map_err(to_store_error)?;
    }
    Ok(())
}

/// Inserts files with their chunks and postings, and raises the counts of their terms.
fn insert(transaction: &mut Transaction, updates: &[FileUpdate]) -> Result<(), StoreError> {
    if updates.is_empty() {
        return Ok(());
    }
    let mut files = Vec::with_capacity(updates.len());
    for update in updates {
        files.push((insert_file(transaction, update)?, update));
    }
    copy_chunks(transaction, &files)?;
    let holding = copy_postings(transaction, &files)?;
    let (terms, counts): (Vec<i32>, Vec<i64>) = holding.into_iter().unzip();
    let count = "INSERT INTO terms SELECT * FROM unnest($1::int[], $2::bigint[]) ORDER BY 1
                 ON CONFLICT (term) DO UPDATE SET chunk_count = terms.chunk_count + excluded.chunk_count";
    transaction.execute(count, &[&terms, &counts]).map_err(to_store_error)?;
    let chunks: usize = updates.iter().map(|update| update.facts.chunks.len()).sum();
    let more = "UPDATE state SET chunks = chunks + $1";
    transaction.execute(more, &[&(chunks as i64)]).map_err(to_store_error)?;
    Ok(())
}

/// Inserts the row of a file and returns its id.
fn insert_file(transaction: &mut Transaction, update: &FileUpdate) -> Result<i64, StoreError> {
    let row = rows_to_store::file_row(update);
    let file_problems = &update.facts.problems;
    let problems = (!file_problems.is_empty())
        .then(|| rows_to_store::problems_json(file_problems).to_string());
    let sql = "INSERT INTO files (path, size, modified_ns, hash, language, is_test, package,
                   chunks, symbols, name_hashes, trigrams, text_blob, symbols_blob, problems)
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) RETURNING id";
    let inserted = transaction.query_one(
        sql,
        &[
            &row.path,
            &(row.size as i64),
            &row.modified_ns,
            &row.hash.as_slice(),
            &row.language,
            &row.is_test,
            &row.package,
            &(row.chunks as i32),
            &(row.symbols as i32),
            &to_signed(&rows_to_store::defined_names(update)),
            &to_signed(&rows_to_store::file_trigrams(update)),
            &update.packed.packed_text(),
            &update.packed.packed_symbols(),
            &problems,
        ],
    );
    Ok(inserted.map_err(to_store_error)?.get(0))
}

/// Sends the chunks of all files in one `COPY`.
fn copy_chunks(
    transaction: &mut Transaction,
    files: &[(i64, &FileUpdate)],
) -> Result<(), StoreError> {
    let mut lines = String::new();
    for (file, update) in files {
        for (row, content) in rows_to_store::chunk_rows(update).iter().zip(&update.contents) {
            let terms: Vec<String> =
                content.terms.iter().map(|(term, _)| term.cast_signed().to_string()).collect();
            let dense =
                content.embedding.as_ref().map(|embedding| halfvec(&embedding.vector.restore()));
            chunk_line(&mut lines, *file, row);
            for field in [Some(format!("{{{}}}", terms.join(","))), dense] {
                lines.push('\t');
                put_field(&mut lines, field.as_deref());
            }
            lines.push('\n');
        }
    }
    copy_lines(transaction, "COPY chunks FROM STDIN", &lines)
}

/// Appends a chunk as a line of `COPY`, without its last two columns, terms and vector.
fn chunk_line(lines: &mut String, file: i64, row: &ChunkRow) {
    let id = file << CHUNK_BITS | i64::from(row.ordinal);
    let flag = |is: bool| Some(if is { "t" } else { "f" }.to_string());
    let number = |number: u32| Some(number.to_string());
    let fields = [
        Some(id.to_string()),
        Some(file.to_string()),
        Some(row.path.clone()),
        number(row.ordinal),
        number(row.count),
        Some(format_array(&filter_pushdown::directories(&row.path))),
        Some(format_array(&filter_pushdown::endings(&row.path))),
        Some(row.language.clone()),
        row.package.clone(),
        Some(row.kind.as_str().to_string()),
        flag(row.is_test),
        flag(row.is_header),
        row.is_exported.and_then(flag),
        row.symbol.clone(),
        row.scope.clone(),
        row.signature.clone(),
        number(row.span.start_line),
        number(row.span.end_line),
        number(row.span.start_byte),
        number(row.span.end_byte),
    ];
    for (place, field) in fields.iter().enumerate() {
        if place > 0 {
            lines.push('\t');
        }
        put_field(lines, field.as_deref());
    }
}

/// Sends the postings of all files in one `COPY`, sorted. Returns how many chunks contain each
/// term.
fn copy_postings(
    transaction: &mut Transaction,
    files: &[(i64, &FileUpdate)],
) -> Result<HashMap<i32, i64>, StoreError> {
    let mut holding: HashMap<i32, i64> = HashMap::new();
    let mut postings: Vec<(i32, i64, u8)> = Vec::new();
    for (file, update) in files {
        for (ordinal, content) in update.contents.iter().enumerate() {
            let chunk = file << CHUNK_BITS | ordinal as i64;
            for (term, weight) in &content.terms {
                let term = term.cast_signed();
                *holding.entry(term).or_default() += 1;
                postings.push((term, chunk, bm25::quantise(*weight)));
            }
        }
    }
    // In the order of the index, which then grows at few places at a time.
    postings.sort_unstable();
    let mut lines = String::with_capacity(postings.len() * 24);
    for (term, chunk, weight) in postings {
        lines.push_str(&format!("{term}\t{chunk}\t{weight}\n"));
    }
    copy_lines(transaction, "COPY postings FROM STDIN", &lines)?;
    Ok(holding)
}

/// Sends lines to a `COPY ... FROM STDIN`.
fn copy_lines(transaction: &mut Transaction, sql: &str, lines: &str) -> Result<(), StoreError> {
    let broken = |error: std::io::Error| StoreError::Server {
        backend: super::NAME,
        what: error.to_string(),
        remedy: "check that PostgreSQL is up, and run it again".to_string(),
    };
    let mut writer = transaction.copy_in(sql).map_err(to_store_error)?;
    writer.write_all(lines.as_bytes()).map_err(broken)?;
    writer.finish().map_err(to_store_error)?;
    Ok(())
}

/// Appends a field in the text format of `COPY`.
fn put_field(line: &mut String, field: Option<&str>) {
    let Some(field) = field else {
        line.push_str("\\N");
        return;
    };
    for letter in field.chars() {
        match letter {
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            // The one character that the server's text cannot hold.
            '\0' => line.push('\u{fffd}'),
            letter => line.push(letter),
        }
    }
}

/// Formats an array of texts.
fn format_array(texts: &[&str]) -> String {
    let quoted = texts.iter().map(|text| {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{escaped}\"")
    });
    format!("{{{}}}", quoted.collect::<Vec<_>>().join(","))
}

/// Updates the stamp and package of a file whose content did not change.
fn touch_file(transaction: &mut Transaction, touch: &Touch) -> Result<(), StoreError> {
    let path = touch.stamp.path.as_str();
    let (size, modified_ns) = (touch.stamp.size as i64, touch.stamp.modified_ns);
    let file = "UPDATE files SET size = $2, modified_ns = $3, package = $4 WHERE path = $1";
    let values: [&(dyn postgres::types::ToSql + Sync); 4] =
        [&path, &size, &modified_ns, &touch.package];
    transaction.execute(file, &values).map_err(to_store_error)?;
    let chunks = "UPDATE chunks SET package = $2
                  WHERE path = $1 AND package IS DISTINCT FROM $2";
    transaction.execute(chunks, &[&path, &touch.package]).map_err(to_store_error)?;
    Ok(())
}

/// Merges metadata, skipped files and read errors into the state, and raises the generation.
fn update_state(transaction: &mut Transaction, changes: &Changes) -> Result<u64, StoreError> {
    let select = "SELECT generation, metadata, overview FROM state FOR UPDATE";
    let row = transaction.query_one(select, &[]).map_err(to_store_error)?;
    let generation: i64 = row.get::<_, i64>(0) + 1;
    let mut notes: BTreeMap<String, String> = serde_json::from_str(row.get(1)).unwrap_or_default();
    notes.extend(changes.metadata.clone());
    let known =
        rows_to_store::parse_overview(&serde_json::from_str(row.get(2)).unwrap_or_default());
    let new_overview = Overview {
        skips: changes.skipped.clone().unwrap_or(known.skips),
        read_errors: changes.read_errors.clone().unwrap_or(known.read_errors),
    };
    let update = "UPDATE state SET generation = $1, metadata = $2, overview = $3";
    let notes = serde_json::to_value(notes).unwrap_or_default().to_string();
    let overview = rows_to_store::overview_json(&new_overview).to_string();
    let values: [&(dyn postgres::types::ToSql + Sync); 3] = [&generation, &notes, &overview];
    transaction.execute(update, &values).map_err(to_store_error)?;
    Ok(generation as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_escaped() {
        let mut line = String::new();
        put_field(&mut line, Some("a\tb\\c\nd\0"));
        put_field(&mut line, None);
        assert_eq!(line, "a\\tb\\\\c\\nd\u{fffd}\\N");
        assert_eq!(format_array(&["a\"b", "c\\d"]), "{\"a\\\"b\",\"c\\\\d\"}");
    }
}
