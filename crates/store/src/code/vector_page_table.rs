//! The table of vector pages. Each transaction appends pages; small ones are merged when there are
//! many, and all are rewritten when too many rows are tombstones. A full page stays as it is, so
//! that readers need not load it again.

use rusqlite::{Connection, params};

use super::bitmap::Bitmap;
use super::collection_counters::Counters;
use super::error::StoreResult;
use super::varint::Malformed;
use super::vector_page_format::{PAGE_ROWS, VectorPage};

/// With more small pages than this, they are joined.
const MAX_SMALL: usize = 16;

/// Writes vectors as pages of at most [`PAGE_ROWS`] rows.
pub fn append_page(
    connection: &Connection,
    state: &mut Counters,
    page: &VectorPage,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached("INSERT INTO vector_pages VALUES (?, ?, ?)")?;
    let mut part = VectorPage::default();
    let mut put = |part: &mut VectorPage| -> rusqlite::Result<()> {
        if !part.chunks.is_empty() {
            insert.execute(params![state.next_page, part.chunks.len() as i64, part.to_bytes()])?;
            state.next_page += 1;
            *part = VectorPage::default();
        }
        Ok(())
    };
    for row in page.rows() {
        part.push_row(row);
        if part.chunks.len() == PAGE_ROWS {
            put(&mut part)?;
        }
    }
    put(&mut part)
}

/// Returns the ids of all pages, with their numbers of rows.
pub fn list_pages(connection: &Connection) -> rusqlite::Result<Vec<(i64, usize)>> {
    let mut statement =
        connection.prepare_cached("SELECT id, vector_count FROM vector_pages ORDER BY id")?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as usize)))?;
    rows.collect()
}

/// Loads one page.
pub fn load_page(connection: &Connection, id: i64, dimension: usize) -> StoreResult<VectorPage> {
    let mut statement = connection.prepare_cached("SELECT page FROM vector_pages WHERE id = ?")?;
    let mut rows = statement.query([id])?;
    let row = rows.next()?.ok_or(Malformed)?;
    let bytes = row.get_ref(0)?.as_blob().map_err(|_| Malformed)?;
    Ok(VectorPage::from_bytes(bytes, dimension)?)
}

/// Merges the small pages if there are more than [`MAX_SMALL`], or rewrites all if more than a
/// third of the rows are tombstones.
pub fn merge_due(
    connection: &Connection,
    state: &mut Counters,
    alive: &Bitmap,
    dimension: usize,
) -> StoreResult<()> {
    let pages = list_pages(connection)?;
    let rows: usize = pages.iter().map(|(_, rows)| rows).sum();
    let small: Vec<i64> =
        pages.iter().filter(|(_, rows)| *rows < PAGE_ROWS / 2).map(|(id, _)| *id).collect();
    // Some slack, so that small collections are not rewritten at each change.
    if rows * 2 > alive.count() as usize * 3 + PAGE_ROWS * 2 {
        let all: Vec<i64> = pages.iter().map(|(id, _)| *id).collect();
        rewrite_pages(connection, state, alive, dimension, &all)?;
    } else if small.len() > MAX_SMALL {
        rewrite_pages(connection, state, alive, dimension, &small)?;
    }
    Ok(())
}

/// Replaces pages by pages with their alive rows. Writes every 16 full pages, to bound the memory.
fn rewrite_pages(
    connection: &Connection,
    state: &mut Counters,
    alive: &Bitmap,
    dimension: usize,
    ids: &[i64],
) -> StoreResult<()> {
    let mut joined = VectorPage::default();
    for id in ids {
        let page = load_page(connection, *id, dimension)?;
        for row in page.rows().filter(|row| alive.contains(row.chunk)) {
            joined.push_row(row);
        }
        connection.prepare_cached("DELETE FROM vector_pages WHERE id = ?")?.execute([id])?;
        if joined.chunks.len() >= PAGE_ROWS * 16 {
            append_page(connection, state, &joined)?;
            joined = VectorPage::default();
        }
    }
    append_page(connection, state, &joined)?;
    Ok(())
}
