//! Maps rows of the database to records. Each `SELECT_` constant belongs to the function below it,
//! which reads its columns by position.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row};

use super::enum_codes::{StoredEnum, kind_and_test};
use super::error::StoreResult;
use super::file_filter::FileEntry;
use super::records::{ChunkRecord, FileRecord, KnownFile, Skip, Stamp};
use super::varint::Malformed;
use kenning_model::{Heritage, HeritageKind, Problem, RepoPath, Span};

/// Selects the columns that [`file_from_row`] reads.
pub const SELECT_FILES: &str =
    "SELECT path, size, modified_ns, hash, language, is_test, package, first_chunk,
    length(chunk_kinds) FROM files";

/// Reads a row of [`SELECT_FILES`].
pub fn file_from_row(row: &Row) -> rusqlite::Result<FileRecord> {
    let first: u32 = row.get(7)?;
    Ok(FileRecord {
        stamp: stamp_from_row(row)?,
        hash: row.get(3)?,
        language: row.get(4)?,
        is_test: row.get(5)?,
        package: row.get(6)?,
        chunks: first..first + row.get::<_, u32>(8)?,
    })
}

/// Returns all files with the values that tell whether they changed, by path.
pub fn load_known_files(connection: &Connection) -> StoreResult<Vec<KnownFile>> {
    // In the order in which they lie there, which is quicker to read than by path, and nearly
    // sorted, which is quick to sort.
    let mut statement = connection.prepare_cached(
        "SELECT path, size, modified_ns, hash, package, length(chunk_kinds) FROM files",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(KnownFile {
            stamp: stamp_from_row(row)?,
            hash: row.get(3)?,
            package: row.get(4)?,
            chunks: row.get::<_, u32>(5)? as usize,
        })
    })?;
    let mut files = rows.collect::<rusqlite::Result<Vec<KnownFile>>>()?;
    files.sort_by(|a, b| a.stamp.path.cmp(&b.stamp.path));
    Ok(files)
}

/// Returns the skipped files, by path.
pub fn load_skips(connection: &Connection) -> StoreResult<Vec<Skip>> {
    let mut statement = connection.prepare_cached(
        "SELECT path, size, modified_ns, reason FROM skipped_files ORDER BY path",
    )?;
    let rows = statement
        .query_map([], |row| Ok(Skip { stamp: stamp_from_row(row)?, reason: row.get(3)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Returns all metadata of the collection.
pub fn load_metadata(connection: &Connection) -> StoreResult<BTreeMap<String, String>> {
    let mut statement = connection.prepare_cached("SELECT key, value FROM metadata")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Selects the read errors of the last walk.
pub const SELECT_READ_ERRORS: &str = "SELECT path, line, message FROM read_errors";
/// Selects the problems of files, with their paths.
pub const SELECT_PROBLEMS: &str =
    "SELECT path, line, message FROM problems JOIN files ON files.id = file";

/// Returns the rows of [`SELECT_READ_ERRORS`] or [`SELECT_PROBLEMS`], sorted.
pub fn load_problems(connection: &Connection, which: &str) -> StoreResult<Vec<Problem>> {
    let mut statement = connection.prepare_cached(which)?;
    let rows = statement.query_map([], |row| {
        Ok(Problem { path: path_from_row(row, 0)?, line: row.get(1)?, message: row.get(2)? })
    })?;
    let mut problems = rows.collect::<rusqlite::Result<Vec<Problem>>>()?;
    problems.sort();
    Ok(problems)
}

/// Reads a stamp from a row that begins with path, size and time.
pub fn stamp_from_row(row: &Row) -> rusqlite::Result<Stamp> {
    Ok(Stamp {
        path: path_from_row(row, 0)?,
        size: row.get::<_, i64>(1)? as u64,
        modified_ns: row.get(2)?,
    })
}

/// Selects one chunk by its id.
pub const SELECT_CHUNK: &str =
    "SELECT id, start_line, end_line, start_byte, end_byte, symbol, scope, name_line
    FROM chunks WHERE id = ?";

/// Reads a row of [`SELECT_CHUNK`]. `file` is the chunk's file, which has its kind.
pub fn chunk_from_row(row: &Row, file: &FileEntry) -> StoreResult<ChunkRecord> {
    let id = row.get(0)?;
    let (kind, is_test) = kind_and_test(file.code(id).ok_or(Malformed)?)?;
    Ok(ChunkRecord {
        id,
        file_chunks: file.chunks(),
        path: file.path.clone(),
        language: file.language.to_string(),
        package: file.package.as_deref().map(str::to_string),
        kind,
        is_test,
        symbol: row.get(5)?,
        scope: row.get(6)?,
        line: row.get(7)?,
        span: span_from_row(row)?,
    })
}

/// Selects heritage clauses with the paths of their files.
pub const SELECT_HERITAGE: &str = "SELECT path, subject, base, kind, condition, line
    FROM heritage JOIN files ON files.id = file";

/// Like [`SELECT_HERITAGE`], but with the file's id instead of its path.
pub const SELECT_HERITAGE_BY_FILE: &str =
    "SELECT file, subject, base, kind, condition, line FROM heritage";

/// Reads a row of [`SELECT_HERITAGE`] or [`SELECT_HERITAGE_BY_FILE`], without the first column.
pub fn heritage_from_row(row: &Row) -> StoreResult<Heritage> {
    Ok(Heritage {
        subject: row.get(1)?,
        base: row.get(2)?,
        kind: HeritageKind::from_code(row.get(3)?)?,
        condition: row.get(4)?,
        line: row.get(5)?,
    })
}

/// Reads a span from the four columns after the first.
fn span_from_row(row: &Row) -> rusqlite::Result<Span> {
    Ok(Span {
        start_line: row.get(1)?,
        end_line: row.get(2)?,
        start_byte: row.get(3)?,
        end_byte: row.get(4)?,
    })
}

/// Reads a path. Only normalized paths are stored, so any other is damage.
pub fn path_from_row(row: &Row, column: usize) -> rusqlite::Result<RepoPath> {
    let text: String = row.get(column)?;
    RepoPath::new(&text).ok_or_else(|| {
        let message = format!("not a path of a repository: {text}");
        rusqlite::Error::FromSqlConversionFailure(
            column,
            rusqlite::types::Type::Text,
            message.into(),
        )
    })
}
