//! The file of a model, as `training/model_file.py` writes it, read where it lies: nothing is
//! copied or built when it is opened. Knows the format and how to find tokens; not how a text is
//! cut.

use thiserror::Error;

const MAGIC: &[u8] = b"KENMODEL";
const FORMAT: u32 = 1;
pub const HEADER: usize = 48;
/// Longest token that a file may have, so that the search for pieces needs no memory of its own.
const LONGEST_TOKEN: usize = 64;

const FNV_OFFSET: u32 = 0x811c_9dc5;
const FNV_PRIME: u32 = 0x0100_0193;

/// The reason why a model file cannot be used.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ModelError {
    #[error("not a model file")]
    NotAModel,
    #[error("a model file of format {0}; this version reads format {FORMAT}")]
    OtherFormat(u32),
    #[error("a damaged model file: {0}")]
    Damaged(&'static str),
}

/// The sections of a model file, read in place.
#[derive(Debug)]
pub struct Tables<'bytes> {
    pub bytes: &'bytes [u8],
    /// The beginning of the hash of all that follows the header, as the exporter wrote it.
    pub content_hash: &'bytes [u8],
    pub card: &'bytes str,
    pub dimension: usize,
    pub tokens: usize,
    /// A token weighs its count to the power of this.
    pub count_exponent: f32,
    longest_token: usize,
    ends: &'bytes [u8],
    names: &'bytes [u8],
    slots: &'bytes [u8],
    slot_mask: u32,
    scales: &'bytes [u8],
    rows: &'bytes [u8],
}

impl<'bytes> Tables<'bytes> {
    /// Checks the header and finds the sections. No table is copied.
    pub fn read(bytes: &'bytes [u8]) -> Result<Self, ModelError> {
        if bytes.len() < HEADER || !bytes.starts_with(MAGIC) {
            return Err(ModelError::NotAModel);
        }
        // The header, by byte offset: magic (0), format (8), dimension (12), tokens (16), slots
        // (20), longest token (24), length of the names (28) and of the card (32), count exponent
        // (36), content hash (40).
        let field = |offset: usize| u32_at(bytes, offset / 4);
        if field(8) != FORMAT {
            return Err(ModelError::OtherFormat(field(8)));
        }
        let [dimension, tokens, slot_count, longest_token, names_length, card_length] =
            [12, 16, 20, 24, 28, 32].map(|offset| field(offset) as usize);
        if !slot_count.is_power_of_two() || slot_count <= tokens || longest_token > LONGEST_TOKEN {
            return Err(ModelError::Damaged("its header contradicts itself"));
        }
        let mut rest = &bytes[HEADER..];
        let mut section = |length: Option<usize>| {
            let length = length.filter(|length| *length <= rest.len())?;
            let (section, after) = rest.split_at(length);
            rest = after;
            Some(section)
        };
        let cut_off = || ModelError::Damaged("it ends too early");
        let card = section(Some(card_length)).ok_or_else(cut_off)?;
        let tables = Self {
            bytes,
            content_hash: &bytes[40..HEADER],
            card: std::str::from_utf8(card)
                .map_err(|_| ModelError::Damaged("its card is not UTF-8"))?,
            dimension,
            tokens,
            count_exponent: f32::from_bits(field(36)),
            longest_token,
            ends: section(tokens.checked_mul(4)).ok_or_else(cut_off)?,
            names: section(Some(names_length)).ok_or_else(cut_off)?,
            slots: section(slot_count.checked_mul(4)).ok_or_else(cut_off)?,
            slot_mask: (slot_count - 1) as u32,
            scales: section(tokens.checked_mul(4)).ok_or_else(cut_off)?,
            rows: section(tokens.checked_mul(dimension)).ok_or_else(cut_off)?,
        };
        if !rest.is_empty() {
            return Err(ModelError::Damaged("it goes on after its end"));
        }
        Ok(tables)
    }

    /// Returns the scale of a token's row.
    pub fn scale(&self, token: u32) -> f32 {
        f32::from_bits(u32_at(self.scales, token as usize))
    }

    /// Returns the quantized row of a token, as signed bytes.
    pub fn row(&self, token: u32) -> &'bytes [u8] {
        let start = token as usize * self.dimension;
        &self.rows[start..start + self.dimension]
    }

    /// Calls `take` with the token of a word or, if it is unknown, with the longest known pieces
    /// from the left. Bytes that begin no piece are skipped.
    pub fn for_each_piece(&self, word: &[u8], mut take: impl FnMut(u32)) {
        // FNV computes the hash of every prefix on the way to the hash of the whole.
        let mut hashes = [0; LONGEST_TOKEN];
        let mut start = 0;
        while start < word.len() {
            let rest = &word[start..];
            let reach = rest.len().min(self.longest_token);
            let mut hash = FNV_OFFSET;
            for (slot, byte) in hashes.iter_mut().zip(&rest[..reach]) {
                hash = (hash ^ u32::from(*byte)).wrapping_mul(FNV_PRIME);
                *slot = hash;
            }
            let found = (1..=reach)
                .rev()
                .find_map(|length| Some((self.find(&rest[..length], hashes[length - 1])?, length)));
            start += found.map_or(1, |(_, length)| length);
            if let Some((token, _)) = found {
                take(token);
            }
        }
    }

    /// Looks a token up in the hash table, with linear probing.
    fn find(&self, name: &[u8], hash: u32) -> Option<u32> {
        // A whole file has empty slots; a damaged one without any must not keep us for ever.
        for step in 0..=self.slot_mask {
            let slot = hash.wrapping_add(step) & self.slot_mask;
            let token = u32_at(self.slots, slot as usize).checked_sub(1)?;
            if self.name(token) == name {
                return Some(token);
            }
        }
        None
    }

    /// Returns the text of a token; empty for a token that only a damaged file can name.
    fn name(&self, token: u32) -> &'bytes [u8] {
        let token = token as usize;
        if token >= self.tokens {
            return &[];
        }
        let start = token.checked_sub(1).map_or(0, |before| u32_at(self.ends, before));
        let end = u32_at(self.ends, token);
        self.names.get(start as usize..end as usize).unwrap_or(&[])
    }
}

fn u32_at(section: &[u8], number: usize) -> u32 {
    let bytes = &section[4 * number..4 * number + 4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two dimensions; the tokens `ab` and `c`.
    fn small_file() -> Vec<u8> {
        let names: &[u8] = b"abc";
        let mut bytes = MAGIC.to_vec();
        for field in [FORMAT, 2, 2, 4, 2, 3, 2, 1.0_f32.to_bits(), 0, 0] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(b"{}");
        bytes.extend([2_u32, 3].map(u32::to_le_bytes).concat());
        bytes.extend(names);
        let mut slots = [0_u32; 4];
        for (number, name) in [&b"ab"[..], b"c"].iter().enumerate() {
            let mut hash = FNV_OFFSET;
            for byte in *name {
                hash = (hash ^ u32::from(*byte)).wrapping_mul(FNV_PRIME);
            }
            let mut slot = hash as usize & 3;
            while slots[slot] != 0 {
                slot = (slot + 1) & 3;
            }
            slots[slot] = number as u32 + 1;
        }
        bytes.extend(slots.map(u32::to_le_bytes).concat());
        bytes.extend([0.5_f32, 2.0].map(f32::to_le_bytes).concat());
        bytes.extend([1, 2, 3, 4]);
        bytes
    }

    fn pieces(word: &[u8]) -> Vec<u32> {
        let bytes = small_file();
        let tables = Tables::read(&bytes).unwrap();
        let mut pieces = Vec::new();
        tables.for_each_piece(word, |token| pieces.push(token));
        pieces
    }

    #[test]
    fn words_and_pieces() {
        assert_eq!(pieces(b"ab"), [0]);
        assert_eq!(pieces(b"cab"), [1, 0]);
        assert_eq!(pieces(b"axcb"), [1]);
        assert!(pieces(b"xyz").is_empty());
    }

    #[test]
    fn sections_are_where_the_header_says() {
        let bytes = small_file();
        let tables = Tables::read(&bytes).unwrap();
        assert_eq!((tables.card, tables.scale(1)), ("{}", 2.0));
        assert_eq!(tables.row(1), [3, 4]);
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let bytes = small_file();
        assert_eq!(Tables::read(b"x").unwrap_err(), ModelError::NotAModel);
        for length in HEADER..bytes.len() {
            assert!(Tables::read(&bytes[..length]).is_err(), "{length}");
        }
        let mut newer = bytes.clone();
        newer[8] = 9;
        assert_eq!(Tables::read(&newer).unwrap_err(), ModelError::OtherFormat(9));
        let longer = [bytes, vec![0]].concat();
        assert!(Tables::read(&longer).is_err());
    }
}
