//! Looks words up: the words of all segments are in memory, the file lists are read from the
//! database on demand.

use std::sync::Arc;

use memchr::memmem::Finder;
use rusqlite::Connection;

use super::super::bitmap::Bitmap;
use super::super::error::StoreResult;
use super::super::segments::Segment;
use super::block::{self, FileLists};
use super::row_key;
use super::tokenize::{OVERLONG, fold_case};

/// The words of one segment.
#[derive(Default)]
pub struct Lexicons(Vec<(u32, Arc<Lexicon>)>);

/// The words of one segment.
struct Lexicon {
    /// The decompressed words of each block, between line ends.
    blocks: Vec<Vec<u8>>,
}

impl Lexicons {
    /// Loads the lexicons of these segments. Reuses those that `before` has.
    pub fn load<'s>(
        connection: &Connection,
        segments: impl Iterator<Item = &'s Segment>,
        before: &Lexicons,
    ) -> StoreResult<Lexicons> {
        let mut lexicons = Vec::new();
        for segment in segments {
            let known = before.0.iter().find(|(id, _)| *id == segment.id);
            let lexicon = match known {
                Some((_, lexicon)) => lexicon.clone(),
                None => Arc::new(Lexicon::load(connection, segment.id)?),
            };
            lexicons.push((segment.id, lexicon));
        }
        Ok(Lexicons(lexicons))
    }

    /// Returns the files of a segment with a word that contains the needle, or with an overlong
    /// word, which may contain anything. Files are given by their first chunks.
    pub fn files_with(
        &self,
        connection: &Connection,
        segment: &Segment,
        needle: &[u8],
    ) -> StoreResult<Bitmap> {
        let overlong = [b"\n", OVERLONG, b"\n"].concat();
        let overlong = Finder::new(&overlong);
        self.files_with_words(connection, segment, &Finder::new(needle), Some(&overlong))
    }

    /// Returns the files of a segment with a word that contains this part, ignoring the case of
    /// ASCII letters. Files are given by their first chunks. Overlong words are not looked into.
    pub fn files_with_part(
        &self,
        connection: &Connection,
        segment: &Segment,
        part: &str,
    ) -> StoreResult<Bitmap> {
        self.files_with_words(connection, segment, &Finder::new(&fold_case(part)), None)
    }

    /// Returns the files of a segment with a word that the finder finds. The word for the overlong
    /// sorts before all others, so its finder is needed in the first block only.
    fn files_with_words(
        &self,
        connection: &Connection,
        segment: &Segment,
        finder: &Finder,
        overlong: Option<&Finder>,
    ) -> StoreResult<Bitmap> {
        let mut files = Bitmap::default();
        let known = self.0.iter().find(|(id, _)| *id == segment.id);
        let Some((_, lexicon)) = known else {
            return Ok(files);
        };
        for (number, words) in lexicon.blocks.iter().enumerate() {
            let mut places = word_indexes_with(words, finder);
            if let Some(overlong) = overlong.filter(|_| number == 0) {
                places.extend(word_indexes_with(words, overlong));
            }
            if places.is_empty() {
                continue;
            }
            let lists = load_lists(connection, segment.id, number as u32, words)?;
            for place in places {
                for file in lists.files_of_word(place)? {
                    files.insert(segment.chunks.start.saturating_add(*file));
                }
            }
        }
        Ok(files)
    }

    /// Returns the files of a segment that contain exactly this word, ignoring the case of ASCII
    /// letters, by their first chunks. Words are sorted, so only one block is searched.
    pub fn files_with_word(
        &self,
        connection: &Connection,
        segment: &Segment,
        word: &str,
    ) -> StoreResult<Vec<u32>> {
        let known = self.0.iter().find(|(id, _)| *id == segment.id);
        let Some((_, lexicon)) = known else {
            return Ok(Vec::new());
        };
        let word = fold_case(word);
        let after = lexicon.blocks.partition_point(|block| first_word(block) <= word.as_slice());
        let Some(number) = after.checked_sub(1) else {
            return Ok(Vec::new());
        };
        let words = &lexicon.blocks[number];
        let needle = [b"\n", word.as_slice(), b"\n"].concat();
        let Some(&place) = word_indexes_with(words, &Finder::new(&needle)).first() else {
            return Ok(Vec::new());
        };
        let lists = load_lists(connection, segment.id, number as u32, words)?;
        let files = lists
            .files_of_word(place)?
            .iter()
            .map(|file| segment.chunks.start.saturating_add(*file));
        Ok(files.collect())
    }
}

/// Returns the first word of a block.
fn first_word(block: &[u8]) -> &[u8] {
    let mut words = block.split(|byte| *byte == b'\n');
    words.find(|word| !word.is_empty()).unwrap_or_default()
}

impl Lexicon {
    fn load(connection: &Connection, segment: u32) -> StoreResult<Lexicon> {
        let mut select = connection.prepare_cached(
            "SELECT words FROM word_blocks WHERE key >= ? AND key < ? ORDER BY key",
        )?;
        let mut rows = select.query([row_key(segment, 0), row_key(segment + 1, 0)])?;
        let mut blocks = Vec::new();
        while let Some(row) = rows.next()? {
            let packed: Vec<u8> = row.get(0)?;
            blocks.push(block::read_words(&packed)?);
        }
        Ok(Lexicon { blocks })
    }
}

/// Returns the indexes of the words in a block that contain the needle, each once.
fn word_indexes_with(words: &[u8], finder: &Finder) -> Vec<usize> {
    let mut places: Vec<usize> = Vec::new();
    // A needle may begin with the line end before a word; the word is then the one behind it.
    let lead = usize::from(finder.needle().first() == Some(&b'\n'));
    let (mut counted, mut ends) = (0, 0);
    // The index of a word is the number of line ends before it; counting goes on from the last
    // match.
    for at in finder.find_iter(words) {
        let at = at + lead;
        ends += memchr::memchr_iter(b'\n', &words[counted..at]).count();
        counted = at;
        let place = ends - 1;
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
    places
}

/// Reads the file lists of a block.
fn load_lists(
    connection: &Connection,
    segment: u32,
    number: u32,
    words: &[u8],
) -> StoreResult<FileLists> {
    let mut select =
        connection.prepare_cached("SELECT file_lists FROM word_blocks WHERE key = ?")?;
    let packed: Vec<u8> = select.query_row([row_key(segment, number)], |row| row.get(0))?;
    let count = memchr::memchr_iter(b'\n', words).count() - 1;
    Ok(FileLists::decode(&packed, count)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_words() {
        let words = b"\nab\nabab\nb\nparse_url\nurl\n";
        for (needle, expected) in [
            ("ab", vec![0, 1]),
            ("\nab\n", vec![0]),
            ("\nab", vec![0, 1]),
            ("url", vec![3, 4]),
            ("\nurl\n", vec![4]),
            ("e_u", vec![3]),
            ("b\n", vec![0, 1, 2]),
            ("zz", vec![]),
        ] {
            let places = word_indexes_with(words, &Finder::new(needle));
            assert_eq!(places, expected, "{needle:?}");
        }
    }
}
