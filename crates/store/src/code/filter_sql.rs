//! Filters on more than the file and kind of a chunk: its symbol, its scope and lines, its
//! visibility. The database answers them, once for each filter and generation.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::bitmap::Bitmap;
use super::error::StoreResult;
use super::file_blob;
use super::file_filter::{Exported, Filter};
use super::varint::Malformed;
use kenning_model::is_exported;

/// Returns the chunks that match the filter's names and lines; `None` if it has no such condition.
/// Replaced chunks have no row any more.
pub fn select_chunks(connection: &Connection, filter: &Filter) -> StoreResult<Option<Bitmap>> {
    let mut conditions = Vec::new();
    let mut values = Vec::new();
    for (column, names) in [("symbol", &filter.symbols), ("scope", &filter.scopes)] {
        if !names.is_empty() {
            let marks = vec!["?"; names.len()].join(", ");
            conditions.push(format!("{column} IN ({marks})"));
            values.extend(names.iter().cloned().map(Value::from));
        }
    }
    for (column, ranges) in [("start_line", &filter.start_lines), ("end_line", &filter.end_lines)] {
        if !ranges.is_empty() {
            // Not a chain of alternatives, of which SQLite takes a thousand at the most.
            let each = ranges
                .iter()
                .map(|range| format!("({}, {})", range.start(), range.end()))
                .collect::<Vec<_>>()
                .join(", ");
            let within = format!("{column} BETWEEN wanted.column1 AND wanted.column2");
            conditions
                .push(format!("EXISTS (SELECT 1 FROM (VALUES {each}) wanted WHERE {within})"));
        }
    }
    if conditions.is_empty() {
        return Ok(None);
    }
    let sql = format!("SELECT id FROM chunks WHERE {}", conditions.join(" AND "));
    let mut select = connection.prepare(&sql)?;
    let mut rows = select.query(params_from_iter(values))?;
    let mut chunks = Bitmap::default();
    while let Some(row) = rows.next()? {
        chunks.insert(row.get(0)?);
    }
    Ok(Some(chunks))
}

/// Keeps the chunks whose definition is exported, or those whose is not. A chunk without a
/// definition is neither. Decodes the symbols of every file with an allowed chunk, so it comes
/// last.
pub fn retain_exported(
    connection: &Connection,
    exported: Exported,
    allowed: &mut Bitmap,
) -> StoreResult<()> {
    let mut kept = Bitmap::default();
    let mut chunks = connection.prepare_cached(
        "SELECT id, symbol, start_line, end_line FROM chunks
         WHERE id >= ? AND id < ? AND symbol IS NOT NULL",
    )?;
    let mut select = connection.prepare_cached(
        "SELECT first_chunk, length(chunk_kinds), blob FROM files JOIN symbol_blobs ON file = files.id",
    )?;
    let mut files = select.query([])?;
    while let Some(file) = files.next()? {
        let (first, count): (u32, u32) = (file.get(0)?, file.get(1)?);
        if !allowed.has_any_in(first..first + count) {
            continue;
        }
        let symbols = file_blob::read_symbols(file.get_ref(2)?.as_blob().map_err(|_| Malformed)?)?;
        let mut rows = chunks.query([first, first + count])?;
        while let Some(row) = rows.next()? {
            let (id, name): (u32, String) = (row.get(0)?, row.get(1)?);
            let lines = row.get::<_, u32>(2)?..=row.get::<_, u32>(3)?;
            if is_exported(&symbols, &name, lines) == Some(exported == Exported::Only) {
                kept.insert(id);
            }
        }
    }
    allowed.intersect(&kept);
    Ok(())
}
