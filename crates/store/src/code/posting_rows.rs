//! Lists of postings, several to a row of the table: most are a few bytes long, and a row of its own
//! costs each a dozen more.

use super::varint::{Malformed, Unpacker, put_number};

/// A row that is as long gets no more lists. Longer ones save little, and all of a row is read for one.
const MIN_FULL_BYTES: usize = 256;

/// A row in the making: lists by ascending term.
#[derive(Default)]
pub struct PostingRowBuilder {
    bytes: Vec<u8>,
    last: Option<u32>,
}

impl PostingRowBuilder {
    pub fn push_list(&mut self, term: u32, list: &[u8]) {
        put_number(&mut self.bytes, term - self.last.unwrap_or(0));
        put_number(&mut self.bytes, list.len() as u32);
        self.bytes.extend_from_slice(list);
        self.last = Some(term);
    }

    pub fn is_full(&self) -> bool {
        self.bytes.len() >= MIN_FULL_BYTES
    }

    /// The last term, by which the row is found, and the row; nothing if there is no list in it.
    pub fn take_row(&mut self) -> Option<(u32, Vec<u8>)> {
        let last = self.last.take()?;
        Some((last, std::mem::take(&mut self.bytes)))
    }
}

/// The lists of a row, each with its term; after damage, no more.
pub fn read_lists(row: &[u8]) -> impl Iterator<Item = Result<(u32, &[u8]), Malformed>> {
    let mut unpacker = Unpacker::new(row);
    let mut last = 0;
    std::iter::from_fn(move || {
        let list = (unpacker.remaining() > 0).then(|| read_next_list(&mut unpacker, &mut last))?;
        if list.is_err() {
            unpacker = Unpacker::new(&[]);
        }
        Some(list)
    })
}

fn read_next_list<'r>(
    unpacker: &mut Unpacker<'r>,
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
        let mut shelf = PostingRowBuilder::default();
        let mut read = Vec::new();
        let mut rows = 0;
        let mut empty = |shelf: &mut PostingRowBuilder| {
            let (last, row) = shelf.take_row().unwrap();
            let lists: Result<Vec<_>, _> = read_lists(&row).collect();
            let lists = lists.unwrap();
            assert_eq!(lists.last().unwrap().0, last);
            read.extend(lists.into_iter().map(|(term, list)| (term, list.to_vec())));
            rows += 1;
        };
        for (term, list) in &given {
            shelf.push_list(*term, list);
            if shelf.is_full() {
                empty(&mut shelf);
            }
        }
        empty(&mut shelf);
        assert_eq!(shelf.take_row(), None);
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
