//! Lists of postings, several to a row of the table: most are a few bytes long, and a row of its own
//! costs each a dozen more.

use super::varint::{Malformed, Unpacker, put_number};

/// A row that is as long gets no more lists. Longer ones save little, and all of a row is read for one.
const FULL: usize = 256;

/// A row in the making: lists by ascending term.
#[derive(Default)]
pub struct PostingRows {
    bytes: Vec<u8>,
    last: Option<u32>,
}

impl PostingRows {
    pub fn put(&mut self, term: u32, list: &[u8]) {
        put_number(&mut self.bytes, term - self.last.unwrap_or(0));
        put_number(&mut self.bytes, list.len() as u32);
        self.bytes.extend_from_slice(list);
        self.last = Some(term);
    }

    pub fn is_full(&self) -> bool {
        self.bytes.len() >= FULL
    }

    /// The last term, by which the row is found, and the row; nothing if there is no list in it.
    pub fn take(&mut self) -> Option<(u32, Vec<u8>)> {
        let last = self.last.take()?;
        Some((last, std::mem::take(&mut self.bytes)))
    }
}

/// The lists of a row, each with its term; after damage, no more.
pub fn lists(row: &[u8]) -> impl Iterator<Item = Result<(u32, &[u8]), Malformed>> {
    let mut unpacker = Unpacker::new(row);
    let mut last = 0;
    std::iter::from_fn(move || {
        let list = (unpacker.rest() > 0).then(|| next(&mut unpacker, &mut last))?;
        if list.is_err() {
            unpacker = Unpacker::new(&[]);
        }
        Some(list)
    })
}

fn next<'r>(unpacker: &mut Unpacker<'r>, last: &mut u32) -> Result<(u32, &'r [u8]), Malformed> {
    *last = last.checked_add(unpacker.number()?).ok_or(Malformed)?;
    let length = unpacker.number()?;
    Ok((*last, unpacker.take(length as usize)?))
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
        let mut shelf = PostingRows::default();
        let mut read = Vec::new();
        let mut rows = 0;
        let mut empty = |shelf: &mut PostingRows| {
            let (last, row) = shelf.take().unwrap();
            let lists: Result<Vec<_>, _> = lists(&row).collect();
            let lists = lists.unwrap();
            assert_eq!(lists.last().unwrap().0, last);
            read.extend(lists.into_iter().map(|(term, list)| (term, list.to_vec())));
            rows += 1;
        };
        for (term, list) in &given {
            shelf.put(*term, list);
            if shelf.is_full() {
                empty(&mut shelf);
            }
        }
        empty(&mut shelf);
        assert_eq!(shelf.take(), None);
        assert_eq!(read, given);
        assert!(rows > 2 && rows < 10, "{rows}");
    }

    #[test]
    fn damage_is_told_once() {
        for row in [&[0xff, 0xff][..], &[1, 9, 0], &[1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 0]] {
            let read: Vec<_> = lists(row).collect();
            assert_eq!(read.last(), Some(&Err(Malformed)), "{row:?}");
            assert!(read.len() <= 2);
        }
    }
}
