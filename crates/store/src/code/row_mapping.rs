//! From rows of the database to records.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row};

use super::enum_codes::{Code, kind_and_test};
use super::error::StoreResult;
use super::file_table::CatalogFile;
use super::records::{ChunkRecord, FileRecord, KnownFile, Skip, Stamp};
use super::varint::Malformed;
use kenning_model::{Heritage, HeritageKind, Problem, RepoPath, Span};

pub const FILES: &str =
    "SELECT path, size, modified_ns, hash, language, is_test, package, first_chunk,
    length(chunk_kinds) FROM files";

pub fn file(row: &Row) -> rusqlite::Result<FileRecord> {
    let first: u32 = row.get(7)?;
    Ok(FileRecord {
        stamp: stamp(row)?,
        hash: row.get(3)?,
        language: row.get(4)?,
        is_test: row.get(5)?,
        package: row.get(6)?,
        chunks: first..first + row.get::<_, u32>(8)?,
    })
}

pub fn known_files(connection: &Connection) -> StoreResult<Vec<KnownFile>> {
    // In the order in which they lie there, which is quicker to read than by path, and nearly
    // sorted, which is quick to sort.
    let mut statement = connection.prepare_cached(
        "SELECT path, size, modified_ns, hash, package, length(chunk_kinds) FROM files",
    )?;
    let rows = statement.query_map([], |row| {
        Ok(KnownFile {
            stamp: stamp(row)?,
            hash: row.get(3)?,
            package: row.get(4)?,
            chunks: row.get::<_, u32>(5)? as usize,
        })
    })?;
    let mut files = rows.collect::<rusqlite::Result<Vec<KnownFile>>>()?;
    files.sort_by(|a, b| a.stamp.path.cmp(&b.stamp.path));
    Ok(files)
}

pub fn skips(connection: &Connection) -> StoreResult<Vec<Skip>> {
    let mut statement = connection.prepare_cached(
        "SELECT path, size, modified_ns, reason FROM skipped_files ORDER BY path",
    )?;
    let rows =
        statement.query_map([], |row| Ok(Skip { stamp: stamp(row)?, reason: row.get(3)? }))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub fn notes(connection: &Connection) -> StoreResult<BTreeMap<String, String>> {
    let mut statement = connection.prepare_cached("SELECT key, value FROM metadata")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

pub const OBSTACLES: &str = "SELECT path, line, message FROM read_errors";
pub const PROBLEMS: &str = "SELECT path, line, message FROM problems JOIN files ON files.id = file";

/// Sorted.
pub fn problems(connection: &Connection, which: &str) -> StoreResult<Vec<Problem>> {
    let mut statement = connection.prepare_cached(which)?;
    let rows = statement.query_map([], |row| {
        Ok(Problem { path: path(row, 0)?, line: row.get(1)?, message: row.get(2)? })
    })?;
    let mut problems = rows.collect::<rusqlite::Result<Vec<Problem>>>()?;
    problems.sort();
    Ok(problems)
}

/// Reads a stamp from a row that begins with path, size and time.
pub fn stamp(row: &Row) -> rusqlite::Result<Stamp> {
    Ok(Stamp { path: path(row, 0)?, size: row.get::<_, i64>(1)? as u64, modified_ns: row.get(2)? })
}

pub const CHUNKS: &str =
    "SELECT id, start_line, end_line, start_byte, end_byte, symbol, scope, name_line
    FROM chunks WHERE id = ?";

pub fn chunk(row: &Row, file: &CatalogFile) -> StoreResult<ChunkRecord> {
    let id = row.get(0)?;
    let (kind, is_test) = kind_and_test(file.code(id).ok_or(Malformed)?)?;
    Ok(ChunkRecord {
        id,
        of_file: file.chunks(),
        path: file.path.clone(),
        language: file.language.to_string(),
        package: file.package.as_deref().map(str::to_string),
        kind,
        is_test,
        symbol: row.get(5)?,
        scope: row.get(6)?,
        line: row.get(7)?,
        span: span(row)?,
    })
}

pub const HERITAGE: &str = "SELECT path, subject, base, kind, condition, line
    FROM heritage JOIN files ON files.id = file";

/// The same without the path: with the file's number.
pub const HERITAGE_ROWS: &str = "SELECT file, subject, base, kind, condition, line FROM heritage";

pub fn heritage(row: &Row) -> StoreResult<Heritage> {
    Ok(Heritage {
        subject: row.get(1)?,
        base: row.get(2)?,
        how: HeritageKind::from_code(row.get(3)?)?,
        condition: row.get(4)?,
        line: row.get(5)?,
    })
}

/// Reads a span from the four columns after the first.
fn span(row: &Row) -> rusqlite::Result<Span> {
    Ok(Span {
        start_line: row.get(1)?,
        end_line: row.get(2)?,
        start_byte: row.get(3)?,
        end_byte: row.get(4)?,
    })
}

/// Paths were normal when they were written.
pub fn path(row: &Row, column: usize) -> rusqlite::Result<RepoPath> {
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
