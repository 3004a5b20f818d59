//! A posting list: the chunks that contain one term, ascending, each with its quantized weight. Ids
//! are relative to the segment's first chunk. Blocks of [`BLOCK`] postings can be skipped without
//! decoding.
//!
//!   list   = count, block…                                  numbers as varints
//!   block  = [last − next, length of gaps], gaps, weights   the head only if several blocks
//!   gap    = id − next
//!
//! `next` is the smallest id that may follow: 0 at first, then the last id + 1. A list of a single
//! block, as nearly all are, has no block head.

use super::varint::{ByteReader, Malformed, put_number};

// The number of postings in a block, as in Lucene.
pub const BLOCK: usize = 128;

/// A chunk's id within its segment, and its quantised weight.
pub type Posting = (u32, u8);

/// Encodes a list, which must be sorted by id, each id once.
pub fn encode(postings: &[Posting]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(postings.len() * 3 + 8);
    put_number(&mut bytes, postings.len() as u32);
    let mut next = 0;
    let mut gaps = Vec::with_capacity(BLOCK * 2);
    for block in postings.chunks(BLOCK) {
        gaps.clear();
        let start = next;
        for (id, _) in block {
            put_number(&mut gaps, id - next);
            next = id + 1;
        }
        if postings.len() > BLOCK {
            put_number(&mut bytes, next - 1 - start);
            put_number(&mut bytes, gaps.len() as u32);
        }
        bytes.extend_from_slice(&gaps);
        bytes.extend(block.iter().map(|(_, weight)| *weight));
    }
    bytes
}

/// Returns the length of a list, from its first number.
pub fn count(bytes: &[u8]) -> Result<usize, Malformed> {
    ByteReader::new(bytes).read_count()
}

/// Decodes a whole list.
pub fn decode(bytes: &[u8]) -> Result<Vec<Posting>, Malformed> {
    let mut postings = Vec::with_capacity(count(bytes)?);
    let mut buffer = [0; BLOCK];
    let mut blocks = Blocks::open(bytes)?;
    while let Some(block) = blocks.next_block()? {
        let ids = block.decode_ids(&mut buffer)?;
        postings.extend(ids.iter().copied().zip(block.weights.iter().copied()));
    }
    Ok(postings)
}

/// Iterates over the blocks of a list.
pub struct Blocks<'a> {
    bytes: ByteReader<'a>,
    /// The postings that are not read yet.
    left: usize,
    is_single: bool,
    /// The smallest id that the next block may begin with.
    next: u32,
}

/// Up to [`BLOCK`] postings, not yet decoded.
pub struct PostingBlock<'a> {
    /// No id in it is smaller.
    pub first: u32,
    /// No id in it is greater. The last id itself, but in a list of one block, which does not say.
    pub last: u32,
    pub weights: &'a [u8],
    /// From here on; of exactly this block if the list has several.
    gaps: ByteReader<'a>,
}

impl<'a> Blocks<'a> {
    pub fn open(bytes: &'a [u8]) -> Result<Blocks<'a>, Malformed> {
        let mut bytes = ByteReader::new(bytes);
        let left = bytes.read_count()?;
        Ok(Blocks { bytes, left, is_single: left <= BLOCK, next: 0 })
    }

    /// Returns the next block, not yet decoded; `None` at the end.
    pub fn next_block(&mut self) -> Result<Option<PostingBlock<'a>>, Malformed> {
        let length = self.left.min(BLOCK);
        if length == 0 {
            return Ok(None);
        }
        self.left -= length;
        let first = self.next;
        let (last, gaps) = if self.is_single {
            let gaps = self.bytes;
            // Without a head, only decoding tells where the gaps end and the weights begin.
            for _ in 0..length {
                self.bytes.read_number()?;
            }
            (u32::MAX, gaps)
        } else {
            let distance = self.bytes.read_number()?;
            let last = first.checked_add(distance).ok_or(Malformed)?;
            self.next = last.checked_add(1).ok_or(Malformed)?;
            let bytes = self.bytes.read_number()? as usize;
            (last, ByteReader::new(self.bytes.read_bytes(bytes)?))
        };
        let weights = self.bytes.read_bytes(length)?;
        Ok(Some(PostingBlock { first, last, weights, gaps }))
    }
}

impl PostingBlock<'_> {
    /// Decodes the ids into `space`: strictly ascending, none greater than `last`.
    pub fn decode_ids<'s>(&self, space: &'s mut [u32; BLOCK]) -> Result<&'s [u32], Malformed> {
        let ids = &mut space[..self.weights.len()];
        let mut gaps = self.gaps;
        let mut next = u64::from(self.first);
        // For a frequent term every gap is one byte. Those lists are long, so they decide the run
        // time.
        if let Some(bytes) = gaps.single_bytes(ids.len()) {
            for (id, gap) in ids.iter_mut().zip(bytes) {
                next += u64::from(*gap);
                *id = next as u32;
                next += 1;
            }
        } else {
            for id in ids.iter_mut() {
                next += u64::from(gaps.read_number()?);
                *id = next as u32;
                next += 1;
            }
        }
        // Only the last needs a look: the ids before it are smaller.
        if next > u64::from(self.last) + 1 {
            return Err(Malformed);
        }
        Ok(ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kenning_testing::Random;

    fn list(random: &mut Random, length: usize, gap: u32) -> Vec<Posting> {
        let mut next = 0;
        let mut posting = || {
            let id = next + random.next_below(gap);
            next = id + 1;
            (id, random.next_below(256) as u8)
        };
        (0..length).map(|_| posting()).collect()
    }

    #[test]
    fn lists_come_back() {
        let mut random = Random::new(1);
        for length in [0, 1, 2, 127, 128, 129, 256, 1000] {
            for gap in [1, 5, 1_000_000] {
                let postings = list(&mut random, length, gap);
                let bytes = encode(&postings);
                assert_eq!(count(&bytes), Ok(length));
                assert_eq!(decode(&bytes), Ok(postings));
            }
        }
    }

    #[test]
    fn any_bytes_are_a_list_or_malformed() {
        let mut random = Random::new(2);
        for round in 0..20_000 {
            let mut bytes = if round % 2 == 0 {
                let length = random.next_below(40) as usize;
                (0..length).map(|_| random.next_below(256) as u8).collect()
            } else {
                let length = random.next_below(600) as usize;
                encode(&list(&mut random, length, 300))
            };
            for _ in 0..random.next_below(4) {
                let at = random.next_below(bytes.len().max(1) as u32) as usize;
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.next_below(256) as u8;
                }
            }
            bytes.truncate(bytes.len() - random.next_below(3).min(bytes.len() as u32) as usize);
            if let Ok(postings) = decode(&bytes) {
                assert!(postings.is_sorted_by(|a, b| a.0 < b.0));
            }
        }
    }
}
