//! A block of the word index: sorted words, and the files that contain each. A file is identified
//! by its first chunk, relative to the segment's.
//!
//!   words      = zstd of (word, '\n')…
//!   file_lists = (count, (file − next)…)…     one list per word, numbers as varints
//!
//! `next` is 0 at first, then the last file + 1. The lists are not compressed: gaps are small
//! already, and most blocks are read for one word.

use super::super::file_blob::{compress, decompress};
use super::super::varint::{ByteReader, Malformed, put_number};

/// Words in a block: few, so that looking at one word costs little.
// The words in a block. All lists of a block are decoded to read one, so there are few.
const WORDS: usize = 1024;

/// A block that is being filled.
#[derive(Default)]
pub struct WordBlockBuilder {
    words: Vec<u8>,
    count: usize,
    lists: Vec<u8>,
}

impl WordBlockBuilder {
    /// Appends a word with its files. Words and files must ascend.
    pub fn put(&mut self, word: &[u8], files: &[u32]) {
        self.words.extend_from_slice(word);
        self.words.push(b'\n');
        self.count += 1;
        put_number(&mut self.lists, files.len() as u32);
        let mut next = 0;
        for file in files {
            put_number(&mut self.lists, file - next);
            next = file + 1;
        }
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn is_full(&self) -> bool {
        self.count >= WORDS
    }

    /// Returns the compressed words, and the lists.
    pub fn finish(self) -> (Vec<u8>, Vec<u8>) {
        (compress(&self.words), self.lists)
    }
}

/// Returns the words, each between two line ends, so that a search for `\nword\n` finds whole words
/// only.
pub fn read_words(packed: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut text = vec![b'\n'];
    text.extend(decompress(packed)?);
    if text.last() == Some(&b'\n') { Ok(text) } else { Err(Malformed) }
}

/// The decoded lists of a block.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileLists {
    files: Vec<u32>,
    ends: Vec<usize>,
}

impl FileLists {
    /// Decodes the lists of as many words.
    pub fn decode(bytes: &[u8], words: usize) -> Result<FileLists, Malformed> {
        let mut unpacker = ByteReader::new(bytes);
        let mut lists = FileLists::default();
        for _ in 0..words {
            let count = unpacker.read_count()?;
            let mut next = 0u32;
            for _ in 0..count {
                let file = next.checked_add(unpacker.read_number()?).ok_or(Malformed)?;
                next = file.checked_add(1).ok_or(Malformed)?;
                lists.files.push(file);
            }
            lists.ends.push(lists.files.len());
        }
        Ok(lists)
    }

    /// Returns the files of the word at an index.
    pub fn files_of_word(&self, place: usize) -> Result<&[u32], Malformed> {
        let end = *self.ends.get(place).ok_or(Malformed)?;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        Ok(&self.files[start..end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_testing::Random;

    #[test]
    fn blocks_come_back() {
        let mut block = WordBlockBuilder::default();
        block.put(b"a", &[0]);
        block.put(b"b", &[]);
        block.put(b"parse", &[1, 2, 900_000]);
        let (packed, lists) = block.finish();
        assert_eq!(read_words(&packed), Ok(b"\na\nb\nparse\n".to_vec()));
        let lists = FileLists::decode(&lists, 3).unwrap();
        assert_eq!(lists.files_of_word(0), Ok([0].as_slice()));
        assert_eq!(lists.files_of_word(1), Ok([].as_slice()));
        assert_eq!(lists.files_of_word(2), Ok([1, 2, 900_000].as_slice()));
        assert_eq!(lists.files_of_word(3), Err(Malformed));
    }

    #[test]
    fn any_bytes_are_lists_or_malformed() {
        let mut random = Random::new(3);
        for _ in 0..20_000 {
            let length = random.next_below(60) as usize;
            let bytes: Vec<u8> = (0..length).map(|_| random.next_below(256) as u8).collect();
            let words = random.next_below(20) as usize;
            if let Ok(lists) = FileLists::decode(&bytes, words) {
                for place in 0..words {
                    assert!(lists.files_of_word(place).unwrap().is_sorted_by(|a, b| a < b));
                }
            }
        }
    }
}
