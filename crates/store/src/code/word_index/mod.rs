//! The word index: the files that contain a word as it is written, to find text without reading
//! every file. Each segment has a lexicon of its own, in blocks of sorted words, written and merged
//! with its postings.
//!
//! It indexes words and not trigrams, as code search engines do. That takes a third of the size,
//! because a file has six times as many distinct trigrams as words. A part of a word is searched in
//! the words themselves. A repository has so few that a scan of all takes a millisecond.

mod block;
mod lookup;
mod tokenize;

use rusqlite::{Connection, OptionalExtension, params};

use super::bitmap::Bitmap;
use super::error::StoreResult;
use super::segments::Segment;
use super::varint::Malformed;
use block::{FileLists, WordBlockBuilder};

pub use lookup::Lexicons;
pub use tokenize::{distinct_words, needles};

/// Reads bytes as a block of words and as its lists, and ignores the outcome. For fuzzing.
pub(super) fn read_blocks(bytes: &[u8]) {
    let _ = block::read_words(bytes);
    if let Ok(lists) = FileLists::decode(bytes, 3) {
        let _ = lists.files_of_word(3);
    }
}

/// The words of one transaction, until they are written.
#[derive(Default)]
pub struct NewWords {
    /// First chunk of the file, relative to the segment's, and its words.
    files: Vec<(u32, Vec<u8>)>,
}

impl NewWords {
    /// Adds the distinct words of a file, as [`distinct_words`] returns them.
    pub fn add(&mut self, file: u32, words: &[u8]) {
        self.files.push((file, words.to_vec()));
    }

    /// Writes the lexicon of a new segment: an inverted index from word to files, in sorted blocks.
    pub fn write(&self, connection: &Connection, segment: u32) -> rusqlite::Result<()> {
        let mut pairs: Vec<(&[u8], u32)> = Vec::new();
        for (file, words) in &self.files {
            let words = words.split(|byte| *byte == b'\n');
            pairs.extend(words.filter(|word| !word.is_empty()).map(|word| (word, *file)));
        }
        pairs.sort_unstable();
        let mut writer = LexiconWriter::begin(connection, segment)?;
        let mut files = Vec::new();
        for same_word in pairs.chunk_by(|a, b| a.0 == b.0) {
            files.clear();
            files.extend(same_word.iter().map(|(_, file)| *file));
            writer.put(same_word[0].0, &files)?;
        }
        writer.flush()
    }
}

/// Writes the lexicon of a segment that replaces neighbours, without files that are no longer
/// alive. A k-way merge over sorted words; at most one block per segment is in memory.
pub fn merge(
    connection: &Connection,
    into: u32,
    segments: &[Segment],
    alive: &Bitmap,
) -> StoreResult<()> {
    let base = segments.first().map_or(0, |segment| segment.chunks.start);
    let mut cursors = Vec::with_capacity(segments.len());
    for segment in segments {
        let shift = segment.chunks.start - base;
        cursors.extend(WordCursor::open(connection, segment.id, shift)?);
    }
    let mut writer = LexiconWriter::begin(connection, into)?;
    let mut files: Vec<u32> = Vec::new();
    while let Some(word) = cursors.iter().map(WordCursor::word).min() {
        let word = word.to_vec();
        files.clear();
        let mut open = Vec::with_capacity(cursors.len());
        for mut cursor in cursors {
            if cursor.word() != word {
                open.push(cursor);
                continue;
            }
            for file in cursor.files()? {
                let file = file.checked_add(cursor.shift).ok_or(Malformed)?;
                if alive.contains(base.saturating_add(file)) {
                    files.push(file);
                }
            }
            if cursor.advance(connection)? {
                open.push(cursor);
            }
        }
        cursors = open;
        // Segments come in the order of their chunks, so the files of all of them ascend.
        if !files.is_sorted_by(|a, b| a < b) {
            return Err(Malformed.into());
        }
        if !files.is_empty() {
            writer.put(&word, &files)?;
        }
    }
    Ok(writer.flush()?)
}

/// Removes the lexicon of a segment.
pub fn remove(connection: &Connection, segment: u32) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM word_blocks WHERE key >= ? AND key < ?")?
        .execute([row_key(segment, 0), row_key(segment + 1, 0)])?;
    Ok(())
}

/// Returns the key of a block. The blocks of a segment are adjacent.
fn row_key(segment: u32, block: u32) -> i64 {
    i64::from(segment) << 32 | i64::from(block)
}

/// Writes the words of a segment, which must come in order.
struct LexiconWriter<'a> {
    insert: rusqlite::CachedStatement<'a>,
    segment: u32,
    next_block: u32,
    block: WordBlockBuilder,
}

impl<'a> LexiconWriter<'a> {
    fn begin(connection: &'a Connection, segment: u32) -> rusqlite::Result<LexiconWriter<'a>> {
        Ok(LexiconWriter {
            insert: connection.prepare_cached("INSERT INTO word_blocks VALUES (?, ?, ?)")?,
            segment,
            next_block: 0,
            block: WordBlockBuilder::default(),
        })
    }

    fn put(&mut self, word: &[u8], files: &[u32]) -> rusqlite::Result<()> {
        self.block.put(word, files);
        if self.block.is_full() { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> rusqlite::Result<()> {
        let block = std::mem::take(&mut self.block);
        if block.is_empty() {
            return Ok(());
        }
        let (words, lists) = block.finish();
        let key = row_key(self.segment, self.next_block);
        self.insert.execute(params![key, words, lists])?;
        self.next_block += 1;
        Ok(())
    }
}

/// Iterates over the words of a segment, a block at a time.
struct WordCursor {
    segment: u32,
    shift: u32,
    next_block: u32,
    words: Vec<Vec<u8>>,
    lists: FileLists,
    place: usize,
}

impl WordCursor {
    /// Opens a cursor on the first word; `None` if the segment has no words. `shift` is added to
    /// file ids to make them relative to the merged segment.
    fn open(connection: &Connection, segment: u32, shift: u32) -> StoreResult<Option<WordCursor>> {
        let mut cursor = WordCursor {
            segment,
            shift,
            next_block: 0,
            words: Vec::new(),
            lists: FileLists::default(),
            place: 0,
        };
        Ok(cursor.load(connection)?.then_some(cursor))
    }

    fn word(&self) -> &[u8] {
        &self.words[self.place]
    }

    fn files(&self) -> Result<&[u32], Malformed> {
        self.lists.files_of_word(self.place)
    }

    /// Goes on to the next word, if there is one.
    fn advance(&mut self, connection: &Connection) -> StoreResult<bool> {
        self.place += 1;
        if self.place < self.words.len() {
            return Ok(true);
        }
        self.load(connection)
    }

    fn load(&mut self, connection: &Connection) -> StoreResult<bool> {
        let mut select =
            connection.prepare_cached("SELECT words, file_lists FROM word_blocks WHERE key = ?")?;
        let found = select.query_row([row_key(self.segment, self.next_block)], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
        });
        let Some((words, lists)) = found.optional()? else {
            return Ok(false);
        };
        let text = block::read_words(&words)?;
        let words = text.split(|byte| *byte == b'\n').filter(|word| !word.is_empty());
        self.words = words.map(<[u8]>::to_vec).collect();
        self.lists = FileLists::decode(&lists, self.words.len())?;
        self.place = 0;
        self.next_block += 1;
        Ok(!self.words.is_empty())
    }
}
