//! Rows of the table `postings`: several posting lists to a row. Most lists are a few bytes long,
//! and a row of its own costs each a dozen more.
//!
//!   row  = list…                                   by ascending term
//!   list = term − last term, length, bytes         numbers as varints
//!
//! The key of a row is its *last* term: the first row whose key is not below a term is the only one
//! that may have it.

use super::varint::{ByteReader, Malformed, put_number};

/// A row that is as long gets no more lists. Longer ones save little, and all of a row is read for one.
const MIN_FULL_BYTES: usize = 256;

/// A row that is being filled.
#[derive(Default)]
pub struct PostingRowBuilder {
    bytes: Vec<u8>,
    last: Option<u32>,
}

impl PostingRowBuilder {
    /// Appends a list. Terms must ascend.
    pub fn push_list(&mut self, term: u32, list: &[u8]) {
        put_number(&mut self.bytes, term - self.last.unwrap_or(0));
        put_number(&mut self.bytes, list.len() as u32);
        self.bytes.extend_from_slice(list);
        self.last = Some(term);
    }

    /// True if the row should be written before the next list.
    pub fn is_full(&self) -> bool {
        self.bytes.len() >= MIN_FULL_BYTES
    }

    /// Returns the last term, which is the row's key, and the row, and starts an empty one. `None`
    /// if no list was added.
    pub fn take_row(&mut self) -> Option<(u32, Vec<u8>)> {
        let last = self.last.take()?;
        Some((last, std::mem::take(&mut self.bytes)))
    }
}

/// Iterates over the lists of a row, each with its term. After damage it returns one error and
/// ends.
pub fn read_lists(row: &[u8]) -> impl Iterator<Item = Result<(u32, &[u8]), Malformed>> {
    let mut unpacker = ByteReader::new(row);
    let mut last = 0;
    std::iter::from_fn(move || {
        let list = (unpacker.bytes_left() > 0).then(|| read_next_list(&mut unpacker, &mut last))?;
        if list.is_err() {
            unpacker = ByteReader::new(&[]);
        }
        Some(list)
    })
}

fn read_next_list<'r>(
    unpacker: &mut ByteReader<'r>,
    last: &mut u32,
) -> Result<(u32, &'r [u8]), Malformed> {
    *last = last.checked_add(unpacker.read_number()?).ok_or(Malformed)?;
    let length = unpacker.read_number()?;
    Ok((*last, unpacker.read_bytes(length as usize)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back_by_their_terms() {
        let given: Vec<(u32, Vec<u8>)> = (0..40)
            .map(|n: u32| (n * n * 1_000_003, vec![7; n as usize]))
            .chain([(u32::MAX, Vec::new())])
            .collect();
        let mut builder = PostingRowBuilder::default();
        let mut read = Vec::new();
        let mut rows = 0;
        let mut empty = |builder: &mut PostingRowBuilder| {
            let (last, row) = builder.take_row().unwrap();
            let lists = read_lists(&row).collect::<Result<Vec<_>, _>>().unwrap();
            assert_eq!(lists.last().unwrap().0, last);
            read.extend(lists.into_iter().map(|(term, list)| (term, list.to_vec())));
            rows += 1;
        };
        for (term, list) in &given {
            builder.push_list(*term, list);
            if builder.is_full() {
                empty(&mut builder);
            }
        }
        empty(&mut builder);
        assert_eq!(builder.take_row(), None);
        assert_eq!(read, given);
        assert!(rows > 2 && rows < 10, "{rows}");
    }

    #[test]
    fn damage_is_told_once() {
        for row in [&[0xff, 0xff][..], &[1, 9, 0], &[1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]] {
            let read: Vec<_> = read_lists(row).collect();
            assert_eq!(read.last(), Some(&Err(Malformed)), "{row:?}");
            assert!(read.len() <= 2);
        }
    }
}
