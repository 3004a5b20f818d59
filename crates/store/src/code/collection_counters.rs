//! The counters of a collection and its alive bitset, as one transaction sees them.
//!
//! Both are read at the start of a transaction, changed in memory and written at its end, so that a
//! killed writer leaves the old ones.

use rusqlite::{Connection, params};

use super::bitmap::Bitmap;
use super::error::StoreResult;
use super::varint::Malformed;

/// The row of the table `counters`. The `next_` counters only grow, even over deleted rows: caches
/// of readers are keyed by these ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters {
    pub generation: u64,
    pub next_chunk: u32,
    pub next_segment: u32,
    pub next_page: i64,
}

/// The bits in one row of `alive_bitset`: 8 KiB. A transaction rewrites only the blocks that it
/// changed.
const BLOCK_BITS: usize = 65_536;

impl Counters {
    /// Reads the row.
    pub fn load(connection: &Connection) -> rusqlite::Result<Counters> {
        connection
            .prepare_cached("SELECT generation, next_chunk, next_segment, next_page FROM counters")?
            .query_row([], |row| {
                Ok(Counters {
                    generation: row.get::<_, i64>(0)? as u64,
                    next_chunk: row.get(1)?,
                    next_segment: row.get(2)?,
                    next_page: row.get(3)?,
                })
            })
    }

    /// Writes the row. Called last in a transaction.
    pub fn save(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection
            .prepare_cached(
                "UPDATE counters SET generation = ?, next_chunk = ?, next_segment = ?, next_page = ?",
            )?
            .execute(params![
                self.generation as i64,
                self.next_chunk,
                self.next_segment,
                self.next_page
            ])?;
        Ok(())
    }
}

/// Reads the alive bitset. Missing blocks are all zero.
pub fn load_alive(connection: &Connection) -> StoreResult<Bitmap> {
    let mut statement =
        connection.prepare_cached("SELECT block, bits FROM alive_bitset ORDER BY block")?;
    let mut rows = statement.query([])?;
    let mut words = Vec::new();
    while let Some(row) = rows.next()? {
        let block: u32 = row.get(0)?;
        let bits = bytes_to_words(row.get_ref(1)?.as_blob().map_err(|_| Malformed)?);
        // Ids are at most 32 bits, so a greater block is damage and not a reason to allocate.
        if block as usize >= (1 << 32) / BLOCK_BITS {
            return Err(Malformed.into());
        }
        words.resize(block as usize * BLOCK_BITS / 64, 0);
        words.extend(bits);
    }
    Ok(Bitmap::from_words(words))
}

/// Writes the blocks in which `alive` differs from `before`. The set never shrinks, so a block of
/// `before` always has a counterpart.
pub fn save_alive(
    connection: &Connection,
    before: &Bitmap,
    alive: &Bitmap,
) -> rusqlite::Result<()> {
    let mut put = connection.prepare_cached("INSERT OR REPLACE INTO alive_bitset VALUES (?, ?)")?;
    let mut old = before.words().chunks(BLOCK_BITS / 64);
    for (block, words) in alive.words().chunks(BLOCK_BITS / 64).enumerate() {
        if old.next() != Some(words) {
            put.execute(params![block as i64, words_to_bytes(words)])?;
        }
    }
    Ok(())
}

/// Encodes words in little-endian order.
pub fn words_to_bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Decodes words in little-endian order. Ignores up to seven bytes at the end that make no whole
/// word.
pub fn bytes_to_words(bytes: &[u8]) -> Vec<u64> {
    let words = bytes.as_chunks::<8>().0.iter();
    words.map(|bytes| u64::from_le_bytes(*bytes)).collect()
}
