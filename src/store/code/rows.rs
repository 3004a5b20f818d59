//! From rows of the database to records.

use rusqlite::Row;

use super::codes::{Code, kind_and_test};
use super::facts::{ChunkRecord, FileRecord, Stamp};
use super::failure::Outcome;
use crate::model::{Heritage, HeritageKind, RepoPath, Span};

pub const FILES: &str =
    "SELECT path, size, modified_ns, hash, language, is_test, package, first_chunk,
    length(kinds) FROM files";

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

/// Of queries that begin with path, size and time.
pub fn stamp(row: &Row) -> rusqlite::Result<Stamp> {
    Ok(Stamp {
        path: path(row, 0)?,
        size: row.get::<_, i64>(1)? as u64,
        modified_ns: row.get(2)?,
    })
}

pub const CHUNKS: &str = "SELECT path, start_line, end_line, start_byte, end_byte, chunks.id, kind,
    symbol, scope, signature, language, package
    FROM chunks JOIN files ON files.id = file WHERE chunks.id = ?";

pub fn chunk(row: &Row) -> Outcome<ChunkRecord> {
    let (kind, is_test) = kind_and_test(row.get(6)?)?;
    Ok(ChunkRecord {
        id: row.get(5)?,
        path: path(row, 0)?,
        language: row.get(10)?,
        package: row.get(11)?,
        kind,
        is_test,
        symbol: row.get(7)?,
        scope: row.get(8)?,
        signature: row.get(9)?,
        span: span(row)?,
    })
}

pub const HERITAGE: &str = "SELECT path, subject, base, how, condition, line
    FROM heritage JOIN files ON files.id = file";

/// The same without the path: with the file's number.
pub const HERITAGE_ROWS: &str = "SELECT file, subject, base, how, condition, line FROM heritage";

pub fn heritage(row: &Row) -> Outcome<Heritage> {
    Ok(Heritage {
        subject: row.get(1)?,
        base: row.get(2)?,
        how: HeritageKind::from_code(row.get(3)?)?,
        condition: row.get(4)?,
        line: row.get(5)?,
    })
}

/// Of queries that begin with the path and the four ends of a span.
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
