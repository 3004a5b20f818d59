//! References of a repository in git's reftable format, as far as finding one by its name needs it.
//! The format is documented by git in `reftable.txt`. Tables are small, so they are scanned from the
//! start and their indexes are not used.

use std::path::Path;

use super::git_index;
use super::git_repository::{self, Reference};

const SIGNATURE: &[u8] = b"REFT";
const REF_BLOCK: u8 = b'r';

/// Returns the value of a reference in the stack of tables below `git_dir`; `None` if there is
/// none. Later tables override earlier ones.
pub fn find_reference(git_dir: &Path, name: &str) -> Option<Reference> {
    let directory = git_dir.join("reftable");
    let list =
        String::from_utf8(git_repository::read_file(&directory.join("tables.list"))?).ok()?;
    // Later tables overrule earlier ones.
    for table in list.lines().rev().filter(|table| !table.contains(['/', '\\'])) {
        let bytes = git_repository::read_file(&directory.join(table))?;
        if let Some(record) = Reftable::parse(&bytes)?.find(name.as_bytes()) {
            return record;
        }
    }
    None
}

struct Reftable<'a> {
    bytes: &'a [u8],
    header_length: usize,
    /// 0 if blocks are not aligned.
    block_size: usize,
    id_length: usize,
}

impl<'a> Reftable<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Reftable<'a>> {
        let version = *bytes.get(4)?;
        let (header_length, id_length) = match (version, bytes.get(24..28)) {
            (1, _) => (24, 20),
            (2, Some(b"sha1")) => (28, 20),
            (2, Some(b"s256")) => (28, 32),
            _ => return None,
        };
        let block_size = read_u24(bytes, 5)?;
        let is_table = bytes.starts_with(SIGNATURE);
        is_table.then_some(Reftable { bytes, header_length, block_size, id_length })
    }

    /// The record of a name: `Some(None)` if it says that the reference was deleted.
    fn find(&self, name: &[u8]) -> Option<Option<Reference>> {
        let mut start = 0;
        loop {
            // The first block shares its bytes with the header of the file.
            let head = if start == 0 { self.header_length } else { start };
            if *self.bytes.get(head)? != REF_BLOCK {
                return None;
            }
            let length = read_u24(self.bytes, head + 1)?;
            let block = self.bytes.get(start..start.checked_add(length)?)?;
            if let Some(record) = self.find_in_block(block, head - start + 4, name) {
                return Some(record);
            }
            // Blocks are filled up with zeros where they are aligned.
            let is_padded = self.block_size > length && self.bytes.get(start + length) == Some(&0);
            let step = if is_padded { self.block_size } else { length };
            start = start.checked_add(step).filter(|next| *next > head)?;
        }
    }

    fn find_in_block(
        &self,
        block: &[u8],
        first_record: usize,
        name: &[u8],
    ) -> Option<Option<Reference>> {
        let (restarts, count) = block.split_last_chunk::<2>()?;
        let restarts_length = 3 * usize::from(u16::from_be_bytes(*count));
        let end = restarts.len().checked_sub(restarts_length)?;
        let mut records = block.get(first_record..end)?;
        let mut current: Vec<u8> = Vec::new();
        while !records.is_empty() {
            let shared = take_number(&mut records)?;
            let kind = take_number(&mut records)?;
            let suffix = take(&mut records, kind >> 3)?;
            current.truncate(shared);
            current.extend_from_slice(suffix);
            take_number(&mut records)?;
            let value = self.take_value(&mut records, kind & 7)?;
            if current == name {
                return Some(value);
            }
        }
        None
    }

    /// `Some(None)` is a deletion.
    fn take_value(&self, records: &mut &[u8], kind: usize) -> Option<Option<Reference>> {
        let value = match kind {
            0 => return Some(None),
            1 => Reference::Commit(git_repository::to_hex(take(records, self.id_length)?)),
            // A tag, and then the commit that it names.
            2 => {
                let tag = take(records, self.id_length)?;
                take(records, self.id_length)?;
                Reference::Commit(git_repository::to_hex(tag))
            }
            3 => {
                let length = take_number(records)?;
                let target = take(records, length)?.to_vec();
                Reference::Symbolic(String::from_utf8(target).ok()?)
            }
            _ => return None,
        };
        Some(Some(value))
    }
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn take_number(bytes: &mut &[u8]) -> Option<usize> {
    let (value, length) = git_index::read_offset(bytes)?;
    take(bytes, length)?;
    Some(value)
}

fn read_u24(bytes: &[u8], at: usize) -> Option<usize> {
    let three = bytes.get(at..at.checked_add(3)?)?;
    Some(three.iter().fold(0, |value, byte| value << 8 | usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_tables_have_no_references() {
        let mut whole = b"REFT\x01\0\0\0".to_vec();
        whole.extend([0; 16]);
        // One record: HEAD is refs/heads/main.
        let record = b"\0\x23HEAD\0\x0frefs/heads/main";
        let length = whole.len() + 4 + record.len() + 5;
        whole.extend([REF_BLOCK, 0, 0, length as u8]);
        whole.extend(record);
        whole.extend([0, 0, 28, 0, 1]);
        let find = |bytes: &[u8]| Reftable::parse(bytes).and_then(|table| table.find(b"HEAD"));
        let expected = Reference::Symbolic("refs/heads/main".to_string());
        assert_eq!(find(&whole), Some(Some(expected)));
        for length in 0..whole.len() {
            assert_eq!(find(&whole[..length]), None, "{length}");
        }
        // Any byte may be anything: no panic, no endless loop.
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = byte;
                find(&damaged);
            }
        }
    }
}
