//! The symbol name index: the names of all definitions, so that a part of a name is found without
//! decoding the symbols of every file.
//!
//! Each segment has its own blocks, which are written and merged with its postings. The caller
//! decides what matches.

mod block;
mod lookup;

use rusqlite::{Connection, params};

use super::bitmap::Bitmap;
use super::enum_codes::SymbolAttributes;
use super::error::StoreResult;
use super::segments::Segment;
use super::varint::Malformed;
use block::{NameBlock, NameBlockBuilder, NamedSymbol};
use kenning_model::Symbol;

pub use lookup::{DefinedName, DefinedNames, MatchScope, NameIndex};

/// Reads bytes as a block of names, and ignores the outcome. For fuzzing.
pub(super) fn read_block(bytes: &[u8]) {
    if let Ok(block) = NameBlock::read(bytes) {
        for (_, entries) in block.files() {
            for entry in entries {
                let _ = (block.name(entry), block.scope(entry));
            }
        }
    }
}

/// The names of one transaction, until they are written.
#[derive(Default)]
pub struct NewNames {
    /// The blocks that are full, encoded.
    finished: Vec<Vec<u8>>,
    block: NameBlockBuilder,
}

impl NewNames {
    /// Adds the definitions of a file, which is identified by its first chunk, relative to the
    /// segment.
    pub fn add(&mut self, first_chunk: u32, symbols: &[Symbol]) {
        let defined = symbols.iter().map(|symbol| {
            let (name, scope) = (symbol.name.as_str(), symbol.scope.as_deref());
            (name, scope, SymbolAttributes::from_symbol(symbol))
        });
        self.put(first_chunk, defined);
    }

    /// Adds definitions to the current block, and closes it when it is full.
    fn put<'d>(&mut self, first_chunk: u32, defined: impl Iterator<Item = NamedSymbol<'d>>) {
        self.block.put(first_chunk, defined);
        if self.block.is_full() {
            self.end_block();
        }
    }

    fn end_block(&mut self) {
        let block = std::mem::take(&mut self.block);
        if !block.is_empty() {
            self.finished.push(block.finish());
        }
    }

    pub fn write(mut self, connection: &Connection, segment: u32) -> rusqlite::Result<()> {
        self.end_block();
        let mut insert =
            connection.prepare_cached("INSERT INTO symbol_name_blocks VALUES (?, ?)")?;
        for (number, block) in (0..).zip(&self.finished) {
            insert.execute(params![row_key(segment, number), block])?;
        }
        Ok(())
    }
}

/// Writes the names of a segment that replaces neighbours, without files that are no longer alive.
pub fn merge(
    connection: &Connection,
    into: u32,
    segments: &[Segment],
    alive: &Bitmap,
) -> StoreResult<()> {
    let base = segments.first().map_or(0, |segment| segment.chunks.start);
    let mut merged = NewNames::default();
    let mut last = None;
    for segment in segments {
        let shift = segment.chunks.start - base;
        for block in read_blocks(connection, segment.id)? {
            for (first, entries) in block.files() {
                let first = first.checked_add(shift).ok_or(Malformed)?;
                if last.is_some_and(|last| last >= first) {
                    return Err(Malformed.into());
                }
                last = Some(first);
                if alive.contains(base.saturating_add(first)) {
                    let entries = entries.iter();
                    let defined =
                        entries.map(|one| (block.name(one), block.scope(one), one.attributes));
                    merged.put(first, defined);
                }
            }
        }
    }
    Ok(merged.write(connection, into)?)
}

/// Removes the names of a segment.
pub fn remove(connection: &Connection, segment: u32) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM symbol_name_blocks WHERE key >= ? AND key < ?")?
        .execute([row_key(segment, 0), row_key(segment + 1, 0)])?;
    Ok(())
}

/// Decodes all blocks of a segment.
fn read_blocks(connection: &Connection, segment: u32) -> StoreResult<Vec<NameBlock>> {
    let mut select = connection.prepare_cached(
        "SELECT blob FROM symbol_name_blocks WHERE key >= ? AND key < ? ORDER BY key",
    )?;
    let mut rows = select.query([row_key(segment, 0), row_key(segment + 1, 0)])?;
    let mut blocks = Vec::new();
    while let Some(row) = rows.next()? {
        let packed = row.get_ref(0)?.as_blob().map_err(|_| Malformed)?;
        blocks.push(NameBlock::read(packed)?);
    }
    Ok(blocks)
}

/// Returns the key of a block. The blocks of a segment are adjacent.
fn row_key(segment: u32, block: u32) -> i64 {
    i64::from(segment) << 32 | i64::from(block)
}
