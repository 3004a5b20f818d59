//! Numbers and strings as bytes: LEB128 varints, and strings with their length in front.
//!
//! Reading distrusts the bytes. A damaged file gives [`Malformed`], never a panic and never an
//! allocation that the bytes do not justify.

/// Bytes that no writer of this version wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stored bytes are damaged")]
pub struct Malformed;

/// Appends a number: seven bits per byte, lowest first; the top bit says that more follow. At most
/// five bytes.
pub fn put_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Appends the length in bytes, then the UTF-8 text.
pub fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_number(bytes, text.len() as u32);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads from the front of a slice. Cheap to copy, to remember a position.
#[derive(Clone, Copy, Debug)]
pub struct ByteReader<'a> {
    bytes: &'a [u8],
}

impl<'a> ByteReader<'a> {
    pub fn new(bytes: &'a [u8]) -> ByteReader<'a> {
        ByteReader { bytes }
    }

    /// Reads a number. Bits beyond 32 are dropped, a sixth byte is [`Malformed`].
    #[inline]
    pub fn read_number(&mut self) -> Result<u32, Malformed> {
        let mut number = 0u32;
        for shift in (0..35).step_by(7) {
            let (&byte, rest) = self.bytes.split_first().ok_or(Malformed)?;
            self.bytes = rest;
            number |= u32::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Malformed)
    }

    /// Returns all that is left, if it is `count` numbers of one byte each. The caller can then
    /// skip decoding.
    #[inline]
    pub fn single_bytes(&self, count: usize) -> Option<&'a [u8]> {
        let is_single = self.bytes.len() == count && self.bytes.iter().all(|byte| *byte < 0x80);
        is_single.then_some(self.bytes)
    }

    /// Reads `length` bytes.
    #[inline]
    pub fn read_bytes(&mut self, length: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(Malformed)?;
        self.bytes = rest;
        Ok(taken)
    }

    /// Reads a length and as many bytes of UTF-8.
    pub fn read_text(&mut self) -> Result<&'a str, Malformed> {
        let length = self.read_number()?;
        std::str::from_utf8(self.read_bytes(length as usize)?).map_err(|_| Malformed)
    }

    /// Returns the number of bytes left.
    pub fn bytes_left(&self) -> usize {
        self.bytes.len()
    }

    /// Reads the number of items that follow. Each takes at least one byte, so a greater number
    /// than there are bytes is damage; checked here, it cannot cause a huge allocation.
    pub fn read_count(&mut self) -> Result<usize, Malformed> {
        let count = self.read_number()? as usize;
        if count <= self.bytes.len() { Ok(count) } else { Err(Malformed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_come_back() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u32::MAX];
        let mut bytes = Vec::new();
        for number in numbers {
            put_number(&mut bytes, number);
            put_text(&mut bytes, "größe");
        }
        let mut unpacker = ByteReader::new(&bytes);
        for number in numbers {
            assert_eq!(unpacker.read_number(), Ok(number));
            assert_eq!(unpacker.read_text(), Ok("größe"));
        }
        assert_eq!(unpacker.read_bytes(1), Err(Malformed));
        assert_eq!(unpacker.read_number(), Err(Malformed));
    }

    #[test]
    fn lies_are_found_out() {
        assert_eq!(ByteReader::new(&[0xff; 9]).read_number(), Err(Malformed));
        assert_eq!(ByteReader::new(&[5, b'a']).read_text(), Err(Malformed));
        assert_eq!(ByteReader::new(&[2, 0xff, 0xfe]).read_text(), Err(Malformed));
        assert_eq!(ByteReader::new(&[200, 1, 0]).read_count(), Err(Malformed));
    }
}
